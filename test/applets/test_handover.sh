# A hand-over is silent: mco-controller takes over a cluster in the state that
# upstream's controller leaves, with the rendered names of upstream's golden cases, and
# writes no object. Every object already has what upstream's typed clients would write,
# so the way back is silent, too.
build=${MCO_DIR:-build}
BIN=$build real='' here=$PWD/test/cluster
. test/cluster/servers.sh
. test/cluster/controller.lib
dir=$(mktemp -d)
trap 'end_all; stop_servers; rm -rf "$W" "$dir"' EXIT
export PATIENCE=${PATIENCE:-120}

# ---- a cluster of a golden case ----
path_of() { # KIND NAMESPACE
	case $1 in
	MachineConfig | MachineConfigPool | KubeletConfig | ContainerRuntimeConfig) echo "$mc/${1,,}s" ;;
	ImageContentSourcePolicy) echo $operator/v1alpha1/imagecontentsourcepolicies ;;
	ClusterImagePolicy) echo $config/clusterimagepolicies ;;
	ImagePolicy) echo "$config/namespaces/$2/imagepolicies" ;;
	*) echo "$config/${1,,}s" ;;
	esac
}
make_namespace() { create /api/v1/namespaces "$1" "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$1\"}}"; }
load() { # FILE: creates its objects, without their status
	local one ns
	"$BIN/mcoctl" fmt -o json-compact "$1" >"$W/docs"
	while read -r one; do
		ns=$(jq -r '.metadata.namespace // ""' <<<"$one")
		[ -z "$ns" ] || make_namespace "$ns"
		post "$(path_of "$(jq -r .kind <<<"$one")" "$ns")" "$one"
	done <"$W/docs"
}
make_cluster() { # CASE
	local in=$golden/controllers/$1/input f
	for f in $mco_ns openshift-config openshift-machine-api; do make_namespace $f; done
	post_yaml /api/v1/namespaces/openshift-config/secrets "$in/pull-secret.yaml"
	"$BIN/mcoctl" fmt -o json-compact "$in/controllerconfig.yaml" >"$W/cc"
	post $mc/controllerconfigs "$(jq -c '.spec.pullSecret = {namespace: "openshift-config", name: "pull-secret"}' "$W/cc")"
	post $config/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{}}'
	patch $config/clusterversions/version/status "$(jq -c '{status: {desired: {version: "4.22.0", image: .spec.releaseImage}}}' "$W/cc")"
	for f in "$in"/*.yaml; do
		case ${f##*/} in pull-secret.yaml | controllerconfig.yaml) ;; *) load "$f" ;; esac
	done
	"$BIN/mcoctl" fmt -o json-compact "$in/featuregate.yaml" >"$W/gates"
	patch $config/featuregates/cluster/status "$(jq -c '{status}' "$W/gates")"
	# a running cluster always has these
	create $config/nodes cluster '{"apiVersion":"config.openshift.io/v1","kind":"Node","metadata":{"name":"cluster"},"spec":{}}'
	create $config/images cluster '{"apiVersion":"config.openshift.io/v1","kind":"Image","metadata":{"name":"cluster"},"spec":{}}'
}
named() { # CASE POOL: upstream's name
	sed -n '/^spec:/,/^status:/s/^    name: \(rendered-.*\)/\1/p' "$golden/controllers/$1/expected/machine-pools/$2.yaml"
}
add_node() { # POOL
	post /api/v1/nodes "$(jq -nc --arg n "$1-0" --arg r "$role/$1" --arg c "$(target "$1")" --arg p $P/ '{apiVersion: "v1", kind: "Node",
		metadata: {name: $n, labels: {($r): ""}, annotations: {($p + "currentConfig"): $c, ($p + "desiredConfig"): $c, ($p + "state"): "Done",
		($p + "desiredDrain"): ("uncordon-" + $c), ($p + "lastAppliedDrain"): ("uncordon-" + $c)}}, spec: {}, status: {conditions: [{type: "Ready",
		status: "True", reason: "R", message: "m", lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}')"
}

# ---- its objects ----
kinds="$mc/machineconfigs $mc/machineconfigpools $mc/kubeletconfigs $mc/containerruntimeconfigs $mc/controllerconfigs
	$mc/machineconfignodes $config/nodes $config/images $config/featuregates $config/clusterversions $config/imagepolicies
	$config/clusterimagepolicies $config/imagedigestmirrorsets $config/imagetagmirrorsets $config/apiservers /api/v1/nodes /api/v1/secrets"
versions_of() { # every object and its version, except for those of the probe
	local k
	for k in $kinds; do
		j "$k" '.items[].metadata | select(.name | test("probe") | not) | $k + "/" + .name + " " + .resourceVersion' --arg k "$k"
	done
}
# As upstream's controller writes its types: zero members are present, empty sections are not.
typed='if .kind == "MachineConfig" and (.metadata.annotations // {} | has("'$P'/generated-by-controller-version") | not) then .
	elif .kind == "MachineConfig" then .spec = {osImageURL: "", baseOSExtensionsContainerImage: "", kernelArguments: null, extensions: null,
		fips: false, kernelType: ""} + .spec | .spec.config |= with_entries(select(.value != {}))
	else .spec = {paused: false, configuration: {}} + .spec | .status = {configuration: {}, machineCount: 0, updatedMachineCount: 0,
		readyMachineCount: 0, unavailableMachineCount: 0, degradedMachineCount: 0, conditions: null, certExpirys: null} + .status |
		if any(.status.conditions[]; .type == "PinnedImageSetsDegraded" and .status == "False") then . else .status.conditions += [{type:
		"PinnedImageSetsDegraded", status: "False", reason: "", message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}] end end'
# Rewrites the objects that differ from that, and prints their names.
write_typed() {
	local kind one path
	for kind in machineconfigs machineconfigpools; do
		j "$mc/$kind" ".items[] | . + {kind: (if \"$kind\" == \"machineconfigs\" then \"MachineConfig\" else \"MachineConfigPool\" end)} |
			. as \$was | ($typed) | select(. != \$was) | tojson" >"$W/typed"
		while read -r one; do
			path=$mc/$kind/$(jq -r .metadata.name <<<"$one")
			echo "${path##*/}"
			must PUT "$path" "$one"
			[ $kind = machineconfigs ] ||
				must PUT "$path/status" "$(jq -c --arg rv "$(j "$path" .metadata.resourceVersion)" '.metadata.resourceVersion = $rv' <<<"$one")"
		done <"$W/typed"
	done
}
# When a pool created now is rendered and counted, so is everything before it.
wait_for_probe() {
	post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"probe"},"spec":{"machineConfigSelector":
		{"matchLabels":{"'$P'/role":"worker"}},"nodeSelector":{"matchLabels":{"'$role'/probe":""}}}}'
	eventually "$1: a new pool is rendered" 'False |' condition probe PinnedImageSetsDegraded
	eventually "$1: and counted" 1 eval 'condition probe Updated | grep -c "^True |All nodes are updated with MachineConfig rendered-probe-"'
}

