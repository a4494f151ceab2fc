#!/bin/bash
# operator_kills.sh [N]: kills mco-operator at random N times during installs and as often during upgrades,
# on mco-sandbox with mco-controller beside it. Each must end in the objects of one that was not killed.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
controller=''
trap 'op_end controller others operator sandbox_pid; rm -rf "$TMP"' EXIT
kills=${1:-50} each=5
RANDOM=${SEED:-1}
next=registry.example.test/mill/mco-next@sha256:b6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06b

begin() {	# a new cluster
	op_end controller others operator sandbox_pid
	: >"$TMP/operator.log"
	sandbox_start
	op_crds
	op_namespaces
	op_file 001 input | jq -c '(select(.kind == "FeatureGate") | .status.featureGates) |= . + [.[0] | .version = "4.22.1"]' >"$TMP/input"
	op_perl put "$TMP/input"
	op_images 001
	image=$(op_image) release=4.22.0
	op_others - nodes
	MCO_RAW=$OP_RAW MCO_HASH=$OP_HASH "$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin \
		--payload-version 4.22.0 --metrics-listen-address 127.0.0.1:0 --gather-changes 100ms 2>"$TMP/controller.log" &
	controller=$!
}
upgrade() {
	op_end operator
	jq -c --arg mco $next '.releaseVersion = "4.22.1" | .machineConfigOperator = $mco' "$TMP/images.json" >"$TMP/images.new"
	mv "$TMP/images.new" "$TMP/images.json"
	image=$next release=4.22.1
	op_docs "$(echo $OP_CASES/001*/input.yaml)" | jq -c 'select(.metadata.name == "machine-config-osimageurl") |
		.data.releaseVersion = "4.22.1" | .data.baseOSContainerImage |= sub("coreos"; "coreos-next")' >"$TMP/os"
	op_perl put "$TMP/os"
}
start() { op_start --payload-version "$release" --operator-image "$image"; }
crash() {	# the lease of a killed leader would last for minutes
	start
	sleep "0.$(printf '%03d' $((RANDOM % 900)))"
	kill -9 "$operator"
	wait "$operator" 2>/dev/null
	operator=''
	curl -sS -m 60 --noproxy '*' -o "$TMP/lease" -X DELETE "$api/apis/coordination.k8s.io/v1/namespaces/$OP_NS/leases/machine-config"
}
settled() {	# FILE: the objects, once it is healthy and they stay the same
	local i
	for ((i = 0; i < 60; i++)); do
		op_perl objects >"$TMP/once"
		sleep 1
		op_perl objects >"$1"
		op_get $OP_CO | jq -e --arg v "$release" '.status.versions[0].version == $v and
			.status.conditions[1].message == "Cluster version is " + $v and .status.conditions[2].status == "False" and
			.status.conditions[0].status == "True"' >"$TMP/healthy" && cmp -s "$TMP/once" "$1" && return
	done
	return 1
}

bad=0 done=0
begin
start
settled "$TMP/installed" || { echo 'the install does not end'; exit 1; }
upgrade
start
settled "$TMP/upgraded" || { echo 'the upgrade does not end'; exit 1; }
while ((done < kills)); do
	begin
	for ((i = 0; i < each; i++)); do crash; done
	start
	settled "$TMP/now" && cmp -s "$TMP/installed" "$TMP/now" ||
		{ bad=$((bad + 1)); echo 'FAIL install'; diff "$TMP/installed" "$TMP/now" | cut -c1-400 | head -n 10; }
	upgrade
	for ((i = 0; i < each; i++)); do crash; done
	start
	settled "$TMP/now" && cmp -s "$TMP/upgraded" "$TMP/now" ||
		{ bad=$((bad + 1)); echo 'FAIL upgrade'; diff "$TMP/upgraded" "$TMP/now" | cut -c1-400 | head -n 10; }
	done=$((done + each))
done
echo "operator: killed $done times during installs and $done times during upgrades; $bad ended in other objects"
[ $bad = 0 ]
