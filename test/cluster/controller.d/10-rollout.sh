# A change reaches every node, at most maxUnavailable at once.

# The operator runs on master-0: it is updated last.
post /api/v1/namespaces/$mco_ns/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"machine-config-operator-1",
	"labels":{"k8s-app":"machine-config-operator"}},"spec":{"nodeName":"master-0","terminationGracePeriodSeconds":0,
	"containers":[{"name":"c","image":"i"}]}}'
record_nodes
machine_config 50-worker worker one
machine_config 50-master master one
w1=$(new_target worker "$w") m1=$(new_target master "$m")
eventually 'the workers are updated' "$(all_well 5 "$w1")" settled worker
eventually 'the masters are updated' "$(all_well 3 "$m1")" settled master
stop_recording
is 'one worker at a time' 1 "$(most_unavailable $role/worker)"
is 'one master at a time' 1 "$(most_unavailable $role/master)"
for n in worker-0 worker-4 master-1; do
	case $n in worker*) c=$w1 ;; *) c=$m1 ;; esac
	is "what is written to $n, in its order" "taint
desired $c
cordon
applied drain-$c
uncordon
applied uncordon-$c" "$(node_story $n)"
done
order() { sed -n "s/^\([^ ]*\) takes $1/\1/p" "$W/agents.log" | tr '\n' ' '; }
is 'zone by zone, the oldest first, those without a zone last' 'worker-2 worker-3 worker-0 worker-1 worker-4 ' "$(order "$w1")"
is 'the node of the operator last' 'master-0' "$(order "$m1" | awk '{ print $3 }')"
targeted() { # POOL CONFIG NODE...: the events of a rollout node by node
	local pool=$1 config=$2 n
	shift 2
	for n; do
		echo "Normal machineconfigcontroller-nodecontroller MachineConfigPool/$pool x1 Targeted node $n to MachineConfig: $config"
	done
}
eventually 'an event for each worker' "$(targeted worker "$w1" worker-{0..4})" events SetDesiredConfig 'Targeted node worker'
eventually 'an event for each master' "$(targeted master "$m1" master-{0..2})" events SetDesiredConfig 'Targeted node master'
eventually 'an event when it is over' "Normal machineconfigcontroller-nodecontroller MachineConfigPool/worker x1 Pool worker has completed update to MachineConfig $w1" \
	events Completed "Pool worker has completed update to MachineConfig $w1"
deferred() { events DeferringOperatorNodeUpdate | sed 's/ x[0-9]* / /'; }
master_has() { events AnnotationChange 'Node master-1 now has' | grep Config=; }
eventually 'the update of the operator is deferred' 'Normal machineconfigcontroller-nodecontroller MachineConfigPool/master Deferring update of machine config operator node master-0' \
	deferred
eventually 'events tell what masters have' "Normal machineconfigcontroller-nodecontroller MachineConfigPool/master x1 Node master-1 now has $P/currentConfig=$m1
Normal machineconfigcontroller-nodecontroller MachineConfigPool/master x1 Node master-1 now has $P/desiredConfig=$m1" \
	master_has
eventually 'the cordon is reported' 'True UpdateExecutedCordoned|Cordoned node. The node is reporting Unschedulable = false' mcn worker-0 Cordoned
eventually 'the drain is reported' "True UpdateExecutedDrained|Drained node. The drain is complete as the desired drainer matches current drainer: drain-$w1" mcn worker-0 Drained
eventually 'the uncordon is reported' 'True UpdateCompleteUncordoned|UnCordoned node. The node is reporting Unschedulable = true' mcn worker-0 Uncordoned
eventually 'what a MachineConfigNode is for' "worker-0 worker $w1 $w1" j $mc/machineconfignodes/worker-0 \
	'[.spec.node.name, .spec.pool.name, .spec.configVersion.desired, .status.configVersion.desired] | join(" ")'

workers=5
rollout() { # CONTENTS MAX-UNAVAILABLE MOST: changes the workers' config
	patch $mc/machineconfigpools/worker "{\"spec\":{\"maxUnavailable\":$2}}"
	record_nodes
	machine_config 50-worker worker "$1"
	w1=$(new_target worker "$w1")
	eventually "the workers are updated with maxUnavailable $2" "$(all_well $workers "$w1")" settled worker
	stop_recording
	is "maxUnavailable $2 of $workers is $3" "$3" "$(most_unavailable $role/worker)"
}
rollout two 3 3
three_at_once() { events SetDesiredConfig 'Set target for 3' | grep "$w1"; }
eventually 'one event for several nodes' "Normal machineconfigcontroller-nodecontroller MachineConfigPool/worker x1 Set target for 3 nodes to MachineConfig: $w1" \
	three_at_once
rollout three '"34%"' 1
rollout four '"40%"' 2
node worker-5 worker "$w1"
eventually 'one more worker' "$(all_well 6 "$w1")" settled worker
workers=6
rollout six-of-them '"34%"' 2
delete /api/v1/nodes/worker-5
eventually 'one less' "$(all_well 5 "$w1")" settled worker
workers=5
rollout five 0 1
patch $mc/machineconfigpools/worker '{"spec":{"maxUnavailable":"many"}}'
machine_config 50-worker worker six
w1=$(new_target worker "$w1")
eventually 'a bad maxUnavailable is said in the log' 1 eval 'logged "invalid value for IntOrString" | sed "s/[1-9][0-9]*/1/"'
is 'and moves nobody' '' "$(order "$w1")"
patch $mc/machineconfigpools/worker '{"spec":{"maxUnavailable":null}}'
eventually 'until it is put right' "$(all_well 5 "$w1")" settled worker
