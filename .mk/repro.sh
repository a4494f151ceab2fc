#!/bin/bash
# repro.sh: builds HEAD in two folders of different names and compares the bytes.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for d in one another/deeper; do
	mkdir -p "$tmp/$(dirname "$d")"
	git -c safe.directory='*' clone -q . "$tmp/$d"
	make -s -C "$tmp/$d" -j"$(nproc)" build/mco >/dev/null
done
cd "$tmp"
sha256sum one/build/mco another/deeper/build/mco
cmp one/build/mco another/deeper/build/mco
cmp one/build/mco.debug another/deeper/build/mco.debug
echo "repro: the same bytes"
