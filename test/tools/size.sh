#!/bin/bash
# size.sh PROGRAM MAX: prints the bytes of PROGRAM by layer and library, and its largest
# symbols; fails when it has more than MAX (0: no limit). Writes the bytes by object file
# to PROGRAM.size. CROSS is the prefix of the binutils that read it.
#
# The linker's map, PROGRAM.map, gives the position of each object's bytes. A relocation
# is counted for the object whose pointer it adjusts. The rows add up to the file.
set -eu
program=$1 max=$2
size=$(stat -c %s "$program")

# "ADDRESS SIZE OBJECT" for each input section, and "ADDRESS reloc" for each
# relocation, between "ADDRESS start" and "ADDRESS end" of sections in the file.
{
	readelf -SW "$program" | sed -n 's/^  \[ *[0-9]*\] //p' |
		awk '$7 ~ /A/ && $2 != "NOBITS" && $2 != "RELA" { print "section", $3, $5 }'
	readelf -rW "$program" | awk '/R_[A-Z0-9_]*RELATIV/ { print "reloc", $1 }'
	awk '/^Linker script and memory map/ { kept = 1 } # before it: what was left out
		/^\./ { loaded = $1 !~ /^\.(debug|comment|stab)/ } # those begin at 0 again
		!kept || !loaded { next }
		/^ [.A-Z]/ { # the rest is on a line of its own when the name is long
			if (NF == 1) { getline rest; $0 = $0 " " rest }
			if ($2 ~ /^0x/ && $3 ~ /^0x/ && NF == 4) print "part", $2, $3, $4
		}' "$program.map"
} | awk '
	function hex(s,   i, n) {
		s = tolower(s); sub(/^0x/, "", s)
		for (i = 1; i <= length(s); i++)
			n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
		return n
	}
	$1 == "section" { print hex($2), 0, "start"; print hex($2) + hex($3), 0, "end" }
	$1 == "reloc" { print hex($2), 2, "reloc" }
	$1 == "part" && hex($3) { print hex($2), 1, hex($3), $4 }' |
	sort -n -k1,1 -k2,2 -s | awk -v size="$size" '
	# Sections merge equal strings, so parts may overlap: each ends where the
	# next begins.
	function close_part(at,   n) {
		if (part != "") {
			n = (at < stop ? at : stop) - from
			bytes[part] += n
			sum += n
		}
		part = ""
	}
	$3 == "start" { within = 1; next }
	$3 == "end" { close_part($1); within = 0; next }
	$3 == "reloc" { n = $1 < stop ? owner : "-"; bytes[n] += 24; sum += 24; next }
	within { close_part($1); part = owner = $4; from = $1; stop = $1 + $3 }
	END {
		for (p in bytes) print bytes[p], p
		print size - sum, "-"
	}' | sort -rn >"$program.size"

awk '{
		n = $1; part = $2
		if (part == "-") part = "ELF headers, alignment"
		else if (match(part, /obj\/src\/[a-z]+\//)) part = substr(part, RSTART + 4, RLENGTH - 5)
		else if (part ~ /obj\/applets\//) part = "applets"
		else if (match(part, /lib[a-zA-Z_]+\.a/)) part = substr(part, RSTART, RLENGTH)
		else part = "start files"
		bytes[part] += n
	}
	END { for (p in bytes) printf "%9d  %s\n", bytes[p], p }' "$program.size" | sort -rn
echo "largest symbols:"
"${CROSS:-}nm" -S --size-sort -r -t d "$program.debug" | awk '$3 !~ /[bB]/ && n++ < 12 { printf "%9d  %s\n", $2, $4 }'
if [ "$max" -eq 0 ]; then echo "$program: $size bytes"; exit; fi
echo "$program: $size of $max bytes"
if [ "$size" -gt "$max" ]; then
	echo "Error: $program has $size bytes, more than $max" >&2
	exit 1
fi
