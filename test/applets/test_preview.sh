# A preview promises what the live controller does: each change first goes to `mcoctl
# diff`, on the cluster and on a dump of it, and is then applied. The pools get the
# promised rendered configs, and no others; refused changes are refused.
build=${MCO_DIR:-build}
BIN=$build real='' here=$PWD/test/cluster
. test/cluster/servers.sh
. test/cluster/controller.lib
dir=$(mktemp -d)
trap 'end_all; stop_servers; rm -rf "$W" "$dir"' EXIT
export PATIENCE=${PATIENCE:-120}
kc=$mc/kubeletconfigs
secrets=/api/v1/namespaces/openshift-config/secrets

json_of() { "$BIN/mcoctl" fmt -o json-compact "$1"; }
make_namespace() { create /api/v1/namespaces "$1" "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$1\"}}"; }
make_cluster() { # CONTROLLERCONFIG FEATUREGATE PULL-SECRET POOLS...
	local f one
	for f in $mco_ns openshift-config openshift-machine-api; do make_namespace $f; done
	post $secrets "$(json_of "$3")"
	post $mc/controllerconfigs "$(json_of "$1" | jq -c '.spec.pullSecret = {namespace: "openshift-config", name: "pull-secret"}')"
	post $config/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{}}'
	patch $config/clusterversions/version/status \
		"$(json_of "$1" | jq -c '{status: {desired: {version: "4.22.0", image: .spec.releaseImage}}}')"
	post $config/featuregates "$(json_of "$2")"
	patch $config/featuregates/cluster/status "$(json_of "$2" | jq -c '{status}')"
	post $config/images '{"apiVersion":"config.openshift.io/v1","kind":"Image","metadata":{"name":"cluster"},"spec":{}}'
	shift 3
	for f in "$@"; do
		while read -r one; do post $mc/machineconfigpools "$one"; done < <(json_of "$f")
	done
}
targets() { j $mc/machineconfigpools '.items[] | .metadata.name + " " + (.spec.configuration.name // "")'; }
dump() { # the objects that the command in examples/docs/preview.md collects
	local k
	for k in $mc/{machineconfigpools,machineconfigs,controllerconfigs,kubeletconfigs,containerruntimeconfigs} \
		$config/{featuregates,nodes,images,apiservers,clusterversions,imagedigestmirrorsets}; do
		get "$k" | jq -c '.kind |= rtrimstr("List") + "List"'
	done >"$W/dump.json"
}
differences() { jq -r '.differences[] | select(.pool) | .pool + " " + .to' "$1" | sort; }

# promise NAME FILE: stores the output of diff for the file, on the cluster and on
# a dump of it
promise() {
	dump
	"$BIN/mcoctl" diff -f "$2" -o json --kubeconfig "$KUBECONFIG" >"$W/live" 2>"$W/err"
	is "$1: exit status" 1 $?
	is "$1: no warnings" '' "$(cat "$W/err")"
	"$BIN/mcoctl" diff -f "$2" -o json --base "$W/dump.json" >"$W/offline" 2>/dev/null
	is "$1: exit status, of a dump" 1 $?
	differences "$W/live" >"$W/promised"
	is "$1: the same of a dump" "$(cat "$W/promised")" "$(differences "$W/offline")"
}
# kept NAME POOLS: checks that the promise came true, for these pools and no
# others
kept() {
	local pool to
	is "$1: the pools that change" "$2" "$(cut -d' ' -f1 "$W/promised" | xargs)"
	while read -r pool to; do
		eventually "$1: pool $pool" "$to" target "$pool"
	done <"$W/promised"
	# the other pools keep their targets
	is "$1: the others" "$(sort "$W/before" | grep -vE "^(${2// /|}) ")" "$(targets | sort | grep -vE "^(${2// /|}) ")"
}
apply() { # METHOD PATH BODY
	targets >"$W/before"
	case $1 in
	POST) post "$2" "$3" ;;
	PATCH) patch "$2" "$3" ;;
	esac
}
kubelet_config() { # NAME POOL PODS
	printf '{"apiVersion":"%s/v1","kind":"KubeletConfig","metadata":{"name":"%s"},"spec":{"machineConfigPoolSelector":{"matchLabels":{"pools.operator.%s/%s":""}},"kubeletConfig":{"maxPods":%s}}}' \
		$P "$1" $P "$2" "$3"
}
says() { j $kc/"$1" '.status.conditions[-1] | .type + ": " + .message'; }
other_secret() { # CONTENT
	printf '{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/dockerconfigjson","metadata":{"name":"pull-secret","namespace":"openshift-config"},"data":{".dockerconfigjson":"%s"}}' \
		"$(printf %s "$1" | base64 -w0)"
}
pull_secret() { # NAME POOLS
	other_secret '{"auths": {"new.example": {"auth": "c2VjcmV0OnNlY3JldA=="}}}' >"$W/secret.json"
	promise "$1" "$W/secret.json"
	"$BIN/mcoctl" diff -f "$W/secret.json" --kubeconfig "$KUBECONFIG" >"$W/text" 2>&1
	is "$1: the secret is not shown" '' "$(grep -E 'c2VjcmV0|new.example' "$W/text")"
	apply PATCH $secrets/pull-secret "$(cat "$W/secret.json")"
	kept "$1" "$2"
	"$BIN/mcoctl" diff -f "$W/secret.json" --kubeconfig "$KUBECONFIG" >"$W/text" 2>&1
	is "$1: nothing, once it is applied" '0 ' "$? $(cat "$W/text")"
	other_secret 'no JSON' >"$W/secret.json"
	"$BIN/mcoctl" diff -f "$W/secret.json" --kubeconfig "$KUBECONFIG" >"$W/text" 2>&1
	is "$1: one that is no JSON" "1 refused: Secret pull-secret ($W/secret.json): couldn't compact pullsecret: invalid JSON" \
		"$? $(sed 's/pullsecret: .*/pullsecret: invalid JSON/' "$W/text")"
}
start_cluster() {
	start_sandbox "$build" || exit 1
	curl_args=(-sS --noproxy '*' --max-time 120 -H "Authorization: Bearer $TOKEN")
	make_cluster "$@"
}
settle() {
	local pool
	for pool in infra master worker; do
		eventually "pool $pool is rendered" True eval "condition $pool RenderDegraded | sed 's/False .*/True/'"
	done
}

