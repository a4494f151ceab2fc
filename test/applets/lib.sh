# Sourced by the command-line tests: `expect` runs a command and compares its
# exit status, standard output and standard error, byte for byte.
set -u
BIN=${MCO_DIR:-build}
# The output of uname -m in the programs under test, which may run under qemu.
MACHINE=${MCO_ARCH:-$(uname -m)}
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
passed=0 failed=0

# expect NAME STATUS STDOUT STDERR COMMAND...; standard input is passed on.
expect() {
	local name=$1 status=$2 out=$3 err=$4 got
	shift 4
	"$@" >"$TMP/.out" 2>"$TMP/.err"
	got=$?
	if [ "$got" = "$status" ] &&
	   printf '%s' "$out" | cmp -s - "$TMP/.out" &&
	   printf '%s' "$err" | cmp -s - "$TMP/.err"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL $name: exit $got, expected $status"
	diff <(printf '%s' "$out") "$TMP/.out" | sed 's/^/  out /'
	diff <(printf '%s' "$err") "$TMP/.err" | sed 's/^/  err /'
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
