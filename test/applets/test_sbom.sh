# Compares the bill of materials with the pins, the linker's map and the
# program.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # others are for tests only
[ -z "${DEPS_DIR:-}" ] || { echo "0 passed, 0 failed"; exit 0; } # no pins
pin() { awk -v f="$1" '$2 == f { print $1 }' test/tools/sources.sha256; }

for program in "$BIN/mco" "$BIN/node/mco-daemon"; do
	name=${program##*/} sbom=$program.spdx.json
	ask() { jq -r "$1" "$sbom"; }
	expect "$name: SPDX" 0 $'SPDX-2.3 CC0-1.0 SPDXRef-DOCUMENT\n' '' ask '"\(.spdxVersion) \(.dataLicense) \(.SPDXID)"'
	expect "$name: of this program" 0 "$(sha256sum <"$program" | cut -d' ' -f1)"$'\n' '' \
		ask '.packages[] | select(.SPDXID == .SPDXID and .name == "'"$name"'") | .checksums[0].checksumValue'
	# Each source package is the pinned one.
	sed -n 's/^\([0-9a-f]*\)  \(\(bearssl\|cjson\|libyaml\|zlib\)_\(.*\)\.dsc\)$/\3 \4 \2 \1/p' test/tools/sources.sha256 >"$TMP/want"
	expect "$name: the pinned packages" 0 "$(cat "$TMP/want")"$'\n' '' \
		ask '.packages[] | select(.packageFileName | endswith(".dsc")) | "\(.name) \(.versionInfo) \(.packageFileName) \(.checksums[0].checksumValue)"'
	for f in $(sed -n 's/^[0-9a-f]*  \(\(bearssl\|cjson\|libyaml\|zlib\)_.*\.tar\..*\)$/\1/p' test/tools/sources.sha256); do
		expect "$name: $f" 0 '' '' grep -qF "$f sha256:$(pin "$f")" "$sbom"
	done
	# Every library that the linker used, and no other.
	test/tools/size.sh "$program" 99999999 >/dev/null
	sed -n 's,.*/lib\([a-z]*\)\.a(.*,\1,p' "$program.size" |
		sed 's/^yaml$/libyaml/; s/^z$/zlib/; s/^c$/musl/' | sort -u >"$TMP/linked"
	expect "$name: what is linked" 0 "$(cat "$TMP/linked")"$'\n' '' \
		bash -c 'jq -r ".packages[].name" "$0" | grep -vx -e "$1" -e libgcc | sort' "$sbom" "$name"
	expect "$name: and said to be" 0 "$(printf '%s\n' $(cat "$TMP/linked") libgcc | sort)"$'\n' '' \
		bash -c 'jq -r ".relationships[] | select(.relationshipType == \"STATIC_LINK\" and .spdxElementId == \"SPDXRef-$1\").relatedSpdxElement" "$0" |
			sed s/SPDXRef-// | sort' "$sbom" "$name"
	expect "$name: licences" 0 $'Apache-2.0\nGPL-3.0-or-later WITH GCC-exception-3.1\nMIT\nZlib\n' '' \
		bash -c 'jq -r ".packages[].licenseConcluded" "$0" | sort -u' "$sbom"
done
expect 'the C library that was linked' 0 "$(sha256sum <"/usr/lib/$(uname -m)-linux-musl/libc.a" | cut -d' ' -f1) $(dpkg-query -W -f '${Version}' musl-dev)"$'\n' '' \
	jq -r '.packages[] | select(.name == "musl") | "\(.checksums[0].checksumValue) \(.versionInfo)"' "$BIN/mco.spdx.json"

# A library that test/tools/sbom.sh does not know.
cp "$BIN/mco" "$TMP/mco"
sed '0,/libz\.a(/!b' "$BIN/mco.map" | sed 's,/libz\.a(,/libother.a(,' >"$TMP/mco.map"
expect 'an unknown library' 1 '' "Error: $TMP/mco: $(grep -o '/[^ ]*/libother\.a' "$TMP/mco.map" | head -n 1) is linked in, and test/tools/sbom.sh does not know it
" bash -c 'test/tools/sbom.sh "$0" v1 >"$1"' "$TMP/mco" "$TMP/out"
finish
