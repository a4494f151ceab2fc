# Sourced: servers for the suites, on loopback, in $dir; stop_servers ends them. start_real
# sets URL, CA, TOKEN, TOKENS, KUBECONFIG, COMPACT, RESTART and POLICY for kube-apiserver with etcd;
# start_sandbox sets them for mco-sandbox. api_flags are more flags of kube-apiserver. start_controller_manager adds Kubernetes' controllers.
server_pids=() ended_pids=() api_flags=()

# The sandbox ends in its own time. The others are killed: their data is thrown away, and
# kube-apiserver would wait half a minute for the watches of others to end.
stop_servers() {
	local pid file
	for file in "$dir"/*.pid; do	# who has been restarted is nobody's child
		[ -e "$file" ] || continue
		case $file in
		*/sandbox.pid) kill "$(cat "$file")" 2>/dev/null ;;
		*) kill -KILL "$(cat "$file")" 2>/dev/null ;;
		esac
		ended_pids+=("$(cat "$file")")
		rm -f "$file"
	done
	for pid in "${server_pids[@]}"; do kill -KILL "$pid" 2>/dev/null; done
	for pid in "${server_pids[@]}" "${ended_pids[@]}"; do
		wait "$pid" 2>/dev/null
		while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
	done
	server_pids=() ended_pids=()
}

# start_server NAME COMMAND...: test/cluster/restart.sh can restart it
start_server() {
	local base=$dir/$1
	shift
	printf '%q ' exec "$@" >"$base.run"
	bash "$base.run" >"$base.log" 2>&1 &
	echo $! >"$base.pid"
	disown # nobody need be told of its death
	export RESTART="test/cluster/restart.sh $base"
}

. test/cluster/free_port.sh
. test/cluster/make_cert.sh

write_kubeconfig() {	# FILE
	cat >"$1" <<-CONFIG
	apiVersion: v1
	kind: Config
	clusters:
	- name: c
	  cluster: {server: "$URL", certificate-authority: "$CA"}
	users:
	- name: u
	  user: {token: $TOKEN}
	contexts:
	- name: c
	  context: {cluster: c, user: u}
	current-context: c
	CONFIG
}

# Another process may take a port between the check and the server's start.
start_real() {	# DIRECTORY-OF-PEERS
	local i
	for i in 1 2 3; do
		try_real "$1" && return
		stop_servers
		rm -rf "$dir/etcd"
	done
	echo "Error: kube-apiserver does not get ready" >&2
	tail -n 20 "$dir/etcd.log" "$dir/api.log" >&2
	return 1
}
try_real() {
	local etcd api peer i
	etcd=$(free_port) peer=$(free_port) api=$(free_port)
	make_cert "$dir/api"
	openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
	echo 'cluster-token,admin,admin,system:masters' >"$dir/tokens"
	local program=etcd	# Debian's, for the peers that have none
	[ ! -x "$1/etcd" ] || program=$1/etcd
	"$program" --data-dir "$dir/etcd" --unsafe-no-fsync \
		--listen-client-urls "http://127.0.0.1:$etcd" \
		--advertise-client-urls "http://127.0.0.1:$etcd" \
		--listen-peer-urls "http://127.0.0.1:$peer" \
		--initial-advertise-peer-urls "http://127.0.0.1:$peer" \
		--initial-cluster "default=http://127.0.0.1:$peer" \
		>"$dir/etcd.log" 2>&1 &
	server_pids+=($!)
	# Without controllers nothing creates service accounts or removes
	# taints.
	start_server api "$1/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" \
		--bind-address 127.0.0.1 --secure-port "$api" \
		--tls-cert-file "$dir/api.crt" --tls-private-key-file "$dir/api.key" \
		--token-auth-file "$dir/tokens" --authorization-mode RBAC --allow-privileged \
		--service-account-issuer https://kubernetes.default.svc \
		--service-account-signing-key-file "$dir/sa.key" \
		--service-account-key-file "$dir/sa.key" \
		--service-cluster-ip-range 10.96.0.0/16 \
		--disable-admission-plugins ServiceAccount,TaintNodesByCondition "${api_flags[@]}"
	export POLICY=v1
	[ -x "$1/etcd" ] || POLICY=v1beta1	# 1.20.2 has no other
	export URL=https://127.0.0.1:$api CA=$dir/api.crt TOKEN=cluster-token TOKENS=$dir/tokens
	export KUBECONFIG=$dir/real.kubeconfig
	export COMPACT="curl -s http://127.0.0.1:$etcd/v3/kv/compaction -d \"{\\\"revision\\\":\$(rv \$core/nodes),\\\"physical\\\":true}\" >/dev/null"
	write_kubeconfig "$KUBECONFIG"
	for ((i = 0; i < 3000; i++)); do
		if [ "$(curl -s -m 60 --noproxy '*' --cacert "$CA" -H \
			"Authorization: Bearer $TOKEN" "$URL/readyz")" = ok ]; then
			return 0
		fi
		kill -0 "${server_pids[-1]}" 2>/dev/null && kill -0 "$(cat "$dir/api.pid")" 2>/dev/null || break
		sleep 0.1
	done
	return 1
}

