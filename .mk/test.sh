#!/bin/bash
# test.sh OUT TEST... -- REPLAY...: runs the unit tests, replays the fuzz corpora
# and runs the command-line tests, one a core; ends with "N passed, N failed".
# WRAP puts a command such as valgrind in front of each program. One that hangs is
# ended after LIMIT seconds, and failed.
set -u
out=$1; shift
passed=0 failed=0 section=tests
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

count() {	# name log: adds the log's tally, and the exit status beside it
	local p f status
	status=$(cat "$2.status")
	read -r p f < <(sed -n \
		-e 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip.*/\1 \2/p' \
		-e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
		"$2" | tail -n 1)
	if [ -z "${p:-}" ]; then p=0 f=1; fi
	if [ "$status" != 0 ] && [ "$f" -eq 0 ]; then f=1; fi
	passed=$((passed + p)) failed=$((failed + f))
	if [ "$f" -ne 0 ]; then
		echo "FAILED $1 (exit $status)"
		tail -n 60 "$2"
	fi
}

# The long ones first, so that none is left running alone at the end.
for t in test/applets/test_*.sh; do
	echo "$t MCO_DIR=$out bash $t"
done >"$logs/all"
for t in "$@"; do
	if [ "$t" = -- ]; then section=replays; continue; fi
	if [ $section = tests ]; then
		echo "$t ${WRAP:-} $t"
	else
		echo "$t ${WRAP:-} $t test/fuzz/corpus/${t##*/replay_}"
	fi
done >>"$logs/all"
# shellcheck disable=SC2016 # the words are for the shell that is started
xargs -d '\n' -P "$(nproc)" -I{} bash -c '
	read -r name command <<<"$1"
	log=$2/${name//\//_}
	timeout -k 30 "${LIMIT:-2400}" bash -c "$command" >"$log" 2>&1 </dev/null
	echo $? >"$log.status"' _ {} "$logs" <"$logs/all"
while read -r name _; do
	count "$name" "$logs/${name//\//_}"
done <"$logs/all"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
