#!/bin/bash
# history.sh OUT: memory on a cluster with many old rendered MachineConfigs and many
# nodes, served by mco-sandbox: it must not grow with either.
. test/bench/cluster.lib

counted() {	# NODES: whether the pool counts that many
	[ "$(api GET /apis/$P/v1/machineconfigpools/worker | grep -o '"machineCount": *[0-9]*' | grep -o "[0-9]*$" | head -n 1)" = "$1" ]
}
peak() { awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }
run() {	# RENDERED NODES
	local start most rest
	cluster
	/usr/bin/python3 test/bench/add_history.py "$url" "$1" "$2"
	"$bin/mco-controller" start --kubeconfig "$dir/kubeconfig" --payload-version 4.22.0 --templates=builtin \
		--metrics-listen-address 127.0.0.1:0 2> "$dir/controller.log" & controller=$!
	wait_for counted "$2"
	sleep 2
	start=$(peak $controller)
	# A new target: the controller reads the old config and writes the new
	# one.
	target > "$dir/old"
	create /apis/$P/v1/machineconfigs <<-END
		apiVersion: $P/v1
		kind: MachineConfig
		metadata: {name: 50-new, labels: {$P/role: worker}}
		spec: {config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/new, contents: {source: "data:,1"}}]}}}
	END
	moved() { [ "$(target)" != "$(cat "$dir/old")" ]; }
	wait_for moved
	sleep 2
	most=$(peak $controller)
	rest=$(awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' /proc/$controller/status)
	# shellcheck disable=SC2046
	printf '  %8d %6d %10s %10s %10s %10s\n' "$1" "$2" "$start" "$most" "$rest" \
		$("$bin/bench/measure" 1 "$bin/mcoctl" render -o name --kubeconfig "$dir/kubeconfig" | awk '{ print $3 }')
	end
}

echo
echo "Old rendered MachineConfigs of 225 KB on mco-sandbox, MiB: mco-controller at most after its start, at most after"
echo "a new MachineConfig, at rest; mcoctl render at most:"
printf '  %8s %6s %10s %10s %10s %10s\n' rendered nodes start target rest render
for n in ${RENDERED:-300 1000}; do run "$n" "${NODES:-1000}"; done
