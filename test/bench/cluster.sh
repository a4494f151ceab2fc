#!/bin/bash
# cluster.sh OUT: mco-controller start on clusters of many nodes, served by
# mco-sandbox, all daemons played by one program. Ends what it started.
set -eu
bin=$(cd "$1" && pwd)
export MCO_RAW=v4.22.0
P=machineconfiguration.openshift.io
[ -w /dev/shm ] && export TMPDIR=/dev/shm
dir=$(mktemp -d) sandbox='' controller=''
end() {
	{	# the shell tells of who is killed, here or there
		# shellcheck disable=SC2086
		[ -z "$sandbox$controller" ] || kill -KILL $sandbox $controller || true
		wait || true
	} 2>/dev/null
	rm -f "$dir/kubeconfig"
	sandbox='' controller=''
}
trap 'end; rm -rf "$dir"' EXIT

api() {	# METHOD PATH [TYPE, body on standard input]
	curl -sS -m 300 -X "$1" ${3:+-H "Content-Type: $3" --data-binary @-} "$url$2"
}
create() { api POST "$1" application/yaml > "$dir/answer"; }
merge() { api PATCH "$1" application/merge-patch+json <<< "$2" > "$dir/answer"; }
target() {
	api GET /apis/$P/v1/machineconfigpools/worker | grep -o 'rendered-worker-[0-9a-f]*' | head -n 1
}
rendered() { [ -n "$(target)" ]; }
wait_for() {	# command...
	local i
	for ((i = 0; i < 6000; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "cluster.sh: not in time: $*" >&2
	tail -n 20 "$dir"/*.log >&2
	exit 1
}

serve() {	# OPTIONS of mco-sandbox
	"$bin/mco-sandbox" start --port 0 --eviction v1 --write-kubeconfig "$dir/kubeconfig" "$@" \
		2> "$dir/sandbox.log" & sandbox=$!
	wait_for test -s "$dir/kubeconfig"
	url=$(sed -n 's/^ *server: //p' "$dir/kubeconfig")
}

# What a cluster has from its installation, and the first rendered configs.
cluster() {
	serve
	local config=/apis/config.openshift.io/v1 mco=/apis/$P/v1
	create $config/featuregates < examples/bootstrap/01-featuregate.yaml
	merge $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0",
		"enabled":[],"disabled":[{"name":"OSStreams"}]}]}}'
	create /api/v1/namespaces/openshift-config/secrets < examples/bootstrap/pull-secret.yaml
	create $mco/controllerconfigs < examples/bootstrap/00-controllerconfig.yaml
	merge $mco/controllerconfigs/machine-config-controller \
		'{"spec":{"pullSecret":{"kind":"Secret","name":"pull-secret","namespace":"openshift-config"}}}'
	awk -v d="$dir" 'BEGIN { n = 1 } /^---/ { n++; next } { print > d "/pool" n ".yaml" }' \
		examples/bootstrap/10-pools.yaml
	create $mco/machineconfigpools < "$dir/pool1.yaml"
	create $mco/machineconfigpools < "$dir/pool2.yaml"
	"$bin/mco-controller" start --kubeconfig "$dir/kubeconfig" --payload-version 4.22.0 --templates=builtin \
		--metrics-listen-address 127.0.0.1:0 2> "$dir/first.log" & controller=$!
	wait_for rendered
	sleep 1
	empty=$(awk '/^VmRSS/ { print $2 }' /proc/$controller/status)
	kill -TERM $controller
	wait $controller || true
	controller=''
}

run() {	# NODES PODS
	local line writes
	cluster
	: > "$dir/controller.log"
	line=$("$bin/bench/bench_cluster" "$bin" "$dir/kubeconfig" "$dir/controller.log" "$1" "$2" "$sandbox") || {
		tail -n 20 "$dir/controller.log" >&2
		[ -z "${SHOW:-}" ] || cp "$dir"/*.log "$SHOW"
		end
		return 1
	}
	[ -z "${SHOW:-}" ] || cp "$dir"/*.log "$SHOW"
	writes=$(grep -cE '\] (PATCH|PUT|POST|DELETE) /' "$dir/controller.log")
	awk -v empty="$empty" -v pods="$2" -v writes="$writes" '{
		each = $1 < 1000 ? "-" : int(($8 * 1024 - empty) * 1024 / $1)
		printf "  %6d %6d %8.2f %8.2f %8.2f %8.1f %8.2f %7.1f %7.1f %8s %8.1f %6d\n", $1, pods, $2, $3, $4, $5,
			$6, $8, $7, each, writes / $1, $9 }' <<< "$line"
	end
}

created() {	# NODES LABEL OPTIONS of mco-sandbox
	local n=$1 label=$2
	shift 2
	serve "$@"
	"$bin/bench/bench_cluster" - "$dir/kubeconfig" - "$n" 0 "$sandbox" | awk -v label="$label" '{
		printf "  %6d %-10s %8.2f %8d %8.2f %8d\n", $1, label, $2, $3, $4, $5 }'
	end
}

echo
echo "mco-sandbox, nodes of 13 KB: seconds to create them, 32 requests at a time; microseconds of its processor for each;"
echo "seconds to list and decode all; bytes of its memory for each:"
printf '  %6s %-10s %8s %8s %8s %8s\n' nodes '' create us/write list B/node
for n in ${NODES:-100 1000 5000}; do created "$n" ''; done
data=$(mktemp -d -p /tmp)	# a disk
created 1000 --data --data "$data/objects"
rm -rf "$data"

echo
echo "mco-controller start on mco-sandbox, nodes of 13 KB, a tenth of them moving at once. Seconds: from its start to"
echo "right counts; from a new MachineConfig to the first desiredConfig and to right counts; of the whole rollout; of a"
echo "processor for all of it. MiB: at rest, and most. Bytes per node at rest; writes per node; and in 3 s of rest:"
printf '  %6s %6s %8s %8s %8s %8s %8s %7s %7s %8s %8s %6s\n' nodes pods counted first right rollout cpu MiB most \
	B/node w/node idle
for n in ${NODES:-100 1000 5000}; do run "$n" 0; done
[ "${PODS:-10000}" = 0 ] || run 100 "${PODS:-10000}"
