#!/bin/bash
# run.sh OUT: power cuts, full disks and I/O errors in the real binary, at every system call by
# which it changes a node's disk and before and after every program that it runs. The programs are
# stand-ins that change the node too (test/node-cut/host), and are cut themselves. After the fault
# and a start the node is the old one or the new one: types, modes, owners, contents, links,
# kernel arguments, OS image.
#
# Covered: an update, the first update of a node, a rollback before and after the reboot, the
# recovery from a cut, first boots, and in a daemon with a cluster: certificates, the pull secret,
# the kubelet's CAs, the first currentconfig, the revert from an image that was built in the
# cluster. The loss of data that was not fsynced is in test/node/test_cut.c, which simulates the
# disk; it runs last, at every call. A boot may lose a staged OS, and /var and /boot may be file
# systems of their own. A dead disk is tried at every fourth call; three recoveries and the revert
# only at their own calls.
set -u
OUT=$PWD/$1
[ -w /dev/shm ] && export TMPDIR=/dev/shm # thousands of fsyncs
ALL=$(mktemp -d)
PIDS=
trap '[ -z "$PIDS" ] || { kill $PIDS 2>/dev/null; wait; }; rm -rf "$ALL"' EXIT
WORKERS=2
unset MCO_ROOT

"$OUT/test/node-cut/inject" count 0 / "$ALL/place" /bin/true || [ $? = 64 ] || {
	echo "FAIL: this machine does not let one process trace another: nothing can be cut here"
	echo "0 passed, 1 failed"
	exit 1
}
# Mounts end with their namespace, however a worker ends.
MOUNTS='unshare -m'
$MOUNTS true 2>/dev/null || { echo 'several file systems: skipped, mounting is not allowed here'; MOUNTS=; }
for ((w = 0; w < WORKERS; w++)); do
	mkdir "$ALL/$w"
	# shellcheck disable=SC2097,SC2098 # both get the same value
	OUT=$OUT TMP=$ALL/$w WORKER=$w WORKERS=$WORKERS MOUNTS=$MOUNTS $MOUNTS test/node-cut/worker.sh &
	PIDS+=" $!"
done
status=0
for p in $PIDS; do wait "$p" || status=1; done
PIDS=
passed=0 failed=0 cut=0 made=0
for ((w = 0; w < WORKERS; w++)); do
	if ! read -r p f c m < "$ALL/$w/sum"; then
		echo "FAIL worker $w: it has not come to its end"
		p=0 f=1 c=0 m=0
	fi
	passed=$((passed + p)) failed=$((failed + f)) cut=$((cut + c)) made=$((made + m))
done
MCO_CUT_STRIDE=1 "$OUT/test/node/test_cut" >"$ALL/lost" || status=1
read -r p f < <(sed -n 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip.*/\1 \2/p' "$ALL/lost")
grep ': [0-9]* \(places\|losses\)' "$ALL/lost" | sed 's/^\.*//'
[ "${f:-1}" = 0 ] || tail -n 40 "$ALL/lost"
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
sort "$ALL"/*/told | awk -F': ' '{ split($2, x, "[ ,]+"); n[$1] += x[1]; if (x[3] > s[$1]) s[$1] = x[3] }
	END { for (k in n) printf "%s: %d places, %d s\n", k, n[k], s[k] }' | sort
echo "$cut places cut, $made made to fail"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]
