# mco-server: upstream's golden exchanges through the real binary, over plain HTTP
# and TLS, and our own features.
. test/applets/lib.sh
. test/cluster/free_port.sh
export LC_ALL=C
golden=test/golden/server
tree=$golden/tree/base
ign='Accept: application/vnd.coreos.ignition+json;version=3.5.0'
pid='' log=$TMP/log
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$TMP"' EXIT

make_cert() {	# name, key options...: a pair for 127.0.0.1 and the name
	local name=$1
	shift
	openssl req -x509 -nodes -days 2 -subj "/CN=$name" -addext \
		"subjectAltName=DNS:$name,DNS:mcs.example.test,IP:127.0.0.1" "$@" \
		-keyout "$TMP/$name.key" -out "$TMP/$name.crt" 2>/dev/null
}
make_cert one -newkey ec -pkeyopt ec_paramgen_curve:P-256
make_cert two -newkey rsa:2048
cp "$TMP/one.crt" "$TMP/tls.crt" && cp "$TMP/one.key" "$TMP/tls.key"

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
is() {	# name, want, got
	if [ "$2" = "$3" ]; then ok; else bad "$1: expected \"$2\", got \"$3\""; fi
}

await() {	# pattern, times: waits for it in the log
	local i
	for ((i = 0; i < 3000; i++)); do
		[ "$(grep -c -e "$1" "$log")" -ge "${2:-1}" ] && return
		kill -0 "$pid" 2>/dev/null || return
		sleep 0.03
	done
	bad "not in the log: $1"
}

start() {	# flags...: sets pid, plain, secure
	: > "$log"
	# shellcheck disable=SC2086
	${WRAP:-} "$BIN/mco-server" --payload-version 4.22.0 --v=2 \
		--log-flush-frequency=5s bootstrap --server-basedir "$tree" \
		--bootstrap-kubeconfig "$tree/kubeconfig" --bind-address 127.0.0.1 \
		--secure-port 0 --insecure-port "$(free_port)" --cert "$TMP/tls.crt" \
		--key "$TMP/tls.key" --workers 2 "$@" 2>>"$log" &
	pid=$!
	await 'Launching server on' 2
	read -r -d '' secure plain < <(sed -n \
		's/.*Launching server on :\([0-9]*\)$/\1/p' "$log"; printf '\0')
}

stop() {
	kill "$pid"
	wait "$pid"
	is "${1:-a server} ends well" 0 $?
	pid=''
}

get() {	# path, curl's options...: the status, the body in $TMP/body
	local path=$1
	shift
	curl -sS -m 60 -o "$TMP/body" -D "$TMP/head" -w '%{http_code}' "$@" \
		"http://127.0.0.1:$plain$path"
}

# ---- golden exchanges -------------------------------------------------------------

compare() {	# transport, case, status: with what is in $TMP/head.… and body.…
	local dir=$2 name="${2##*/} $1"
	if [ "$3" != "$(cat "$dir/expected.status")" ]; then
		bad "$name: status $3"
	elif ! sed -e 's/\r$//' -e 1d -e '/^$/d' -e '/^Date:/d' "$TMP/head.$1" |
	     sort | cmp -s - "$dir/expected.headers"; then
		bad "$name: headers"
		cat "$TMP/head.$1"
	elif ! cmp "$TMP/body.$1" "$dir/expected.body"; then
		bad "$name: body"
	else
		ok
	fi
}

