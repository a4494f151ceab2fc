#!/bin/bash
# workloads.sh KUBECTL: the controllers of Kubernetes beside the server of $KUBECONFIG create what
# workloads ask for, and delete what a deleted object owns. servers.sh starts them with
# start_controller_manager.
set -u
kubectl=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
passed=0 failed=0
k() { timeout 60 "$kubectl" -n work "$@"; }
is() {	# NAME WANT COMMAND...: within a minute
	local name=$1 want=$2 got i
	shift 2
	for ((i = 0; i < 300; i++)); do
		got=$("$@" 2>&1)
		if [ "$got" = "$want" ]; then
			passed=$((passed + 1))
			return
		fi
		sleep 0.2
	done
	failed=$((failed + 1))
	echo "FAIL $name: $got, expected $want"
}
owner() {	# KIND LABEL: owner and number of the objects
	k get "$1" -l "$2" -o json | jq -r '"\(.items | length) \([.items[].metadata.ownerReferences[]? |
		"\(.kind)/\(.name | sub("-[0-9a-f]{6,10}$"; ""))"] | unique | join(" "))"'
}
k create namespace work >"$dir/out" 2>&1 || cat "$dir/out"
k create -f - >"$dir/out" 2>&1 <<-END || cat "$dir/out"
apiVersion: v1
kind: Node
metadata: {name: w1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: i}], tolerations: [{operator: Exists}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    metadata: {labels: {app: once}}
    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
END
is 'a Deployment gets a ReplicaSet' '1 Deployment/web' owner replicasets app=web
is 'the ReplicaSet gets its pods' '2 ReplicaSet/web' owner pods app=web
is 'a DaemonSet gets a pod for the node' '1 DaemonSet/agent' owner pods app=agent
is 'a Job gets a pod' '1 Job/once' owner pods app=once
is 'the status counts them' '2 1' k get deployment web -o 'jsonpath={.status.replicas} {.status.observedGeneration}'

uid=$(k get deployment web -o 'jsonpath={.metadata.uid}')
k create -f - >"$dir/out" 2>&1 <<-END || cat "$dir/out"
apiVersion: v1
kind: ConfigMap
metadata: {name: owned, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: $uid}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: free}
END
k delete deployment web --wait=false >"$dir/out" 2>&1 || cat "$dir/out"
is 'what a deleted Deployment owned is deleted' 'configmap/free' k get configmaps owned free --ignore-not-found -o name
is 'so is its ReplicaSet' '0 ' owner replicasets app=web
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
