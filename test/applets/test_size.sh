# test/tools/size.sh: every byte of a program, by the object file it comes from.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # others are for tests only

within() {	# name, least, most, number
	expect "$1 ($4)" 0 '' '' [ "${4:-0}" -ge "$2" -a "${4:-0}" -le "$3" ]
}
part() { awk -v f="$2" 'index($2, f) { print $1 }' "$1.size"; }	# program, object
row() { sed -n "s|^ *\([0-9]*\)  $1\$|\1|p" "$TMP/rows"; }

# ---- the shipped program ------------------------------------------------------
expect 'within its limit' 0 '' '' bash -c 'test/tools/size.sh "$0" 1572864 >"$1"' "$BIN/mco" "$TMP/rows"
is=$(stat -c %s "$BIN/mco")
expect 'objects add up to the file' 0 "$is"$'\n' '' awk '{ n += $1 } END { print n }' "$BIN/mco.size"
expect 'rows add up to the file' 0 "$is"$'\n' '' awk '/symbols/ { exit } { n += $1 } END { print n }' "$TMP/rows"
within 'few bytes are unattributed' 0 40000 "$(row 'ELF headers, alignment')"
expect 'each layer has a row' 0 $'applets\nsrc/base\nsrc/data\nsrc/ign\nsrc/io\nsrc/kube\nsrc/mc\nsrc/node\nsrc/plan\nsrc/role\nsrc/view\n' '' \
	bash -c 'grep -oE "(src/[a-z]+|applets)$" "$0" | sort' "$TMP/rows"
expect 'above its limit' 1 '' "Error: $BIN/mco has $is bytes, more than 1000000"$'\n' \
	bash -c 'test/tools/size.sh "$0" 1000000 >"$1"' "$BIN/mco" "$TMP/rows"

# ---- the daemon alone (make NODE=1) -------------------------------------------
expect 'the daemon alone' 0 $'MachineConfigDaemon v9-abc\n' '' \
	env MCO_RAW=v9 MCO_HASH=abc "$BIN/node/mco-daemon" version
expect 'has no other names' 1 '' \
	$'Error: unknown command "mcoctl" for "mco-daemon"\nSee \'mco-daemon --help\'.\n' "$BIN/node/mco-daemon" mcoctl
within 'and is small' 1 1048576 "$(stat -c %s "$BIN/node/mco-daemon")"

# ---- a program with known parts -----------------------------------------------
# Two files of one name; 100 pointers of 8 bytes each, with relocations of 24.
mkdir -p "$TMP/obj/src/aa" "$TMP/obj/src/bb" "$TMP/lib"
echo 'const char aa[10000] = "a"; const char *pick(int i) { return aa + i; }' >"$TMP/aa.c"
{
	echo 'extern const char aa[]; const char bb[20000] = "b";'
	echo 'const char *const table[100] = {'
	for ((i = 0; i < 100; i++)); do echo "aa + $i,"; done
	echo '};'
} >"$TMP/bb.c"
cat >"$TMP/main.c" <<'END'
extern const char bb[], *const table[];
const char *pick(int i);
int main(int argc, char **argv) { return bb[argc] + table[argc][0] + pick(argc)[0] + argv[0][0]; }
END
musl=/usr/lib/$(uname -m)-linux-musl
cc='musl-gcc -std=c11 -g -O2 -fPIE'
$cc -c -o "$TMP/obj/src/aa/same.o" "$TMP/aa.c" && $cc -c -o "$TMP/obj/src/bb/same.o" "$TMP/bb.c" &&
	(cd "$TMP" && ar rcsD --thin lib/libx.a obj/src/aa/same.o obj/src/bb/same.o) &&
	$cc -nostartfiles -static -Wl,-pie,--no-dynamic-linker,-z,relro,-z,now -Wl,-Map="$TMP/p.map" -o "$TMP/p.debug" \
		"$musl/rcrt1.o" "$musl/crti.o" "$TMP/main.c" "$TMP/lib/libx.a" "$musl/crtn.o" &&
	strip -o "$TMP/p" "$TMP/p.debug"
test/tools/size.sh "$TMP/p" 1000000 >"$TMP/rows"
within 'a file' 10000 10064 "$(part "$TMP/p" obj/src/aa/same.o)"
within 'another of its name' 23200 23232 "$(part "$TMP/p" obj/src/bb/same.o)"
within 'its layer' 10000 10064 "$(row src/aa)"
within 'the other layer' 23200 23232 "$(row src/bb)"
expect 'the sum' 0 "$(stat -c %s "$TMP/p")"$'\n' '' awk '{ n += $1 } END { print n }' "$TMP/p.size"
finish
