#!/bin/bash
# mco-daemon: failures at the worst moment, and changes of the disk by others.
. test/applets/node.sh
. test/applets/daemon.sh
OCL=quay.io/ocl@sha256:x
SSH='"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["%s"]}]}'
# shellcheck disable=SC2059 # the format is above
keys() { printf "$SSH" "$1"; }

# A failure that cannot be reported is reported later, and nothing is done before that: the disk
# has been restored.
new_node
on_disk "$(files "$(file /etc/foo 1)")"
SNO=1 running
says systemd-run "cat '$ROOT/etc/foo' >> '$TMP/seen'; echo >> '$TMP/seen'
	[ ! -e '$TMP/once' ] || exit 0
	touch '$TMP/once'; curl -sS -m 60 -X DELETE '$URL/api/v1/nodes/node' > /dev/null; exit 1"
to "$(files "$(file /etc/foo 2)")"
until_ 'the report fails' 'grep -q "unable to update node" "$TMP/log"'
soon 'the disk is put back' 1 'cat "$ROOT/etc/foo"'
node "${R1[@]}" controlPlaneTopology SingleReplica desiredConfig r2 state Working
until_ 'then it is reported' 'grep -q "state: Working -> Degraded" "$TMP/log"'
rebooted 'again'
same 'rebooted with the new config on the disk' $'2\n2' "$(cat "$TMP/seen")"
stop

# Children end with the daemon.
new_node
on_disk "$(files "$(file /etc/foo 1)")"
says nmstatectl "echo \$\$ > '$TMP/child'; exec sleep 300"
node "${R1[@]}"
start
until_ 'a program runs' '[ -s "$TMP/child" ]'
stop TERM
until_ 'it does no more' '! kill -0 "$(cat "$TMP/child")" 2>/dev/null'

# The completion of an update cannot be recorded: the update is valid all the same.
new_node
on_disk "$(files "$(file /etc/foo 1)")"
SNO=1 running
says systemd-run "for n in 0 1; do mkdir -p '$ROOT/etc/machine-config-daemon/journal/pre.'\$n/done/x; done"
to "$(files "$(file /etc/foo 2)")"
rebooted 'unmarked'
on_it() { echo "$("$MCO" status --root-mount "$ROOT" | sed -n 's/^current config *//p') $(cat "$ROOT/etc/foo")"; }
soon 'unmarked' 'r2 2' on_it
until_ 'unmarked, logged' 'grep -q "The update is complete, but this could not be recorded" "$TMP/log"'
stop

# The revert of an image is removed with its update.
built() {	# KEY VALUE ...: a node on an image that was built in the cluster
	new_node
	on_disk "$(files "$(file /etc/foo 1)")"
	printf %s "$OCL" > "$ROOT/etc/machine-config-daemon/currentimage"
	booted $OCL
	node "${R1[@]}" "$@" currentImage $OCL desiredImage $OCL
	start
	until_ 'built' 'events | grep -q "against r1"'
}
way_out() { (cd "$ROOT/etc" && find mco systemd/system -name '*revert*' 2>/dev/null | sort); }
WAY='mco/machineconfig-revert.json
systemd/system/machine-config-daemon-revert.service'
built controlPlaneTopology SingleReplica
mc r2 '"storage":{"disks":[{"device":"/dev/x"}]}'; put r2
annotate desiredImage - desiredConfig r2
until_note 'no way to go' state Unreconcilable
soon 'no way to go, none left' '' way_out
annotate desiredImage $OCL desiredConfig r1
until_note 'stays' state Done
soon 'stays, none left' '' way_out
stop
built
touch "$TMP/deaf"
mc r2 "$(files "$(file /etc/foo 2)")"; put r2
annotate desiredImage - desiredConfig r2
until_note 'drains' desiredDrain drain-r2
soon 'drains, to leave' "$WAY" way_out
stop
annotate desiredImage $OCL desiredConfig r1 desiredDrain uncordon-r1
rm "$TMP/deaf"
start
until_note 'killed, and stays' state Done
soon 'killed, none left' '' way_out
stop

# Kernel arguments of the tuning file are removed with it.
SNO=1 given "$(files "$(file /etc/foo 1)")"
says systemd-run 'exit 1'
to "$(files "$(file /etc/pivot/kernel-args ADD%20nosmt%0A)")"
until_note 'tuned' state Degraded
same 'tuned, and back' 'rpm-ostree kargs --append=nosmt
systemd-run
rpm-ostree cleanup -p' "$(calls | grep -oE '.*nosmt|^systemd-run|.*cleanup -p' | head -n 3)"
stop

