# A cluster starts: the kinds where the server lacks them, the pools, 3 masters, 5
# workers.

crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
late=imagetagmirrorsets.config.openshift.io
real=$([ "$(kind_at $mc/machineconfigs)" = MachineConfigList ] || echo yes)
if [ -n "$real" ]; then
	"$here/kinds.sh" || exit 1
	# one kind is created later
	get $crds/$late | jq -c '{apiVersion, kind, metadata: {name: .metadata.name}, spec}' >"$W/late"
	delete $crds/$late
fi
for ns in $mco_ns openshift-config openshift-machine-api; do
	create /api/v1/namespaces $ns "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$ns\"}}"
done

base=$golden/controllers/001-baseline/input
set_gates() { # ENABLED: a JSON list of names
	patch $config/featuregates/cluster/status "$(jq -nc --argjson on "$1" '{status: {featureGates: [{version: "4.22.0",
		enabled: ($on | map({name: .})), disabled: (["SigstoreImageVerification"] - $on | map({name: .}))}]}}')"
}
post_yaml $config/featuregates $base/featuregate.yaml
set_gates '[]'
post $config/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{}}'
patch $config/clusterversions/version/status '{"status":{"desired":{"version":"4.22.0",
	"image":"quay.example.com/release/ocp@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}}}'
post_yaml /api/v1/namespaces/openshift-config/secrets $base/pull-secret.yaml
"$BIN/mcoctl" fmt -o json-compact $base/controllerconfig.yaml | jq -c '.spec.pullSecret =
	{namespace: "openshift-config", name: "pull-secret"}' >"$W/cc"
post $mc/controllerconfigs "@$W/cc"
post_yaml $mc/machineconfigpools $base/master.pool.yaml
post_yaml $mc/machineconfigpools $base/worker.pool.yaml
post $config/schedulers '{"apiVersion":"config.openshift.io/v1","kind":"Scheduler","metadata":{"name":"cluster"},"spec":{"mastersSchedulable":false}}'
post $config/nodes '{"apiVersion":"config.openshift.io/v1","kind":"Node","metadata":{"name":"cluster"},"spec":{}}'

start_controller
eventually 'the templates are done' 'TemplateControllerCompleted=True |sync completed towards (1) generation using controller version v4.22.0
TemplateControllerFailing=False |
TemplateControllerRunning=False |' j $mc/controllerconfigs/machine-config-controller \
	".status.conditions // [] | sort_by(.type)[] | .type + \"=\" + ($said)"
for pool in worker master; do	# a slow server may have them in two goes
	eventually "what is made for the ${pool}s is in their config" \
		"00-$pool 01-$pool-container-runtime 01-$pool-kubelet 97-$pool-generated-kubelet 98-$pool-generated-kubelet" \
		j $mc/machineconfigpools/$pool '[.spec.configuration.source[]?.name] | join(" ")'
done
w=$(target worker) m=$(target master)
is 'rendered names are the pool and a sum' 2 "$(printf '%s\n' "$w" "$m" | grep -cE '^rendered-(master|worker)-[0-9a-f]{32}$')"
eventually 'an event tells of the config of a pool' "Normal machineconfigcontroller-rendercontroller MachineConfigPool/worker x1 $w successfully generated (release version: $(
	j $mc/machineconfigs/"$w" ".metadata.annotations[\"$P/release-image-version\"]"), controller version: $MCO_HASH)" \
	events RenderedConfigGenerated "$w"
eventually 'it names the pool and a version of it' "$(j $mc/machineconfigpools/worker .metadata.uid) true" \
	j "/api/v1/namespaces/$mco_ns/events" '.items[] | select(.reason == "RenderedConfigGenerated" and (.message | startswith($w))) |
		.involvedObject | .uid + " " + (.resourceVersion | test("^[0-9]+$") | tostring)' --arg w "$w"
eventually 'a pool without nodes is up to date' "$(all_well 0 "$w")" settled worker
# A pool that is rendered in two steps is updated twice: a changed condition moves
# to the end.
eventually 'the conditions of a fresh pool are in their order' 'Updated Updating NodeDegraded Degraded' \
	j $mc/machineconfigpools/worker '.status.conditions | map(select(.type != "RenderDegraded" and .type != "PinnedImageSetsDegraded").type) | join(" ") |
		sub("^Updating NodeDegraded Degraded Updated$"; "Updated Updating NodeDegraded Degraded")'

