#!/bin/bash
# arches.sh MAKE ARCH...: builds each architecture, checks that its programs are hardened,
# runs its tests by `make goldens` and compares what it renders with the native program,
# byte by byte. Prints "N passed, N failed" last.
set -u
make=$1
shift
passed=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

count() {	# what, status
	if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1"; fi
}

# Renders the examples; no byte of the result may depend on the machine.
results() {	# DIRECTORY of the programs, DIRECTORY for their output
	mkdir -p "$2"
	"$1/mcoctl" render -f examples/cluster >"$2/rendered"
	"$1/mcoctl" diff -f examples/new-mirrors.yaml --base examples/bootstrap >"$2/diff"
	"$1/mco-controller" bootstrap --templates=builtin --manifest-dir examples/bootstrap --payload-version 4.22.0 \
		--pull-secret examples/bootstrap/pull-secret.yaml --dest-dir "$2/bootstrap" 2>/dev/null
}

"$make" --no-print-directory -s all || exit 1
results build "$tmp/native"
[ -s "$tmp/native/rendered" ] && [ -s "$tmp/native/diff" ] && [ -d "$tmp/native/bootstrap/machine-configs" ]
count 'native results' $?
for arch in "$@"; do
	echo "== $arch"
	"$make" --no-print-directory -s ARCH="$arch" compile-tests harden
	count "$arch: build" $?
	"$make" --no-print-directory ARCH="$arch" goldens | tee "$tmp/log"
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$tmp/log" | tail -n 1)
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
	results "build/$arch/qemu" "$tmp/$arch"
	diff -r "$tmp/native" "$tmp/$arch"
	count "$arch: the same results" $?
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
