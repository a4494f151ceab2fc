#!/bin/bash
# size.sh OUT MAX: what the binary weighs, by layer, library and symbol. Sizes of
# parts come from the linker's map; the limit is on the file.
set -eu
out=$1 max=$2
size=$(stat -c %s "$out/mco")
hex='function hex(s,   i, n) {
	s = tolower(s); sub(/^0x/, "", s)
	for (i = 1; i <= length(s); i++)
		n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}'
awk "$hex"'
	/^Linker script and memory map/ { kept = 1 } # before it: what was left out
	!kept { next }
	# " .text.name  0xaddr 0xsize file", the name perhaps on a line of its own
	/^ \.(text|rodata|data|bss|eh_frame|init_array)/ {
		if (NF == 1) { getline rest; $0 = $0 " " rest }
		if (NF < 4 || $1 ~ /^\.bss/) next
		n = hex($3); if (!n) next
		f = $NF
		if (f ~ /liblower\.a|libpure\.a|obj\//) {
			part = "mco"
		} else if (match(f, /lib[a-zA-Z_]*\.a/)) part = substr(f, RSTART, RLENGTH)
		else part = "start files"
		key = (part == "mco") ? f : part
		bytes[key] += n
	}
	END { for (k in bytes) print bytes[k], k }
' "$out/mco.map" > "$out/size.parts"
# objects of our own archives are named by file; find the layer that has it
while read -r n f; do
	case $f in
	*'('*')') o=${f##*\(}; o=${o%.o)}
		p=$(ls src/*/"$o.c" 2>/dev/null | head -n 1)
		echo "$n ${p:+src/$(echo "$p" | cut -d/ -f2)}" ;;
	*obj/applets/*) echo "$n applets" ;;
	*) echo "$n $f" ;;
	esac
done < "$out/size.parts" | awk '{ b[$2] += $1 } END { for (k in b) printf "%9d  %s\n", b[k], k }' | sort -rn
echo "largest symbols:"
nm -S --size-sort -r "$out/mco.debug" | head -n 12 |
	awk "$hex"'{ printf "%9d  %s\n", hex($2), $4 }'
echo "build/mco: $size of $max bytes"
if [ "$size" -gt "$max" ]; then
	echo "Error: $out/mco has $size bytes, more than $max" >&2
	exit 1
fi