# Members that upstream's types write even when zero, so that a hand-over writes
# nothing.
eventually 'every pool says that its pinned image sets are up to date' $'False |\nFalse |' eval 'condition worker PinnedImageSetsDegraded; condition master PinnedImageSetsDegraded'
is 'a pool that is rendered says whether it is paused' false "$(j $mc/machineconfigpools/worker .spec.paused)"
is 'zero values of a generated config' '{"baseOSExtensionsContainerImage":"","extensions":null,"fips":false,"kernelArguments":null,"kernelType":"","osImageURL":""}' \
	"$(get $mc/machineconfigs/98-worker-generated-kubelet | jq -cS '.spec | del(.config) | {extensions: null} + .')"

node() { # NAME ROLE CONFIG [ZONE]
	post /api/v1/nodes "$(jq -nc --arg n "$1" --arg r "$role/$2" --arg c "$3" --arg z "${4:-}" --arg p $P/ '{apiVersion: "v1",
		kind: "Node", metadata: {name: $n, labels: ({($r): ""} + if $z != "" then {"topology.kubernetes.io/zone": $z}
		else {} end), annotations: {($p + "currentConfig"): $c, ($p + "desiredConfig"): $c, ($p + "state"): "Done",
		($p + "desiredDrain"): ("uncordon-" + $c), ($p + "lastAppliedDrain"): ("uncordon-" + $c)}}, spec: {},
		status: {conditions: [{type: "Ready", status: "True", reason: "R", message: "m",
		lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}')"
}
for i in 0 1 2; do node master-$i master "$m"; done
node worker-0 worker "$w" zone-b
node worker-1 worker "$w" zone-b
node worker-2 worker "$w" zone-a
node worker-3 worker "$w" zone-a
node worker-4 worker "$w"
start_agents
eventually 'the workers are counted' "$(all_well 5 "$w")" settled worker
eventually 'the masters are counted' "$(all_well 3 "$m")" settled master
[ -z "$real" ] || is 'a kind that the server does not have is named once' 1 "$(logged 'imagetagmirrorsets (CustomResourceDefinition '$late' is missing, or has no such version): continuing without it')"
topology=$(j $mc/controllerconfigs/machine-config-controller .spec.infra.status.controlPlaneTopology)
eventually 'nodes know the topology' "$topology" on_node worker-4 controlPlaneTopology
eventually 'masters are labelled and kept free of work' "$role/control-plane,$role/master $role/master:NoSchedule" \
	j /api/v1/nodes/master-1 '(.metadata.labels | keys | join(",")) + " " + (.spec.taints | map(.key + ":" + .effect) | join(","))'
patch $config/schedulers/cluster '{"spec":{"mastersSchedulable":true}}'
eventually 'unless they take ordinary work' "$role/control-plane,$role/master,$role/worker null" \
	j /api/v1/nodes/master-1 '(.metadata.labels | keys | join(",")) + " " + (.spec.taints | tostring)'
scheduler=$(get $config/schedulers/cluster | jq -c '{apiVersion, kind, metadata: {name: "cluster"}, spec: {mastersSchedulable: false}}')
delete $config/schedulers/cluster
eventually 'which is over when nobody says so any more' "$role/control-plane,$role/master $role/master:NoSchedule" \
	j /api/v1/nodes/master-1 '(.metadata.labels | keys | join(",")) + " " + (.spec.taints | map(.key + ":" + .effect) | join(","))'
post $config/schedulers "${scheduler/false/true}"
eventually 'once more' "$role/control-plane,$role/master,$role/worker null" \
	j /api/v1/nodes/master-1 '(.metadata.labels | keys | join(",")) + " " + (.spec.taints | tostring)'
patch $config/schedulers/cluster '{"spec":{"mastersSchedulable":false}}'
eventually 'and back' "$role/control-plane,$role/master $role/master:NoSchedule" \
	j /api/v1/nodes/master-1 '(.metadata.labels | keys | join(",")) + " " + (.spec.taints | map(.key + ":" + .effect) | join(","))'
