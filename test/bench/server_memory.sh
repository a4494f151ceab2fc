#!/bin/bash
# server_memory.sh OUT: the peak memory of mco-server start on a cluster with many old rendered
# MachineConfigs and many nodes, after a machine of each of three pools has requested its
# config in the oldest and the newest version of the spec. It must not grow with either number.
. test/bench/cluster.lib
. test/cluster/free_port.sh

rendered_name() { echo "rendered-worker-$(printf %s "$1" | md5sum | cut -c1-32)"; }	# as add_history.py
pools() {	# creates three, each with one of the rendered configs
	local n=0 name
	for name in worker infra edge; do
		create "/apis/$P/v1/machineconfigpools" <<-END
			apiVersion: $P/v1
			kind: MachineConfigPool
			metadata: {name: $name}
			spec: {configuration: {name: $(rendered_name $n)}}
		END
		merge "/apis/$P/v1/machineconfigpools/$name/status" \
			"{\"status\":{\"configuration\":{\"name\":\"$(rendered_name $n)\"},\"updatedMachineCount\":1}}"
		n=$((n + 1))
	done
}
config() {	# POOL VERSION
	curl -sSf -m 60 -o "$dir/body" -H "Accept: application/vnd.coreos.ignition+json;version=$2" \
		"http://127.0.0.1:$port/config/$1"
}
run() {	# RENDERED NODES
	local pool version port
	serve
	create "/apis/$P/v1/controllerconfigs" < examples/bootstrap/00-controllerconfig.yaml
	pools
	/usr/bin/python3 test/bench/add_history.py "$url" "$1" "$2"
	port=$(free_port)
	"$bin/mco-server" start --apiserver-url https://api.test:6443 --kubeconfig "$dir/kubeconfig" \
		--bind-address 127.0.0.1 --secure-port 0 --insecure-port "$port" --bootstrap-token-dir "$dir/token" \
		--cert "$dir/tls.crt" --key "$dir/tls.key" 2> "$dir/server.log" & controller=$!
	wait_for grep -q "Launching server on :$port" "$dir/server.log"
	for pool in worker infra edge; do
		for version in 2.2.0 3.5.0; do config $pool $version; done
	done
	awk -v n="$1" -v m="$2" -v bytes="$(wc -c < "$dir/body")" '/^VmHWM/ {
		printf "  %8d %6d %10d %10.1f\n", n, m, bytes, $2 / 1024 }' /proc/$controller/status
	kill $controller
	wait $controller
	controller=''
	end
}

mkdir "$dir/token"
echo token > "$dir/token/token"
echo CA > "$dir/token/ca.crt"
openssl req -x509 -nodes -days 2 -subj /CN=bench -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-keyout "$dir/tls.key" -out "$dir/tls.crt" 2> /dev/null
echo
echo "mco-server start on mco-sandbox, old rendered MachineConfigs of 225 KB, three pools served; MiB at most:"
printf '  %8s %6s %10s %10s\n' rendered nodes body server
for n in ${RENDERED:-10 1000}; do run "$n" "${NODES:-1000}"; done
