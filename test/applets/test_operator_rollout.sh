# mco-operator start rolls out daemon, controller and server one after the other, undoes changes to
# their objects, and writes nothing when nothing differs.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
command -v jq > /dev/null || { echo 'no jq'; exit 1; }
apps=/apis/apps/v1/namespaces/$OP_NS
mc=/apis/machineconfiguration.openshift.io/v1 config=/apis/config.openshift.io/v1
trap 'op_end operator sandbox_pid; rm -rf "$TMP"' EXIT

send() { curl -sS -m 60 --noproxy '*' -o "$TMP/answer" -w '%{http_code}' -X "$1" -H "Content-Type: application/$3" --data-binary "$4" "$api$2"; }
patch() { send PATCH "$1" merge-patch+json "$2" > "$TMP/status"; }
start_operator() {	# RELEASE
	op_images 001
	jq -c ".releaseVersion = \"$1\"" "$TMP/images.json" > "$TMP/images.new"
	mv "$TMP/images.new" "$TMP/images.json"
	op_start --payload-version "$1" --operator-image registry.test/mco
}
stop_operator() {
	kill "$operator"
	wait "$operator"
	is 'exit status of the operator' 0 $?
	operator=''
}
wait_for() {	# NAME PATH FILTER WANT: the filter's output for the object
	local i got
	for ((i = 0; i < 300; i++)); do
		got=$(op_get "$2" | jq -c "$3" 2>/dev/null)
		[ "$got" != "$4" ] || { ok; return; }
		sleep 0.1
	done
	bad "$1: expected $4, got $got"
	tail -n 5 "$TMP/operator.log"
}
rolled_out() {	# PATH OF A WORKLOAD, GENERATION: as its controller says it
	patch "$1/status" '{"status":{"observedGeneration":'"$2"',"desiredNumberScheduled":1,"updatedNumberScheduled":1,"numberReady":1,
		"currentNumberScheduled":1,"numberMisscheduled":0,"replicas":1,"updatedReplicas":1,"readyReplicas":1}}'
}
exists() { op_get "$1" | jq -r 'if .kind == "Status" then "no" else "yes" end'; }
objects() {	# versions of all objects that the manifests make
	local p
	for p in $apps/daemonsets $apps/deployments /apis/rbac.authorization.k8s.io/v1/{cluster,}roles{,bindings} \
		/apis/rbac.authorization.k8s.io/v1/{cluster,}rolebindings /api/v1/namespaces/$OP_NS/{configmaps,secrets,serviceaccounts} $mc/controllerconfigs; do
		op_get "$p" | jq -c '.items[]? | [.kind, .metadata.namespace, .metadata.name, .metadata.resourceVersion]'
	done | sort
}

sandbox_start
op_crds
op_input 001
start_operator 4.22.0
wait_for 'the daemon is made' $apps/daemonsets/machine-config-daemon .metadata.generation 1
sleep 1.5
is 'the controller waits for the daemon' no "$(exists /apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-controller)"
rolled_out $apps/daemonsets/machine-config-daemon 1
wait_for 'the controller is made' $apps/deployments/machine-config-controller .metadata.generation 1
is 'the ControllerConfig waits for the controller' no "$(exists $mc/controllerconfigs/machine-config-controller)"
rolled_out $apps/deployments/machine-config-controller 1
rotate='.metadata.annotations["machineconfiguration.openshift.io/service-ca-rotate"]'
wait_for 'the ControllerConfig is made' $mc/controllerconfigs/machine-config-controller "$rotate" '"true"'
is 'the server waits for the ControllerConfig' no "$(exists $apps/daemonsets/machine-config-server)"
patch $mc/controllerconfigs/machine-config-controller/status '{"status":{"observedGeneration":1,"conditions":[
	{"type":"TemplateControllerCompleted","status":"True","lastTransitionTime":"2026-11-18T11:00:00Z"}]}}'
wait_for 'the server is made' $apps/daemonsets/machine-config-server .metadata.generation 1
rolled_out $apps/daemonsets/machine-config-server 1
wait_for 'the mark of the rotated CA is taken off' $mc/controllerconfigs/machine-config-controller "$rotate" '"false"'
wait_for 'the account of the builder is made' /api/v1/namespaces/$OP_NS/serviceaccounts/machine-os-builder .metadata.name '"machine-os-builder"'
is 'no builder without a layered pool' no "$(exists $apps/deployments/machine-os-builder)"

sleep 1
objects > "$TMP/before"
# a pass for every change that the operator sees
for i in 1 2 3; do patch $config/networks/cluster '{"metadata":{"labels":{"n":"'$i'"}}}'; sleep 0.5; done
sleep 1
objects > "$TMP/after"
is 'at rest nothing is written' '' "$(diff "$TMP/before" "$TMP/after")"
is 'objects that were looked at' yes "$([ "$(wc -l < "$TMP/after")" -gt 40 ] && echo yes)"

# upstream's case 053
server=$apps/daemonsets/machine-config-server
op_get $server | jq -c '.spec.template.spec.containers[0].args += ["--bad"] | .metadata.labels.theirs = "x" |
	.spec.template.spec.tolerations += [{key: "theirs", operator: "Exists"}]' > "$TMP/tampered"
is 'tampered' 200 "$(send PUT $server json "@$TMP/tampered")"
send DELETE /api/v1/namespaces/$OP_NS/serviceaccounts/node-bootstrapper json '' > "$TMP/status"
patch /apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-server '{"rules":[]}'
wait_for 'arguments are restored, what others added stays' $server '[.metadata.generation, .metadata.labels.theirs,
	(.spec.template.spec.containers[0].args | length), (.spec.template.spec.tolerations | length)]' '[3,"x",6,3]'
wait_for 'the account is made again' /api/v1/namespaces/$OP_NS/serviceaccounts/node-bootstrapper .kind '"ServiceAccount"'
wait_for 'rules are restored' /apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-server '.rules | length' 7
wait_for 'with Events' /api/v1/namespaces/$OP_NS/events '[.items[] | select(.reason == "ClusterRoleUpdated") | .message, .involvedObject.kind]' \
	'["Updated ClusterRole.rbac.authorization.k8s.io/machine-config-server because it changed","Deployment"]'
rolled_out $server 3
# all of one object, and more than the 25 that a component may otherwise write
wait_for 'an Event of each object that was made' /api/v1/namespaces/$OP_NS/events '[.items[] | select(.reason | test("Created$")) ] | length > 40' true

# another release: one workload after the other
stop_operator
patch $config/featuregates/cluster/status "$(op_get $config/featuregates/cluster |
	jq -c '{status: {featureGates: (.status.featureGates + [.status.featureGates[0] | .version = "4.22.1"])}}')"
patch /api/v1/namespaces/$OP_NS/configmaps/machine-config-osimageurl '{"data":{"releaseVersion":"4.22.1"}}'
start_operator 4.22.1
version='.spec.template.spec.containers[0].args | map(select(startswith("--payload-version"))) | .[0]'
wait_for 'the daemon is the first' $apps/daemonsets/machine-config-daemon "$version" '"--payload-version=4.22.1"'
sleep 1.5
is 'the controller is still the old one' '"--payload-version=4.22.0"' "$(op_get $apps/deployments/machine-config-controller | jq -c "$version")"
rolled_out $apps/daemonsets/machine-config-daemon 2
wait_for 'then the controller' $apps/deployments/machine-config-controller "$version" '"--payload-version=4.22.1"'
is 'the server is still the old one' '"--payload-version=4.22.0"' "$(op_get $server | jq -c "$version")"
stop_operator
finish
