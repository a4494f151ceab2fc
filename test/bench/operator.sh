#!/bin/bash
# operator.sh OUT: mco-operator start on clusters of many nodes, served by mco-sandbox. Another program plays the
# controllers; it ends before the rest is measured.
. test/bench/cluster.lib
BIN=$bin TMP=$dir
. test/applets/operator.sh

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
kib() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"; }
healthy() {
	op_get $OP_CO | jq -e '.status.conditions[0].status == "True" and .status.conditions[2].status == "False"' >"$dir/healthy" 2>&1
}
version() { op_get /api/v1/nodes?limit=1 | jq -r .metadata.resourceVersion; }
leases() { op_get "/apis/coordination.k8s.io/v1/namespaces/$OP_NS/leases/machine-config" | jq -r .metadata.resourceVersion; }

run() {	# NODES
	local began install at rest writes lease
	serve
	api=$url
	op_crds
	op_namespaces
	op_input 001
	"$bin/bench/bench_cluster" - "$dir/kubeconfig" - "$1" 0 "$sandbox" >"$dir/created"
	op_images 001
	op_file 001 controller-context >"$dir/context"
	jq -c 'select(.kind == "Node" or .kind == "MachineConfig")' "$dir/context" >"$dir/first"
	op_perl put "$dir/first"
	op_others "$dir/context"
	began=$(date +%s%N)
	op_start --payload-version 4.22.0 --operator-image "$(op_image)"
	controller="$operator $others"
	wait_for healthy
	install=$((($(date +%s%N) - began) / 10000000))
	sleep 3
	kill "$others"
	at=$(ticks "$operator") writes=$(version) lease=$(leases)
	sleep "${REST:-10}"
	rest=$(($(ticks "$operator") - at)) writes=$(($(version) - writes))
	[ "$lease" = "$(leases)" ] || writes=$((writes - 1))
	printf '  %6d %8d.%02d %8d.%02d %8d.%01d %8d.%01d %8d %8d\n' "$1" $((install / 100)) $((install % 100)) $((at / 100)) \
		$((at % 100)) $(($(kib "$operator" VmRSS) / 1024)) $(($(kib "$operator" VmRSS) * 10 / 1024 % 10)) \
		$(($(kib "$operator" VmHWM) / 1024)) $(($(kib "$operator" VmHWM) * 10 / 1024 % 10)) $((rest * 10)) "$writes"
	end
	operator='' others=''
}

echo
echo "mco-operator start on mco-sandbox, nodes of 13 KB. Seconds from its start to Available, with one MachineConfigNode made"
echo "for each node; seconds of a processor for that; MiB at rest, and most; then, in ${REST:-10} s of rest, milliseconds of a"
echo "processor and writes (the lease's renewal is not counted):"
printf '  %6s %11s %11s %10s %10s %8s %8s\n' nodes available cpu MiB most ms writes
for n in ${NODES:-100 1000 5000}; do run "$n"; done
