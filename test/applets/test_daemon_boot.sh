#!/bin/bash
# mco-daemon start: the first sync after a boot, and configs that cannot be reconciled (D53, D94
# to D121).
. test/applets/node.sh
. test/applets/daemon.sh
NMSTATE="nmstatectl persist-nic-names --root $TMP/root --kargs-out /tmp/nmstate-kargs0"
BOOT="$NMSTATE
$JOURNAL
rpm-ostree cleanup -r
rpm-ostree kargs"
# Only D94 checks the events before it.
after_start() { calls | sed '1,/^systemctl list-units/d'; }
boots() {	# KEY VALUE ...: starts a daemon with these annotations
	node "${R1[@]}" "$@"
	start
}

# D94, D95
new_node
on_disk "$(files "$(file /etc/foo 1)")"
install -m 0600 /dev/null "$ROOT/etc/kubernetes/kubelet-ca.crt"
boots state Working desiredDrain drain-r1 lastAppliedDrain drain-r1 post-config-action Rebooting
until_note 'D94 done' state Done
until_ 'D94 watched' 'events | grep -q "against r1"'
same 'D94 commands' "rpm-ostree status --json
rpm-ostree status
journalctl --list-boots
systemctl list-units --state=failed --no-legend
$BOOT" "$(calls)"
soon 'D94 logs' '"Starting to manage node: node"
"Validated on-disk state"
"Update completed for config r1 and node has been successfully uncordoned"' logs
soon 'D94 events' 'Uncordon NodeDone ConfigDriftMonitorStarted' 'events | sed "s/: .*//" | paste -sd" "'
same 'D94 drain' uncordon-r1 "$(note desiredDrain)"
until_ 'D94 report' '[ "$(mcn Updated)" = "True Updated Node node Updated" ]'
same 'D95' '' "$(note post-config-action)"
until_ 'D134 reported' '[ -n "$(note lastSyncedControllerConfigResourceVersion)" ]'
same 'D134' 'KCA
600 644 newline' "$(cat "$ROOT/etc/kubernetes/kubelet-ca.crt")
$(stat -c %a "$ROOT/etc/kubernetes/kubelet-ca.crt") $(stat -c %a "$ROOT/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem") $([ "$(od -An -tx1 "$ROOT/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem")" = " 0a" ] && echo newline)"
stop

# D53: SSH keys move
new_node
on_disk '"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["k1"]}]}'
rm -rf "$ROOT/home/core/.ssh"
mkdir -p "$ROOT/home/core/.ssh"; echo k1 > "$ROOT/home/core/.ssh/authorized_keys"
chown -R 1000:1000 "$ROOT/home/core/.ssh" 2>/dev/null
boots
until_ 'D53 done' 'events | grep -q "against r1"'
same 'D53' "authorized_keys.d/ignition k1
runuser -u core -- mkdir -m 0700 -p /home/core/.ssh/authorized_keys.d" "$(cd "$ROOT/home/core/.ssh" && find . -type f -printf '%P ' && cat authorized_keys.d/ignition; calls | grep runuser)"
stop

