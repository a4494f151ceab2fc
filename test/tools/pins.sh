#!/bin/bash
# pins.sh NAME... -- DEBIAN-ARCHITECTURE...: fetches the newest version of each source
# package that the mirrors have, checks its signature, fetches musl-dev for each of the
# architectures and writes test/tools/sources.sha256. Prints the difference; a person
# reviews and commits it.
set -eu
. "$(dirname "$0")/source.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/got"
apt_begin "$tmp/apt"
count=$#
while [ "$1" != -- ]; do
	apt_download "$tmp/apt" "$tmp/got" "$1"
	shift
done
shift
for arch in "$@"; do
	apt_begin "$tmp/apt-$arch" "$arch"
	apt_download_deb "$tmp/apt-$arch" "$tmp/got" musl-dev
done
for dsc in "$tmp"/got/*.dsc; do
	check_signature "$dsc"
	# The hashes in the signed file must be those of the archives.
	( cd "$tmp/got" && awk '/^Checksums-Sha256:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print $1 "  " $3 }' "$dsc" |
		sha256sum --quiet -c - ) || fail "$(basename "$dsc") does not fit its archives"
done
{
	sed -n '/^#/p' "$pins"
	( cd "$tmp/got" && printf '%s\n' *.dsc *.tar.* *.deb | LC_ALL=C sort | xargs sha256sum -- )
} >"$tmp/new"
if cmp -s "$tmp/new" "$pins"; then
	echo "pins: $((count - 1)) packages are as Debian has them"
	exit 0
fi
diff -u --label pinned --label now "$pins" "$tmp/new" || true
cp "$tmp/new" "$pins"
echo "pins: test/tools/sources.sha256 has changed; read debian/changelog of the new versions, run make check, and commit it"
