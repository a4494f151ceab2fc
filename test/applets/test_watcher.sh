# apiserver-watcher: its files while an API server on this machine starts, fails and ends, SIGINT, and
# wrong arguments. The interval of 2 s is shortened.
. test/applets/lib.sh
. test/cluster/free_port.sh
export LC_ALL=C MCO_HEALTH_MS=50
log=$TMP/log pid='' server=''
trap 'kill -9 $pid $server 2>/dev/null; rm -rf "$TMP"' EXIT
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
is() {	# name, want, got
	if [ "$2" = "$3" ]; then ok; else bad "$1: expected \"$2\", got \"$3\""; fi
}
files() { (cd "$TMP/root/run/cloud-routes" && find . -type f -printf '%f %m %s\n' | sort | tr '\n' ';') 2>/dev/null; }
await() { # name, want: until the files are these
	local i
	for ((i = 0; i < 400; i++)); do
		[ "$(files)" = "$2" ] && break
		sleep 0.05
	done
	is "$1" "$2" "$(files)"
}
lines() { sed -nE 's/^[IWEF][0-9]{4} [^]]*\] (.*)/\1/p' "$log" | grep -c -- "$1"; }

port=$(free_port)
openssl req -x509 -nodes -days 2 -subj /CN=elsewhere -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
serve() { # a server with TLS whose certificate nobody trusts; /healthz is 200, all else is not
	"$BIN/mco-server" bootstrap --server-basedir examples/server --bootstrap-kubeconfig examples/server/kubeconfig \
		--bind-address 127.0.0.1 --secure-port "$port" --insecure-port 0 --cert "$TMP/tls.crt" --key "$TMP/tls.key" \
		--workers 1 2>/dev/null &
	server=$!
}
stop_server() {
	kill "$server" && wait "$server"
	server=''
}
watch() { # path of the check, host
	mkdir -p "$TMP/root/run/cloud-routes"
	"$BIN/apiserver-watcher" run -v=2 --root-mount "$TMP/root" --health-check-url "https://$2:$port$1" 2>"$log" &
	pid=$!
}
interrupt() {
	kill -INT "$pid"
	wait "$pid"
	is "$1: exit status" 0 $?
	pid=''
}

vip=192.0.2.40 # never contacted
up="$vip.up 644 0;" down="$vip.down 644 0;"
serve
watch /healthz $vip
await 'a server that runs is up' "$up"
stop_server
await 'without it, down' "$down"
is 'after eight failures' 8 "$(awk '/healthcheck succeeded/ { n = 0 } /\] healthcheck: / { n++ } /healthcheck failed, created/ { print n }' "$log")"
serve
await 'up again' "$up"
is 'each change is logged once' '2 1' "$(lines "^healthcheck succeeded, removed downfile $vip.down") $(lines "^healthcheck failed, created downfile $vip.down")"
interrupt 'SIGINT'
is 'it leaves the address down' "$down" "$(files)"
is 'and says so' 1 "$(lines '^Signal interrupt received: treating service as down')"

watch /nothing $vip
await 'a status that is not 200 is a failure' "$down"
for ((i = 0; i < 400; i++)); do [ "$(lines '^healthcheck: status 404')" -ge 8 ] && break; sleep 0.05; done
is 'and has its status in the log' 0 "$([ "$(lines '^healthcheck: status 404')" -ge 8 ]; echo $?)"
kill "$pid"
wait "$pid" 2>/dev/null
is 'SIGTERM ends it as the kernel does' 143 $?
is 'and changes nothing' "$down" "$(files)"
pid=''

# All addresses of the host; without a server it is down from the start.
stop_server
rm -rf "$TMP/root"
watch /healthz localhost
if getent ahosts localhost | grep -q '^::1'; then both='127.0.0.1.down 644 0;::1.down 644 0;'; else both='127.0.0.1.down 644 0;'; fi
await 'every address has its file' "$both"
interrupt 'an address that is down'
is 'stays down' "$both" "$(files)"

# Errors: without the lines of the log.
quiet() {
	local rc
	"$BIN/apiserver-watcher" run "$@" 2>"$log"
	rc=$?
	grep -v '^I' "$log" >&2
	return $rc
}
# A file that cannot be written ends it.
rm -rf "$TMP/root"
expect 'no directory for the files' 1 '' "Error: error running health checker: failed to create file ($TMP/root/run/cloud-routes/$vip.down): open $TMP/root/run/cloud-routes/$vip.down: no such file or directory
" quiet --root-mount "$TMP/root" --health-check-url "https://$vip:$port/healthz"
refused() { # name, message, URL
	expect "$1" 1 '' "Error: $2
" quiet --health-check-url "$3"
}
refused 'no URL' 'invalid URI "" (no scheme)' ''
refused 'no scheme' 'invalid URI "api.example.test/readyz" (no scheme)' api.example.test/readyz
long=$(printf 'a%.0s' {1..300}) # refused without a question to a server
refused 'a name without an address' "failed to lookup host $long: lookup $long: no such host" "https://$long/readyz"
finish
