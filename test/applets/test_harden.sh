# The shipped program is hardened, also at run time, and test/tools/harden.sh notices when
# one of its properties is missing.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # others are for tests only

# ---- at run time --------------------------------------------------------------
# mcoctl waits for standard input meanwhile.
mkfifo "$TMP/in"
maps() {	# file: the memory map of a run of mcoctl
	local pid i
	"$BIN/mcoctl" fmt -f - <"$TMP/in" >/dev/null 2>&1 &
	pid=$!
	exec 7>"$TMP/in"
	# until it reads (system call 0) and thus has finished starting
	for ((i = 0; i < 1000; i++)); do
		case $(cat "/proc/$pid/syscall" 2>/dev/null) in '0 0x0 '*) break ;; esac
		sleep 0.01
	done
	grep "/build/mco$\|/mco$" "/proc/$pid/maps" >"$1"
	exec 7>&-
	wait "$pid"
}
maps "$TMP/one"
maps "$TMP/two"
expect 'pages: headers, code, constants, relocated constants, variables' 0 $'r--p\nr-xp\nr--p\nr--p\nrw-p\n' '' \
	awk '{ print $2 }' "$TMP/one"
expect 'at another address each time' 1 '' '' cmp -s "$TMP/one" "$TMP/two"

# ---- the check can fail -------------------------------------------------------
cat >"$TMP/p.c" <<'END'
#include <stdio.h>
static const char *const table[] = { "a", "b" };
int main(int argc, char **argv) { char b[64]; snprintf(b, sizeof(b), "%s", table[argc & 1]); return b[0] == argv[0][0]; }
END
musl=/usr/lib/$(uname -m)-linux-musl
pie=-Wl,-pie,--no-dynamic-linker,-z,text,-z,relro,-z,now,-z,separate-code,-z,noexecstack
made() {	# flags...: links $TMP/p
	musl-gcc -std=c11 -g -O2 "$@" -o "$TMP/p.debug" "$TMP/p.c" && strip -o "$TMP/p" "$TMP/p.debug"
}
static_made() {	# start file, flags...
	local start=$1
	shift
	made -nostartfiles -static "$musl/$start" "$musl/crti.o" "$@" "$musl/crtn.o"
}
hard='-fPIE -fstack-protector-strong'
faulty() {	# name, error message, library...
	local name=$1 what=$2
	shift 2
	expect "$name" 1 '' "Error: $TMP/p: $what"$'\n' test/tools/harden.sh "$TMP/p" "$@"
}
among() {	# name, one of the error messages
	test/tools/harden.sh "$TMP/p" >"$TMP/complaints" 2>&1
	expect "$1: refused" 1 '' '' [ $? -eq 0 ]
	expect "$1" 0 "$2"$'\n' '' grep -o "$2" "$TMP/complaints"
}
static_made rcrt1.o $hard $pie
expect 'all is well' 0 "harden: $TMP/p: static PIE, full RELRO, no writable code, no executable data, stack protector in 1 units and 0 libraries
" '' test/tools/harden.sh "$TMP/p"
static_made rcrt1.o -fPIE -fstack-protector $pie
faulty 'a weaker stack protector' 'has 1 units compiled without -fstack-protector-strong'
static_made rcrt1.o $hard $pie,-z,norelro
faulty 'no RELRO' 'has no GNU_RELRO segment'
static_made rcrt1.o $hard $pie,-z,lazy
faulty 'lazy binding' 'is not linked with -z now: RELRO is partial'
static_made rcrt1.o $hard $pie,-z,execstack
faulty 'an executable stack' 'has an executable stack, or does not say'
static_made rcrt1.o $hard $pie,-z,noseparate-code
among 'constants among the code' 'has data in an executable segment: .hash .gnu.hash'
static_made rcrt1.o $hard "${pie/-pie/-shared}"
among 'relocations by symbol' 'has relocations that nothing applies'
static_made crt1.o -fno-pie -fstack-protector-strong -Wl,-no-pie,-z,relro,-z,now,-z,separate-code
expect 'a fixed address' 1 '' "Error: $TMP/p: is not position-independent (ELF type DYN)
Error: $TMP/p: is not linked with -z now: RELRO is partial
Error: $TMP/p: has 1 units compiled without -fPIE
" test/tools/harden.sh "$TMP/p"
made $hard -pie -Wl,-z,relro,-z,now
expect 'a dynamic program' 1 '' "Error: $TMP/p: asks for a dynamic loader (INTERP): not static
Error: $TMP/p: needs shared libraries (NEEDED): not static
" test/tools/harden.sh "$TMP/p"
static_made rcrt1.o $hard $pie,--omagic,--no-warn-rwx-segments
among 'code that can be written' 'has a segment that is writable and executable'
echo 'int f(int x) { return x + 1; }' >"$TMP/f.c"
musl-gcc -O2 -c -o "$TMP/f.o" "$TMP/f.c" && ar rcs "$TMP/libf.a" "$TMP/f.o"
static_made rcrt1.o $hard $pie
faulty 'a library without' 'is linked with libf.a, which has no stack protector' "$TMP/libf.a"
expect 'nothing there' 1 '' "Error: harden: $TMP/none or $TMP/none.debug is missing or no ELF file; run: make
" test/tools/harden.sh "$TMP/none"
finish