# D96 to D98: a machine that joins
joining() {	# CURRENT-IMAGE
	new_node
	mc r1 "$(files "$(file /etc/foo 1)")"; put r1
	: > "$CALLS"
	printf 1 > "$ROOT/etc/foo"
	mkdir -p "$ROOT/etc/machine-config-daemon" "$ROOT/etc/systemd/system-preset"
	: > "$ROOT/etc/systemd/system-preset/20-ignition.preset"
	echo x > "$ROOT/etc/ignition-machine-config-encapsulated.json"
	printf '{%s}' "$(pairs currentConfig r1 desiredConfig r1 state Done ${1:+currentImage "$1" desiredImage "$1"})" > "$ROOT/etc/machine-config-daemon/node-annotations.json"
	node
	start
}
joining
until_ 'D96 done' 'events | grep -q "against r1"'
same 'D96 commands' "$BOOT" "$(after_start)"
soon 'D96 logs' '"No bootstrap pivot required; unlinking bootstrap node annotations"
"Validated on-disk state"' 'logs | sed "1d; \$d"'
same 'D96 files' 'etc/ignition-machine-config-encapsulated.json.bak
etc/machine-config-daemon/currentconfig
etc/machine-config-daemon/currentimage
etc/machine-config-daemon/node-annotation.json.bak' "$(cd "$ROOT" && find etc -type f \( -name '*.bak' -o -path '*daemon/current*' -o -name '*.preset' -o -name 'node-annotations.json' \) | sort)"
soon 'D96 notes' 'currentConfig=r1
state=Done
desiredDrain=uncordon-r1' 'notes currentConfig state desiredDrain'
until_ 'D96 report' '[ "$(mcn Resumed)" = "False Resumed Action during update to r1: In desired config r1. Resumed normal operations." ]'
stop
IMAGE=quay.io/os@sha256:new
pivots() {	# NAME WHAT
	rebooted "$1"
	same "$1 logs" "\"Bootstrap pivot required to: $2\"" "$(logs | grep pivot)"
	same "$1 commands" "$NMSTATE
$JOURNAL
rpm-ostree cleanup -r
${SB_STATE}rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:$IMAGE
$(reboot r1)" "$(after_start)"
	same "$1 files" 'no etc/machine-config-daemon/node-annotations.json' "$(cd "$ROOT" && { [ -e etc/machine-config-daemon/currentconfig ] || echo -n 'no '; ls etc/machine-config-daemon/node-annotations.json; })"
	same "$1 state" Done "$(note state)"
	stop
}
joining; pivots D97 $IMAGE
joining quay.io/ocl@sha256:x; pivots D98 quay.io/ocl@sha256:x
unset IMAGE

# D99 to D101: missing configs
new_node
on_disk "$(files "$(file /etc/foo 1)")"
printf '{%s}' "$(pairs currentConfig r9 desiredConfig r9 state Done)" > "$ROOT/etc/machine-config-daemon/node-annotations.json"
node
start
degraded D99 'error current config r1 on disk does not match current config on annotation: r9'
stop

# the first config differs from the rendered one
printf '{%s}' "$(pairs currentConfig r1 desiredConfig r1 state Done)" > "$ROOT/etc/machine-config-daemon/node-annotations.json"
api DELETE $MC/machineconfigs/r1 > /dev/null
node
start
degraded 'mismatch' 'bootstrap generated MC r1 does not match in-cluster MC generated by the controller'
pool master node-role.kubernetes.io/master
mc r5 "$(files "$(file /etc/foo 2)")" '"kernelArguments":["a"]'; put r5
merge $MC/machineconfigpools/master '{"spec":{"configuration":{"name":"r5"}}}' > /dev/null
until_note 'mismatch: what with' reason 'bootstrap generated MC r1 and in-cluster generated MC r5 for this node do not match. Please check machine-config-daemon logs or the on disk diff file located at /etc/machine-config-daemon/bootstrapconfigdiff'
same 'mismatch: the diff' 'Bootstrap generated MC r1 vs In-cluster generated MC r5 diffs:
Granular diff:
 &{osUpdate:false kargs:true fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false} 
Raw diff:
-            "source": "data:,1"
+            "source": "data:,2"
+    "a"' "$(grep -E '^([^ @+-]| &|[+-] .*("a"|source))' "$ROOT/etc/machine-config-daemon/bootstrapconfigdiff")"
same 'mismatch: the log' 1 "$(grep -c '^E.*Bootstrap generated MC r1 vs' "$TMP/log")"
echo kept > "$ROOT/etc/machine-config-daemon/bootstrapconfigdiff"
stop
start
until_ 'mismatch again' 'grep -q "do not match" "$TMP/log"'
same 'mismatch: written once' kept "$(cat "$ROOT/etc/machine-config-daemon/bootstrapconfigdiff")"
stop
rm "$ROOT/etc/machine-config-daemon/bootstrapconfigdiff"
api DELETE $MC/machineconfigpools/master > /dev/null
rm "$ROOT/etc/machine-config-daemon/node-annotations.json"
mc r1 "$(files "$(file /etc/foo 1)")"; put r1
node
start
degraded D100 "$K/desiredConfig annotation not found on node 'node'"
same 'D100 current' r1 "$(note currentConfig)"
stop
rm "$ROOT/etc/machine-config-daemon/currentconfig"
node
start
degraded D101 'open /etc/machine-config-daemon/currentconfig: no such file or directory'
stop