# A unit that was enabled is disabled: drift, until it is enabled again.
UNIT='{"name":"a.service","contents":"[Install]\nWantedBy=x.target\n","enabled":true}'
W=etc/systemd/system/x.target.wants
new_node
on_disk "$(units "$UNIT")"
mkdir "$ROOT/$W"; ln -s ../a.service "$ROOT/$W/a.service"
running
rm -r "${ROOT:?}/$W"
OFF='unit \"a.service\" expected enabled=true, but systemd reports \"disabled\"'
until_ 'disabled' 'events | grep -qF "ConfigDriftDetected!: $OFF"'
degraded 'disabled, still' "unexpected on-disk state validating against r1: $OFF"
mkdir "$ROOT/$W"; ln -s ../a.service "$ROOT/$W/a.service"
until_note 'enabled' state Done
rm "$ROOT/$W/a.service"
degraded 'disabled again' "unexpected on-disk state validating against r1: $OFF"
stop
expect 'verify sees it, too' 1 'KIND   WHERE       PROBLEM
unit   a.service   unit "a.service" expected enabled=true, but systemd reports "disabled"
' '' "$MCO" verify --root-mount "$ROOT"

# One directory with two names.
new_node
mkdir -p "$ROOT/var/usrlocal/bin"; mkdir -p "$ROOT/usr"; ln -s ../var/usrlocal "$ROOT/usr/local"
on_disk "$(files "$(file /usr/local/bin/x 1)" "$(file /var/usrlocal/bin/y 1)")"
running
printf 2 > "$ROOT/usr/local/bin/x"
drifts() {	# NAME FILE: the drift is reported, and again by each sync
	until_ "$1" "events | grep -qF 'ConfigDriftDetected!: content mismatch for file \\\"$2\\\"'"
	degraded "$1" "unexpected on-disk state validating against r1: content mismatch for file \\\"$2\\\""
}
drifts 'by one name' /usr/local/bin/x
printf 1 > "$ROOT/usr/local/bin/x"
until_note 'as it was' state Done
printf 2 > "$ROOT/usr/local/bin/y"
drifts 'by the other' /var/usrlocal/bin/y
stop

# Keys are written whatever else is in core's directory, and never through a symlink.
new_node
mc r1 "$(keys k1)"; apply r1 0
D=$ROOT/home/core/.ssh
chown -R 1000:1000 "$ROOT/home/core" 2>/dev/null
mkfifo "$D/fifo"; mkdir -p "$D/a/b/c/d/e"; mkfifo "$D/authorized_keys.d/fifo"
mc r2 "$(keys k2)"; apply r2 0
same 'beside others' 'k2 yes no' "$(cat "$D/authorized_keys.d/ignition") $([ -p "$D/fifo" ] && echo yes) $([ -e "$D/authorized_keys.d/fifo" ] || echo no)"
"$MCO" rollback --root-mount "$ROOT" > /dev/null 2>&1
same 'and back' 'k1 yes' "$(cat "$D/authorized_keys.d/ignition") $([ -p "$D/authorized_keys.d/fifo" ] && echo yes)"
rm -r "${D:?}/authorized_keys.d"; mkdir "$ROOT/srv"; echo 1 > "$ROOT/srv/precious"
ln -s ../../../srv "$D/authorized_keys.d"
says runuser "mkdir -m 0700 -p \"$ROOT\${!#}\""
mc r2 "$(keys k2)"; apply r2 0
same 'not behind a link' 'precious k2' "$(ls "$ROOT/srv") $(cat "$D/authorized_keys.d/ignition")"

# Unit files of the root itself, as systemd writes them.
new_node
mc r1 "$(units '{"name":"-.slice","dropins":[{"name":"10.conf","contents":"[Slice]\n"}]}')"
apply r1 0
same 'the root slice' '[Slice]' "$(cat "$ROOT/etc/systemd/system/-.slice.d/10.conf")"
mc r2 "$(units '{"name":"--now.service","contents":"x"}')"
apply r2 1 '"--now.service" is not the name of a unit'

# The journal of the last update is damaged: the next update goes on without it.
new_node
for i in 1 2; do mc r$i "$(files "$(file /etc/foo $i)")"; apply r$i 0; done
echo x > "$ROOT/etc/machine-config-daemon/journal/last"
mc r3 "$(files "$(file /etc/foo 3)")"; apply r3 0
same 'damaged' 3 "$(cat "$ROOT/etc/foo")"
same 'damaged, said' 1 "$(grep -c 'The last update cannot be rolled back' "$TMP/.err")"
"$MCO" rollback --root-mount "$ROOT" > /dev/null 2>&1
same 'damaged, and back by the new one' 2 "$(cat "$ROOT/etc/foo")"

# Only one process at a time changes a node.
new_node
mc r1 "$(files "$(file /etc/foo 1)")"; apply r1 0
says systemd-run "touch '$TMP/held'; until [ -e '$TMP/go' ]; do sleep 0.05; done"
mc r2 "$(files "$(file /etc/foo 2)")"
"$MCO" apply "$TMP/r2.json" --root-mount "$ROOT" > /dev/null 2>&1 & HELD=$!
until_ 'held' '[ -e "$TMP/held" ]'
expect 'locked' 1 '' "Error: another process is changing this node: it holds the lock $ROOT/etc/machine-config-daemon/journal/lock; try again when it has ended
" "$MCO" recover --root-mount "$ROOT"
touch "$TMP/go"
wait $HELD
same 'the other one ended well' '0 2' "$? $(cat "$ROOT/etc/foo")"

finish
