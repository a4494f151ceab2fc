#!/bin/bash
# operator.sh BUILD PEERS: mco-operator from an empty cluster through an upgrade on a real kube-apiserver
# with Kubernetes' controllers. KILLS is how often it is killed during an install, and as often during an
# upgrade. Ends with "N passed, N failed".
set -u
MCO_DIR=$1 PEERS=$2
cd "$(dirname "$0")/../.." || exit 1
. test/cluster/operator.lib
mc=/apis/machineconfiguration.openshift.io/v1
settings=/apis/operator.openshift.io/v1/machineconfigurations
kills=${KILLS:-8}
RANDOM=${SEED:-1}
part() { [ -z "${TIMES:-}" ] || echo "# $SECONDS s: $*"; }

answer='if .kind == "Status" then "\(.code // 200) \(.message // "")" else "200 " end'
send() {	# METHOD PATH BODY [TYPE]: "status message"
	curl -sS -m 60 --noproxy '*' -X "$1" -H "Content-Type: application/${4:-merge-patch+json}" -d "$3" "$api$2" |
		jq -r "$answer"
}
as_account() {	# KUBECONFIG NODE: changes its MachineConfigNode
	curl -sS -m 60 --noproxy '*' --cacert "$CA" -X PATCH -H 'Content-Type: application/merge-patch+json' \
		-H "Authorization: Bearer $(sed -n 's/.*token: \(.*\)}/\1/p' "$1")" -d '{"metadata":{"labels":{"a":"b"}}}' \
		"$URL$mc/machineconfignodes/$2?dryRun=All" | jq -r "$answer"
}
pod_of() {	# NODE: the pod of its daemon
	op_get "/api/v1/namespaces/$OP_NS/pods?labelSelector=k8s-app=machine-config-daemon" |
		jq -r --arg n "$1" '.items[] | select(.spec.nodeName == $n).metadata.name'
}

# ---- from an empty cluster to rest ----------------------------------------------------------
part install
new_cluster
start
start_controller
settled "$TMP/installed" || { finish; exit 1; }

# ---- admission policies ---------------------------------------------------------------------
part policies
denied() { echo "422 $1 \"$2\" is forbidden: ValidatingAdmissionPolicy '$3' with binding '$3-binding' denied request: $4"; }
for node in grove-m0 grove-w0; do
	account machine-config-daemon "$TMP/$node" --bound-object-kind Pod --bound-object-name "$(pod_of $node)"
	is "the daemon of $node changes its MachineConfigNode" '200 ' "$(as_account "$TMP/$node" $node)"
done
is 'and no other' "$(denied 'machineconfignodes.machineconfiguration.openshift.io' grove-w0 mcn-guards \
	"updates to MCN grove-w0 can only be done from the MCN's owner node")" \
	"$(as_account "$TMP/grove-m0" grove-w0)"
account machine-config-daemon "$TMP/nowhere"
is 'nor without a node' "$(denied 'machineconfignodes.machineconfiguration.openshift.io' grove-w0 mcn-guards \
	'this user must have a "authentication.kubernetes.io/node-name" claim')" \
	"$(as_account "$TMP/nowhere" grove-w0)"
is 'MachineConfiguration cluster' '200 ' "$(send PATCH "$settings/cluster?dryRun=All" '{"metadata":{"labels":{"a":"b"}}}')"
is 'and no other' "$(denied machineconfigurations.operator.openshift.io other machine-configuration-guards \
	'Only a single object of MachineConfiguration is allowed and it must be named cluster.')" \
	"$(send POST "$settings?dryRun=All" '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration",
	"metadata":{"name":"other"},"spec":{"managementState":"Managed"}}' json)"
pool() {	# SELECTOR
	send POST "$mc/machineconfigpools?dryRun=All" '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool",
		"metadata":{"name":"infra"},"spec":{"machineConfigSelector":'"$1"',"nodeSelector":{"matchLabels":{"a":"b"}}}}' json
}
is 'a pool that inherits from worker' '200 ' \
	"$(pool '{"matchExpressions":[{"key":"machineconfiguration.openshift.io/role","operator":"In","values":["worker","infra"]}]}')"
is 'and one that does not' "$(denied machineconfigpools.machineconfiguration.openshift.io infra custom-machine-config-pool-selector \
	"All custom MachineConfigPools must inherit from the worker pool and must have a machineConfigSelector that matches for a 'machineconfiguration.openshift.io/role: worker' label")" \
	"$(pool '{"matchLabels":{"machineconfiguration.openshift.io/role":"infra"}}')"
