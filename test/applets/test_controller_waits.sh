# The log of mco-controller at default verbosity names what it waits for, each cause
# once.
. test/applets/lib.sh
. test/applets/sandbox.sh
controller=''
trap 'kill $controller $sandbox_pid 2>/dev/null; wait; rm -rf "$TMP"' EXIT
log=$TMP/log config=/apis/config.openshift.io/v1

start() {	# FLAGS...
	: >"$log"
	"$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin --metrics-listen-address 127.0.0.1:0 "$@" 2>>"$log" &
	controller=$!
}
lines() { sed -nE "s/^[${2:-IWEF}][0-9]{4} [0-9:.]{15} +[0-9]+ [a-z_]+\.c:[0-9]+\] //p" "$log" | grep -E "$1"; }
eventually() {	# NAME WANT COMMAND...
	local i name=$1 want=$2 got
	shift 2
	for ((i = 0; i < 1200; i++)); do
		got=$("$@")
		[ "$got" != "$want" ] || break
		sleep 0.05
	done
	is "$name" "$want" "$got"
}
post() { is "$1" 201 "$(curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' -H 'Content-Type: application/json' -d "$2" "$api$1")"; }

# ---- gates and the version --------------------------------------------------------------
sandbox_start
start
eventually 'there is no ClusterVersion' 'waiting for ClusterVersion "version", which has the release' lines 'ClusterVersion' I
eventually 'there is no FeatureGate' 'waiting for FeatureGate cluster: not found' lines 'FeatureGate cluster' I
post $config/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{}}'
is 'the version' 200 "$(sandbox_patch $config/clusterversions/version/status '{"status":{"desired":{"version":"4.22.0","image":"i"}}}')"
post $config/featuregates '{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}'
eventually 'it has no entry for the release' 'waiting for FeatureGate cluster: unable to determine features: missing desired version "4.22.0" in featuregates.config.openshift.io/cluster' \
	lines 'missing desired version "4.22.0"' I
is 'the gates' 200 "$(sandbox_patch $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}')"
eventually 'there is no ControllerConfig' 'waiting for ControllerConfig machine-config-controller: nothing is rendered until it exists' lines 'ControllerConfig' I
is 'the lease' 'attempting to acquire leader lease kube-system/machine-config-controller...
successfully acquired lease kube-system/machine-config-controller' "$(lines "leader|acquired")"
is 'nothing of it is a failure' '' "$(lines . WE)"

# ---- a server that stops: one line, and one when it is back -------------------------------
kill "$sandbox_pid"
wait "$sandbox_pid" 2>/dev/null
port=${api##*:}
eventually 'it is logged' "API server: connect to 127.0.0.1 port $port: Connection refused; retrying" lines 'refused' W
sleep 1.5 # each of twenty caches has retried once
is 'once, and not by each of the caches' "API server: connect to 127.0.0.1 port $port: Connection refused; retrying" \
	"$(lines . WE | grep -v 'watches end')"
rm -f "$TMP/kubeconfig"
"$BIN/mco-sandbox" start --port "$port" --write-kubeconfig "$TMP/kubeconfig" 2>"$TMP/sandbox.log" &
sandbox_pid=$!
eventually 'it is back' 'API server: reachable again' lines "reachable again" I
kill "$controller"
wait "$controller"
kill "$sandbox_pid"

# ---- a list that is refused ------------------------------------------------------------
sandbox_start --fault-forbid nodes
post $config/featuregates '{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}'
is 'the gates' 200 "$(sandbox_patch $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}')"
start --payload-version 4.22.0
eventually 'it is named, with the cause, once' 1 eval "lines '^failed to list /api/v1/nodes: .*forbidden.*; retrying\$' W | wc -l"
eventually 'and as what is waited for' "waiting for the response to GET /api/v1/nodes, $config/nodes" eval "lines \"response to GET\" I | head -n 1"
is 'still once' 1 "$(lines 'failed to list /api/v1/nodes:' | wc -l)"
kill "$controller"
wait "$controller"
is 'it ends' 0 $?
controller=''
finish
