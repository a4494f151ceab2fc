#!/bin/bash
# server.sh OUT: mco-server and nginx, both serving the same 400 KB to wrk on one
# core. Requests/s, 99th percentile, memory.
set -eu
. test/cluster/free_port.sh
out=$1
dir=$out/bench/server
rm -rf "$dir" && mkdir -p "$dir/tree" "$dir/www/config" "$dir/tmp"
dir=$(cd "$dir" && pwd)
secs=${SECS:-3} conns=16
nginx=$(command -v nginx || echo /usr/sbin/nginx)
pids=()
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null || :; done; wait 2>/dev/null' EXIT

/usr/bin/python3 - "$dir/tree" <<'PY'
import os, sys, random
rng = random.Random(5)
def put(path, text):
    path = os.path.join(sys.argv[1], path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, 'w').write(text)
put('machine-pools/master.yaml', 'status: {configuration: {name: big}}\n')
put('controller-config/machine-config-controller.yaml', 'spec: {kubeAPIServerServingCAData: Q0E=}\n')
put('kubeconfig', 'clusters: [{name: a, cluster: {}}]\n')
words = ['key', 'value', 'listen', 'node', 'true', 'restart', 'path']
text = 'spec:\n  config:\n    ignition: {version: 3.4.0}\n    storage:\n      files:\n'
for i in range(77):
    body = '%0A'.join('%20'.join(rng.choice(words) for _ in range(8)) for _ in range(32))
    text += '      - {path: /etc/demo/%d, mode: 420, contents: {source: "data:,%s"}}\n' % (i, body)
put('machine-configs/big.yaml', text)
PY
cert() {	# name, key options...
	local name=$1
	shift
	openssl req -x509 -nodes -days 2 -subj /CN=bench "$@" -keyout "$dir/$name.key" \
		-out "$dir/$name.crt" 2>/dev/null
}
cert rsa -newkey rsa:2048
cert ec -newkey ec -pkeyopt ec_paramgen_curve:P-256

alive() {	# pid, log
	kill -0 "$1" 2>/dev/null && return
	cat "$2" >&2
	exit 1
}
ours() {	# cert: sets pid, plain, secure
	: > "$dir/log.$1"
	"$out/mco-server" bootstrap --server-basedir "$dir/tree" --bootstrap-kubeconfig \
		"$dir/tree/kubeconfig" --bind-address 127.0.0.1 --secure-port 0 --insecure-port "$(free_port)" \
		--cert "$dir/$1.crt" --key "$dir/$1.key" ${WORKERS:+--workers "$WORKERS"} 2>"$dir/log.$1" &
	pid=$!
	pids+=("$pid")
	until [ "$(grep -c 'Launching server on' "$dir/log.$1")" = 2 ]; do
		alive "$pid" "$dir/log.$1"
		sleep 0.05
	done
	read -r -d '' secure plain < <(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$dir/log.$1"; printf '\0') || :
}
theirs() {	# cert, first port: starts nginx on it and the next
	cat > "$dir/nginx.$1.conf" <<-CONF
		daemon off; pid $dir/tmp/$1.pid; error_log $dir/tmp/error.log;
		worker_processes ${WORKERS:-auto}; events { worker_connections 2048; }
		http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
			client_body_temp_path $dir/tmp/b; proxy_temp_path $dir/tmp/p;
			fastcgi_temp_path $dir/tmp/f; uwsgi_temp_path $dir/tmp/u; scgi_temp_path $dir/tmp/s;
			server { listen 127.0.0.1:$2; listen 127.0.0.1:$(($2 + 1)) ssl; root $dir/www;
				ssl_protocols TLSv1.2; ssl_session_cache off; ssl_session_tickets off;
				ssl_certificate $dir/$1.crt; ssl_certificate_key $dir/$1.key; } }
	CONF
	"$nginx" -q -c "$dir/nginx.$1.conf" -p "$dir" 2>/dev/null &
	pid=$!
	pids+=("$pid")
	until curl -so /dev/null "http://127.0.0.1:$2/"; do
		alive "$pid" "$dir/tmp/error.log"
		sleep 0.05
	done
}
ask() {	# url, wrk's options...: requests/s and p99
	local url=$1
	shift
	wrk -t1 -d"$secs" --latency "$@" "$url" | awk '/99%/ { p = $2 } /Requests\/sec/ { r = $2 }
		/Socket errors|Non-2xx/ { e = " (" $0 ")" } END { printf "%s %s%s\n", r, p, e }'
}
rss() {	# pid: private pages and the share of shared ones, with children, MiB
	local p n=0
	for p in "$1" $(cat "/proc/$1/task/$1/children"); do
		n=$((n + $(awk '/^Pss:/ { print $2 }' "/proc/$p/smaps_rollup")))
	done
	awk "BEGIN { printf \"%.1f\", $n / 1024 }"
}
row() {	# label, ours, theirs
	awk -v l="$1" -v a="$2" -v b="$3" 'BEGIN { split(a, x, " "); split(b, y, " ");
		printf "  %-32s %9.0f /s %9s   %9.0f /s %9s   %5.2fx\n", l, x[1], x[2], y[1], y[2], y[1] ? x[1] / y[1] : 0 }'
}