# D102: why the new OS was not booted
new_node
says 'journalctl -b -1' 'echo starting; echo "error: Bootloader write config: no space"; echo "error: more"'
IMAGE=quay.io/os@sha256:new on_disk
boots
degraded D102 'unexpected on-disk state validating against r1: expected target osImageURL \"quay.io/os@sha256:new\", have \"quay.io/os@sha256:old\"; possible root cause: error: Bootloader write config: no space'
soon 'D102 note' 'error: Bootloader write config: no space' 'note ostree-finalize-staged-failure'
until_ 'D102 events' 'events | grep -q ^OnDiskStateValidationFailed!:'
until_ 'D102 monitor' 'events | grep -q "against r1"'
stop
# … and once healthy again
says 'journalctl -b -1' 'echo fine'
booted quay.io/os@sha256:new
start
until_note 'healthy' state Done
soon 'healthy' '' 'note ostree-finalize-staged-failure'
stop

# D103: drift at boot
new_node
on_disk "$(files "$(file /etc/foo 1)")"
printf x > "$ROOT/etc/foo"
boots
degraded D103 'unexpected on-disk state validating against r1: content mismatch for file \"/etc/foo\"'
until_ 'D103 again and again' '[ "$(calls | grep -c nmstatectl)" -ge 3 ]'
same 'D103 commands' "$BOOT
$NMSTATE" "$(after_start | head -n 5)"
printf 1 > "$ROOT/etc/foo"
until_note 'D103 heals' state Done
stop

# D105 is in test_daemon_actions.sh; D106: extensions
new_node
says 'rpm -q NetworkManager-libreswan' 'exit 1'
booted "$OLD" '' '{"staged":true,"requested-packages":["NetworkManager-libreswan","libreswan"]}'
on_disk '' '"extensions":["ipsec"]'
boots
degraded D106 'extension package verification failed: the following extension packages are missing from the RPM database: [NetworkManager-libreswan]'
soon 'D106 asked' 'rpm -q NetworkManager-libreswan
rpm -q libreswan' 'calls | grep "^rpm " | head -n 2'
stop

# D107 to D109: masters; names of network interfaces
new_node
on_disk
says nmstatectl 'exit 1'
LABELS='"node-role.kubernetes.io/master":""' boots
degraded D108 'failed to run nmstatectl: exit status 1'
soon 'D107, D108' "ostree --repo=/sysroot/ostree/repo config set core.per-object-fsync true
$NMSTATE
$NMSTATE" 'after_start | head -n 3'
says nmstatectl 'printf "ifname=eth0:x ifname=eth1:y" > "$5"'
until_note 'D109 done' state Done
same 'D109' 'rpm-ostree kargs --append ifname=eth0:x --append ifname=eth1:y' "$(calls | grep -e --append)"
stop

# D110: Fedora
new_node
printf 'ID=fedora\nVARIANT_ID=coreos\nVERSION_ID=40\n' > "$ROOT/etc/os-release"
on_disk '' '"extensions":["usbguard"]'
boots
until_ 'D110 done' 'events | grep -q "against r1"'
same 'D110' "$JOURNAL
rpm-ostree cleanup -r
rpm-ostree kargs" "$(after_start)"
stop

