#!/bin/bash
# repro.sh PROGRAM...: builds HEAD twice, in directories of different names and
# with newly built libraries each time, and compares the bytes.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for d in one another/deeper; do
	mkdir -p "$tmp/$(dirname "$d")"
	git -c safe.directory='*' clone -q . "$tmp/$d"
	# No compiler cache: it would return the first result twice.
	CCACHE_DISABLE=1 make -s -C "$tmp/$d" -j"$(nproc)" CACHE="$tmp/$d.cache" ARCHIVES="$ARCHIVES" "$@" >/dev/null
done
cd "$tmp"
for p in "$@"; do
	sha256sum "one/$p" "another/deeper/$p"
	cmp "one/$p" "another/deeper/$p"
	cmp "one/$p.debug" "another/deeper/$p.debug"
done
for lib in one.cache/deps/*/lib/*.a; do
	cmp "$lib" "another/deeper.cache/${lib#one.cache/}"
done
echo "repro: the same bytes"
