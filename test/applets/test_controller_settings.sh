# mco-controller writes the policy status of MachineConfiguration only when no operator leads: an
# edit of MachineConfiguration must not block updates.
. test/applets/lib.sh
. test/applets/sandbox.sh
controller=''
trap 'kill $controller $sandbox_pid 2>/dev/null; wait; rm -rf "$TMP"' EXIT
config=/apis/config.openshift.io/v1 settings=/apis/operator.openshift.io/v1/machineconfigurations
leases=/apis/coordination.k8s.io/v1/namespaces/openshift-machine-config-operator/leases

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
patch() { is "$1" 200 "$(sandbox_patch "$1" "$2")"; }
policy() {	# ACTION: edits the spec
	patch $settings/cluster '{"spec":{"nodeDisruptionPolicy":{"files":[{"path":"/etc/motd","actions":[{"type":"'"$1"'"}]}]}}}'
}
observed() { curl -sS -m 60 "$api$settings/cluster" | jq -r '(.metadata.generation == .status.observedGeneration | tostring) + " " +
	([.status.nodeDisruptionPolicyStatus.clusterPolicies.files[]? | select(.path == "/etc/motd").actions[].type] | join(","))'; }
ago() { date -u -d "$1 seconds ago" +%Y-%m-%dT%H:%M:%S.000000Z; }

sandbox_start
post $config/featuregates '{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}'
patch $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}'
post $settings '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{"managementState":"Managed"}}'
"$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin --metrics-listen-address 127.0.0.1:0 \
	--payload-version 4.22.0 2>"$TMP/log" &
controller=$!

eventually 'without a lease it writes at once' 'true ' observed
policy None
eventually 'and again after an edit' 'true None' observed

post $leases '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"machine-config"},
	"spec":{"holderIdentity":"operator_1","leaseDurationSeconds":137,"renewTime":"'"$(ago 0)"'"}}'
policy DaemonReload
sleep 2
is 'an operator that leads is left to do it' 'false None' "$(observed)"
patch $leases/machine-config '{"spec":{"renewTime":"'"$(ago 301)"'"}}'
policy Drain
eventually 'one that has not led for five minutes is replaced' 'true Drain' observed
kill "$controller"
wait "$controller"
is 'it ends' 0 $?
controller=''
finish
