# mco-operator start on a server that refuses some of its writes: what is reported, and what goes on.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
controller='' proxy=''
trap 'op_end controller others operator proxy sandbox_pid; rm -rf "$TMP"' EXIT

within() {	# SECONDS COMMAND...: repeats it until it succeeds
	local i n=$(($1 * 10))
	shift
	for ((i = 0; i < n; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
degraded() { op_get $OP_CO | jq -r '.status.conditions[]? | select(.type == "Degraded") | .status + " " + (.reason // "") + " " + (.message // "")'; }
healthy() { op_get $OP_CO | jq -e '[.status.conditions[] | .type + "=" + .status][0:3] == ["Available=True", "Progressing=False",
	"Degraded=False"]' >"$TMP/healthy" 2>&1; }
send() { curl -sS -m 60 --noproxy '*' -o "$TMP/put" -w '%{http_code}' -X "$1" -H "Content-Type: application/$3" -d "$4" "$api$2"; }

sandbox_start
op_crds
op_namespaces
op_input 001
op_images 001
perl test/applets/refuse.pl "$api" "$TMP/rules" "$TMP/port" 2>"$TMP/proxy.log" &
proxy=$!
within 60 test -s "$TMP/port" || bad 'no proxy'
op_others - nodes
MCO_RAW=$OP_RAW MCO_HASH=$OP_HASH "$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin \
	--payload-version 4.22.0 --metrics-listen-address 127.0.0.1:0 --gather-changes 100ms 2>"$TMP/controller.log" &
controller=$!
sed "s|$api|http://127.0.0.1:$(cat "$TMP/port")|" "$TMP/kubeconfig" >"$TMP/kubeconfig.proxy"
op_start --kubeconfig "$TMP/kubeconfig.proxy" --payload-version 4.22.0 --operator-image "$(op_image)"
within 120 healthy || bad "not healthy: $(op_get $OP_CO | jq -c .status) $(tail -n 3 "$TMP/operator.log" | cut -c1-300)"

# ---- an object that the server has and the cache lacks ---------------------------------------
accounts=/api/v1/namespaces/$OP_NS/serviceaccounts
text='serviceaccounts "node-bootstrapper" already exists'
echo "POST $accounts 409 AlreadyExists $text" >"$TMP/rules"
is 'a ServiceAccount is deleted' 200 "$(send DELETE $accounts/node-bootstrapper json '')"
reported() { [ "$(degraded)" = "True MachineConfigServerFailed Failed to resync 4.22.0 because: failed to apply machine config server manifests: $text" ]; }
within 60 reported || bad "a lasting conflict is not reported: $(degraded)"
grep -q "Error syncing operator .*: $text" "$TMP/operator.log" && ok || bad 'the log does not have it'
rm "$TMP/rules"
within 60 healthy || bad "the conflict is over: $(degraded)"

# ---- a MachineConfig of a pre-built image ----------------------------------------------------
mcs=/apis/machineconfiguration.openshift.io/v1/machineconfigs
echo "POST $mcs 403 Forbidden no MachineConfigs today" >"$TMP/rules"
op_file 082 input | jq -c --arg ns $OP_NS 'select(.kind == "MachineOSConfig" or (.kind == "Secret" and .metadata.namespace == $ns))' >"$TMP/config"
op_perl put "$TMP/config"
role=/apis/rbac.authorization.k8s.io/v1/clusterroles/machine-config-server
logged() { grep -q "POST $mcs (pool has a pre-built image): Failed to sync pre-built image MachineConfigs: no MachineConfigs today" "$TMP/operator.log"; }
within 60 logged || bad "a refused MachineConfig is not logged: $(tail -n 3 "$TMP/operator.log" | cut -c1-300)"
is 'a ClusterRole of a later step loses its rules' 200 "$(send PATCH $role merge-patch+json '{"rules":[]}')"
restored() { op_get $role | jq -e '.rules | length > 0' >"$TMP/healthy" 2>&1; }
within 60 restored || bad 'a refused MachineConfig holds up later steps'
is 'it is no failure' 'False  ' "$(degraded)"
before=$(grep -c . "$TMP/operator.log")
sleep 2
[ $(($(grep -c . "$TMP/operator.log") - before)) -lt 20 ] && ok || bad 'the refused write is repeated without a pause'
rm "$TMP/rules"
written() { op_get $mcs | jq -e 'any(.items[]; .metadata.name | startswith("10-prebuiltimage"))' >"$TMP/healthy" 2>&1; }
within 60 written || bad 'the MachineConfig is not written later'
finish