exchange() {	# case: over HTTP, then over TLS
	local dir=$1 method target line status=() args
	args=(-sS -m 60 --path-as-is -w '%{http_code}\n' -H 'User-Agent:'
		-H 'Host: mcs.example.test')
	{
		read -r method target
		while read -r line; do args+=(-H "$line"); done
	} < "$dir/request.txt"
	grep -qi '^accept:' "$dir/request.txt" || args+=(-H 'Accept:')
	case $method in
	HEAD) args+=(-I) ;;
	POST|PUT|PATCH) args+=(-X "$method" -H 'Content-Length: 0') ;;
	*) args+=(-X "$method") ;;
	esac
	: > "$TMP/body.http"
	: > "$TMP/body.https"
	mapfile -t status < <(curl "${args[@]}" -o "$TMP/body.http" -D "$TMP/head.http" \
		"http://127.0.0.1:$plain$target" --next "${args[@]}" --cacert "$TMP/one.crt" \
		-o "$TMP/body.https" -D "$TMP/head.https" "https://127.0.0.1:$secure$target")
	if [ "$method" = HEAD ]; then # curl puts the headers there
		: > "$TMP/body.http"
		: > "$TMP/body.https"
	fi
	compare http "$dir" "${status[0]}"
	compare https "$dir" "${status[1]}"
}

# one server per tree and arguments
for c in "$golden"/[0-9]*/; do
	printf '%s|%s|%s\n' "$(cat "$c/tree.ref")" \
		"$(tr '\n' ' ' < <(cat "$c/server.args" 2>/dev/null))" "${c%/}"
done | sort > "$TMP/cases"
before=none
while IFS='|' read -r ref flags dir <&3; do
	if [ "$ref|$flags" != "$before" ]; then
		[ -z "$pid" ] || stop "$before"
		tree=$golden/$ref
		# shellcheck disable=SC2086
		start $flags
		before="$ref|$flags"
	fi
	exchange "$dir"
done 3< "$TMP/cases"
stop "$before"

# ---- requests as bytes -------------------------------------------------------------------

tree=$golden/tree/base
start
raw() {	# name, pattern of the answer on one line, request
	local got
	exec 9<>"/dev/tcp/127.0.0.1/$plain"
	printf '%b' "$3" >&9
	got=$(timeout 60 cat <&9 | sed 's/^Date: .*/Date/' | tr -d '\r' | tr '\n' '|')
	exec 9>&-
	# shellcheck disable=SC2254
	case $got in $2) ok ;; *) bad "$1: $got" ;; esac
}
raw 'OPTIONS *' 'HTTP/1.1 200 OK|Date|Content-Length: 0|Connection: close||' \
	'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
raw 'HTTP/1.0' 'HTTP/1.1 200 OK|Content-Type: application/json|Date|Content-Length: 12751|Connection: close||{"ignition":*}' \
	'GET /config/master HTTP/1.0\r\n\r\n'
raw 'no Host' 'HTTP/1.1 400 Bad Request*Content-Type: text/plain; charset=utf-8|Connection: close||400 Bad Request: missing required Host header' \
	'GET /config/master HTTP/1.1\r\n\r\n'
raw 'two in a row' 'HTTP/1.1 200 OK|Date|Content-Length: 0||HTTP/1.1 404 Not Found|Date|Content-Length: 0|Connection: close||' \
	'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
# as Go's net/http wrote them
raw 'a path to be cleaned' 'HTTP/1.1 301 Moved Permanently|Content-Type: text/html; charset=utf-8|Location: /config/master?a|Date|Content-Length: 51|Connection: close||<a href="/config/master?a">Moved Permanently</a>.||' \
	'GET /x/..//config/./master?a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
raw 'its head' 'HTTP/1.1 301 Moved Permanently|Content-Type: text/html; charset=utf-8|Location: /config/|Date|Connection: close||' \
	'HEAD /config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
raw 'for another method' 'HTTP/1.1 301 Moved Permanently|Location: /config/|Date|Content-Length: 0|Connection: close||' \
	'POST /config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
raw 'a path that cannot be decoded' 'HTTP/1.1 400 Bad Request|Content-Type: text/plain; charset=utf-8|Date|Content-Length: 33|Connection: close||400 Bad Request: malformed target' \
	'GET /config/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
raw 'an unexpected body' 'HTTP/1.1 405 Method Not Allowed|Date|Content-Length: 0|Connection: close||' \
	'POST /config/master HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc'
stop 'a server for raw bytes'

# ---- TLS ------------------------------------------------------------------------------

