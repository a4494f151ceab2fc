# The log of mco-controller at default verbosity: upstream's wording where runbooks
# search for it, each failure once and with its cause, and no requests below -v 4.
BIN=${MCO_DIR:-build}
. test/cluster/servers.sh
dir=$(mktemp -d)
start_sandbox "$BIN" || exit 1
here=$PWD/test/cluster
. test/cluster/controller.lib
trap 'end_all; stop_servers; rm -rf "$W" "$dir"' EXIT
V=0
. test/cluster/controller.d/00-cluster.sh

# Lines without their prefixes, of a file and level
lines() { sed -nE "s/^[${2:-IWEF}][0-9]{4} [0-9:.]{15} +[0-9]+ [a-z_]+\.c:[0-9]+\] //p" "$W/controller.log" | grep -E "$1"; }
count() { lines "$@" | wc -l; }
forget() { : > "$W/controller.log"; } # it is appended to

# ---- a rollout ----
forget
machine_config 50-worker worker one
w1=$(new_target worker "$w")
eventually 'the workers are updated' "$(all_well 5 "$w1")" settled worker
is 'the pool has a new target' "Pool worker: now targeting: $w1" "$(lines 'now targeting')"
is 'the rendered config is named' "Created MachineConfig $w1: pool worker: rendered from 6 configs" "$(lines 'Created MachineConfig')"
is 'nodes are chosen' 'Pool worker: 5 candidate nodes in 2 zones for update, capacity: 1
Pool worker: selected candidate node worker-2
Pool worker: 4 candidate nodes in 2 zones for update, capacity: 1
Pool worker: selected candidate node worker-3
Pool worker: 3 candidate nodes in 1 zones for update, capacity: 1
Pool worker: selected candidate node worker-0
Pool worker: 2 candidate nodes in 1 zones for update, capacity: 1
Pool worker: selected candidate node worker-1
Pool worker: 1 candidate nodes in 0 zones for update, capacity: 1
Pool worker: selected candidate node worker-4' "$(lines 'candidate')"
is 'a node is drained and uncordoned' 'node worker-1: cordoning
node worker-1: initiating cordon (currently schedulable: true)
node worker-1: cordon succeeded (currently schedulable: false)
node worker-1: initiating drain
node worker-1: operation successful; applying completion annotation
node worker-1: uncordoning
node worker-1: initiating uncordon (currently schedulable: false)
node worker-1: uncordon succeeded (currently schedulable: true)
node worker-1: operation successful; applying completion annotation' "$(lines '^node worker-1: ')"
is 'what it reports' "Pool worker[zone=zone-b]: node worker-1: changed annotation $P/desiredConfig = $w1
Pool worker[zone=zone-b]: node worker-1: changed annotation $P/state = Working
Pool worker[zone=zone-b]: node worker-1: Reporting unready: node worker-1 is reporting Unschedulable
Pool worker[zone=zone-b]: node worker-1: changed annotation $P/currentConfig = $w1
Pool worker[zone=zone-b]: node worker-1: Reporting ready
Pool worker[zone=zone-b]: node worker-1: changed annotation $P/state = Done" "$(lines 'node worker-1: (changed anno|Rep)')"
eventually 'it is tainted and freed, whatever the order of members' 2 count 'node worker-1: changed taints'
is 'events, as upstream logs them' "Event(v1.ObjectReference{Kind:\"MachineConfigPool\", Namespace:\"$mco_ns\", Name:\"worker\", UID:\"$(
	j $mc/machineconfigpools/worker .metadata.uid)\", APIVersion:\"$P/v1\", ResourceVersion:\"N\", FieldPath:\"\"}): type: 'Normal' reason: 'SetDesiredConfig' Targeted node worker-1 to MachineConfig: $w1" \
	"$(lines "^Event.*node worker-1 " | sed -E 's/(ResourceVersion:")[0-9]+/\1N/')"
is 'no warning and no error' '' "$(lines . WEF)"
is 'no request' 0 "$(count '(GET|PUT|POST|PATCH|DELETE) /')"

