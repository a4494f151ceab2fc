# mco-controller start and faulty API servers: it waits, and does not flood the server.
. test/applets/lib.sh
. test/applets/sandbox.sh
controller='' server=''
trap 'kill $controller $server $sandbox_pid 2>/dev/null; wait; rm -rf "$TMP"' EXIT

log=$TMP/log
start() {	# KUBECONFIG FLAGS...
	: >"$log"
	"$BIN/mco-controller" start --kubeconfig "$1" --templates=builtin --metrics-listen-address 127.0.0.1:0 "${@:2}" \
		2>"$log" &
	controller=$!
}
within() {	# SECONDS COMMAND...: repeats it until it succeeds
	local i n=$(($1 * 20))
	shift
	for ((i = 0; i < n; i++)); do
		"$@" && return
		sleep 0.05
	done
	return 1
}
ended() {	# NAME: SIGTERM ends it
	kill "$controller"
	wait "$controller"
	is "$1" 0 $?
	controller=''
}
seen() { [ "$(grep -c "$1" "$2")" -ge "$3" ]; }

# ---- a server that does not serve the kinds yet ---------------------------------------
perl test/applets/unready.pl "$TMP" &
server=$!
within 60 test -s "$TMP/port" || exit 1
cat >"$TMP/unready" <<CONFIG
clusters:
- {name: c, cluster: {server: "http://127.0.0.1:$(cat "$TMP/port")"}}
contexts:
- {name: c, context: {cluster: c, user: ""}}
current-context: c
CONFIG
start "$TMP/unready"
crd='definitions/clusterversions.config.openshift.io '
# each failed list requests the definition, which is not answered yet
within 120 seen "$crd" "$TMP/asked" 3 || bad 'a definition is requested until the server responds'
within 120 seen 'GET .*/clusterversions?' "$TMP/asked" 4 || bad 'lists go on meanwhile'
kill -0 "$controller" 2>/dev/null && ok || bad "it died: $(tail -n 3 "$TMP/log")"
ended 'and it ends'
kill "$server"
server=''

# ---- a server that refuses discovery ---------------------------------------------------
sandbox_start --fault-forbid api
start "$TMP/kubeconfig" --v 4
asks='GET /api/v1: find the API version'
within 60 seen "$asks" "$TMP/log" 2 || bad 'discovery is tried again'
sleep 1
n=$(grep -c "$asks" "$TMP/log")
if [ "$n" -le 10 ]; then ok; else bad "discovery was tried $n times in a few seconds"; fi
is 'its failure is logged once, as a warning' 1 "$(grep -c '^W.* GET /api/v1: .*: drains wait until it succeeds$' "$TMP/log")"
ended 'and it ends here too'

# ---- only the leader serves metrics -----------------------------------------------------
kill "$sandbox_pid"
sandbox_start
gates() {
cat >"$TMP/gate.yaml" <<'END'
apiVersion: config.openshift.io/v1
kind: FeatureGate
metadata:
  name: cluster
spec: {}
END
sandbox_put "$TMP/gate.yaml"
is 'the gates are set' 200 "$(sandbox_patch /apis/config.openshift.io/v1/featuregates/cluster/status \
	'{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}')"
}
gates
start "$TMP/kubeconfig" --payload-version 4.22.0
within 60 seen '\] metrics on :' "$TMP/log" 1 || bad "no metrics: $(tail -n 3 "$TMP/log")"
first=$controller log=$TMP/second
start "$TMP/kubeconfig" --payload-version 4.22.0 --health-listen-address 127.0.0.1:0
holder="\] waiting for lease kube-system/machine-config-controller, held by $(hostname)_[-0-9a-f]*, renewed 20[-0-9]*T[:.0-9]*Z\$"
within 60 seen "$holder" "$TMP/second" 1 || bad "the lease is not logged: $(cat "$TMP/second")"
port=$(sed -n 's/.*\] health on :\([0-9]*\)$/\1/p' "$TMP/second")
is 'it answers probes while it waits' 'ok 200' "$(curl -s --noproxy '*' -m 60 -w ' %{http_code}' "http://127.0.0.1:$port/healthz")"
is 'and nothing else' ' 404' "$(curl -s --noproxy '*' -m 60 -w ' %{http_code}' "http://127.0.0.1:$port/metrics")"
is 'it shows nothing while it waits' 0 "$(grep -c 'metrics on' "$TMP/second")"
ended 'the one that waits ends'
controller=$first
ended 'the one that leads ends'

# ---- a server without evictions: pods are not deleted instead ---------------------------
kill "$sandbox_pid"
sandbox_start --eviction none
gates
post() { curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' -H 'Content-Type: application/json' -d "$2" "$api$1"; }
is 'a node that wants to be drained' 201 "$(post /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","annotations":
	{"machineconfiguration.openshift.io/desiredDrain":"drain-x","machineconfiguration.openshift.io/lastAppliedDrain":"uncordon-w"}}}')"
is 'its pod' 201 "$(post /api/v1/namespaces/default/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
	"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}')"
log=$TMP/log
MCO_DRAIN_MS=1000 start "$TMP/kubeconfig" --payload-version 4.22.0 --v 4
within 60 seen 'GET /api/v1: the server does not offer pods/eviction: drains wait until it succeeds' "$log" 1 || bad "it is not logged: $(tail -n 3 "$log")"
within 60 seen "$asks" "$log" 2 || bad "it does not ask again: $(tail -n 3 "$log")"
within 60 seen "node n: Drain failed.*pods/\"p\" -n \"default\": the server's discovery does not offer pods/eviction" "$log" 2 ||
	bad "the drain does not fail: $(tail -n 3 "$log")"
is 'the pod stays as it is' 'Pod null' "$(curl -sS -m 60 "$api/api/v1/namespaces/default/pods/p" | jq -r '.kind + " " + (.metadata.deletionTimestamp | tostring)')"
ended 'and it ends there too'
finish
