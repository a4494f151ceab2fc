#!/bin/bash
# waits.sh SKEW.SO: mco-daemon when the controller does not answer for an hour, or for ten
# minutes. A preloaded library advances its clock, so the programs in MCO_DIR must be dynamically
# linked. The daemon, its node and its cluster are those of test/applets.
skew=$PWD/$1
. test/applets/node.sh
. test/applets/daemon.sh
printf '#!/bin/sh\nLD_PRELOAD=%s SKEW=%s/skew exec %s "$@"\n' "$skew" "$TMP" "$MCO" > "$TMP/skewed"
chmod +x "$TMP/skewed"
MCO=$TMP/skewed
forward() { echo "$1" > "$TMP/.skew"; mv "$TMP/.skew" "$TMP/skew"; }	# SECONDS in total
LOST='Please see machine-config-controller logs for more information'
changes() {	# NAME...: as they are logged
	local n o=
	for n in osUpdate kargs fips passwd files units kernelType extensions oclEnabled revertFromOCL; do
		case " $* " in *" $n "*) o+=" $n:true" ;; *) o+=" $n:false" ;; esac
	done
	echo "&{${o# }}"
}
odc() { grep -o '"name":"[^"]*"' "$ROOT/etc/machine-config-daemon/currentconfig"; }

# D40: a drain that is not acknowledged
forward 0
given "$(files "$(file /etc/foo 1)")"
touch "$TMP/deaf"
to "$(files "$(file /etc/foo 2)")"
until_note 'D40 asks' desiredDrain drain-r2
until_ 'D40 tells' 'events | grep -q "^Drain: Draining node to update config.$"'
forward 3000
sees 'D40 waits'
same 'D40 before the hour' 'Working drain-r2 ' "$(note state) $(note desiredDrain) $(events FailedToDrain)"
annotate reason ''
forward 3601
degraded D40 "failed to drain node: node after 1 hour. $LOST"
until_ 'D40 rests' 'grep -q "A previously requested drain has not yet completed" "$TMP/log"'
until_ 'D40 report' '[ "$(mcn NodeDegraded)" = "True NodeDegraded Node node upgrade failure. failed to drain node: node after 1 hour. '"$LOST"'" ]'
soon 'D40 events' "ConfigDriftMonitorStopped: Config Drift Monitor stopped
AddSigtermProtection: Adding SIGTERM protection
Cordon: Cordoned node to apply update
Drain: Draining node to update config.
FailedToDrain!: failed to drain node: node after 1 hour. $LOST
RemoveSigtermProtection: Removing SIGTERM protection" "events | sed '1,/^ConfigDriftMonitorStarted/d'"
sees 'D40 goes on resting'
same 'D40 notes' 'state=Degraded
currentConfig=r1
desiredConfig=r2
desiredDrain=drain-r2
lastAppliedDrain=uncordon-r1' "$(notes state currentConfig desiredConfig desiredDrain lastAppliedDrain)"
same 'D40 disk' '1 "name":"r1"' "$(cat "$ROOT/etc/foo") $(odc)"
same 'D40 logs' "\"Starting update from r1 to r2: $(changes files)\"
\"Update prepared; requesting cordon and drain via annotation to controller\"" "$(logs)"
# now the controller answers
: > "$CALLS"
rm "$TMP/deaf"
annotate lastAppliedDrain drain-r2
rebooted 'D40 answered'
same 'D40 answered' "2 \"name\":\"r2\"
\"Starting update from r1 to r2: $(changes files)\"
\"drain is already completed on this node\"
\"Performing post config change action: Reboot for config r2\"
\"Rebooting node\"
\"initiating reboot: Node will reboot into config r2\"
\"reboot successful\"" "$(cat "$ROOT/etc/foo") $(odc)
$(logs)"
stop

# D41: an uncordon that is not acknowledged, of an update without reboot
F=/etc/containers/policy.json
WHY="failed to uncordon node: node after 10 minutes. $LOST"
forward 0
given "$(files "$(file $F 1)")"
before=$(tree)
touch "$TMP/deaf"
to "$(files "$(file $F 2)")"
until_note 'D41 asks' desiredDrain uncordon-r2
same 'D41 applied' '2 "name":"r2"' "$(cat "$ROOT$F") $(odc)"
forward 300
sees 'D41 waits'
same 'D41 before ten minutes' 'Working 2 ' "$(note state) $(cat "$ROOT$F") $(events FailedToUncordon)"
annotate reason ''
forward 601
degraded D41 "could not apply update: setting node's state to Done failed. Error: $WHY"
until_ 'D41 rests' 'grep -q "A previously requested drain has not yet completed" "$TMP/log"'
until_ 'D41 report' '[ "$(mcn NodeDegraded)" = "True NodeDegraded Node node upgrade failure. could not apply update: setting node'"'s state to Done failed. Error: $WHY"'" ]'
soon 'D41 events' "ConfigDriftMonitorStopped: Config Drift Monitor stopped
AddSigtermProtection: Adding SIGTERM protection
ServiceReload: Config changes do not require reboot. Service crio.service was reloaded.
FailedToUncordon!: $WHY
RemoveSigtermProtection: Removing SIGTERM protection" "events | sed '1,/^ConfigDriftMonitorStarted/d'"
sees 'D41 goes on resting'
same 'D41 notes' 'state=Degraded
currentConfig=r1
desiredConfig=r2
desiredDrain=uncordon-r2
lastAppliedDrain=uncordon-r1' "$(notes state currentConfig desiredConfig desiredDrain lastAppliedDrain)"
same 'D41 rolled back' "$before" "$(tree)"
same 'D41 logs' "\"Starting update from r1 to r2: $(changes files)\"
\"Performing post config change action: Reload for config r2\"
\"crio.service service reloaded successfully!\"" "$(logs)"
# now the controller answers
: > "$CALLS"
rm "$TMP/deaf"
annotate lastAppliedDrain uncordon-r2
finished 'D41 answered'
same 'D41 answered' '2 "name":"r2"' "$(cat "$ROOT$F") $(odc)"
stop
finish
