#!/bin/bash
# style.sh: checks what clang-format cannot.
#
# - Every .c file of the product opens with a comment: what it is, which invariants hold.
# - Section banners are 80 columns wide.
# - Array lengths are ARRAY_LEN, string initialisers S_INIT, codes of results err_code.
# - No file of the product has more than 650 lines.
set -u
bad=0
fault() { echo "$1" >&2; bad=1; }

mapfile -t product < <(git ls-files -co --exclude-standard 'src/*.c' 'applets/*.c' 'src/*.h' 'include/*.h' 'applets/*.h')
mapfile -t all < <(git ls-files -co --exclude-standard '*.c' '*.h')

for f in "${product[@]}"; do
	[ -e "$f" ] || continue
	case $f in
	*.c) [ "$(head -c 2 "$f")" = '/*' ] || fault "$f: does not open with a comment" ;;
	esac
	n=$(wc -l <"$f")
	[ "$n" -le 650 ] || fault "$f: $n lines; look for two modules in it"
done
found=$(awk '/^\/\* -----* / && length($0) != 80 { print FILENAME ":" FNR ": a banner of " length($0) " columns" }' "${all[@]}")
[ -z "$found" ] || fault "$found"
found=$(grep -nE 'sizeof\(([^()]+)\) / sizeof\(\(?\1\)?\[0\]|\(enum err_code\) ?-' "${all[@]}" | grep -v '^include/base/')
[ -z "$found" ] || fault "$found"
[ $bad -eq 0 ] && echo "style: ${#all[@]} files"
exit $bad
