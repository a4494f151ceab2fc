#!/bin/bash
# What mco-daemon logs at default verbosity: upstream's texts for the steps of an update, what it
# waits for, each failure once, and the force file as soon as it exists.
. test/applets/node.sh
. test/applets/daemon.sh
lines() { sed -nE "s/^[${2:-IWEF}][0-9]{4} [0-9:.]{15} +[0-9]+ [a-z_]+\.c:[0-9]+\] //p" "$TMP/log" | grep -E "$1"; }
# The log from a line on, without what other suites compare and without durations
story() { lines . | if [ -n "${1:-}" ]; then sed "1,/$1/d"; else cat; fi | sed -E 's/^"(.*)"$/\1/; /^(Event|Running|Writing|FeatureGates)/d; s/(took )[0-9.]+/\1N/'; }

# ---- the Node comes late ---------------------------------------------------------------
new_node
on_disk "$(files "$(file /etc/foo a)")"
api DELETE /api/v1/nodes/node > /dev/null
start
until_ 'it waits for the Node' 'lines . I | grep -qx "Node node: waiting for the Node: the kubelet has not registered it, or it was deleted"'
node "${R1[@]}"
until_ 'up' 'lines . | grep -qx "In desired state MachineConfig: r1"'
same 'a start' 'Node node is not labeled node-role.kubernetes.io/master
Current+desired config: r1
Validating against current config r1
Validated on-disk state
System state unchanged: MachineConfig: r1
In desired state MachineConfig: r1
Update completed for config r1 and node has been successfully uncordoned' \
	"$(until_ 'rests' 'grep -q "\"Update completed" "$TMP/log"'; story '^systemd service state: OK' | sed '/certs.d does not exist/d')"

# ---- an update that drains and reboots ----------------------------------------------------
until_ 'Updated' '[[ "$(mcn Updated)" == True* ]]'
: > "$TMP/log"
touch "$TMP/deaf"
to "$(files "$(file /etc/foo b)")"
until_ 'it waits for the controller' 'lines . I | grep -qx "Waiting for machine-config-controller to complete drain-r2 (last completed: uncordon-r1)"'
rm "$TMP/deaf"
annotate lastAppliedDrain drain-r2
rebooted 'r2'
same 'its steps' 'Current config: r1
Desired config: r2
Preflight config drift check successful (took Nms)
Transitioned from state: Done -> Working
Checking Reconcilable for config r1 to r2
Calculating node disruption actions
Calculated node disruption actions:
Reboot (file /etc/foo: no disruption policy for this path)
Drain calculated for node disruption: true for config r2
Starting update from r1 to r2: &{osUpdate:false kargs:false fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}
Update prepared; requesting cordon and drain via annotation to controller
Waiting for machine-config-controller to complete drain-r2 (last completed: uncordon-r1)
Successful drain took N seconds
drain complete
Performing post config change action: Reboot for config r2
Rebooting node
initiating reboot: Node will reboot into config r2
reboot successful
Node node is queued for a reboot, skipping sync.' "$(story)"
stop TERM
same 'its end' 'Shutting down MachineConfigDaemon' "$(lines '^Shutting')"

# ---- an update that does not drain ----------------------------------------------------------
policies '"nodeDisruptionPolicy":{"files":[{"path":"/etc/foo","actions":[{"type":"None"}]}]}'
given "$(files "$(file /etc/foo a)")"
to "$(files "$(file /etc/foo b)")"
finished 'without a drain'
same 'no drain' 'Changes do not require drain, skipping.' "$(lines 'require drain')"
same 'the policy' 'None (file /etc/foo: policy)' "$(lines '^None' | sed -E 's/: .*\)/: policy)/')"
until_ 'the end' 'lines . | grep -qx "Completing update to target MachineConfig: r2"'
until_ 'the state' 'lines . | grep -qx "Transitioned from state: Working -> Done"'

# ---- a persistent failure: one line; the force file ends it at once ------------------------
stop
new_node
on_disk "$(files "$(file /etc/foo a)")"
echo drifted > "$ROOT/etc/foo"
node "${R1[@]}"
why='unexpected on-disk state validating against r1: content mismatch for file "/etc/foo"'
RETRY_WAS=$MCO_RETRY_MS
MCO_RETRY_MS=50 start
until_note 'it is degraded' state Degraded
tries() { grep -c 'Validating against current config' "$TMP/log"; }
until_ 'it tries again and again' '[ "$(tries)" -ge 5 ]'
same 'and says once why' "Event OnDiskStateValidationFailed: $why
Marking Degraded due to: \"$why\"" "$(lines "$why" WE)"
stop
MCO_RETRY_MS=600000 start # no retry of its own for ten minutes
until_ 'it has failed' 'grep -q "Marking Degraded" "$TMP/log"'
until_note 'it is degraded again' state Degraded
: > "$ROOT/run/machine-config-daemon-force"
until_ 'the force file is noticed' 'lines . I | grep -qx "/run/machine-config-daemon-force present: the next update skips validation and reboots"'
until_ 'and obeyed' 'lines . I | grep -qx "\"Skipping on-disk validation; /run/machine-config-daemon-force present\""'
until_ 'by a reboot' 'lines . I | grep -qx "Setting post config change node disruption action to Reboot; /run/machine-config-daemon-force present"'
stop

# ---- the kubelet: a line when it fails and one when it is back; metrics -----------------------
new_node
on_disk
node "${R1[@]}"
perl -MIO::Socket::INET -e '$SIG{ALRM} = sub { exit }; alarm 300; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1:0", ReuseAddr => 1) or die;
	open my $f, ">", "$ARGV[0].new"; print $f $s->sockport; close $f; rename "$ARGV[0].new", $ARGV[0];
	while (my $c = $s->accept) { my $l = <$c>; if (!-e $ARGV[1]) { close $c; next } print $c "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"; close $c; }' "$TMP/port" "$TMP/healthy" &
KUBELET=$!
disown
trap 'kill -KILL $SANDBOX $DAEMON $ACK $KUBELET 2>/dev/null; rm -rf "$TMP"' EXIT
until_ 'a kubelet' '[ -s "$TMP/port" ]'
MCO_RETRY_MS=$RETRY_WAS start --kubelet-healthz-enabled=true --kubelet-healthz-endpoint "http://127.0.0.1:$(cat "$TMP/port")/healthz"
metric() { curl -sS -m 60 "http://127.0.0.1:$(sed -n 's/.*Metrics on port //p' "$TMP/log")/metrics" | sed -n "s/^$1 //p"; }
until_ 'it listens' 'grep -q "Metrics on port" "$TMP/log"'
until_ 'it fails for a while' '[ "$(metric mcd_kubelet_state)" -ge 4 ]'
same 'which is logged once' 1 "$(lines 'kubelet health check has failed 1 times: ' W | wc -l)"
same 'and not again' 1 "$(lines 'kubelet health check' W | wc -l)"
: > "$TMP/healthy"
until_ 'it is well again' 'lines . I | grep -qx "Kubelet health ok"'
soon 'and so is the metric' 0 'metric mcd_kubelet_state'
kill "$KUBELET"
stop
finish
