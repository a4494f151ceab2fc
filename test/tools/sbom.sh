#!/bin/bash
# sbom.sh PROGRAM VERSION: prints a software bill of materials of PROGRAM in SPDX 2.3
# (JSON): the contents according to the linker's map, PROGRAM.map, with versions and
# hashes from test/tools/sources.sha256, or from dpkg for libraries that Debian compiled.
set -eu
. "$(dirname "$0")/source.sh"
program=$1 version=$2
name=$(basename "$program")
# The build's time when the build is reproducible, otherwise the program's.
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$program")}" +%Y-%m-%dT%H:%M:%SZ)

sha() { sha256sum <"$1" | cut -d' ' -f1; }
package() {	# id, version, licence, file, its SHA-256, purl, where from
	printf '%s    {\n      "SPDXID": "SPDXRef-%s",\n      "name": "%s",\n      "versionInfo": "%s",\n' "$comma" "$1" "$1" "$2"
	printf '      "packageFileName": "%s",\n      "checksums": [{ "algorithm": "SHA256", "checksumValue": "%s" }],\n' "$4" "$5"
	printf '      "licenseConcluded": "%s",\n      "licenseDeclared": "%s",\n      "copyrightText": "NOASSERTION",\n' "$3" "$3"
	printf '      "downloadLocation": "NOASSERTION",\n      "filesAnalyzed": false'
	[ -z "$6" ] || printf ',\n      "externalRefs": [{ "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "%s" }]' "$6"
	[ -z "$7" ] || printf ',\n      "sourceInfo": "%s"' "$7"
	printf '\n    }'
	comma=$',\n'
	[ "$1" = "$name" ] || linked+=("$1")
}
source_package() {	# package, licence: built here from the pinned source
	local v dsc f archives=''
	v=$(pinned_version "$1")
	for f in $(pinned_files "$1"); do
		case $f in
		*.dsc)	dsc=$f ;;
		*)	archives+="; $f sha256:$(pin_of "$f")" ;;
		esac
	done
	package "$1" "$v" "$2" "$dsc" "$(pin_of "$dsc")" "pkg:deb/debian/$1@${v//+/%2B}?arch=source" \
		"Debian source package, compiled here${archives}"
}
debian_package() {	# package, name, licence, file, version or none, architecture or none
	local v=${5:-}
	[ -n "$v" ] || v=$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null) || v=NOASSERTION
	package "$2" "$v" "$3" "$(basename "$4")" "$(sha "$4")" "pkg:deb/debian/$1@${v//+/%2B}${6:+?arch=$6}" \
		"linked as compiled by Debian, from the package $1"
}
gcc_package() {	# name, file: of the compiler, which dpkg has installed
	local p
	p=$(dpkg-query -S "$2" 2>/dev/null) || p=NOASSERTION
	p=${p%%: *}
	debian_package "${p%%:*}" "$1" 'GPL-3.0-or-later WITH GCC-exception-3.1' "$2"
}
pinned_musl() {	# file: of another architecture's musl-dev, unpacked as /musl/ARCHITECTURE-PIN
	local arch=${1##*/musl/} v
	arch=${arch%%-*}
	v=$(pinned_files musl-dev | sed -n "s/^musl-dev_\(.*\)_$arch\.deb$/\1/p")
	debian_package musl-dev musl MIT "$1" "$v" "$arch"
}

comma='' linked=()
cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "$name-$version",
  "documentNamespace": "urn:sha256:$(sha "$program")",
  "creationInfo": { "created": "$created", "creators": ["Tool: mco/test/tools/sbom.sh"] },
  "documentDescribes": ["SPDXRef-$name"],
  "packages": [
END
package "$name" "$version" Apache-2.0 "$name" "$(sha "$program")" '' ''
# The files that bytes of the program come from: archives and start files.
while read -r file; do
	case $file in
	*/libbearssl.a)	source_package bearssl MIT ;;
	*/libcjson.a)	source_package cjson MIT ;;
	*/libyaml.a)	source_package libyaml MIT ;;
	*/libz.a)	source_package zlib Zlib ;;
	/usr/lib/*-linux-musl/libc.a) debian_package musl-dev musl MIT "$file" ;;
	*-linux-musl/libc.a) pinned_musl "$file" ;;
	*/crtbeginS.o)	gcc_package libgcc "$file" ;;
	*/libgcc.a)	gcc_package libgcc.a "$file" ;;
	*/crtendS.o|*-linux-musl/*crt*.o) ;; # of the same packages
	*)	fail "$program: $file is linked in, and test/tools/sbom.sh does not know it" ;;
	esac
done < <(awk '/^Linker script and memory map/ { kept = 1 }
	/^\./ { loaded = $1 !~ /^\.(debug|comment)/ }
	kept && loaded && /^ [.A-Z]/ {
		if (NF == 1) { getline rest; $0 = $0 " " rest }
		if (NF == 4 && $3 ~ /^0x/ && $3 != "0x0" && $4 !~ /(^|\/)obj\/(src|applets)\//) { sub(/\(.*/, "", $4); print $4 }
	}' "$program.map" | LC_ALL=C sort -u)
printf '\n  ],\n  "relationships": [\n'
printf '    { "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-%s" }' "$name"
for p in "${linked[@]}"; do
	printf ',\n    { "spdxElementId": "SPDXRef-%s", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%s" }' "$name" "$p"
done
printf '\n  ]\n}\n'
