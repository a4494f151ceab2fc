#!/bin/bash
# run.sh OUT: runs every benchmark and its peer on this machine. No benchmark fails
# for being slow; one that breaks ends the run.
set -euo pipefail
out=$1
dir=$out/bench/data
mkdir -p "$dir"
figures() {	# FORMAT LABEL COMMAND...: formats the words that the command prints
	local format=$1 label=$2 words
	shift 2
	words=$("$@") || return
	# shellcheck disable=SC2059,SC2086
	printf "$format\n" "$label" $words
}
/usr/bin/python3 test/bench/make_data.py 8 > "$dir/list.json"
"$out/mcoctl" fmt "$dir/list.json" > "$dir/list.yaml"
echo "JSON and YAML, MB/s, $(stat -c %s "$dir/list.json") and $(stat -c %s "$dir/list.yaml") bytes of MachineConfigs:"
"$out/bench/bench_data" "$dir/list.json" "$dir/list.yaml" | sort > "$dir/ours"
/usr/bin/python3 test/bench/peer_data.py "$dir/list.json" "$dir/list.yaml" | sort > "$dir/theirs"
join "$dir/ours" "$dir/theirs" |
	awk 'BEGIN { printf "  %-12s %10s %10s %8s\n", "", "mco", "python3", "ratio" }
	     { printf "  %-12s %10.1f %10.1f %7.1fx\n", $1, $2, $3, $2 / $3 }'

py=/usr/bin/python3
render() {	# label, make_cluster's numbers
	local label=$1
	shift
	rm -rf "$dir/cluster"
	$py test/bench/make_cluster.py "$dir/cluster" "$@"
	figures '  %-34s %9s ms %9s ms %7s MiB' "$label" \
		"$out/bench/measure" "${ROUNDS:-15}" "$out/mcoctl" render -o name -f "$dir/cluster"
}
echo
echo "mcoctl render -o name, reading the manifests included: by the clock, of a processor, memory:"
render '200 files, 60 units, 1 MiB, 1 pool' 20 1 200 60 1048576
render 'the same, 3 pools' 20 3 200 60 1048576
for n in 10 100 1000 10000; do render "$n MachineConfigs of one file" "$n" 1 "$n" 0 $((n * 100)); done
for n in 1 10 100; do render "100 MachineConfigs, $n pools" 100 "$n" 100 0 10000; done

# BENCH_TEMPLATES= a template tree of upstream, rendered next to the built-in
# one.
cat > "$dir/controllerconfig.yaml" <<'END'
apiVersion: machineconfiguration.openshift.io/v1
kind: ControllerConfig
metadata: {name: machine-config-controller}
spec:
  clusterDNSIP: 172.30.0.10
  ipFamilies: IPv4
  networkType: OVNKubernetes
  dns: {spec: {baseDomain: c.test}}
  images: {machineConfigOperator: img.test/mco}
  infra:
    status:
      apiServerInternalURI: https://api-int.c.test:6443
      controlPlaneTopology: HighlyAvailableArbiter
      platformStatus:
        type: BareMetal
        baremetal: {apiServerInternalIPs: [192.0.2.1], ingressIPs: [192.0.2.2]}
END
echo
echo "Templates of three roles on bare metal to MachineConfigs, CPU time:"
for tree in '' ${BENCH_TEMPLATES:+"$BENCH_TEMPLATES"}; do
	figures '  %-20s %4s templates, %2s MachineConfigs, %7s bytes: %7s ms' "${tree:-built in}" \
		"$out/bench/bench_template" "$dir/controllerconfig.yaml" ${tree:+"$tree"}
done

echo
echo "mco-controller bootstrap, three pools, reading and writing included:"
for tree in '' ${BENCH_TEMPLATES:+"$BENCH_TEMPLATES"}; do
	rm -rf "$dir/first-run"
	MCO_RAW=v4.22.0 figures '  %-34s %9s ms %9s ms %7s MiB' "the example, ${tree:-built-in templates}" \
		"$out/bench/measure" "${ROUNDS:-15}" "$out/mco-controller" bootstrap --templates="${tree:-builtin}" \
		--manifest-dir examples/bootstrap --pull-secret examples/bootstrap/pull-secret.yaml \
		--payload-version 4.22.0 --dest-dir "$dir/first-run" 2> "$dir/log" ||
		{ tail -n 5 "$dir/log" >&2; exit 1; }
done
test/bench/server.sh "$out"

echo
echo "One plan of the update controller for a pool, and a cached node:"
"$out/bench/bench_plan" | awk '{ printf "  %6d nodes %9.2f ms %6d bytes per node\n", $1, $2, $3 }'

echo
echo "A node's work, on a disk:"
"$out/bench/bench_node"
figures '  %-26s %9s ms %9s ms %6s MiB' 'mco-daemon status' \
	"$out/bench/measure" "${ROUNDS:-7}" "$out/mco-daemon" status --root-mount /
test/bench/daemon.sh "$out"

echo
echo "A cache of nodes of 25 KB each, against mco-sandbox: listed and decoded, changes followed per second of one core, memory:"
for n in 100 1000 5000; do
	figures '  %6d nodes %9s s %9s changes/s %7s MiB' "$n" "$out/bench/bench_kube" "$n" 25000 3000
done
figures '  %s: %s s, %s KiB, %s KiB more at the end' 'an hour of 1,000 nodes, 200,000 changes in one go' \
	"$out/bench/bench_memory" 1000 25000 200000

test/bench/cluster.sh "$out"
test/bench/operator.sh "$out"
test/bench/history.sh "$out"
test/bench/server_memory.sh "$out"
