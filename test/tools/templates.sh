#!/bin/bash
# templates.sh DIR HEADER [NAME]: packs the files below DIR into an array of bytes for C
# (packed_templates, or NAME): for each file, in order of path, "<path>\n<size>\n" and the bytes;
# all compressed with gzip.
set -euo pipefail
dir=$1 out=$2 name=${3:-packed_templates}
export LC_ALL=C
mkdir -p "$(dirname "$out")"
{
	echo '/* Made by test/tools/templates.sh. */'
	echo "static const unsigned char ${name}[] = {"
	(cd "$dir" && find -L . -type f | sed 's|^\./||' | sort | while IFS= read -r f; do
		printf '%s\n%s\n' "$f" "$(stat -Lc %s "$f")"
		cat "$f"
	done) | gzip -9n | od -An -v -tu1 | sed 's/  *\([0-9][0-9]*\)/\1,/g'
	echo '};'
} >"$out.tmp"
mv "$out.tmp" "$out"
