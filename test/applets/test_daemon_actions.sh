#!/bin/bash
# mco-daemon start: actions, policies, drains, keys and passwords (D10 to D53).
. test/applets/node.sh
. test/applets/daemon.sh
P=/etc/containers/policy.json REG=/etc/containers/registries.conf
CA=/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt
flags() { logs | sed -n 's/^"Starting update from [^&]*&{\(.*\)}"$/\1/p' | tr ' ' '\n' | sed -n 's/:true$//p' | paste -sd,; }
acted() { calls | grep -E '^(systemctl|systemd-run|update-ca)' | grep -v is-enabled; }
drained() { note desiredDrain | sed 's/-.*//'; events | grep -c '^Cordon'; }

# D10, D11: the force file
SNO=1 given "$(files "$(file /etc/foo 1)")"
touch "$ROOT/run/machine-config-daemon-force"
annotate state Degraded
rebooted D10
same 'D10 commands' "rpm -qf /etc/foo
rpm-ostree cleanup -p
$(reboot r1)" "$(calls)"
same 'D10 flags' osUpdate "$(flags)"
same 'D10 state' "Degraded no" "$(note state) $([ -e "$ROOT/run/machine-config-daemon-force" ] && echo yes || echo no)"
soon 'D10 events' 'ConfigDriftMonitorStopped AddSigtermProtection Drain InClusterUpgrade OSUpdateStarted OSUpgradeSkipped RemoveSigtermProtection Reboot' reasons
soon 'D10 texts' "Drain: Drain not required, skipping
InClusterUpgrade: Updating from oscontainer $OLD
OSUpdateStarted: Upgrading OS
OSUpgradeSkipped: OS upgrade skipped; new MachineConfig (r1) has same OS image ($OLD) as old MachineConfig (r1)" 'events | grep -E "^(Drain|InCl|OSUp)"'
soon 'D10 staged' 'OSUpdateStaged: Changes to OS staged' 'SPACE=default events'
same 'D10 drain' '"Drain not required, skipping"' "$(logs | grep Drain)"
stop
SNO=1 given "$(files "$(file /etc/foo 1)")"
stop
touch "$ROOT/run/machine-config-daemon-force"
printf drifted > "$ROOT/etc/foo"
mc r2 "$(files "$(file /etc/foo 2)")"; put r2
annotate state Degraded desiredConfig r2
start
rebooted D11
same 'D11' 'osUpdate,files 2 Degraded' "$(flags) $(cat "$ROOT/etc/foo") $(note state)"
same 'D104 at boot' '"Skipping on-disk validation; /run/machine-config-daemon-force present"' "$(logs | grep Skipping)"
stop

# D15: the config on the disk wins
new_node
on_disk "$(files "$(file /var/lib/kubelet/config.json 1)")"
mc r0 "$(files "$(file /var/lib/kubelet/config.json 0)")"; put r0
mc r2 "$(files "$(file /var/lib/kubelet/config.json 2)")"; put r2
node "${R1[@]}" currentConfig r0 desiredConfig r2
start
finished D15
same 'D15 from the disk' '"Disk currentConfig \"r1\" overrides node'"'"'s currentConfig annotation \"r0\""
"Validated on-disk state"
"Starting update from r1 to r2' "$(logs | grep -E 'Disk|Valid|Starting up' | sed 's/: &.*//')"
soon 'D105 event' 'BootResync: Booting node node, currentConfig r1, desiredConfig r2' 'events BootResync'
# D13: no state on the disk, only the annotation
mc r3 "$(files "$(file /var/lib/kubelet/config.json 3)")"; put r3
annotate state '' desiredConfig r3
finished D13 r3
stop

# D19: no pool; D20: two
LABELS='"x":"y"' given "$(files "$(file $P 1)")"
to "$(files "$(file $P 2)")"
finished D19
of_pool() { api GET $MC/machineconfignodes/node | tr -d '\n ' | grep -oE '"pool":\{"name":"[^"]*"' | sed 's/.*:"//; s/"//'; }
soon 'D19 pool' not-yet-set of_pool
pool infra infra; pool edge edge
merge /api/v1/nodes/node '{"metadata":{"labels":{"infra":"","edge":""}}}' > /dev/null
degraded D20 'node node belongs to 2 custom roles, cannot proceed with this Node'
api DELETE $MC/machineconfigpools/infra > /dev/null; api DELETE $MC/machineconfigpools/edge > /dev/null
stop