# G: changes that a running node cannot make
new_node
on_disk "$(files "$(file /etc/foo 1)")"
running
P="can't reconcile config r1 with r2: configs r1, r2 are not reconcilable: "
Q="${P}new machineconfig \\\"r1\\\" is not reconcilable against \\\"r2\\\": "
g() {	# NAME TEXT CONFIG SPEC
	to "$3" "${4:-}"
	degraded "$1" "$2" Unreconcilable
	same "$1 nothing written" 1 "$(cat "$ROOT/etc/foo")"
}
F="$(file /etc/foo 1)"
g D111 "${Q}ignition disks section contains changes" '"storage":{"disks":[{"device":"/dev/x"}]}'
until_ 'D111 event' 'events | grep -q "^FailedToReconcile!: can.t reconcile config r1 with r2: .*disks"'
until_ 'D111 report' '[[ "$(mcn UpdatePrepared)" == "Unknown UpdatePrepared Update Failed compatibility validation. MachineConfigs r1 and r2 are not compatible. Err: configs r1, r2 are not reconcilable: "* ]]'
until_ 'D111 degraded' '[[ "$(mcn NodeDegraded)" == "True NodeDegraded Node node upgrade failure. can'"'"'t reconcile config r1 with r2: "* ]]'
g D112 "${Q}ignition filesystems section contains changes" '"storage":{"filesystems":[{"device":"/dev/x"}]}'
g D112 "${Q}ignition raid section contains changes" '"storage":{"raid":[{"name":"x","level":"raid1","devices":["/dev/a","/dev/b"]}]}'
g D112 "${Q}ignition directories section contains changes" '"storage":{"directories":[{"path":"/d"}]}'
g D112 "${Q}ignition links section contains changes" '"storage":{"links":[{"path":"/l","target":"/x"}]}'
g D113 "${Q}ignition file /etc/foo includes append" "$(files '{"path":"/etc/foo","append":[{"source":"data:,x"}]}')"
g D113 "${Q}cannot create /run/machine-config-daemon-force via Ignition" "$(files "$(file /run/machine-config-daemon-force x)")"
g D114 "${P}validating new Ignition config from machineconfig \\\"r2\\\" failed: invalid mode 01644 for /etc/foo, cannot exceed 0777" "$(files "$(file /etc/foo 1 '"mode":932')")"
g D115 "${P}parsing new Ignition config from machineconfig \\\"r2\\\" failed: failed to parse Ignition config: parsing Ignition config spec v3 failed with error: config is not valid\\nReport: error at \$.storage.files.0.path, line 1 col 61: path not absolute\\n" "$(files '{"path":"etc/foo"}')"
mc r2 ''; sed -i 's/3\.5\.0/4.0.0/' "$TMP/r2.json"; put r2
degraded D116 "${P}parsing new Ignition config from machineconfig \\\"r2\\\" failed: failed to parse Ignition config: parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5" Unreconcilable
W="${Q}invalid passwd change(s): "
g D117 "${W}ignition Passwd Groups section contains changes" '"passwd":{"groups":[{"name":"g"}]}'
g D117 "${W}ignition passwd user section contains unsupported changes: non-core user" '"passwd":{"users":[{"name":"bob"}]}'
g D117 "${W}ignition passwd user section contains unsupported changes: user must be core and have 1 or more sshKeys" '"passwd":{"users":[{"name":"core"}]}'
g D117 "${W}SSH keys and password hash are not reconcilable" '"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["k"],"homeDir":"/h"}]}'
g D118 "${Q}ignition kargs section contains changes" "$(files "$F"),\"kernelArguments\":{\"shouldExist\":[\"a\"]}"
g D119 "${Q}detected change to FIPS flag; refusing to modify FIPS on a running cluster" "$(files "$F")" '"fips":true'
# D120, and the way back
to "$(files "$F"),\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"]}]}"
finished D120
mc r3 "\"storage\":{\"files\":[$F],\"luks\":[{\"name\":\"x\",\"device\":\"/dev/x\"}]}"; put r3
annotate desiredConfig r3
finished 'D120 a LUKS device, all users gone' r3
stop
finish