tree=$golden/tree/base
start
is 'plain HTTP to the TLS port' 400 "$(curl -sS -o "$TMP/body" -w '%{http_code}' "http://127.0.0.1:$secure/healthz")"
is 'and why' 'Client sent an HTTP request to an HTTPS server.' "$(cat "$TMP/body")"
hello() { openssl s_client -connect "127.0.0.1:$secure" -CAfile "$TMP/one.crt" "$@" </dev/null 2>&1; }
hello -alpn h2,http/1.1 | grep -q '^ALPN protocol: http/1.1' && ok || bad 'ALPN'
hello -alpn h2 | grep -q 'alert number 120' && ok || bad 'ALPN without http/1.1'
hello | grep -q 'Verify return code: 0 (ok)' && ok || bad 'no ALPN'
hello -tls1_1 -cipher DEFAULT@SECLEVEL=0 | grep -q 'Cipher is (NONE)' && ok || bad 'TLS 1.1'
hello -cipher AES128-SHA | grep -q 'Cipher is (NONE)' && ok || bad 'RSA key exchange'
hello -cipher ECDHE-ECDSA-CHACHA20-POLY1305 -tls1_2 | grep -q 'Cipher is ECDHE-ECDSA-CHACHA20-POLY1305' && ok || bad 'ChaCha20'

# in any worker
is 'sessions resumed' 5 "$(hello -tls1_2 -reconnect | grep -c '^Reused')"

# the pair is replaced repeatedly, with half a pair in between, and no request
# fails
cat "$TMP/one.crt" "$TMP/two.crt" > "$TMP/both.crt"
n=${WRAP:+40} n=${n:-150}	# valgrind is slow
curl -sS -m 60 --cacert "$TMP/both.crt" -H 'Connection: close' -H "$ign" -o /dev/null \
	-w '%{http_code}\n' "https://127.0.0.1:$secure/config/master?[1-$n]" > "$TMP/load1" &
load1=$!
curl -sS -m 60 --no-sessionid --cacert "$TMP/both.crt" -H 'Connection: close' -H "$ign" -o /dev/null \
	-w '%{http_code}\n' "https://127.0.0.1:$secure/config/master?[1-$n]" > "$TMP/load2" &
load2=$!
for i in 1 2 3 4 5 6 7 8; do
	for part in crt key; do
		name=one
		[ $((i % 2)) = 0 ] || name=two
		cp "$TMP/$name.$part" "$TMP/new" && mv "$TMP/new" "$TMP/tls.$part"
		sleep 0.03
	done
done
cp "$TMP/two.crt" "$TMP/tls.crt" && cp "$TMP/two.key" "$TMP/tls.key"
wait $load1 && wait $load2
is 'requests while certificates change' $((2 * n)) "$(cat "$TMP/load1" "$TMP/load2" | grep -cx 200)"
shown() {	# how many of 8 connections get the second pair
	curl -s -m 60 -o /dev/null -w '%{http_code}\n' --no-sessionid -H 'Connection: close' \
		--cacert "$TMP/two.crt" "https://127.0.0.1:$secure/healthz?[1-8]" | grep -cx 200
}
for ((i = 0; i < 1000; i++)); do # the workers notice it one after the other
	[ "$(shown)" != 8 ] || break
	sleep 0.1
done
is 'the last pair is shown' 8 "$(shown)"
stop 'a server with new pairs'
start --workers 1
echo garbage > "$TMP/tls.key"
await 'serving certificate: reload failed, keeping the old one: ' && ok
is 'a pair that is none' 8 "$(shown)"
cp "$TMP/two.key" "$TMP/tls.key"
stop 'a server with TLS'

printf 'spec: {tlsSecurityProfile: {type: Old}}' > "$TMP/api.yaml"
start --apiserver-manifest "$TMP/api.yaml"
hello -cipher AES128-SHA:@SECLEVEL=0 -tls1_1 | grep -q 'Protocol  *: TLSv1.1' && ok || bad 'Old'
stop 'an old server'
printf 'spec: {tlsSecurityProfile: {type: Custom, custom: {minTLSVersion: VersionTLS99}}}' > "$TMP/api.yaml"
start --apiserver-manifest "$TMP/api.yaml"
await 'Error using provided tls arguments: ' && ok
stop 'a server with a strange profile'

