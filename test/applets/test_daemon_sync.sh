#!/bin/bash
# mco-daemon start: what a sync decides, and what an update does (D01 to D53).
. test/applets/node.sh
. test/applets/daemon.sh
P=/etc/containers/policy.json

# D01: nothing to do; the pull secret is written again
given "$(files "$(file /etc/foo 1)" "$(file $P a)")"
looks D01
soon 'D01 report' 'True Updated Node node Updated' 'mcn Updated'
same 'D01 no command' '' "$(calls)"
# D02
merge $MC/machineconfignodes/node/status '{"status":{"conditions":null}}' > /dev/null
annotate post-config-action Rebooting
until_note 'D02 cleared' post-config-action ''
until_ 'D02 report' '[ "$(mcn RebootedNode)" = "False RebootedNode Action during update to r1: Node has rebooted" ]'
# D09
touch "$ROOT/run/machine-config-daemon-force"
looks D09; looks D09
same 'D09' "Done $(ls "$ROOT/run/machine-config-daemon-force")" "$(note state) $ROOT/run/machine-config-daemon-force"
rm "$ROOT/run/machine-config-daemon-force"
# D03
touch "$TMP/deaf"
annotate desiredConfig r2 desiredDrain drain-r2 lastAppliedDrain uncordon-r1
until_ 'D03 waits' 'grep -q "A previously requested drain has not yet completed" "$TMP/log"'
same 'D03 state' Done "$(note state)"
annotate desiredConfig r1 desiredDrain uncordon-r1 # first: an answer would let the update continue
rm "$TMP/deaf"
# D04
annotate desiredConfig r7
degraded D04 "machineconfig.$K \\\"r7\\\" not found"
same 'D04 no preflight' '' "$(calls)"
until_ 'D04 report' '[ "$(mcn NodeDegraded)" = "True NodeDegraded Node node upgrade failure. machineconfig.'$K' \\\"r7\\\" not found" ]'
# D05: back to itself
: > "$CALLS"
annotate state Unreconcilable desiredConfig r1
finished D05 r1
same 'D05 commands' "rpm-ostree kargs
rpm -qf /etc/foo
rpm -qf $P
$JOURNAL" "$(calls)"
same 'D05 logs' '"Starting update from r1 to r1: &{osUpdate:false kargs:false fips:false passwd:false files:false units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}"
"Performing post config change action: None for config r1"
"Node has Desired Config r1, skipping reboot"
"Update completed for config r1 and node has been successfully uncordoned"' "$(logs)"
soon 'D05 events' 'ConfigDriftMonitorStopped AddSigtermProtection SkipReboot RemoveSigtermProtection' reasons
until_ 'D05 report' '[ "$(mcn NodeDegraded)" = "False NodeDegraded Node node upgrade succeeded" ]'
# D06: drift
: > "$CALLS"
printf drifted > "$ROOT/etc/foo"
until_ 'D06 reported' 'events | grep -qxF "ConfigDriftDetected!: content mismatch for file \\\"/etc/foo\\\""'
degraded D06 'unexpected on-disk state validating against r1: content mismatch for file \"/etc/foo\"'
until_ 'D06 preflight' 'events | grep -q "^PreflightConfigDriftCheckFailed!: unexpected"'
printf 1 > "$ROOT/etc/foo"
until_note 'D06 recovers' state Done
until_note 'D06 reason' reason ''
# D07: another name, nothing else
: > "$CALLS"
to "$(files "$(file /etc/foo 1)" "$(file $P a)")"
finished D07
same 'D07' "rpm-ostree kargs
rpm -qf /etc/foo
rpm -qf $P
$JOURNAL" "$(calls)"
stop

# D08: only the order
given "$(files "$(file /etc/foo 1)" "$(file $P a)")"
to "$(files "$(file $P a)" "$(file /etc/foo 1)")"
finished D08
same 'D08 commands' "rpm-ostree kargs
rpm -qf $P
rpm -qf /etc/foo
$JOURNAL" "$(calls)"
same 'D08 flags' '"Starting update from r1 to r2: &{osUpdate:false kargs:false fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}"' "$(logs | head -n 1)"
soon 'D08 events' 'ConfigDriftMonitorStopped AddSigtermProtection Uncordon NodeDone ConfigDriftMonitorStarted RemoveSigtermProtection' reasons
# D21: a file that needs a reboot (D12 at its end)
: > "$CALLS"
mc r3 "$(files "$(file $P a)" "$(file /etc/foo 3)")"
put r3
annotate desiredConfig r3
rebooted D21
same 'D21 commands' "rpm-ostree kargs
rpm -qf $P
rpm -qf /etc/foo
$(reboot r3)" "$(calls)"
same 'D21 logs' '"Starting update from r2 to r3: &{osUpdate:false kargs:false fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}"
"Update prepared; requesting cordon and drain via annotation to controller"
"drain complete"
"Performing post config change action: Reboot for config r3"
"Rebooting node"
"initiating reboot: Node will reboot into config r3"
"reboot successful"' "$(logs)"
same 'D21 notes' 'state=Working
currentConfig=r2
desiredDrain=drain-r3' "$(notes state currentConfig desiredDrain)"
soon 'D21 events' 'Cordon Drain Reboot' 'reasons r2 | sed "s/RemoveSigtermProtection *//"'
soon 'D21 event texts' 'Cordon: Cordoned node to apply update
Drain: Draining node to update config.
Reboot: Node will reboot into config r3' 'events | grep -E "^(Cordon|Drain|Reboot)"'
same 'D21 disk' "3 r3 600" "$(cat "$ROOT/etc/foo") $("$MCO" status --root-mount "$ROOT" | sed -n 's/^current config *//p') $(stat -c %a "$ROOT/etc/kubernetes/kubeconfig")"
until_ 'D21 reports' '[ "$(mcn NodeDegraded)" = "False NodeDegraded Node node upgrade succeeded" ]'
soon 'D21 report' 'Unknown RebootedNode Upgrade requires a reboot.
True UpdatePrepared Update Compatible. Post Cfg Actions: [] Drain Required: true
True AppliedFilesAndOS Updated the Files and OS on disk as a part of the in progress phase
True UpdateExecutedAppliedFilesAndOS Applied files and new OS config to node. OS did not need an update. SSH Keys did  need an update' 'for c in RebootedNode UpdatePrepared UpdateExecuted AppliedFilesAndOS; do mcn $c; done'
: > "$CALLS"
annotate desiredConfig r2
sees D12
same 'D12 skipped' 'state=Working
currentConfig=r2
desiredDrain=drain-r3' "$(calls; notes state currentConfig desiredDrain)"
annotate desiredConfig r3 reason ''
stop
# D95: after that reboot
echo boot-2 > "$ROOT/proc/sys/kernel/random/boot_id"
start
until_ 'D95 done' '[ "$(note currentConfig)$(note state)$(note post-config-action)" = r3Done ]'
stop
finish
