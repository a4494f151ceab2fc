#!/bin/bash
# recipe.sh KUBECTL: runs the commands under "Taking over" and "Going back" in
# examples/deploy/README.md, unchanged, on the server of $KUBECONFIG with upstream's workloads. The
# server must have the kinds of config.openshift.io.
set -u
kubectl=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
ns=openshift-machine-config-operator
failed=0
oc() { timeout 120 "$kubectl" "$@"; }
run() {	# SECTION: each of its commands must succeed
	local line n=0
	while IFS= read -r line; do
		n=$((n + 1))
		eval "$line" >"$dir/out" 2>&1 && continue
		failed=1
		echo "FAIL examples/deploy/README.md, $1: $line"
		cat "$dir/out"
	done < <(awk -v s="## $1" '/^##/ { on = $0 == s } on && /^oc / { print }' examples/deploy/README.md)
	[ $n -ge 3 ] || { failed=1; echo "FAIL examples/deploy/README.md: no commands under $1"; }
}
is() {	# NAME WANT GOT
	[ "$2" = "$3" ] && return
	failed=1
	echo "FAIL $1"
	diff <(echo "$2") <(echo "$3") | sed 's/^/  /'
}
pod() {	# KIND ROLE FILTER
	oc -n $ns get "$1" "machine-config-$2" -o json | jq -r ".spec.template.spec | $3"
}
for n in $ns openshift-config openshift-image-registry; do
	oc create namespace $n >"$dir/out" 2>&1 || grep -q AlreadyExists "$dir/out" || cat "$dir/out"
done
oc create -f test/cluster/upstream.yaml >"$dir/out" 2>&1 || { cat "$dir/out"; exit 1; }
oc create -f - >"$dir/out" 2>&1 <<-END || { cat "$dir/out"; exit 1; }
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
spec: {channel: stable-4.22}
END

run 'Taking over'
is 'the override' 'apps Deployment openshift-machine-config-operator machine-config-operator true' \
	"$(oc get clusterversion version -o json | jq -r '.spec.overrides[] | [.group, .kind, .namespace, .name, (.unmanaged | tostring)] | join(" ")')"
is 'the operator stops' 0 "$(oc -n $ns get deployment machine-config-operator -o json | jq .spec.replicas)"
own=registry.example.net/mco@sha256:0000000000000000000000000000000000000000000000000000000000000000
for role in controller daemon server; do
	kind=daemonset
	[ $role != controller ] || kind=deployment
	is "$role: image and command are ours" "$own /mco-$role start" \
		"$(pod $kind $role ".containers[] | select(.name == \"machine-config-$role\") | [.image, .command[], .args[0]] | join(\" \")")"
	is "$role: no argument of upstream's is left" 0 "$(pod $kind $role '[.containers[] | select(.name | startswith("machine")).args[] | select(test("payload-version"))] | length')"
done
is 'what is beside them stays' 'kube-rbac-proxy machine-config-controller upstream.example/kube-rbac-proxy' \
	"$(pod deployment controller '[.containers[].name] + [.containers[] | select(.name == "kube-rbac-proxy").image] | sort | join(" ")')"
is "upstream's templates are mounted" 'proxy-tls templates /etc/mcc/templates /templates' \
	"$(pod deployment controller '([.volumes[].name] | sort) + [(.containers[] | select(.name == "machine-config-controller").volumeMounts[].mountPath), .initContainers[].volumeMounts[].mountPath] | join(" ")')"

run 'Going back'
is 'no override' null "$(oc get clusterversion version -o json | jq .spec.overrides)"
is 'the rest of the spec stays' stable-4.22 "$(oc get clusterversion version -o json | jq -r .spec.channel)"
is 'the operator starts' 1 "$(oc -n $ns get deployment machine-config-operator -o json | jq .spec.replicas)"
is 'nothing of ours is in its way' '' "$({ oc -n $ns get deployments,daemonsets,serviceaccounts,roles,rolebindings -o name
	oc get clusterroles,clusterrolebindings -o name | grep /mco-; } | grep -vE 'machine-config-operator$|serviceaccount/default$')"
exit $failed