# ---- templates that this program does not have ----
in=$golden/controllers/002-custom-pool/input
start_cluster $in/controllerconfig.yaml $in/featuregate.yaml $in/pull-secret.yaml $in/*pool*.yaml
# shellcheck disable=SC2218 # that of sandbox.sh; another one follows
start_controller
settle

echo '{"apiVersion":"config.openshift.io/v1","kind":"Node","metadata":{"name":"cluster"},"spec":{"cgroupMode":"v2"}}' >"$W/node.json"
promise 'cgroup v2' "$W/node.json"
apply POST $config/nodes "$(cat "$W/node.json")"
kept 'cgroup v2' 'infra master worker'
is 'cgroup v2: once each' 1 "$(j $mc/machineconfigs/"$(target infra)" '.spec.kernelArguments | map(select(. == "psi=1" or startswith("systemd.unified"))) | group_by(.) | map(length) | max')"

kubelet_config pods infra 100 >"$W/kc.json"
promise 'a KubeletConfig' "$W/kc.json"
apply POST $kc "$(cat "$W/kc.json")"
kept 'a KubeletConfig' infra
for ((i = 1; i < 10; i++)); do post $kc "$(kubelet_config "pods-$i" infra $((100 + i)))"; done
for ((i = 1; i < 10; i++)); do eventually "KubeletConfig pods-$i" 'Success: Success' says pods-$i; done
full='max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying'
kubelet_config pods-10 infra 300 >"$W/kc.json"
"$BIN/mcoctl" diff -f "$W/kc.json" --kubeconfig "$KUBECONFIG" >"$W/text" 2>&1
is 'the eleventh is refused' "1 refused: KubeletConfig pods-10 ($W/kc.json): $full" "$? $(grep ^refused "$W/text")"
post $kc "$(cat "$W/kc.json")"
eventually 'as the controller refuses it' "Failure: could not get kubelet config key: $full" says pods-10
"$BIN/mcoctl" render --kubeconfig "$KUBECONFIG" -o name -p infra >"$W/text" 2>"$W/err"
is 'once it is there, its pool is not rendered' "1 Error: pool infra: KubeletConfig pods-10 (cluster): could not get kubelet config key: $full" "$? $(cat "$W/err")"
delete $kc/pods-10
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"user-ca-bundle","namespace":"openshift-config"},"data":{"ca-bundle.crt":"x"}}' >"$W/cm.json"
"$BIN/mcoctl" diff -f "$W/cm.json" --kubeconfig "$KUBECONFIG" >"$W/text" 2>&1
is 'what only the operator reads' "0 warning: ConfigMap openshift-config/user-ca-bundle: the operator may copy it into the ControllerConfig, which is not shown: preview the ControllerConfig itself" "$? $(cat "$W/text")"
pull_secret 'a pull secret' 'infra master worker'
end_controller
stop_servers
rm -rf "${dir:?}"/*

# ---- the built-in templates ----
start_cluster examples/bootstrap/{00-controllerconfig,01-featuregate,pull-secret,10-pools}.yaml
golden=none
start_controller() {
	${WRAP:-} "$BIN/mco-controller" start --kubeconfig "$KUBECONFIG" --templates builtin \
		--payload-version 4.22.0 --resourcelock-namespace $mco_ns --metrics-listen-address 127.0.0.1:0 \
		--gather-changes 300ms --v 2 2>>"$W/controller.log" &
	controller=$!
}
start_controller
settle
pull_secret 'a pull secret, built-in templates' 'infra master worker'
get $mc/controllerconfigs/machine-config-controller | jq -c '.spec.images.infraImageKey = "registry.example.net/pause:new"' >"$W/cc.json"
promise 'a ControllerConfig' "$W/cc.json"
apply PATCH $mc/controllerconfigs/machine-config-controller '{"spec":{"images":{"infraImageKey":"registry.example.net/pause:new"}}}'
kept 'a ControllerConfig' 'infra master worker'
echo '{"apiVersion":"config.openshift.io/v1","kind":"APIServer","metadata":{"name":"cluster"},"spec":{"tlsSecurityProfile":{"type":"Old","old":{}}}}' >"$W/api.json"
promise 'an APIServer' "$W/api.json"
apply POST $config/apiservers "$(cat "$W/api.json")"
kept 'an APIServer' 'infra master worker'
end_controller
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