# After start_real: Deployments, ReplicaSets, DaemonSets, Jobs, service accounts, namespaces and
# garbage collection work. The peers of 1.20.2 have no controllers. Nodes are left alone: nothing
# reports their health here.
start_controller_manager() {	# DIRECTORY-OF-PEERS
	local port i list
	[ -x "$1/kube-controller-manager" ] || { echo "Error: no kube-controller-manager in $1" >&2; return 1; }
	port=$(free_port)
	list=$(printf '%s-controller,' deployment replicaset daemonset job garbage-collector serviceaccount \
		namespace disruption)
	"$1/kube-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false \
		--bind-address 127.0.0.1 --secure-port "$port" --cert-dir "$dir/manager" \
		--service-account-private-key-file "$dir/sa.key" --controllers "${list%,}" \
		>"$dir/manager.log" 2>&1 &
	server_pids+=($!)
	for ((i = 0; i < 600; i++)); do
		[ "$(curl -s -k -m 10 --noproxy '*' "https://127.0.0.1:$port/healthz")" != ok ] || return 0
		kill -0 "${server_pids[-1]}" 2>/dev/null || break
		sleep 0.1
	done
	echo "Error: kube-controller-manager does not start" >&2
	tail -n 5 "$dir/manager.log" >&2
	return 1
}

start_sandbox() {	# DIRECTORY-OF-MCO FLAG...
	local bin=$1 i try
	shift
	export POLICY=v1
	echo cluster-token >"$dir/sandbox.tokens"
	export KUBECONFIG=$dir/sandbox.kubeconfig TOKEN=cluster-token CA='' TOKENS=$dir/sandbox.tokens
	rm -f "$KUBECONFIG"
	for _ in 1 2 3; do
		# shellcheck disable=SC2086
		start_server sandbox ${WRAP:-} "$bin/mco-sandbox" start --port "$(free_port)" \
			--collect=false --pod-reap-ms=-1 --tokens "$dir/sandbox.tokens" \
			--write-kubeconfig "$KUBECONFIG" "$@"
		for ((i = 0; i < 1200; i++)); do
			[ ! -s "$KUBECONFIG" ] || break 2
			kill -0 "$(cat "$dir/sandbox.pid")" 2>/dev/null || break
			sleep 0.1
		done
	done
	export URL COMPACT="kill -USR1 \$(cat $dir/sandbox.pid)"
	URL=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
	[ -n "$URL" ] || { cat "$dir/sandbox.log" >&2; return 1; }
}

# compare EXPECTED GOT [KNOWN]: compares two runs of rest.sh by name; adds to
# passed and failed. KNOWN names the checks that are known to differ: remove one
# when it no longer differs.
compare() {
	local name known=${3:-/dev/null} differ
	differ=$(mktemp)
	diff <(sort "$1") <(sort "$2") | sed -n 's/^[<>] //p' | cut -f1 |
		sort -u >"$differ"
	while IFS= read -r name; do
		failed=$((failed + 1))
		echo "FAIL $name"
		diff <(answer "$name" "$1") <(answer "$name" "$2") | sed 's/^/  /'
	done < <(sort "$known" | comm -13 - "$differ")
	while IFS= read -r name; do
		failed=$((failed + 1))
		echo "FAIL $name no longer differs: take it out of $known"
	done < <(sort "$known" | comm -23 - "$differ")
	passed=$((passed + $(comm -12 <(sort "$1") <(sort "$2") | wc -l)))
	rm -f "$differ"
}

answer() {	# NAME FILE: readable
	awk -F'\t' -v n="$1" '$1 == n { print $2; print $3 }' "$2" |
		{ read -r status; echo "$status"; jq -S . 2>/dev/null || cat; }
}
