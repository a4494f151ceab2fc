# list.sh DIR: lists everything in DIR, with busybox on the host and in the
# guest.
cd "$1" || exit 1
find . | sort | while read -r f; do
	if [ -h "$f" ]; then
		echo "$(stat -c '%F %u:%g' "$f") $f $(readlink "$f")"
	elif [ -f "$f" ]; then
		echo "$(stat -c '%F %a %u:%g' "$f") $f $(sha256sum < "$f")"
	else
		echo "$(stat -c '%F %a %u:%g' "$f") $f"
	fi
done