# D22: no action
given "$(files "$(file /var/lib/kubelet/config.json 1)")"
to "$(files "$(file /var/lib/kubelet/config.json 2)")"
finished D22
same 'D22' "files  uncordon
0" "$(flags) $(acted) $(drained)"
soon 'D22 event' 'SkipReboot: Config changes do not require reboot.' 'events SkipReboot'
until_ 'D22 report' '[ "$(mcn Drained)" = "False UpdateExecutedDrained Node Drain Not required for this update." ]'
stop

# D23 to D27: registries.conf
reg() { printf '{"path":"%s","contents":{"source":"data:;base64,%s"}}' $REG "$(base64 -w0 <<< "$1")"; }
R0='unqualified-search-registries = ["a"]'
digest="$R0
[[registry]]
prefix = \"p\"
location = \"l\"
[[registry.mirror]]
location = \"m\"
pull-from-mirror = \"digest-only\""
given "$(files "$(reg "$R0")")"
to "$(files "$(reg "$digest")")"
finished D23
same 'D23' 'systemctl reload crio' "$(acted)"
same 'D23 log' '"Performing post config change action: Special for config r2"' "$(logs | grep Performing)"
soon 'D23 event' 'ServiceReload: Config changes do not require reboot. Service crio was reloaded.' 'events ServiceReload'
until_ 'D23 report' '[[ "$(mcn UpdatePostActionComplete)" == *"Node has reloaded service crio" ]]'
same 'D23 no drain' 0 "$(events | grep -c ^Cordon)"
mc r3 "$(files "$(reg "$digest
[[registry]]
location = \"b\"
blocked = true")")"; put r3
: > "$CALLS"; annotate desiredConfig r3
finished D24 r3
same 'D24' 'systemctl reload crio' "$(acted)"
soon 'D23, D24: one drain' 1 'events | grep -c ^Cordon'
mc r4 ''; put r4
: > "$CALLS"; annotate desiredConfig r4
finished D25 r4
same 'D25' "systemctl reload crio no" "$(acted) $([ -e "$ROOT$REG" ] || echo no)"
mc r5 "$(files "$(reg "$R0
[[registry]]
location = \"l\"
[[registry.mirror]]
location = \"m\"")")"; put r5
: > "$CALLS"; annotate desiredConfig r5
finished D26 r5
same 'D26' "systemctl reload crio drain" "$(acted) $(logs | grep -o 'cordon and drain' | sed 's/.* //')"
stop
given "$(files "$(file $REG 'a%20%3D%20%5B')")"
to "$(files "$(reg "$R0")")"
degraded D27 'failed decoding TOML content from file /etc/containers/registries.conf: toml: line 1 (last key \"a\"): unexpected EOF; expected value'
same 'D27 nothing written' 'a = [' "$(cat "$ROOT$REG")"
stop

# D28
given "$(files "$(file $CA 1)")"
to "$(files "$(file $CA 2)")"
finished D28
same 'D28' 'systemctl restart coreos-update-ca-trust.service
systemctl restart crio.service' "$(acted)"
soon 'D28 events' 'ServiceRestart: Config changes do not require reboot. Service coreos-update-ca-trust.service was restarted.
ServiceRestart: Config changes do not require reboot. Service crio.service was restarted.' 'events ServiceRestart'
stop

# D29: a failure undoes everything
MCO_RETRY_MS=100000 given "$(files "$(file $P 1)")"
says 'systemctl reload crio.service' 'echo boom >&2; exit 1'
to "$(files "$(file $P 2)")"
degraded D29 'could not apply update: reloading crio.service configuration failed. Error: error running systemctl reload crio.service: boom\n: exit status 1'
same 'D29 all as before' '1 r1 r1' "$(cat "$ROOT$P") $(note currentConfig) $("$MCO" status --root-mount "$ROOT" | sed -n 's/^current config *//p')"
until_ 'D29 event' 'events FailedServiceReload | grep -qF "FailedServiceReload!: Reloading service crio.service failed. Error: error running systemctl reload crio.service: boom\\n: exit status 1"'
stop

