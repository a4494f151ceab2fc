# mco-server start: upstream's golden exchanges, with the objects in a sandbox.
. test/applets/lib.sh
. test/cluster/free_port.sh
. test/applets/sandbox.sh
export LC_ALL=C
golden=test/golden/server/cluster
v1=/apis/machineconfiguration.openshift.io/v1
ign='Accept: application/vnd.coreos.ignition+json;version=3.5.0'
pid='' log=$TMP/log
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null; rm -rf "$TMP"' EXIT

openssl req -x509 -nodes -days 2 -subj /CN=one -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
cp -r "$golden/bootstrap-token" "$TMP/token" && chmod -R u+w "$TMP/token"

await() {	# pattern, times: waits for it in the log
	local i
	for ((i = 0; i < 3000; i++)); do
		[ "$(grep -c -e "$1" "$log")" -ge "${2:-1}" ] && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.03
	done
	bad "not in the log: $1"
	tail -n 5 "$log"
}

start() {	# flags...
	: > "$log"
	# shellcheck disable=SC2086
	${WRAP:-} "$BIN/machine-config-server" start --payload-version=4.22.0 --v=2 \
		--apiserver-url=https://api-int.demo.example.test:6443 \
		--kubeconfig "$TMP/kubeconfig" --bootstrap-token-dir "$TMP/token" \
		--tls-min-version=VersionTLS12 \
		--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 \
		--bind-address 127.0.0.1 --secure-port 0 --insecure-port "$(free_port)" \
		--cert "$TMP/tls.crt" --key "$TMP/tls.key" "$@" 2>>"$log" &
	pid=$!
}

launched() {
	await 'Launching server on' 2
	read -r -d '' secure plain < <(sed -n \
		's/.*Launching server on :\([0-9]*\)$/\1/p' "$log"; printf '\0')
}

stop() {
	kill "$pid"
	wait "$pid"
	is "$1 ends well" 0 $?
	pid=''
}

get() {	# path, curl's options...: the status, the body in $TMP/body
	local path=$1
	shift
	curl -sS -m 60 -o "$TMP/body" -D "$TMP/head" -w '%{http_code}' "$@" \
		"http://127.0.0.1:$plain$path"
}

until_body() {	# name, pattern, path: the answer follows the cluster
	local end=$((SECONDS + 120))
	while [ $SECONDS -lt $end ]; do
		get "$3" -H "$ign" > /dev/null
		if grep -q -e "$2" "$TMP/body"; then ok; return; fi
		sleep 0.03
	done
	bad "$1"
}

# the API server sets uids and versions
same_ids() { sed -E 's/(uid%22%3A(%20)?%22)[-0-9a-f]*/\1/g; s/(resourceVersion%22%3A(%20)?%22)[0-9]*/\1/g'; }

