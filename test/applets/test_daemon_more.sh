#!/bin/bash
# mco-daemon start: what upstream's code does beyond the scenarios of
# shared/spec/daemon-scenarios.md. Annotations taken away, a disk without its
# config, processes that end in the middle (E01 to E15).
. test/applets/node.sh
. test/applets/daemon.sh
P=/etc/containers/policy.json
config() { files "$(file /etc/foo "$1")" "$(file $P "$2")"; }
after_start() { events | sed '1,/^ConfigDriftMonitorStarted: .*against r1$/d'; }

# E01: annotations are removed while it runs
given "$(config 1 a)"
annotate desiredConfig -
degraded E01 "machineconfig.$K \\\"\\\" not found"
annotate desiredConfig r1 currentConfig -
degraded 'E01 current' "$K/currentConfig annotation not found on node 'node'"
same 'E01 no command' '' "$(calls)"
annotate currentConfig ''
degraded 'E01 empty' "machineconfig.$K \\\"\\\" not found"
annotate currentConfig r1
finished 'E01 back' r1
# E02: a removed state is Degraded, and then repaired
annotate state -
until_ 'E02 reported' 'grep -qF "Marking Degraded due to: \"'$K'/state annotation not found on node '"'node'"'\"" "$TMP/log"'
until_note 'E02 mended' state Done
# E03: its config is damaged while it runs; another one replaces it
printf '{"metadata":{"na' > "$ROOT/etc/machine-config-daemon/currentconfig"
merge /api/v1/nodes/node '{"metadata":{"labels":{"x":"1"}}}' > /dev/null
degraded E03 'unexpected EOF'
sed 's/"r1"/"r0"/' "$TMP/r1.json" > "$ROOT/etc/machine-config-daemon/currentconfig"
until_note 'E03 the disk wins' state Done
until_ 'E03 from the disk' 'logs | grep -q "Starting update from r0 to r1:"'
stop

# E04: no config on the disk; the cluster's is watched
new_node
on_disk "$(config 1 a)"
rm "$ROOT/etc/machine-config-daemon/currentconfig"
running
same 'E04 none is written' '' "$(ls "$ROOT/etc/machine-config-daemon" | grep currentconfig)"
printf 2 > "$ROOT/etc/foo"
until_ 'E04 drift' 'events | grep -qxF "ConfigDriftDetected!: content mismatch for file \\\"/etc/foo\\\""'
degraded E04 'unexpected on-disk state validating against r1: content mismatch for file \"/etc/foo\"'
printf 1 > "$ROOT/etc/foo"
until_note 'E04 mended' state Done
until_ 'E04 and written' '[ -s "$ROOT/etc/machine-config-daemon/currentconfig" ]'
stop
# E05: an unreadable config at the start
: > "$ROOT/etc/machine-config-daemon/currentconfig"
node "${R1[@]}"
: > "$CALLS"
start
degraded E05 EOF
same 'E05 commands' "$JOURNAL
rpm-ostree cleanup -r" "$(calls | sed '1,/^nmstatectl/d' | head -n 2)"
same 'E05 not watched' '' "$(events | grep Monitor)"
rm "$ROOT/etc/machine-config-daemon/currentconfig"
until_note 'E05 mended' state Done
stop

# E06: killed during a drain: the drain is requested again
given "$(config 1 a)"
touch "$TMP/deaf"
to "$(config 2 a)"
until_note 'E06 asked' desiredDrain drain-r2
kill -TERM "$DAEMON"
until_ 'E07 SIGTERM waits' 'events | grep -qx "GotSigtermDuringUpdate!: Got SIGTERM but actively updating"'
same 'E07 alive' 0 "$(kill -0 "$DAEMON"; echo $?)"
stop
: > "$CALLS"
start
until_ 'E06 again' 'grep -q "Event Drain: Draining node to update config." "$TMP/log"'
rm "$TMP/deaf"
annotate lastAppliedDrain drain-r2
rebooted E06
same 'E06 logs' '"Starting to manage node: node"
"Validated on-disk state"
"Starting update from r1 to r2: &{osUpdate:false kargs:false fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}"
"Update prepared; requesting cordon and drain via annotation to controller"
"drain complete"
"Performing post config change action: Reboot for config r2"
"Rebooting node"
"initiating reboot: Node will reboot into config r2"
"reboot successful"' "$(logs)"
# E08: a first sync that ends in a reboot counts as a sync
until_ 'E08 watched' 'events | grep -qx "ConfigDriftMonitorStarted: Config Drift Monitor started, watching against r2"'
until_ 'E08 report' '[ "$(mcn Resumed)" = "True Resumed In desired config r1. Resumed normal operations." ]'
# E07: after the reboot is requested it may end
kill -TERM "$DAEMON"
timeout 120 tail --pid="$DAEMON" -f /dev/null
same 'E07 ended' 'Shutting down MachineConfigDaemon' "$(sed -n 's/.*] \(Shutting down\)/\1/p' "$TMP/log")"