managed='{"spec":{"managedBootImages":{"machineManagers":[{"resource":"machinesets","apiGroup":"machine.openshift.io","selection":{"mode":"All"}}]}}}'
is 'boot images on None' "$(denied machineconfigurations.operator.openshift.io cluster managed-bootimages-platform-check \
	'This feature is only supported on these platforms: GCP, AWS, VSphere, Azure')" "$(send PATCH "$settings/cluster?dryRun=All" "$managed")"

# ---- as upstream's case 001 -----------------------------------------------------------------
part golden
names_of_install
golden 001


# ---- what admins look at ----------------------------------------------------------------------
part columns
columns() { k "$@" 2>&1 | sed -E 's/ {2,}/|/g; s/rendered-(master|worker)-[0-9a-f]{32}/CONFIG/; s/[|][0-9]+(s|m|m[0-9]+s)$/|AGE/; s/[| ]+$//'; }
is 'kubectl get co' 'NAME|VERSION|AVAILABLE|PROGRESSING|DEGRADED|SINCE
machine-config|4.22.0|True|False|False|AGE' "$(columns get co machine-config)"
is 'kubectl get mcp' 'NAME|CONFIG|UPDATED|UPDATING|DEGRADED|MACHINECOUNT|READYMACHINECOUNT|UPDATEDMACHINECOUNT|DEGRADEDMACHINECOUNT|AGE
master|CONFIG|True|False|False|1|1|1|0|AGE
worker|CONFIG|True|False|False|1|1|1|0|AGE' "$(columns get mcp)"
is 'kubectl describe co' "Name: machine-config
Message: Cluster has deployed [{operator 4.22.0} {operator-image $image}]
Message: Cluster version is 4.22.0
Master: all 1 nodes are at latest configuration CONFIG
Worker: all 1 nodes are at latest configuration CONFIG" "$(k describe co machine-config | sed -nE '/^Name:|^ *(Message|Master|Worker):/{
	s/^ +//; s/: +/: /; s/rendered-(master|worker)-[0-9a-f]{32}/CONFIG/; p; }')"
is 'pods by label' '2 1 1' "$(for app in daemon controller server; do k get pods -n $OP_NS -l k8s-app=machine-config-$app \
	--field-selector status.phase=Running -o name | wc -l; done | xargs)"

# ---- at rest ----------------------------------------------------------------------------------
part rest
objects >"$TMP/installed"
before=$(writes | wc -l)
sleep "${REST:-20}"
is 'nothing is written at rest' '' "$(writes | tail -n "+$((before + 1))")"
is 'writes are seen' yes "$([ "$before" -gt 60 ] && echo yes)"

# ---- an upgrade -------------------------------------------------------------------------------
part upgrade
curl -sSN --noproxy '*' "$api/apis/config.openshift.io/v1/clusteroperators?watch=true" >"$TMP/changes" 2>"$TMP/watch.err" &
watch=$!
op_end operator
applied annotate nodes --all test/hold=1	# the daemons
next_release
start
start_controller
within 60 new_names || bad 'the pools get no new config'
OP_WITHIN=60 golden 030
applied annotate node grove-m0 test/hold-
OP_WITHIN=60 golden 031
applied annotate node grove-w0 test/hold-
OP_WITHIN=60 golden 032
op_end watch
is "upstream's order of changes" 'Cluster version is 4.22.0|4.22.0|4.22.0
Working towards 4.22.1|4.22.0|4.22.0
Working towards 4.22.1|4.22.0|4.22.1
Cluster version is 4.22.1|4.22.1|4.22.1' "$(jq -r 'select(.object.metadata.name == "machine-config") | .object.status |
	.conditions[1].message + "|" + (.conditions[0].message | capture("operator (?<v>[0-9.]+)").v) + "|" + .versions[0].version' \
	"$TMP/changes" | uniq)"
settled "$TMP/upgraded"

# ---- two operators ------------------------------------------------------------------------------
part 'two operators'
holder() { op_get $LEASE | jq -r .spec.holderIdentity; }
others_lead() { [ -n "$(holder)" ] && [ "$(holder)" != "$1" ]; }
versions() { k get co,mcp,machineconfignodes,controllerconfigs,machineconfigurations,clusterroles,clusterrolebindings,roles,rolebindings,configmaps,secrets,serviceaccounts,daemonsets,deployments,validatingadmissionpolicies,validatingadmissionpolicybindings \
	-A -o json | jq -r '.items[] | "\(.kind) \(.metadata.namespace) \(.metadata.name) \(.metadata.resourceVersion)"'; }
op_end operator
export MCO_CLOCK_SCALE=30	# terms of the lease
start
first=$operator
within 30 others_lead '' || bad 'nobody leads'
was=$(holder)
start
sleep 2
versions >"$TMP/before"
is 'the second waits' "$was" "$(holder)"
kill "$first"
wait "$first"
is 'the leader ends' 0 $?
within 20 others_lead "$was" || bad 'the second does not lead'
was=$(holder) first=$operator
start
sleep 1
kill -9 "$first"
wait "$first" 2>/dev/null
within 30 others_lead "$was" || bad 'the third does not lead'
sleep 3
versions >"$TMP/after"
is 'new leaders change nothing' '' "$(diff "$TMP/before" "$TMP/after")"
unset MCO_CLOCK_SCALE

# ---- bad input ------------------------------------------------------------------------------------
part 'bad input'
conditions='[.conditions[] | del(.lastTransitionTime)]'
role=/apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-server
op_end operator
is 'an object of a later step is changed' '200 ' "$(send PATCH $role '{"rules":[]}')"
versions | grep -v '^ClusterOperator ' >"$TMP/before"
reports() { op_get $OP_CO | jq -c ".status | $conditions" >"$TMP/got"; cmp -s "$TMP/want" "$TMP/got"; }
refuses() {	# CASE: the conditions of upstream, in this release
	op_file "$1" expected | sed -e "s|registry.example.test/mill/mco@sha256:[0-9a-f]*|$image|g" -e 's/4\.22\.0/4.22.1/g' |
		jq -c "select(.kind == \"ClusterOperator\").status | $conditions" >"$TMP/want"
	start
	within 30 reports && ok || bad "case $1: $(diff "$TMP/want" "$TMP/got")"
	op_end operator
}
cp "$TMP/images.json" "$TMP/images.good"
jq -c '.releaseVersion = "4.21.7"' "$TMP/images.good" >"$TMP/images.json"
refuses 021
cp "$TMP/images.good" "$TMP/images.json"
k get configmap -n $OP_NS machine-config-osimageurl -o json >"$TMP/os"
applied delete configmap -n $OP_NS machine-config-osimageurl
refuses 061
jq 'del(.metadata.resourceVersion, .metadata.uid)' "$TMP/os" >"$TMP/os.json"
applied create -f "$TMP/os.json"
applied create configmap -n openshift-config user-ca-bundle '--from-literal=ca-bundle.crt=not a certificate'
refuses 064
applied delete configmap -n openshift-config user-ca-bundle
versions | grep -v '^ClusterOperator ' >"$TMP/after"
is 'other objects stay as they are' '' "$(diff "$TMP/before" "$TMP/after" | grep -v ' machine-config-osimageurl ' | grep '^[<>]')"
infra=/apis/config.openshift.io/v1/infrastructures/cluster/status
is 'on AWS' '200 ' "$(send PATCH $infra '{"status":{"platformStatus":{"type":"AWS"}}}')"
within 10 eval '[ "$(send PATCH "$settings/cluster?dryRun=All" "$managed")" = "200 " ]' && ok || bad 'boot images on AWS'
is 'on None again' '200 ' "$(send PATCH $infra '{"status":{"platformStatus":{"type":"None"}}}')"
start
settled "$TMP/now"
is 'all is well again' '' "$(diff "$TMP/upgraded" "$TMP/now" | cut -c1-400)"

# ---- crashes ----------------------------------------------------------------------------------------
part kills
new_cluster
for ((i = 0; i < kills / 2; i++)); do crash $((RANDOM % 1500)); done
start
start_controller
for ((; i < kills; i++)); do crash $((RANDOM % 1500)); done
start
settled "$TMP/now"
is 'crashes during an install leave the same objects' '' "$(diff "$TMP/installed" "$TMP/now" | cut -c1-400)"
op_end operator
next_release
for ((i = 0; i < kills / 2; i++)); do crash $((RANDOM % 1500)); done
start
start_controller
for ((; i < kills; i++)); do crash $((RANDOM % 1500)); done
start
settled "$TMP/now"
is 'crashes during an upgrade leave the same objects' '' "$(diff "$TMP/upgraded" "$TMP/now" | cut -c1-400)"
part end
finish
