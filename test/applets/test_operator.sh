# mco-operator start on a sandbox: from an empty cluster to rest with mco-controller beside it, tampering,
# crashes, a second operator and an upgrade. test/cluster/operator_live.sh has upstream's cases.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
controller='' second='' watch=''
trap 'op_end watch second controller others operator sandbox_pid; rm -rf "$TMP"' EXIT

within() {	# SECONDS COMMAND...: repeats it until it succeeds
	local i n=$(($1 * 10))
	shift
	for ((i = 0; i < n; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
seen() { grep -q -- "$1" "$2"; }
send() { curl -sS -m 60 --noproxy '*' -o "$TMP/put" -w '%{http_code}' -X "$1" -H "Content-Type: application/$3" -d "$4" "$api$2"; }

# ---- the command line ---------------------------------------------------------------------
refused() {	# NAME STATUS LAST-LINE COMMAND...: its last line on standard error, without the prefix
	local name=$1 status=$2 text=$3
	shift 3
	"$@" 2>"$TMP/err" </dev/null
	is "$name: status" "$status" $?
	is "$name: text" "$text" "$(sed -n '$s/^[A-Z][0-9 :.]*[0-9]* [a-z_]*\.c:[0-9]*\] //p' "$TMP/err")"
}
refused 'no --images-json' 255 '--images-json cannot be empty' "$BIN/mco-operator" start
refused 'an empty --images-json' 255 '--images-json cannot be empty' "$BIN/machine-config-operator" start --images-json=
is 'the version is logged first' 'Version: 9.9.9 (Raw: v4.22.0, Hash: 01)' "$(RELEASE_VERSION=9.9.9 MCO_RAW=v4.22.0 MCO_HASH=01 \
	"$BIN/mco-operator" start 2>&1 | sed -n '1s/.*\] //p')"
refused 'a kubeconfig that is not there' 255 "error creating clients: open $TMP/none: No such file or directory" \
	"$BIN/mco-operator" start --images-json x --kubeconfig "$TMP/none"

# ---- from an empty cluster to rest ----------------------------------------------------------
begin() {	# a cluster with kinds and the objects that an installer makes
	op_end watch second controller others operator sandbox_pid
	sandbox_start
	op_crds
	op_namespaces
	op_file 001 input | jq -c '(select(.kind == "FeatureGate") | .status.featureGates) |=
		. + [.[0] | .version = "4.22.1"]' >"$TMP/input"
	op_perl put "$TMP/input"
	op_images 001
	image=$(op_image) release=4.22.0
	: >"$TMP/operator.log"
	op_others - nodes
	MCO_RAW=$OP_RAW MCO_HASH=$OP_HASH "$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin \
		--payload-version 4.22.0 --metrics-listen-address 127.0.0.1:0 --gather-changes 100ms 2>"$TMP/controller.log" &
	controller=$!
}
start() { op_start --payload-version "$release" --operator-image "$image"; }
# The ClusterOperator is as upstream's at rest, and says so of this release.
healthy() {
	op_get $OP_CO | jq -e --arg v "$release" '[.status.conditions[] | .type + "=" + .status] == ["Available=True",
		"Progressing=False", "Degraded=False", "Upgradeable=True", "EvaluationConditionsDetected=False"] and
		.status.versions[0].version == $v and (.status.conditions[1].message == "Cluster version is " + $v) and
		(.status.extension | keys == ["master", "worker"] and all(startswith("all 1 nodes are at latest")))' >"$TMP/healthy" 2>&1
}
calm() {	# the server's version after two seconds without a write; leases may be renewed
	local i was now
	for ((i = 0; i < 20; i++)); do
		was=$(op_get /api/v1/nodes | jq -r .metadata.resourceVersion)
		sleep 2
		now=$(op_get /api/v1/nodes | jq -r .metadata.resourceVersion)
		[ "$was" != "$now" ] || return 0
	done
	return 1
}
begin
start
within 120 healthy || bad "not healthy: $(op_get $OP_CO | jq -c .status) $(tail -n 3 "$TMP/operator.log" | cut -c1-300)"
is 'all objects of the daemon are there' 'ClusterRole machine-config-daemon' "$(op_get /apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-daemon |
	jq -r '.kind + " " + .metadata.name')"
is 'the Event of the gates is on the Namespace' "Namespace $OP_NS machine-config-operator" "$(op_get "/api/v1/namespaces/$OP_NS/events" |
	jq -r '.items[] | select(.reason == "FeatureGatesInitialized" and .source.component == "machine-config-operator") |
	.involvedObject.kind + " " + .involvedObject.name + " " + .reportingComponent' | head -n 1)"
calm && ok || bad 'something is written at rest'
op_perl objects >"$TMP/installed"

# ---- tampering -----------------------------------------------------------------------------
ds=/apis/apps/v1/namespaces/$OP_NS/daemonsets/machine-config-daemon
role=/apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-server
is 'a ClusterRole loses its rules' 200 "$(send PATCH $role merge-patch+json '{"rules":[]}')"
is 'a ServiceAccount is deleted' 200 "$(send DELETE "/api/v1/namespaces/$OP_NS/serviceaccounts/node-bootstrapper" json '')"
is 'a user-data Secret is deleted' 200 "$(send DELETE /api/v1/namespaces/openshift-machine-api/secrets/worker-user-data-managed json '')"
is 'a DaemonSet gets other arguments' 200 "$(op_get $ds | jq '.spec.template.spec.containers[0].args = ["start"] | .metadata.labels.mine = "1"' |
	curl -sS -m 60 --noproxy '*' -o "$TMP/put" -w '%{http_code}' -X PUT -H 'Content-Type: application/json' --data-binary @- "$api$ds")"