# D30, D31: the administrator's own policies
policies '"nodeDisruptionPolicy":{"files":[{"path":"/etc/foo","actions":[{"type":"Drain"},{"type":"Reload","reload":{"serviceName":"a.service"}}]}],"units":[{"name":"u.service","actions":[{"type":"DaemonReload"},{"type":"Restart","restart":{"serviceName":"u.service"}}]}]}'
U() { units '{"name":"u.service","enabled":true,"contents":"'"$1"'"}'; }
given "$(files "$(file /etc/foo 1)"),$(U 1)"
to "$(files "$(file /etc/foo 2)"),$(U 1)"
finished D30
same 'D30' 'systemctl reload a.service' "$(acted)"
same 'D30 the drain is not logged' '"Performing post config change action: Reload for config r2"' "$(logs | grep Performing)"
says 'systemctl is-enabled u.service' 'echo enabled'
mc r3 "$(files "$(file /etc/foo 2)"),$(U 3)"; put r3
: > "$CALLS"; annotate desiredConfig r3
finished D31 r3
same 'D31' 'systemctl is-enabled u.service
rpm-ostree kargs
systemctl is-enabled u.service
systemctl disable u.service
systemctl enable u.service
systemctl daemon-reload
systemctl restart u.service' "$( (calls | grep is-enabled | head -n 1; calls | grep -E '^(systemctl|rpm-ostree)' | sed '/is-enabled/{x;s/^/x/;/^x$/{x;d;};x;}'))"
soon 'D31 event' 'ServiceReload: Config changes do not require reboot. Service daemon-reload was reloaded.' 'events ServiceReload | tail -n 1'
stop
policies ''

# D32, D33: one reload, and two
D=/etc/containers/registries.d
given "$(files "$(file $D/a.yaml 1)" "$(file /var/lib/kubelet/config.json 1)" "$(file /etc/nmstate/openshift/x.yml 1)")"
to "$(files "$(file $D/a.yaml 2)" "$(file /var/lib/kubelet/config.json 2)" "$(file /etc/nmstate/openshift/x.yml 2)")"
finished D32
same 'D32' 'systemctl reload crio.service' "$(acted)"
mc r3 "$(files "$(file $D/a.yaml 2)" "$(file $D/b.yaml 1)" "$(file $D/c.yaml 1)" "$(file /var/lib/kubelet/config.json 2)" "$(file /etc/nmstate/openshift/x.yml 2)")"; put r3
: > "$CALLS"; annotate desiredConfig r3
finished D33 r3
same 'D33' 'systemctl reload crio.service
systemctl reload crio.service' "$(acted)"
# D36 to D38: the longest matching path
policies '"nodeDisruptionPolicy":{"files":[{"path":"/etc/mco/f1","actions":[{"type":"None"}]},{"path":"/etc/mco/f1/f2","actions":[{"type":"Restart","restart":{"serviceName":"f2.service"}}]},{"path":"/etc/mco/f1/f2/f3","actions":[{"type":"Reload","reload":{"serviceName":"f3.service"}}]},{"path":"/etc/mco/g/test","actions":[{"type":"None"}]}]}'
fits() {	# NAME CONFIG PATH ACTION
	mc "$2" "$(files "$(file "$3" x)" "$(file $D/a.yaml 2)" "$(file $D/b.yaml 1)" "$(file $D/c.yaml 1)" "$(file /var/lib/kubelet/config.json 2)" "$(file /etc/nmstate/openshift/x.yml 2)")"; put "$2"
	: > "$CALLS"; annotate desiredConfig "$2"
}
fits D36 r5 /etc/mco/f1/f2/example
finished D36 r5
same 'D36' 'systemctl restart f2.service' "$(acted)"
fits D37 r6 /etc/mco/f1/f2/f3
finished D37 r6
same 'D37' 'systemctl reload f3.service
systemctl restart f2.service' "$(acted | sort)"
fits D38 r7 /etc/mco/g
rebooted D38
same 'D38' 'Reboot' "$(logs | sed -n 's/.*action: \([A-Za-z]*\) for config r7.*/\1/p')"
stop
policies ''
start
until_ 'after D38' '[ "$(note currentConfig)" = r7 ]'
# D34, D35: policies that are not available
policies '' 99
mc r4 ''; put r4
annotate desiredConfig r4
degraded D34 'NodeDisruptionPolicyStatus was not ready: NodeDisruptionPolicyStatus is not up to date'
until_ 'D34 report' '[[ "$(mcn UpdatePrepared)" == "Unknown UpdatePrepared Update Failed compatibility validation. MachineConfigs r7 and r4 are not available for update. Error calculating post config change actions: NodeDisruptionPolicyStatus was not ready"* ]]'
api DELETE /apis/operator.openshift.io/v1/machineconfigurations/cluster > /dev/null
degraded D35 'NodeDisruptionPolicyStatus was not ready: MachineConfiguration/cluster has not been created yet'
policies ''
stop

# D39: drained already
given "$(files "$(file /etc/foo 1)")"
annotate desiredDrain drain-r2 lastAppliedDrain drain-r2
to "$(files "$(file /etc/foo 2)")"
rebooted D39
soon 'D39 reported' 'Reboot: Node will reboot into config r2' 'events Reboot'
same 'D39' '"drain is already completed on this node" 0' "$(logs | grep drain) $(events | grep -c '^Cordon')"
stop
finish