exchange() {	# case: kinds are watched one by one, and one may arrive late
	local end=$((SECONDS + 120)) before=$passed,$failed
	while exchanged "$1" > "$TMP/said" 2>&1; [ "$failed" != "${before#*,}" ]; do
		[ $SECONDS -lt $end ] || break
		passed=${before%,*} failed=${before#*,}
		sleep 0.1
	done
	cat "$TMP/said"
}

exchanged() {	# case, once
	local dir=$golden/$1 method target line got args=(-H 'User-Agent:')
	{
		read -r method target
		while read -r line; do args+=(-H "$line"); done
	} < "$dir/request.txt"
	: > "$TMP/body"
	got=$(get "$target" -X "$method" "${args[@]}")
	is "$1: status" "$(cat "$dir/expected.status")" "$got"
	is "$1: length" "$(wc -c < "$TMP/body")" "$(sed -n 's/^Content-Length: \([0-9]*\).*/\1/p' "$TMP/head")"
	cmp <(sed -e 's/\r$//' -e 1d -e '/^$/d' -e '/^Date:/d' -e '/^Content-Length/d' "$TMP/head" | sort) \
		<(grep -v '^Content-Length' "$dir/expected.headers") && ok || bad "$1: headers"
	cmp <(same_ids < "$TMP/body") <(same_ids < "$dir/expected.body") && ok || bad "$1: body"
}

# ---- golden exchanges ------------------------------------------------------------------

sandbox_start
start --metrics-address 127.0.0.1:0
sandbox_load "$golden/objects/registry.yaml"	# as it is before anything is built
sandbox_load "$golden"/objects/[!r]*.yaml
launched
# also follows objects created while the server was starting
until_body 'the pools are there' 'rendered-worker-next' /config/layered
for c in "$golden"/[0-9]*/; do
	[ -e "$c/objects.without" ] || exchange "$(basename "$c")"
done
await 'Launching server with tls min version: VersionTLS12 & cipher suites \[TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\]' && ok
await "couldn't get config for req: {machineConfigPool:absent version:3.5.0}, error: could not fetch pool. err: machineconfigpool.machineconfiguration.openshift.io \"absent\" not found" && ok
is 'TLS' 200 "$(curl -sS -m 60 --cacert "$TMP/tls.crt" -o "$TMP/body" -w '%{http_code}' -H "$ign" "https://127.0.0.1:$secure/config/worker")"

# ---- cached answers -----------------------------------------------------------------------

metrics=$(sed -n 's/.*metrics on :\([0-9]*\)$/\1/p' "$log")
made() { curl -sS -m 60 "http://127.0.0.1:$metrics/metrics" | sed -n 's/^mco_server_configs_made_total //p'; }
is 'a config' 200 "$(get /config/worker -H "$ign")"
before=$(made)
# from one client, one after the other
is 'unknown pools' "$(printf '500%.0s' {1..80})" "$(curl -sS -m 60 -o /dev/null -w '%{http_code}' -H "$ign" \
	"http://127.0.0.1:$plain/config/unknown-[1-80]")"
is 'each is looked for' $((before + 80)) "$(made)"
is 'the config again' 200 "$(get /config/worker -H "$ign")"
is 'is the one from before' $((before + 80)) "$(made)"

# ---- changes are followed ----------------------------------------------------------------

is 'a pool is changed' 200 "$(sandbox_patch $v1/machineconfigpools/worker \
	'{"spec":{"configuration":{"name":"rendered-worker-current"}}}')"
until_body 'and served so' 'currentConfig%22%3A%22rendered-worker-current' /config/worker
is 'and back' 200 "$(sandbox_patch $v1/machineconfigpools/worker \
	'{"spec":{"configuration":{"name":"rendered-worker-next"}}}')"
until_body 'as before' 'currentConfig%22%3A%22rendered-worker-next' /config/worker
exchange 001-worker-spec-config-v3.5
echo fresh > "$TMP/token/new" && mv "$TMP/token/new" "$TMP/token/token"
until_body 'a new token' fresh /config/worker
mv "$TMP/token/token" "$TMP/token/gone"
is 'no token' 500 "$(get /config/worker -H "$ign")"
await "error: failed to read $TMP/token/token: " && ok
cp "$golden/bootstrap-token/token" "$TMP/token/token"
is 'a token again' 200 "$(get /config/worker -H "$ign")"
curl -sS -m 60 -o /dev/null -X DELETE "$api$v1/controllerconfigs/machine-config-controller"
for ((i = 0; i < 3000; i++)); do
	[ "$(get /config/worker -H "$ign")" = 500 ] && break
	sleep 0.03
done
exchange 011-no-controllerconfig-500
await 'error: could not get controllerconfig: controllerconfig.machineconfiguration.openshift.io "machine-config-controller" not found' && ok
sandbox_load "$golden/objects/controllerconfig.yaml"
until_body 'it is back' ignition /config/worker
# a bundle that was read once stays in use
curl -sS -m 60 -o /dev/null -X DELETE "$api/api/v1/namespaces/openshift-machine-config-operator/configmaps/kubeconfig-data"
is 'still served' 200 "$(get /config/worker -H "$ign")"
exchange 001-worker-spec-config-v3.5
stop 'a server'

start
launched
exchange 010-no-kubeconfig-data-configmap
stop 'a server without a bundle'
sandbox_load "$golden/objects/kubeconfig-data.yaml"
start
launched
exchange 006-layered-image-v3.5
exchange 007-internal-registry-image-not-served
stop 'a server that finds all there'

# without the registry's hosts there is no image, as in upstream
kill "$sandbox_pid"
wait "$sandbox_pid"
rm "$TMP/kubeconfig"
sandbox_start --fault-forbid routes
sandbox_load "$golden"/objects/[!r]*.yaml
start
launched
until_body 'served without an image' '{' /config/layered
grep -q currentImage "$TMP/body" && bad 'an image from nowhere' || ok
await 'layered images are not served until .*/routes can be listed: forbidden: injected' && ok
stop 'a server that may not list routes'

# ---- errors --------------------------------------------------------------------------------

refuses() {	# name, status, pattern, flags...
	local name=$1 status=$2 pattern=$3
	shift 3
	"$BIN/mco-server" start --bind-address 127.0.0.1 --secure-port 0 --insecure-port "$(free_port)" \
		--cert "$TMP/tls.crt" --key "$TMP/tls.key" "$@" 2> "$TMP/.err"
	is "$name: exit status" "$status" $?
	grep -q -e "$pattern" "$TMP/.err" && ok || { bad "$name"; cat "$TMP/.err"; }
}
url=--apiserver-url=https://a.example.test
refuses 'no URL' 1 '^F.*--apiserver-url cannot be empty$'
refuses 'no kubeconfig' 255 '^F.*/nowhere' $url --kubeconfig /nowhere
refuses 'no pod' 255 '^F.*no cluster: give --kubeconfig' $url
sed 's/  user: {}/  user: {client-certificate: nowhere.crt, client-key: nowhere.key}/' \
	"$TMP/kubeconfig" > "$TMP/broken"
refuses 'no client certificate' 255 '^F.*nowhere.crt' $url --kubeconfig "$TMP/broken"
refuses 'no serving certificate' 1 '^F.*failed to load serving cert: ' $url \
	--kubeconfig "$TMP/kubeconfig" --cert /nowhere
refuses 'workers' 1 'exited with error: --workers: start runs in one process$' $url \
	--kubeconfig "$TMP/kubeconfig" --workers 2
refuses 'a port that is taken' 1 'exited with error: listen tcp 127.0.0.1:.*: bind: Address' $url \
	--kubeconfig "$TMP/kubeconfig" --insecure-port "${api##*:}"
# nothing listens before all kinds are listed, and SIGTERM ends it
kill "$sandbox_pid"
wait "$sandbox_pid"
sandbox_pid=''
start
await "^W.* API server: connect to 127.0.0.1 port ${api##*:}: Connection refused; retrying\$" && ok
await "^I.* waiting for the response to GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools\$" && ok
is 'each is logged once' '1 1' "$(grep -c 'API server: ' "$log") $(grep -c 'waiting for' "$log")"
grep -q 'Launching server on' "$log" && bad 'listens too early' || ok
stop 'a server without a cluster'
finish
