#!/bin/bash
# standalone.sh BUILD KUBECTL: mco-operator and mco-controller with --standalone on the server of
# $KUBECONFIG, beside the controllers of Kubernetes: the examples are applied, the operator comes to
# health and to rest, and the Deployment's controller keeps the operator's conditions. This script plays
# the kubelets and the daemons.
set -u
build=$1 kubectl=$2
dir=$(mktemp -d)
operator='' controller='' nodes=''
# shellcheck disable=SC2086
trap 'kill $operator $controller $nodes 2>/dev/null; rm -rf "$dir"' EXIT
export HOME=$dir MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
passed=0 failed=0
ns=openshift-machine-config-operator key=machineconfiguration.openshift.io
k() { timeout 60 "$kubectl" "$@"; }
is() {	# NAME WANT COMMAND...: within two minutes
	local name=$1 want=$2 got i
	shift 2
	for ((i = 0; i < 240; i++)); do
		got=$("$@" 2>&1)
		if [ "$got" = "$want" ]; then
			passed=$((passed + 1))
			return
		fi
		sleep 0.5
	done
	failed=$((failed + 1))
	echo "FAIL $name: $got, expected $want"
}
succeeds() { "$@" >"$dir/out" 2>&1 || { failed=$((failed + 1)); echo "FAIL $*"; cat "$dir/out"; }; }
health() {	# conditions of the operator's Deployment: "Type=Status Reason" sorted
	k -n $ns get deployment machine-config-operator -o json |
		jq -r '[.status.conditions[]? | .type + "=" + .status + " " + .reason] | sort | join(", ")'
}
versions() {
	k get -A configmaps,secrets,serviceaccounts,deployments,daemonsets,clusterroles,roles,clusterrolebindings,rolebindings -o json
	k get -A validatingadmissionpolicies,validatingadmissionpolicybindings,machineconfigpools,machineconfigs -o json
	k get -A controllerconfigs,machineconfignodes,machineconfigurations -o json
}
rest() { versions | jq -r '.items[] | .kind + "/" + .metadata.name + " " + .metadata.resourceVersion' >"$dir/$1"; }

succeeds k apply --server-side -f examples/deploy/crds
succeeds k apply -f examples/deploy/standalone/operator.yaml
succeeds k -n $ns create configmap kube-root-ca.crt --from-literal=ca.crt=CA # of a controller that is not started
for n in cp-0:master worker-0:worker; do
	printf 'apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {kubernetes.io/os: linux, node-role.kubernetes.io/%s: ""}}\n' \
		"${n%:*}" "${n#*:}" >"$dir/node"
	succeeds k create -f "$dir/node"
	succeeds k patch node "${n%:*}" --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
done
play() {
	local n config
	while sleep 1; do
		for n in $(k -n $ns get pods -o json | jq -r '.items[] | select(all(.status.conditions[]?; .type != "Ready")) | .metadata.name'); do
			k -n $ns patch pod "$n" --subresource=status --type=merge -p '{"status":{"phase":"Running","conditions":[
				{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'
		done
		for n in cp-0:master worker-0:worker; do
			config=$(k get machineconfigpool "${n#*:}" -o 'jsonpath={.spec.configuration.name}')
			[ -z "$config" ] || k annotate --overwrite node "${n%:*}" $key/currentConfig="$config" $key/desiredConfig="$config" \
				$key/state=Done $key/reason= $key/desiredDrain="uncordon-$config" $key/lastAppliedDrain="uncordon-$config"
		done
	done
}
play >"$dir/play.log" 2>&1 &
nodes=$!
"$build/mco-operator" start --standalone --image registry.example.net/mco:1 --payload-version 4.22.0 \
	--kubeconfig "$KUBECONFIG" 2>"$dir/operator.log" &
operator=$!
"$build/mco-controller" start --standalone --payload-version 4.22.0 --kubeconfig "$KUBECONFIG" --resourcelock-namespace $ns \
	--metrics-listen-address 127.0.0.1:0 2>"$dir/controller.log" &
controller=$!
ours='MachineConfigAvailable=True AsExpected, MachineConfigDegraded=False AsExpected, MachineConfigProgressing=False AsExpected'
is 'health' "Available=True MinimumReplicasAvailable, $ours, Progressing=True NewReplicaSetAvailable" health
[ "$failed" = 0 ] || tail -n 5 "$dir/operator.log" "$dir/controller.log"
is 'facts of the ControllerConfig' 'none 10.96.0.10 IPv4' k get controllerconfig machine-config-controller \
	-o 'jsonpath={.spec.platform} {.spec.clusterDNSIP} {.spec.ipFamilies}'
is 'pools' 'master 1 worker 1 ' k get machineconfigpools -o 'jsonpath={range .items[*]}{.metadata.name} {.status.updatedMachineCount} {end}'
is 'policies' 'custom-machine-config-pool-selector machine-configuration-guards mcn-guards' \
	k get validatingadmissionpolicies -o 'jsonpath={.items[*].metadata.name}'
settled() { rest before; sleep 3; rest after; cmp "$dir/before" "$dir/after"; }
is 'it comes to rest' '' settled
kill "$nodes"; nodes=''
rest before
sleep 10
rest after
is 'no write at rest' '' diff "$dir/before" "$dir/after"
# the Deployment's controller writes its conditions, and keeps ours
succeeds k -n $ns scale deployment machine-config-operator --replicas=2
is 'conditions of both' "Available=False MinimumReplicasUnavailable, $ours, Progressing=True NewReplicaSetAvailable" health
kill "$operator"
wait "$operator"
is 'SIGTERM' 0 echo $?
operator=''
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
