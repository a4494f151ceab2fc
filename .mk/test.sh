#!/bin/bash
# test.sh OUT TEST... -- REPLAY...: runs the unit tests, replays the fuzz corpora
# and runs the command-line tests; ends with "N passed, N failed".
# WRAP puts a command such as valgrind in front of each program.
set -u
out=$1; shift
passed=0 failed=0 section=tests
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() {	# name status: adds the log's last tally
	local p f
	read -r p f < <(sed -n \
		-e 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip.*/\1 \2/p' \
		-e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
		"$log" | tail -n 1)
	if [ -z "${p:-}" ]; then p=0 f=1; fi
	if [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
	passed=$((passed + p)) failed=$((failed + f))
	if [ "$f" -ne 0 ]; then
		echo "FAILED $1 (exit $2)"
		tail -n 60 "$log"
	fi
}

for t in "$@"; do
	if [ "$t" = -- ]; then section=replays; continue; fi
	if [ $section = tests ]; then
		${WRAP:-} "$t" >"$log" 2>&1
	else
		name=${t##*/replay_}
		${WRAP:-} "$t" "test/fuzz/corpus/$name" >"$log" 2>&1
	fi
	count "$t" $?
done
for t in test/applets/test_*.sh; do
	MCO_DIR=$out bash "$t" >"$log" 2>&1
	count "$t" $?
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