# ---- a MachineConfig that cannot be rendered: one line, whatever else changes ----
forget
machine_config 60-bad worker x 9.9.0
cause='could not generate rendered MachineConfig: parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5'
eventually 'the pool is degraded' "True |Failed to render configuration for pool worker: $cause" condition worker RenderDegraded
for i in 1 2 3; do
	machine_config 61-more worker $i
	patch $mc/machineconfigpools/worker "{\"metadata\":{\"annotations\":{\"x\":\"$i\"}}}"
	sleep 0.5 # changes are gathered for 0.3 s
done
is 'the cause is logged, once' "Error syncing machineconfigpool worker: $cause" "$(lines . WE)"
machine_config 60-bad worker x 3.4.0
w2=$(new_target worker "$w1")
eventually 'corrected' "$(all_well 5 "$w2")" settled worker
is 'and that it is over' 'Synced machineconfigpool worker after errors' "$(lines '^Synced')"
machine_config 60-bad worker x 9.9.0
eventually 'the same again is news' 2 count "^Error syncing machineconfigpool worker: could not gen" E
delete $mc/machineconfigs/60-bad
eventually 'deleted' 'False |' condition worker RenderDegraded
delete $mc/machineconfigs/61-more
eventually 'as before' "$(all_well 5 "$w1")" settled worker

# ---- a node in two custom pools ----
forget
patch $mc/machineconfigpools/worker '{"spec":{"paused":true}}'
machine_config 50-worker worker two
w2=$(new_target worker "$w1")
for p in one two; do
	post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"'$p'"},"spec":{"machineConfigSelector":
		{"matchLabels":{"'$P'/role":"'$p'"}},"nodeSelector":{"matchLabels":{"'$p'":""}}}}'
done
label worker-3 '"one":"","two":""'
eventually 'a node in two pools, once' 'error finding pool for node: node worker-3 belongs to 2 custom roles, cannot proceed with this Node' lines 'custom roles' E
label worker-3 '"one":null,"two":null'
eventually 'and in none of them' '5' j $mc/machineconfigpools/worker .status.machineCount
delete $mc/machineconfigpools/one
delete $mc/machineconfigpools/two

# ---- a drain that a budget blocks, with requests at -v 4 ----
end_controller
forget
V=4 MCO_DRAIN_MS=1000 start_controller
create /api/v1/namespaces shop '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}'
post /api/v1/namespaces/shop/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db","labels":{"app":"db"}},"spec":{"nodeName":"worker-2",
	"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i"}]}}'
patch /api/v1/namespaces/shop/pods/db/status '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
budgets=/apis/policy/v1beta1/namespaces/shop/poddisruptionbudgets
post $budgets '{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"db-budget"},
	"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"db"}}}}'
allow() { patch $budgets/db-budget/status '{"status":{"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,"disruptionsAllowed":'"$1"'}}'; }
allow 0
patch $mc/machineconfigpools/worker '{"spec":{"paused":false}}'
late='Drain failed. Waiting 1 minute then retrying. Error message from drain: error when evicting pods/"db" -n "shop": global timeout reached: 1s'
eventually 'the drain fails twice' 2 count '^node worker-2: Drain failed' W
patch $mc/machineconfigpools/worker '{"spec":{"paused":true}}'
eventually 'a pool that is paused in the middle of it' 'Pool worker is paused and will not update.' lines 'is paused'
patch $mc/machineconfigpools/worker '{"spec":{"paused":false}}'
allow 1
eventually 'then the workers are updated' "$(all_well 5 "$w2")" settled worker
is 'the pod and the budget are named, in each attempt' "node worker-2: error when evicting pods/\"db\" -n \"shop\" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget. The disruption budget db-budget needs 1 healthy pods and has 1 currently
node worker-2: $late
node worker-2: error when evicting pods/\"db\" -n \"shop\" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget. The disruption budget db-budget needs 1 healthy pods and has 1 currently
node worker-2: $late" "$(lines '^node worker-2: ' W | head -n 4)"
is 'and that it has gone' 'node worker-2: Evicted pod shop/db' "$(lines 'Evicted')"
is 'with -v 4 there are requests' 2 "$(lines '^(POST /api/v1/namespaces/shop/pods/db/eviction|PATCH /api/v1/nodes/worker-2): ' I | cut -d' ' -f1 | sort -u | wc -l)"
end_controller
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
