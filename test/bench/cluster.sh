#!/bin/bash
# cluster.sh OUT: mco-controller start on clusters of many nodes, served by
# mco-sandbox; one program plays all daemons.
. test/bench/cluster.lib

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
