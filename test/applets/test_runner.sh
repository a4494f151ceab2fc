# test/tools/test.sh: a suite that fails, hangs, leaves a process behind or is interrupted
# is reported, and none of its processes survives.
. test/applets/lib.sh
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
is() {	# name, want, got
	if [ "$2" = "$3" ]; then ok; else bad "$1: expected \"$2\", got \"$3\""; fi
}
ends() {	# name, pid: waits until it has ended
	local i
	for ((i = 0; i < 100; i++)); do
		kill -0 "$2" 2>/dev/null || { ok; return; }
		sleep 0.1
	done
	bad "$1: process $2 still runs"
	kill -9 "$2"
}
suites() { SUITES="$*" test/tools/test.sh "$BIN" -- >"$TMP/out" 2>&1; }
lines() { sed -E 's/ +[0-9.]+s +/ /; s/ +/ /g' "$TMP/out"; }

echo 'echo "3 passed, 0 failed"' >"$TMP/good"
echo 'echo "2 passed, 1 failed"; exit 1' >"$TMP/fails"
echo 'exit 0' >"$TMP/silent"
suites "$TMP/good"
is 'all pass: status' 0 $?
is 'all pass' "[ 1/1] 3 ok $TMP/good 3 passed so far
3 passed, 0 failed" "$(lines)"
suites "$TMP/fails"
is 'a failure: status' 1 $?
is 'a failure' "[ 1/1] 2 ok, 1 FAILED $TMP/fails 2 passed so far, 1 failed
FAILED $TMP/fails (exit 1)
2 passed, 1 failed
2 passed, 1 failed" "$(lines)"
suites "$TMP/silent"
is 'a suite without a tally: status' 1 $?
is 'a suite without a tally' '0 passed, 1 failed' "$(tail -n 1 "$TMP/out")"

# Three processes of three kinds: in the suite's group, in a session of its own,
# and one that ignores SIGTERM.
cat >"$TMP/leaves" <<S
sleep 1000 & echo \$! >"$TMP/pid1"
setsid sleep 1000 & echo \$! >"$TMP/pid2"
(trap '' TERM; exec sleep 1000) & echo \$! >"$TMP/pid3"
echo "1 passed, 0 failed"
S
suites "$TMP/leaves"
is 'processes left: status' 1 $?
is 'processes left' 3 "$(grep -c 'sleep 1000' "$TMP/out")"
is 'processes left: tally' '1 passed, 1 failed' "$(tail -n 1 "$TMP/out")"
for i in 1 2 3; do ends "left process $i" "$(cat "$TMP/pid$i")"; done

{ sed '$d' "$TMP/leaves"; echo 'sleep 1000'; } >"$TMP/hangs"
LIMIT=1 suites "$TMP/hangs"
is 'a suite that hangs: status' 1 $?
is 'a suite that hangs' "$TMP/hangs: killed after 1 s" "$(grep killed "$TMP/out")"
for i in 1 2 3; do ends "process $i of a suite that hangs" "$(cat "$TMP/pid$i")"; done

rm -f "$TMP"/pid?
SUITES=$TMP/hangs test/tools/test.sh "$BIN" -- >"$TMP/out" 2>&1 &
runner=$!
for ((i = 0; i < 300; i++)); do [ -s "$TMP/pid3" ] && break; sleep 0.1; done
kill -TERM "$runner"
wait "$runner"
is 'an interrupted run: status' 130 $?
is 'an interrupted run' 'interrupted: 0 of 1 suites had ended' "$(grep interrupted "$TMP/out")"
for i in 1 2 3; do ends "process $i of an interrupted run" "$(cat "$TMP/pid$i")"; done
finish