# E09: the config is deleted before the update is over
given "$(config 1 a)"
says 'systemctl reload' 'sleep 0.3; while [ -e "'"$TMP/hold"'" ]; do sleep 0.05; done'
touch "$TMP/hold"
to "$(config 1 b)"
until_ 'E09 reloading' 'grep -q "systemctl reload" "$CALLS"'
api DELETE $MC/machineconfigs/r2 > /dev/null
rm "$TMP/hold"
until_ 'E09 undone' 'grep -qF "Marking Degraded due to: \"could not apply update: error processing state and configs. Error: machineconfig.'$K' \"r2\" not found\"" "$TMP/log"'
degraded 'E09' "machineconfig.$K \\\"r2\\\" not found"
same 'E09 disk' "a r1" "$(cat "$ROOT$P") $(grep -oE '"name":"r[0-9]"' "$ROOT/etc/machine-config-daemon/currentconfig" | grep -oE 'r[0-9]')"
stop

# E10: certificates that cannot be written
given "$(config 1 a)"
says 'systemctl restart coreos-update-ca-trust.service' 'echo no unit >&2; exit 5'
says update-ca-trust 'echo bad >&2; exit 3'
to "$(files "$(file /etc/foo 1)" "$(file $P a)" "$(file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt c)")"
degraded E10 'error running update-ca-trust: bad\n: exit status 3'
soon 'E10 event' 'FailedServiceRestart!: Restarting coreos-update-ca-trust.service service failed. Error: exit status 3' 'after_start | grep ^Failed'
same 'E10 commands' 'systemctl restart coreos-update-ca-trust.service
update-ca-trust ' "$(calls | grep trust | head -n 2)"
stop

# E11: a node that is being deleted is left alone
given "$(config 1 a)"
merge /api/v1/nodes/node '{"metadata":{"finalizers":["example.com/wait"]}}' > /dev/null
api DELETE /api/v1/nodes/node > /dev/null
to "$(config 1 b)"
sees E11
same 'E11' 'a Done' "$(calls)$(cat "$ROOT$P") $(note state)"
merge /api/v1/nodes/node '{"metadata":{"finalizers":null}}' > /dev/null
stop

# E12: invalid first annotations
first() {	# TEXT
	new_node
	mc r1 "$(files "$(file /etc/foo 1)")"
	put r1
	mkdir -p "$ROOT/etc/machine-config-daemon"
	printf 1 > "$ROOT/etc/foo"
	printf %s "$1" > "$ROOT/etc/machine-config-daemon/node-annotations.json"
	node
	start
}
BAD='failed to unmarshal initial annotations: '
first '{"a'
degraded E12 "${BAD}unexpected end of JSON input"
printf '["a"]' > "$ROOT/etc/machine-config-daemon/node-annotations.json"
degraded 'E12 array' "${BAD}json: cannot unmarshal array into Go value of type map[string]string"
printf '{"%s/currentConfig":1}' $K > "$ROOT/etc/machine-config-daemon/node-annotations.json"
degraded 'E12 number' "${BAD}json: cannot unmarshal number into Go value of type string"
printf '{"%s/desiredConfig":"r1"}' $K > "$ROOT/etc/machine-config-daemon/node-annotations.json"
degraded 'E12 no config' "$K/currentConfig annotation not found on node 'node'"
annotate currentConfig r1
until_note 'E12 mended' state Done
stop

# E13: the setup of a master is tried once
new_node
on_disk "$(config 1 a)"
says ostree 'echo no; exit 1'
node "${R1[@]}"
merge /api/v1/nodes/node '{"metadata":{"labels":{"node-role.kubernetes.io/master":""}}}' > /dev/null
start
until_ 'E13 reported' 'grep -qF "Marking Degraded due to: \"failed to set per-object-fsync for ostree: exit status 1\"" "$TMP/log"'
until_ 'E13 goes on' 'events | grep -q "against r1"'
same 'E13 once' 1 "$(calls | grep -c ^ostree)"
stop

# E15: an update without a reboot resumes, also where the node was uncordoned for it before
given "$(config 1 a)"
to "$(config 1 b)"
finished E15
until_ 'E15 report' '[ "$(mcn Resumed)" = "False Resumed Action during update to r2: In desired config r2. Resumed normal operations. Applying proper annotations." ]'
annotate desiredDrain uncordon-r1 lastAppliedDrain uncordon-r1 desiredConfig r1
until_ 'E15 back' '[ "$(note currentConfig)$(note state)" = r1Done ]'
until_ 'E15 report again' '[ "$(mcn Resumed)" = "False Resumed Action during update to r1: In desired config r1. Resumed normal operations. Applying proper annotations." ]'
stop

# E14: an unknown OS ends it
fatal() {	# NAME TEXT
	node "${R1[@]}"
	timeout 120 "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false > "$TMP/log" 2>&1
	same "$1 status" 255 $?
	same "$1" "Failed to initialize single run daemon: $2" "$(sed -n 's/^F.*\] //p' "$TMP/log")"
	same "$1 state" Done "$(note state)"
}
new_node
on_disk "$(config 1 a)"
says 'rpm-ostree status' 'echo {}'
fatal E14 'error reading osImageURL from rpm-ostree: no booted deployment found'
: > "$ROOT/etc/os-release"
fatal 'E14 os' 'checking operating system: No content available from os-release files'
finish
