#!/bin/bash
# kubectl.sh KUBECTL: common kubectl commands against the server of $KUBECONFIG;
# prints one line per command: name, exit status, output (ages masked).
set -u
kubectl=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir

tell() {	# NAME STATUS: checks $dir/out
	jq -Rsr --arg name "$1" --arg status "$2" \
		'gsub(" +[0-9]+[smhd]([0-9]+[smhd])?(?= |\n|$)"; " AGE")
		| gsub("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"; "TIME")
		| gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "UID")
		| gsub(" +\n"; "\n") | gsub(" +"; " ") | "\($name)\t\($status)\t\(tojson)"' "$dir/out"
}
k() {	# NAME ARGUMENT...
	local name=$1
	shift
	timeout 120 "$kubectl" "$@" >"$dir/out" 2>&1 </dev/null
	tell "$name" $?
}
cat >"$dir/cm.yaml" <<-YAML
	apiVersion: v1
	kind: ConfigMap
	metadata: {name: applied, namespace: kube}
	data: {a: "1", b: "2"}
YAML
sed 's/b: "2"/c: "3"/' "$dir/cm.yaml" >"$dir/cm2.yaml"
cat >"$dir/node.yaml" <<-YAML
	apiVersion: v1
	kind: Node
	metadata: {name: kn1, labels: {node-role.kubernetes.io/worker: ""}}
YAML
cat >"$dir/pod.yaml" <<-YAML
	apiVersion: v1
	kind: Pod
	metadata: {name: kp1, namespace: kube}
	spec: {nodeName: kn1, containers: [{name: c, image: "i:1"}]}
YAML

k create-ns create namespace kube
k create-cm -n kube create configmap made --from-literal=k=v
k create-secret -n kube create secret generic made --from-literal=k=v
k create-again -n kube create configmap made
k get-cm -n kube get configmap made
k get-cm-wide -n kube get configmap made -o wide --show-labels
k get-cm-json -n kube get configmap made -o 'jsonpath={.data.k}'
k get-many -n kube get configmap,secret -o name
k get-missing -n kube get configmap none
k get-none -n kube get pods
k get-bogus get bogus
k apply-new apply -f "$dir/cm.yaml"
k apply-same apply -f "$dir/cm.yaml"
k apply-changed apply -f "$dir/cm2.yaml"
k apply-result -n kube get configmap applied -o 'jsonpath={.data}'
k apply-dry apply --dry-run=server -f "$dir/cm.yaml"
k apply-server apply --server-side -f "$dir/cm2.yaml" --force-conflicts
k diff diff -f "$dir/cm2.yaml"
k patch-merge -n kube patch configmap made --type=merge -p '{"data":{"x":"y"}}'
k patch-json -n kube patch configmap made --type=json -p '[{"op":"remove","path":"/data/x"}]'
k patch-none -n kube patch configmap made --type=merge -p '{"data":{"k":"v"}}'
k patch-bad -n kube patch configmap made --type=json -p '[{"op":"remove","path":"/data/none"}]'
k replace replace -f "$dir/cm.yaml"
k label -n kube label configmap made l=1
k label-again -n kube label configmap made l=2
k label-over -n kube label configmap made l=2 --overwrite
k label-off -n kube label configmap made l-
k annotate -n kube annotate configmap made n=1
k annotate-off -n kube annotate configmap made n-
k selector -n kube get configmap -l 'l notin (2)' -o name
k field -n kube get configmap --field-selector metadata.name=made -o name

k create-deploy -n kube create deployment web --image=i
k scale -n kube scale deployment web --replicas=3
k scale-if -n kube scale deployment web --replicas=4 --current-replicas=9
k scale-cm -n kube scale configmap made --replicas=3
k scaled -n kube get deployment web
k can-i auth can-i delete nodes

k node create -f "$dir/node.yaml"
k pod create -f "$dir/pod.yaml"
k get-pods -n kube get pods
k get-pods-wide -n kube get pods -o wide
k get-nodes get nodes kn1
k get-sorted get nodes --field-selector metadata.name=kn1 --sort-by=.metadata.name
k get-sorted-cms -n kube get configmaps --sort-by=.metadata.name
k get-chunks -n kube get configmaps --chunk-size=1 -o name
k cordon cordon kn1
k cordon-again cordon kn1
k get-cordoned get nodes kn1
k drain-refused drain kn1
k drain drain kn1 --force --ignore-daemonsets --grace-period=0 --timeout=60s
k uncordon uncordon kn1
k taint taint nodes kn1 a=b:NoSchedule
k taint-off taint nodes kn1 a:NoSchedule-
k wait-timeout wait --for=condition=Ready node/kn1 --timeout=1s
k status-ready patch node kn1 --type=merge -p '{"metadata":{"annotations":{"s":"t"}}}'
k wait-delete-none -n kube wait --for=delete configmap/none --timeout=5s

# Watches: one line for each existing object, then one per change.
: >"$dir/watch"
timeout 120 "$kubectl" -n kube get configmap made -w --output-watch-events \
	-o 'custom-columns=NAME:.metadata.name,V:.data.v' >"$dir/watch" 2>&1 &
watch=$!
lines() {	# N: waits until the watch has written that many
	local i
	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l <"$dir/watch")" -lt "$1" ] || return 0
		sleep 0.1
	done
}
lines 2
k watched-1 -n kube patch configmap made --type=merge -p '{"data":{"v":"1"}}'
lines 3
k watched-2 -n kube delete configmap made
lines 4
kill $watch 2>/dev/null
wait $watch 2>/dev/null
cp "$dir/watch" "$dir/out"
tell get-watch 0
k wait-deleted -n kube wait --for=delete configmap/made --timeout=5s
k delete-file delete -f "$dir/cm.yaml"
k delete-missing -n kube delete configmap made
k delete-ignore -n kube delete configmap made --ignore-not-found
k delete-label -n kube delete configmap -l nothing=here
k delete-node delete node kn1
k describe -n kube describe secret made
k api-resources api-resources --api-group=coordination.k8s.io
k api-versions-crd get crd bogus.example.com
