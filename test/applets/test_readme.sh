# Every command that the README shows, with the output it shows.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # it speaks of build/
cmd='' out=''
check() {
	[ -n "$cmd" ] || return
	bash -c "$cmd" > "$TMP/out" 2>&1
	if printf '%s' "$out" | cmp -s - "$TMP/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL README: $cmd"
		diff <(printf '%s' "$out") "$TMP/out"
	fi
	cmd='' out=''
}
while IFS= read -r line; do
	case $line in
	'    $ '*) check; cmd=${line#    \$ } ;;
	'    '*) [ -n "$cmd" ] && out+="${line#    }"$'\n' ;;
	*) check ;;
	esac
done < README.md
check
finish
