# Sourced: servers for the suites, on loopback, in $dir, ended by stop_servers.
# start_real sets URL, CA, TOKEN, KUBECONFIG and COMPACT for kube-apiserver with
# etcd; start_sandbox sets them for mco-sandbox.
server_pids=()

stop_servers() {
	local pid
	for pid in "${server_pids[@]}"; do kill "$pid" 2>/dev/null; done
	for pid in "${server_pids[@]}"; do wait "$pid" 2>/dev/null; done
	server_pids=()
}

free_port() {	# one that nothing listens on now
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		if ! (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then
			echo $port
			return
		fi
	done
}

make_cert() {	# NAME: NAME.crt and NAME.key for 127.0.0.1
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -keyout "$1.key" -out "$1.crt" -days 2 \
		-subj /CN=cluster -addext subjectAltName=IP:127.0.0.1 2>/dev/null
}

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

start_real() {	# DIRECTORY-OF-PEERS
	local etcd api peer i
	etcd=$(free_port) peer=$(free_port) api=$(free_port)
	make_cert "$dir/api"
	openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
	echo 'cluster-token,admin,admin,system:masters' >"$dir/tokens"
	etcd --data-dir "$dir/etcd" --unsafe-no-fsync \
		--listen-client-urls "http://127.0.0.1:$etcd" \
		--advertise-client-urls "http://127.0.0.1:$etcd" \
		--listen-peer-urls "http://127.0.0.1:$peer" \
		--initial-advertise-peer-urls "http://127.0.0.1:$peer" \
		--initial-cluster "default=http://127.0.0.1:$peer" \
		>"$dir/etcd.log" 2>&1 &
	server_pids+=($!)
	# Without controllers nobody would make service accounts or take taints off.
	"$1/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd" \
		--bind-address 127.0.0.1 --secure-port "$api" \
		--tls-cert-file "$dir/api.crt" --tls-private-key-file "$dir/api.key" \
		--token-auth-file "$dir/tokens" --authorization-mode RBAC \
		--service-account-issuer https://kubernetes.default.svc \
		--service-account-signing-key-file "$dir/sa.key" \
		--service-account-key-file "$dir/sa.key" \
		--service-cluster-ip-range 10.96.0.0/16 \
		--disable-admission-plugins ServiceAccount,TaintNodesByCondition \
		>"$dir/api.log" 2>&1 &
	server_pids+=($!)
	export URL=https://127.0.0.1:$api CA=$dir/api.crt TOKEN=cluster-token
	export KUBECONFIG=$dir/real.kubeconfig
	export COMPACT="curl -s http://127.0.0.1:$etcd/v3/kv/compaction -d \"{\\\"revision\\\":\$(rv \$core/nodes),\\\"physical\\\":true}\" >/dev/null"
	write_kubeconfig "$KUBECONFIG"
	for ((i = 0; i < 1200; i++)); do
		if [ "$(curl -s --noproxy '*' --cacert "$CA" -H \
			"Authorization: Bearer $TOKEN" "$URL/readyz")" = ok ]; then
			return 0
		fi
		sleep 0.1
	done
	echo "Error: kube-apiserver does not get ready" >&2
	tail -n 20 "$dir/api.log" >&2
	return 1
}

start_sandbox() {	# DIRECTORY-OF-MCO FLAG...
	local bin=$1 i
	shift
	echo cluster-token >"$dir/sandbox.tokens"
	export KUBECONFIG=$dir/sandbox.kubeconfig TOKEN=cluster-token CA=
	rm -f "$KUBECONFIG"
	${WRAP:-} "$bin/mco-sandbox" start --port 0 --collect=false \
		--pod-reap-ms=-1 --tokens "$dir/sandbox.tokens" \
		--write-kubeconfig "$KUBECONFIG" "$@" 2>"$dir/sandbox.log" &
	sandbox_pid=$!
	server_pids+=($!)
	for ((i = 0; i < 600; i++)); do
		[ ! -s "$KUBECONFIG" ] || break
		sleep 0.1
	done
	export URL COMPACT="kill -USR1 $sandbox_pid"
	URL=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
	[ -n "$URL" ] || { cat "$dir/sandbox.log" >&2; return 1; }
}

# compare EXPECTED GOT [KNOWN]: two runs of rest.sh, by name; adds to passed and
# failed. KNOWN names the checks that are known to differ: one that no longer does
# must be taken out of it.
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