# ---- ports ----------------------------------------------------------------------------

# port 0 opens no port: the process has one listener, for TLS
start1() {
	: > "$log"
	"$BIN/mco-server" bootstrap --server-basedir "$tree" --bootstrap-kubeconfig "$tree/kubeconfig" \
		--bind-address 127.0.0.1 --secure-port 0 --cert "$TMP/tls.crt" --key "$TMP/tls.key" \
		--workers 1 --metrics-address 127.0.0.1:0 "$@" 2>>"$log" &
	pid=$!
	await 'metrics on'
}
listening() {	# ports that the process listens on
	local inodes port
	inodes=$(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n' | paste -sd '|')
	awk -v want="^($inodes)$" '$4 == "0A" && $10 ~ want { sub(".*:", "", $2); print $2 }' /proc/net/tcp |
		while read -r port; do echo $((16#$port)); done | sort -n
}
start1 --insecure-port 0
secure=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$log")
metrics=$(sed -n 's/.*metrics on :\([0-9]*\)$/\1/p' "$log")
is 'one server' 1 "$(grep -c 'Launching server on' "$log")"
is 'no plain port' "$(printf '%s\n' "$secure" "$metrics" | sort -n)" "$(listening)"
is 'TLS' 200 "$(curl -sS -m 60 --cacert "$TMP/two.crt" -o /dev/null -w '%{http_code}' "https://127.0.0.1:$secure/healthz")"
stop 'a server without a plain port'

# ---- files that change ---------------------------------------------------------------

tree=$TMP/tree
cp -r "$golden/tree/base" "$tree" && chmod -R u+w "$tree"
start --metrics-address 127.0.0.1:0 --audit-log "$TMP/audit"
metrics=$(sed -n 's/.*metrics on :\([0-9]*\)$/\1/p' "$log")
is 'served' 200 "$(get /config/master -H "$ign")"
cp "$TMP/body" "$TMP/first"
sed 's/demo\.sh/other.sh/' "$tree/machine-configs/rendered-master-one.yaml" > "$TMP/new"
cp "$TMP/new" "$tree/machine-configs/rendered-master-one.yaml"
is 'a file changed in place' 200 "$(get /config/master -H "$ign")"
is 'is read again' 1 "$(grep -c '/usr/local/bin/other.sh' "$TMP/body")"
mv "$tree/controller-config" "$tree/gone"
is 'a file that is gone' 500 "$(get /config/master -H "$ign")"
mv "$tree/gone" "$tree/controller-config"
is 'and is back' 200 "$(get /config/master -H "$ign")"
cp "$golden/tree/base/machine-configs/rendered-master-one.yaml" "$TMP/new"
mv "$TMP/new" "$tree/machine-configs/rendered-master-one.yaml"
is 'a file replaced' 200 "$(get /config/master -H "$ign")"
cmp "$TMP/body" "$TMP/first" && ok || bad 'the first answer again'
printf 'a: [' > "$tree/machine-pools/arbiter.yaml"
is 'a file that is not YAML' 500 "$(get /config/arbiter)"
await "couldn't get config for req: {machineConfigPool:arbiter version:2.2.0}, error: server: could not unmarshal file" && ok
printf 'status: {configuration: {name: ../../etc/passwd}}' > "$tree/machine-pools/arbiter.yaml"
is 'no path outside the directory' 500 "$(get /config/arbiter)"
printf 'status: {configuration: {name: 7}}' > "$tree/machine-pools/arbiter.yaml"
is 'a name that is none' 404 "$(get /config/arbiter)"
await 'Pool "arbiter" requested by address:"127.0.0.1:[0-9]*" User-Agent:"curl/.*" Accept-Header: "\*/\*"' && ok

# each worker builds a config once, whatever changed
made=$(curl -sS "http://127.0.0.1:$metrics/metrics" | sed -n 's/^mco_server_configs_made_total //p')
sleep 0.2
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do get /config/master -H "$ign" >/dev/null; done
later=$(curl -sS "http://127.0.0.1:$metrics/metrics" | sed -n 's/^mco_server_configs_made_total //p')
[ $((later - made)) -le 3 ] && ok || bad "made $((later - made)) times"
curl -sS "http://127.0.0.1:$metrics/metrics" > "$TMP/metrics"
grep -qx 'mco_server_worker_restarts_total 0' "$TMP/metrics" && ok || bad 'restarts'
grep -qx 'mco_server_requests_total{code="500"} 3' "$TMP/metrics" && ok || bad 'requests by code'
is 'metrics are not where configs are' 404 "$(get /metrics)"
get '/config/master?token=secret' -H "$ign" -H 'Authorization: Bearer secret' >/dev/null
stop 'a server whose files changed'
grep -q secret "$TMP/audit" "$log" && bad 'a secret in a log' || ok
grep -Eq '^\{"time":"[-0-9]*T[:.0-9]*Z","address":"127\.0\.0\.1:[0-9]+","tls":false,"method":"GET","path":"/config/master","version":"3\.5\.0","status":200,"bytes":[0-9]+,"ms":[0-9]+\}$' "$TMP/audit" && ok || bad 'audit'
is 'a line each' "$(awk '/requests_total\{/ { n += $2 } END { print n + 1 }' "$TMP/metrics")" \
	"$(grep -vc '"path":"/metrics"' "$TMP/audit")"

# ---- access ----------------------------------------------------------------------------

printf 'first\n\n second \n' > "$TMP/tokens"
start --require-token-file "$TMP/tokens" --workers 1	# who has read what is then known
is 'no token' 401 "$(get /config/master)"
grep -qi '^www-authenticate: bearer' "$TMP/head" && ok || bad 'www-authenticate'
is 'a wrong one' 401 "$(get /config/master -H 'Authorization: Bearer firs')"
is 'another scheme' 401 "$(get /config/master -H 'Authorization: Basic first')"
is 'the right one' 200 "$(get /config/master -H 'Authorization: Bearer first')"
is 'the second' 200 "$(get /config/master -H 'authorization: bearer second')"
is 'health needs none' 200 "$(get /healthz)"
echo third > "$TMP/tokens"
is 'the old one' 401 "$(get /config/master -H 'Authorization: Bearer first')"
is 'the new one' 200 "$(get /config/master -H 'Authorization: Bearer third')"
rm "$TMP/tokens"
is 'the file gone, its tokens stay' 200 "$(get /config/master -H 'Authorization: Bearer third')"
stop 'a server with tokens'

# a refused client gets no byte, not even of TLS
start --allow-cidr 10.0.0.0/8 --allow-cidr ::1 --metrics-address 127.0.0.1:0
is 'not from here' 000 "$(get /config/master 2>"$TMP/.err")"
is 'nor health' 000 "$(get /healthz 2>"$TMP/.err")"
hello -tls1_2 -msg > "$TMP/hello"
grep -q '>>> .*ClientHello' "$TMP/hello" && ok || bad 'a ClientHello'
is 'no answer to it' 0 "$(grep -c '<<<' "$TMP/hello")"
is 'not a byte of it' 1 "$(grep -c 'SSL handshake has read 0 bytes' "$TMP/hello")"
is 'counted' 'mco_server_connections_denied_total 3' "$(curl -sS \
	"http://127.0.0.1:$(sed -n 's/.*metrics on :\([0-9]*\)$/\1/p' "$log")/metrics" | grep ^mco_server_connections_denied)"
stop 'a server for others'
admitted() {	# network, addresses...: prints which of them are admitted
	local from
	start --allow-cidr 10.0.0.0/8 --allow-cidr "$1"
	shift
	for from; do
		[ "$(get /healthz --interface "$from" 2>/dev/null)" != 200 ] || printf '%s ' "$from"
	done > "$TMP/admitted"
	stop "a server for a network"
}
admitted 126.0.0.0/7 127.0.0.1
is 'from here' '127.0.0.1 ' "$(cat "$TMP/admitted")"
# one bit more or less would admit other addresses
for net in '127.0.0.2/31 127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4=127.0.0.2 127.0.0.3 ' \
	'127.0.2.0/24 127.0.1.255 127.0.2.0 127.0.2.255 127.0.3.0=127.0.2.0 127.0.2.255 ' \
	'127.0.0.5/32 127.0.0.4 127.0.0.5 127.0.0.6=127.0.0.5 ' \
	'127.96.0.0/11 127.95.0.1 127.96.0.1 127.127.0.1 127.128.0.1=127.96.0.1 127.127.0.1 '; do
	# shellcheck disable=SC2086
	admitted ${net%=*}
	is "${net%% *} alone" "${net#*=}" "$(cat "$TMP/admitted")"
done

start --rate-limit 3
# from one client, one after the other: a slot is free again after 20 seconds
is 'one too many' '200 200 200 429 ' "$(curl -sS -m 60 -o /dev/null -D "$TMP/head" -w '%{http_code} ' \
	"http://127.0.0.1:$plain/config/master?[1-4]")"
grep -Eqi '^retry-after: ([1-9]|1[0-9]|20).?$' "$TMP/head" && ok || bad 'retry-after'
is 'health is not counted' 200 "$(get /healthz)"
stop 'a server with a limit'

# ---- errors --------------------------------------------------------------------------------

refuses() {	# name, pattern, flags...
	local name=$1 pattern=$2 status
	shift 2
	"$BIN/mco-server" bootstrap --bind-address 127.0.0.1 --secure-port 0 \
		--insecure-port 0 --bootstrap-kubeconfig "$tree/kubeconfig" \
		--cert "$TMP/one.crt" --key "$TMP/one.key" "$@" 2> "$TMP/.err"
	status=$?
	is "$name: exit status" 1 $status
	grep -q -e "$pattern" "$TMP/.err" && ok || { bad "$name"; cat "$TMP/.err"; }
}
refuses 'no kubeconfig' '^F.*Machine Config Server exited with error: kubeconfig not found at location: /nowhere$' \
	--bootstrap-kubeconfig /nowhere
refuses 'no certificate' '^F.*failed to load serving cert: .*/nowhere' --cert /nowhere
refuses 'no pair' '^F.*failed to load serving cert: ' --key "$TMP/two.key"
refuses 'no address' 'exited with error: listen: invalid address "elsewhere"$' --bind-address elsewhere
refuses 'no network' 'exited with error: --allow-cidr: invalid network "10.0.0.0/33": use a form like' --allow-cidr 10.0.0.0/33
refuses 'no token file' 'exited with error: --require-token-file: .*/nowhere' --require-token-file /nowhere
refuses 'no workers' 'exited with error: --workers: give a number from 1 to 64$' --workers -1
refuses 'no port' 'exited with error: --insecure-port: give a number from 0 to 65535$' --insecure-port 65536
refuses 'no metrics' 'exited with error: --metrics-address: invalid address "here": use HOST:PORT' --metrics-address here
refuses 'an argument' '^Error: unknown argument "extra"$' extra
refuses 'an unknown flag' '^Error: unknown flag: --sekure-port' --sekure-port 1
start
refuses 'a port that is taken' "exited with error: listen tcp 127.0.0.1:$plain: bind: Address" --insecure-port "$plain"
stop 'a server in the way'
expect 'version' 0 'MachineConfigServer v1-abc
' '' env MCO_RAW=v1 MCO_HASH=abc "$BIN/machine-config-server" version
"$BIN/mco-server" bootstrap --help | grep -q -- '--bootstrap-certs HOST=FILE' && ok || bad 'help'
finish