is 'a pool loses a label' 200 "$(send PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker merge-patch+json \
	'{"metadata":{"labels":{"machineconfiguration.openshift.io/mco-built-in":null}}}')"
restored() {
	op_perl objects | sed 's/"labels":{"mine":"1"},//' >"$TMP/now"
	cmp -s "$TMP/installed" "$TMP/now"
}
within 120 restored || bad "tampering is not undone: $(diff "$TMP/installed" "$TMP/now" | cut -c1-300)"
is 'the label of somebody else stays' 1 "$(op_get $ds | jq -r .metadata.labels.mine)"
is 'each is announced' 'ClusterRoleUpdated SecretCreated ServiceAccountCreated' "$(op_get "/api/v1/namespaces/$OP_NS/events" | jq -r '.items[] |
	select(.message | test("machine-config-server because it changed|node-bootstrapper -n|worker-user-data-managed")) | .reason' | sort -u | xargs)"

# ---- a second operator ---------------------------------------------------------------------
first=$operator
start
second=$operator operator=$first
within 120 seen "waiting for lease $OP_NS/machine-config, held by" "$TMP/operator.log" || bad 'the second does not wait'
kill "$second"
wait "$second"
is 'the second ends' 0 $?
second=''
is 'as upstream says' 'Shutting down due to: terminated' "$(sed -n 's/.*\] \(Shutting down due.*\)/\1/p' "$TMP/operator.log")"

# ---- an upgrade ----------------------------------------------------------------------------
# Each change of the ClusterOperator: Progressing, the text of Available, the version.
curl -sSN --noproxy '*' "$api/apis/config.openshift.io/v1/clusteroperators?watch=true" >"$TMP/changes" 2>"$TMP/watch.err" &
watch=$!
kill "$operator"
wait "$operator"
is 'the leader ends' 0 $?
is 'with the lines of upstream' 'Shutting down due to: terminated Context cancelled Shutting down MachineConfigOperator Stopped leading. Terminating. ' \
	"$(tail -n 4 "$TMP/operator.log" | sed 's/.*\] //' | tr '\n' ' ')"
is 'the lease is released' '' "$(op_get "/apis/coordination.k8s.io/v1/namespaces/$OP_NS/leases/machine-config" | jq -r .spec.holderIdentity)"
operator='' release=4.22.1
next=registry.example.test/mill/mco-next@sha256:b6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06b
jq -c --arg mco $next '.releaseVersion = "4.22.1" | .machineConfigOperator = $mco' "$TMP/images.json" >"$TMP/images.new"
mv "$TMP/images.new" "$TMP/images.json"
image=$next
is 'the OS images of 4.22.1' 200 "$(send PATCH "/api/v1/namespaces/$OP_NS/configmaps/machine-config-osimageurl" merge-patch+json \
	'{"data":{"releaseVersion":"4.22.1","baseOSContainerImage":"registry.example.test/mill/coreos-next@sha256:5a06da19b1605b185c46c1b06c307f17c6b17eb2ac2716c296d57d2c17d41802"}}')"
