#!/bin/bash
# harden.sh PROGRAM [LIBRARY...]: shows with readelf that PROGRAM is hardened, and
# fails where it is not. PROGRAM.debug has its symbols; the libraries are those
# linked in, which must be built with a stack protector, too. CROSS is the prefix of the
# binutils that read them.
set -u
program=$1; shift
debug=$program.debug bad=0
headers=$(readelf -hlW "$program" 2>/dev/null) && [ -r "$debug" ] ||
	{ echo "Error: harden: $program or $debug is missing or no ELF file; run: make" >&2; exit 1; }
dynamic=$(readelf -dW "$program")

check() {	# what, command...: the command succeeds when the property holds
	local what=$1
	shift
	if ! "$@"; then
		echo "Error: $program: $what" >&2
		bad=1
	fi
}
has() { grep -qE -- "$2" <<<"$1"; }
has_not() { ! has "$@"; }

check 'is not position-independent (ELF type DYN)' has "$headers" '^  Type: +DYN'
check 'asks for a dynamic loader (INTERP): not static' has_not "$headers" '^  INTERP'
check 'needs shared libraries (NEEDED): not static' has_not "$dynamic" '\(NEEDED\)'
check 'has relocations in its code (TEXTREL)' has_not "$dynamic" 'TEXTREL'
# musl's start code of a static program applies relative relocations and no others.
all_applied() { [ -z "$others" ] || has "$headers" '^  INTERP'; }
others=$(readelf -rW "$program" | awk '$3 ~ /^R_/ && $3 !~ /_RELATIV/ { print $3 }' | sort -u | xargs)
check "has relocations that nothing applies: $others" all_applied
# Nor does it apply packed ones before musl 1.2.4: the program starts in our own entry point.
starts_with_relr() {
	local entry
	entry=$(readelf -sW "$debug" | awk '$8 == "relr_entry" { sub(/^0+/, "", $2); print $2 }')
	! has "$dynamic" '\(RELR\)' || has "$headers" "Entry point address: +0x${entry:-none}\$"
}
check 'has packed relocations (RELR) and does not start at relr_entry' starts_with_relr
check 'has no GNU_RELRO segment' has "$headers" '^  GNU_RELRO'
check 'is not linked with -z now: RELRO is partial' has "$dynamic" 'BIND_NOW|FLAGS_1.* NOW'
check 'has an executable stack, or does not say' has "$headers" '^  GNU_STACK .* RW +0x'
check 'has a segment that is writable and executable' has_not "$headers" '^  LOAD .* RWE '

# Every section of the executable segments is code: constants are elsewhere.
mixed=$(readelf -SlW "$program" | awk '
	/^  \[ *[0-9]+\]/ { sub(/^  \[ *[0-9]+\] /, ""); code[$1] = $7 ~ /X/ }
	/^  LOAD/ { x[n++] = / R E 0x/ || / RWE 0x/; next }
	/^  [A-Z_]+ +0x/ { x[n++] = 0; next }
	/^   [0-9][0-9] / && x[$1 + 0] { for (i = 2; i <= NF; i++) if (!code[$i]) printf " %s", $i }')
check "has data in an executable segment:$mixed" [ -z "$mixed" ]

# Every compilation unit of ours records how it was compiled.
units=$(readelf --debug-dump=info "$debug" 2>/dev/null | grep -a 'DW_AT_producer.*C11')
check 'has no debug information that says how it was compiled' [ -n "$units" ]
for f in -fstack-protector-strong -fPIE; do
	without=$(grep -a . <<<"$units" | grep -avc -e " $f\b")
	check "has $without units compiled without $f" [ "$without" -eq 0 ]
done
for lib in "$@"; do
	check "is linked with ${lib##*/}, which has no stack protector" \
		has "$("${CROSS:-}nm" -u "$lib" 2>/dev/null)" '__stack_chk_fail'
done
[ $bad -eq 0 ] || exit 1
echo "harden: $program: static PIE, full RELRO, no writable code, no executable data," \
	"stack protector in $(grep -ac . <<<"$units") units and $# libraries"
