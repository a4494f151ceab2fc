#!/bin/bash
# pins.sh NAME...: fetches the newest version of each source package that the mirrors
# have, checks its signature and writes test/tools/sources.sha256. Says what has changed; the
# change is for a person to review and commit.
set -eu
. "$(dirname "$0")/source.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/got"
apt_begin "$tmp/apt"
for name in "$@"; do
	apt_download "$tmp/apt" "$tmp/got" "$name"
done
for dsc in "$tmp"/got/*.dsc; do
	check_signature "$dsc"
	# The hashes in what was signed are those of the archives.
	( cd "$tmp/got" && awk '/^Checksums-Sha256:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print $1 "  " $3 }' "$dsc" |
		sha256sum --quiet -c - ) || fail "$(basename "$dsc") does not fit its archives"
done
{
	sed -n '/^#/p' "$pins"
	( cd "$tmp/got" && printf '%s\n' *.dsc *.tar.* | LC_ALL=C sort | xargs sha256sum -- )
} >"$tmp/new"
if cmp -s "$tmp/new" "$pins"; then
	echo "pins: $# packages are as Debian has them"
	exit 0
fi
diff -u --label pinned --label now "$pins" "$tmp/new" || true
cp "$tmp/new" "$pins"
echo "pins: test/tools/sources.sha256 has changed; read debian/changelog of the new versions, run make check, and commit it"