hand_over() { # CASE
	local case=$1 pool before
	start_sandbox "$build" || exit 1
	curl_args=(-sS --noproxy '*' --max-time 120 -H "Authorization: Bearer $TOKEN")
	make_cluster "$case"
	start_controller
	for pool in master worker; do
		eventually "$case: pool $pool has upstream's name" "$(named "$case" $pool)" target $pool
		add_node $pool
		eventually "$case: pool $pool is well" "$(all_well 1 "$(named "$case" $pool)")" settled $pool
		eventually "$case: pool $pool has its condition" 'False |' condition $pool PinnedImageSetsDegraded
	done
	eventually "$case: KubeletConfigs and ContainerRuntimeConfigs are settled" '' \
		eval 'for k in kubeletconfigs containerruntimeconfigs; do j $mc/$k ".items[] | select((.status.conditions // [])[-1].type != \"Success\").metadata.name"; done'
	end_controller
	is "$case: upstream's types would write nothing" '' "$(write_typed)"
	before=$(versions_of)
	start_controller
	wait_for_probe "$case"
	is "$case: not one object is written" "$before" "$(versions_of)"
	end_controller
	stop_servers
	rm -rf "${dir:?}"/*
}

for case in ${CASES:-001-baseline 002-custom-pool 019-kubelet-both-pools 034-runtime-all-fields 045-image-blocked-insecure-search \
	052-mirrors-icsp-idms-itms 058-image-policies 063-node-latency-medium 071-apiserver-modern}; do
	hand_over "$case"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
