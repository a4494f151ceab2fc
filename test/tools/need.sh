#!/bin/bash
# need.sh DEPS_DIR PACKAGE:PROBE...: installs the Debian packages whose probe (a
# command or a file) is absent; where it cannot, prints which packages are
# missing and how to get them.
set -u
deps_dir=$1; shift
missing=()
for p in "$@"; do
	probe=${p#*:}
	case $probe in
	/*) [ -e "$probe" ] && continue ;;
	*)  command -v "$probe" >/dev/null 2>&1 && continue ;;
	esac
	# With unpacked sources, the tools that unpack them are not needed.
	case $deps_dir:${p%%:*} in
	?*:dpkg-dev|?*:debian-keyring|?*:gpgv|?*:xz-utils|?*:bzip2) continue ;;
	esac
	missing+=("${p%%:*}")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing ${missing[*]}"
	log=$(mktemp)
	export DEBIAN_FRONTEND=noninteractive
	# One at a time: apt-get does not wait for another apt-get that reads its lists.
	exec 9>"${TMPDIR:-/tmp}/mco-need.lock"
	flock 9
	if { apt-get -qq update && apt-get -qq install -y \
	     --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
		rm -f "$log"
		exit 0
	fi
	tail -n 5 "$log" >&2
	rm -f "$log"
	echo "Error: apt-get could not install ${missing[*]}" >&2
	exit 1
fi
if [ "$(id -u)" -ne 0 ]; then why="not root"; else why="no apt-get"; fi
echo "Error: missing ${missing[*]} ($why); run: sudo apt-get install -y ${missing[*]}" >&2
exit 1
