#!/bin/bash
# server_memory.sh OUT [CONFIGS [NODES]]: the peak memory of mco-server start in an old cluster,
# after a machine of each pool has asked in the oldest and in the newest version of the spec.
set -eu
# shellcheck source=test/cluster/free_port.sh
. test/cluster/free_port.sh
out=$1 configs=${2:-1000} nodes=${3:-1000} size=230400
dir=$(mktemp -d)
pids=()
p=''
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null || :; done; wait 2>/dev/null; rm -rf "$dir"' EXIT
until_there() {	# pattern, file, pid
	until grep -q -e "$1" "$2" 2>/dev/null; do
		kill -0 "$3" || { cat "$dir"/*.log >&2; exit 1; }
		sleep 0.05
	done
}

"$out/mco-sandbox" start --port 0 --write-kubeconfig "$dir/kubeconfig" 2> "$dir/sandbox.log" &
pids+=($!)
until_there server: "$dir/kubeconfig" "${pids[0]}"
url=$(sed -n 's/^ *server: //p' "$dir/kubeconfig")
/usr/bin/python3 test/bench/make_history.py "$url" "$configs" "$nodes" "$size"
curl -sS -m 60 -o /dev/null -H 'Content-Type: application/yaml' --data-binary @examples/bootstrap/00-controllerconfig.yaml \
	"$url/apis/machineconfiguration.openshift.io/v1/controllerconfigs"
mkdir "$dir/token"
echo token > "$dir/token/token"
echo CA > "$dir/token/ca.crt"
openssl req -x509 -nodes -days 2 -subj /CN=bench -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-keyout "$dir/tls.key" -out "$dir/tls.crt" 2> /dev/null
port=$(free_port)
"$out/mco-server" start --apiserver-url https://api.test:6443 --kubeconfig "$dir/kubeconfig" --bind-address 127.0.0.1 \
	--secure-port 0 --insecure-port "$port" --bootstrap-token-dir "$dir/token" --cert "$dir/tls.crt" --key "$dir/tls.key" \
	2> "$dir/server.log" &
pids+=($!)
until_there "Launching server on :$port" "$dir/server.log" "${pids[1]}"
for pool in master worker infra; do
	for version in 2.2.0 3.5.0; do
		curl -sSf -m 60 -o "$dir/body" -H "Accept: application/vnd.coreos.ignition+json;version=$version" \
			"http://127.0.0.1:$port/config/$pool" || { cat "$dir/server.log" >&2; exit 1; }
	done
done
awk -v n="$configs" -v m="$nodes" -v bytes="$(wc -c < "$dir/body")" '/^VmHWM/ {
	printf "  %5d rendered configs, %4d nodes, bodies of %d bytes: %7.1f MiB\n", n, m, bytes, $2 / 1024 }' "/proc/${pids[1]}/status"