ours rsa; us=$pid rsa=$secure
ours ec; ec=$secure
curl -sS "http://127.0.0.1:$plain/config/master" -o "$dir/www/config/master"
base=$(free_port)
free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
until free $base && free $((base + 1)) && free $((base + 2)) && free $((base + 3)); do
	base=$((10000 + RANDOM % 20000))
done
theirs rsa $base; them=$pid
theirs ec $((base + 2))
path=/config/master
echo
echo "mco-server beside nginx, $(stat -c %s "$dir/www$path") bytes, $conns connections: requests/s, 99 %:"
row 'plain' "$(ask "http://127.0.0.1:$plain$path" -c$conns)" "$(ask "http://127.0.0.1:$base$path" -c$conns)"
row 'TLS, connections kept' "$(ask "https://127.0.0.1:$rsa$path" -c$conns)" \
	"$(ask "https://127.0.0.1:$((base + 1))$path" -c$conns)"
close=(-H 'Connection: close')
row 'TLS, a handshake each, RSA-2048' "$(ask "https://127.0.0.1:$rsa$path" -c$conns "${close[@]}")" \
	"$(ask "https://127.0.0.1:$((base + 1))$path" -c$conns "${close[@]}")"
row 'TLS, a handshake each, P-256' "$(ask "https://127.0.0.1:$ec$path" -c$conns "${close[@]}")" \
	"$(ask "https://127.0.0.1:$((base + 3))$path" -c$conns "${close[@]}")"
for url in "https://127.0.0.1:$rsa$path $us" "https://127.0.0.1:$((base + 1))$path $them"; do
	# shellcheck disable=SC2086
	set -- $url
	wrk -t1 -d"$secs" -c500 --timeout 30 "$1" >"$dir/wrk" 2>&1 &
	w=$!
	sleep "$((secs - 1))"
	rss "$2"
	echo
	wait $w
done | paste -s | awk '{ printf "  memory with 500 TLS connections: %s MiB, nginx %s MiB\n", $1, $2 }'

# ---- slow readers ------------------------------------------------------------------------
# Machines join, each from its own address, one after the other, while others hold as many
# plain connections as they can.
joins=${JOINS:-60}
join() {	# what: how many machines were served, and the times in ms
	local i
	for ((i = 1; i <= joins; i++)); do
		curl -sk --max-time 20 --interface "127.0.1.$i" -o "$dir/joined" -w '%{http_code} %{time_total} ' "$1" || :
		cmp -s "$dir/joined" "$dir/www$path" && echo whole || echo broken
	done | sort -k2n | awk -v n="$joins" '$1 == 200 { ok++ } $3 == "whole" { w++ } { t[NR] = $2 * 1000 }
		END { printf "%d %d %.0f %.0f", ok, w, t[int(n / 2) + 1], t[n] }'
}
shows() {	# label, readers, addresses
	local attack=''
	: > "$dir/attack"
	if [ "$2" != 0 ]; then
		"$out/bench/bench_slow" "$plain" "$2" "$3" > "$dir/attack" &
		attack=$!
		pids+=("$attack")
		until grep -q ready "$dir/attack"; do alive "$attack" "$dir/attack"; sleep 0.05; done
		sleep 1
	fi
	# shellcheck disable=SC2183 # four words each
	printf '  %-34s %3d of %d, %5d ms, %5d ms   %3d of %d, %5d ms, %5d ms   %s MiB\n' "$1" \
		$(join "https://127.0.0.1:$ec$path" | awk -v n="$joins" '{ print $2, n, $3, $4 }') \
		$(join "http://127.0.0.1:$plain/healthz" | awk -v n="$joins" '{ print $1, n, $3, $4 }') "$(rss "$us")"
	[ -z "$attack" ] || { kill "$attack"; wait "$attack"; } 2>/dev/null
}
ours ec; us=$pid ec=$secure
echo
echo "Slow readers on the plain port. Machines that join over TLS with the whole config, half of them
and all within; the same of /healthz on the plain port; memory:"
shows 'no slow readers' 0 0
shows '4,100 of one address' 4100 1
shows '8,000 of four addresses' 8000 4
