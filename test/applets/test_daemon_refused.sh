#!/bin/bash
# mco-daemon start: a server that refuses some requests (E40, E41).
FAULTS='--fault-forbid machineconfigurations --fault-forbid machineconfignodes --fault-forbid events'
. test/applets/node.sh
. test/applets/daemon.sh
P=/etc/containers/policy.json

# E40: reports and events are forbidden: nothing waits for them
new_node
on_disk "$(files "$(file $P a)")"
node "${R1[@]}"
start
until_ 'E40 starts' 'grep -q "watching against r1" "$TMP/log"'
# E41: forbidden policies count as absent
to "$(files "$(file $P b)")"
degraded E41 'NodeDisruptionPolicyStatus was not ready: MachineConfiguration/cluster has not been created yet'
same 'E41 disk' a "$(cat "$ROOT$P")"
stop
finish