op_end others
op_others -	# nodes do not move yet
start
working() { op_get $OP_CO | jq -e '.status.conditions[1].message == "Working towards 4.22.1"' >"$TMP/healthy" 2>&1; }
within 120 working || bad "the upgrade does not begin: $(op_get $OP_CO | jq -c .status)"
is 'what it waits for' 'MachineConfigPool master has not progressed to latest configuration: osImageURL mismatch for master' \
	"$(op_get $OP_CO | jq -r '.status.extension.lastSyncError | sub(" in rendered-.*"; "")')"
op_end others
op_others - nodes
within 120 healthy || bad "the upgrade does not end: $(op_get $OP_CO | jq -c .status) $(tail -n 3 "$TMP/operator.log" | cut -c1-300)"
op_end watch
is 'upstream'\''s order of changes' 'Cluster version is 4.22.0|4.22.0|4.22.0
Working towards 4.22.1|4.22.0|4.22.0
Working towards 4.22.1|4.22.0|4.22.1
Cluster version is 4.22.1|4.22.1|4.22.1' "$(jq -r 'select(.object.metadata.name == "machine-config") | .object.status |
	.conditions[1].message + "|" + (.conditions[0].message | capture("operator (?<v>[0-9.]+)").v) + "|" + .versions[0].version' \
	"$TMP/changes" | uniq)"
is 'Events of the version' 'started version' "$(op_get "/api/v1/namespaces/$OP_NS/events" | jq -r '.items[] |
	select(.reason == "OperatorVersionChanged") | .message | if test("started a version change") then "started" else "version" end' | sort -u | xargs)"
is 'they name no kind' 'null null machine-config machineconfigoperator' "$(op_get "/api/v1/namespaces/$OP_NS/events" | jq -r '.items[] |
	select(.reason == "OperatorVersionChanged") | "\(.involvedObject.kind) \(.involvedObject.apiVersion) \(.involvedObject.name) \(.source.component)"' |
	sort -u)"
is 'the daemon has the new image' $next "$(op_get $ds | jq -r '.spec.template.spec.containers[0].image')"
calm && ok || bad 'something is written at rest after the upgrade'

# ---- crashes ---------------------------------------------------------------------------------
begin
for ms in 15 40 80 200 700; do
	start
	sleep "$(printf '0.%03d' $ms)"
	kill -9 "$operator"
	wait "$operator" 2>/dev/null
	operator=''
	send DELETE "/apis/coordination.k8s.io/v1/namespaces/$OP_NS/leases/machine-config" json '' >"$TMP/lease"
done
start
within 120 healthy || bad "not healthy after crashes: $(op_get $OP_CO | jq -c .status)"
calm && ok || bad 'something is written at rest after crashes'
op_perl objects >"$TMP/now"
cmp -s "$TMP/installed" "$TMP/now" && ok || bad "crashes leave other objects: $(diff "$TMP/installed" "$TMP/now" | cut -c1-300)"

# ---- a write that does not last --------------------------------------------------------------
# The definition loses a field: the server drops it from every write.
is 'a field of ControllerConfigs is removed' 200 "$(send PATCH \
	/apis/apiextensions.k8s.io/v1/customresourcedefinitions/controllerconfigs.machineconfiguration.openshift.io json-patch+json \
	'[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/networkType"}]')"
config=/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller
is 'a ControllerConfig is changed' 200 "$(send PATCH $config merge-patch+json '{"spec":{"networkType":null,"platform":"other"}}')"
restless() { [ "$(op_condition Degraded)" = True ]; }
within 120 restless || bad "it is not reported: $(op_get $OP_CO | jq -c .status)"
is 'it is reported' "MachineConfigControllerFailed Failed to resync 4.22.0 because: $config is changed back after each write (it differs from the manifest)" \
	"$(op_get $OP_CO | jq -r '.status.conditions[] | select(.type == "Degraded") | .reason + " " + .message')"
version() { op_get $config | jq -r .metadata.resourceVersion; }
sleep 2
from=$(version)
sleep 3
[ $(($(version) - from)) -lt 64 ] && ok || bad "$(($(version) - from)) writes in three seconds"
finish
