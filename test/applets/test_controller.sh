# mco-controller start on the sandbox, with nodes whose agents are a few lines of
# shell: what an admin does to a cluster, and a controller that is killed.
. test/applets/lib.sh

golden=$PWD/../shared/golden
export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
mc=/apis/machineconfiguration.openshift.io/v1
config=/apis/config.openshift.io/v1
role=node-role.kubernetes.io
P=machineconfiguration.openshift.io

check() { # name, command...
	local name=$1
	shift
	if "$@" >"$TMP/.out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		head -5 "$TMP/.out"
		[ -z "${SHOW:-}" ] || { cp "$TMP/controller.log" "$SHOW"; exit 1; }
	fi
}
end_all() {
	[ -n "${controller:-}" ] && kill "$controller" 2>/dev/null
	kill "$sandbox" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$TMP"
}
trap end_all EXIT

"$BIN/mco-sandbox" start --port 0 --write-kubeconfig "$TMP/kubeconfig" \
	--eviction v1 --seed 7 >"$TMP/sandbox.log" 2>&1 &
sandbox=$!
for _ in $(seq 300); do [ -s "$TMP/kubeconfig" ] && break; sleep 0.1; done
url=$(sed -n 's/.*server: //p' "$TMP/kubeconfig")

get() { curl -s "$url$1"; }
post() { # path, body on standard input
	curl -s -o "$TMP/.answer" -H 'Content-Type: application/json' --data-binary @- "$url$1"
}
put_yaml() { # path, file
	"$BIN/mcoctl" fmt -o json-compact "$2" | post "$1"
}
patch() { # path, body
	curl -s -o "$TMP/.answer" -X PATCH -H 'Content-Type: application/merge-patch+json' \
		-d "$2" "$url$1"
}
field() { # name of a member with a string, JSON on standard input: the first
	grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4
}
start_controller() {
	"$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates "$golden/templates-controllers" \
		--payload-version 4.22.0 --metrics-listen-address 127.0.0.1:0 --v 2 \
		2>>"$TMP/controller.log" &
	controller=$!
}
lease=/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/machine-config-controller
kill_controller() { # and its lease: its next life shall not wait for it to run out
	kill -9 "$controller"
	wait "$controller" 2>/dev/null
	patch $lease '{"spec":{"holderIdentity":""}}'
}

node() { # name role config
	post /api/v1/nodes <<-END
	{"apiVersion":"v1","kind":"Node","metadata":{"name":"$1","labels":{"$role/$2":""},"annotations":
	{"$P/currentConfig":"$3","$P/desiredConfig":"$3","$P/state":"Done","$P/desiredDrain":"uncordon-$3",
	"$P/lastAppliedDrain":"uncordon-$3"}},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}}
	END
}
note() { field "$P/$1" <"$TMP/node"; }
annotate() { patch "/api/v1/nodes/$1" "{\"metadata\":{\"annotations\":{$2}}}"; }

# What a node's daemon does: asks to be drained, takes the config, asks to be
# uncordoned, says it is done.
agent() {
	local current desired wish done
	get "/api/v1/nodes/$1" >"$TMP/node"
	current=$(note currentConfig) desired=$(note desiredConfig)
	wish=$(note desiredDrain) done=$(note lastAppliedDrain)
	if [ "$current" != "$desired" ]; then
		case $1 in worker*) busy="$busy $1" ;; esac
		if [ "$wish" != "drain-$desired" ]; then
			annotate "$1" "\"$P/state\":\"Working\",\"$P/desiredDrain\":\"drain-$desired\""
		elif [ "$done" = "$wish" ]; then
			grep -q '"unschedulable":true' "$TMP/node" || echo "$1 is not cordoned" >>"$TMP/faults"
			annotate "$1" "\"$P/currentConfig\":\"$desired\",\"$P/desiredDrain\":\"uncordon-$desired\""
			order="$order$1 "
		fi
	elif [ "$done" = "$wish" ] && [ "$(note state)" != Done ]; then
		grep -q '"unschedulable":true' "$TMP/node" && echo "$1 is not uncordoned" >>"$TMP/faults"
		annotate "$1" "\"$P/state\":\"Done\""
	fi
}
agents() {
	local n
	busy=
	for n in master-0 worker-0 worker-1 worker-2; do agent $n; done
	set -- $busy
	[ $# -le 1 ] || echo "at once: $busy" >>"$TMP/faults"
}
pool() { get $mc/machineconfigpools/"$1"; }
target() { pool "$1" | grep -o '"configuration":{"name":"[^"]*"' | head -1 | cut -d'"' -f6; }
condition() { # pool type status
	pool "$1" | grep -o '{[^{}]*}' | grep "\"type\":\"$2\"" | grep -q "\"status\":\"$3\""
}
count() { pool "$1" | grep -o "\"$2\":[0-9]*" | tail -1 | cut -d: -f2; }
# until SECONDS COMMAND...: as often as it takes, with the agents at work
until_true() {
	local end=$((SECONDS + ${PATIENCE:-60}))
	while ! "$@"; do
		[ $SECONDS -lt $end ] || { echo "not in time: $*"; return 1; }
		agents
		sleep 0.05
	done
}
rendered_anew() { [ -n "$(target "$1")" ] && [ "$(target "$1")" != "$2" ]; }
updated() { # pool config
	[ "$(target "$1")" = "$2" ] && condition "$1" Updated True &&
		[ "$(count "$1" updatedMachineCount)" = "$(count "$1" machineCount)" ] &&
		get /api/v1/nodes/"$1"-0 | grep -q "\"$P/currentConfig\":\"$2\""
}
exists() { curl -sf -o /dev/null "$url$1"; }
missing() { ! exists "$1"; }
machine_config() { # name, role, contents of a file
	post $mc/machineconfigs <<-END
	{"apiVersion":"$P/v1","kind":"MachineConfig","metadata":{"name":"$1","labels":{"$P/role":"$2"}},
	"spec":{"config":{"ignition":{"version":"${4:-3.4.0}"},"storage":{"files":[{"path":"/etc/$1","mode":420,
	"contents":{"source":"data:,$3"}}]}}}}
	END
}

# ---- a cluster comes up ----
base=$golden/controllers/001-baseline/input
put_yaml $config/featuregates $base/featuregate.yaml
patch $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0","enabled":[],
	"disabled":[{"name":"SigstoreImageVerification"}]}]}}'
put_yaml /api/v1/namespaces/openshift-config/secrets $base/pull-secret.yaml
put_yaml $mc/controllerconfigs $base/controllerconfig.yaml
patch $mc/controllerconfigs/machine-config-controller \
	'{"spec":{"pullSecret":{"namespace":"openshift-config","name":"pull-secret"}}}'
put_yaml $mc/machineconfigpools $base/master.pool.yaml
put_yaml $mc/machineconfigpools $base/worker.pool.yaml
start_controller
order=
check 'the pools are rendered' until_true rendered_anew master ''
check 'the pools are rendered (worker)' until_true rendered_anew worker ''
get $mc/controllerconfigs/machine-config-controller >"$TMP/cc"
check 'the templates are done' grep -q 'sync completed towards (2) generation' "$TMP/cc"
first=$(target worker)
check 'the rendered config exists' exists $mc/machineconfigs/"$first"
node master-0 master "$(target master)"
for i in 0 1 2; do node worker-$i worker "$first"; done
counted() { [ "$(count worker readyMachineCount)" = 3 ] && condition worker Updated True; }
check 'the nodes are counted' until_true counted

# ---- a change is rolled out node by node ----
machine_config 50-worker worker hello
check 'a new config is rendered' until_true rendered_anew worker "$first"
second=$(target worker)
check 'it is rolled out' until_true updated worker "$second"
check 'to every worker, one after the other' test "$(echo "$order" | wc -w)" = 3
check 'and to no master' test "$(echo "$order" | grep -c master)" = 0

# ---- pause ----
patch $mc/machineconfigpools/worker '{"spec":{"paused":true}}'
machine_config 51-worker worker paused
check 'a paused pool is rendered' until_true rendered_anew worker "$second"
order=
for _ in 1 2 3 4 5; do agents; sleep 0.05; done
check 'and no node of it moves' test -z "$order"

# ---- killed again and again ----
patch $mc/machineconfigpools/worker '{"spec":{"paused":false}}'
for _ in 1 2 3 4; do
	kill_controller
	start_controller
	for _ in 1 2 3 4 5 6; do agents; sleep 0.05; done
done
third=$(target worker)
check 'a rollout goes on under a new controller' until_true updated worker "$third"
check 'each node has moved once' test "$(echo "$order" | wc -w)" = 3

# ---- a MachineConfig that cannot be rendered ----
machine_config 60-bad worker x 9.9.0
check 'a bad config degrades the pool' until_true condition worker RenderDegraded True
check 'it goes on with what it had' test "$(target worker)" = "$third"
curl -s -o /dev/null -X DELETE "$url$mc/machineconfigs/60-bad"
check 'and it recovers' until_true condition worker RenderDegraded False

# ---- a KubeletConfig ----
post $mc/kubeletconfigs <<-END
{"apiVersion":"$P/v1","kind":"KubeletConfig","metadata":{"name":"pods"},"spec":{"machineConfigPoolSelector":
{"matchLabels":{"pools.operator.$P/worker":""}},"kubeletConfig":{"maxPods":321}}}
END
check 'a KubeletConfig becomes a MachineConfig' until_true exists $mc/machineconfigs/99-worker-generated-kubelet
check 'it is part of the pool' until_true rendered_anew worker "$third"
succeeded() { get $mc/kubeletconfigs/pods | grep -q '"type":"Success"'; }
check 'and says so' until_true succeeded
fourth=$(target worker)
check 'it is rolled out' until_true updated worker "$fourth"
curl -s -o /dev/null -X DELETE "$url$mc/kubeletconfigs/pods"
check 'its MachineConfig goes with it' until_true missing $mc/machineconfigs/99-worker-generated-kubelet
check 'and it is gone' until_true missing $mc/kubeletconfigs/pods
check 'the config before it is back' until_true updated worker "$third"

# ---- events, metrics, the end ----
get /api/v1/namespaces/openshift-machine-config-operator/events >"$TMP/events"
check 'events tell of it' grep -q '"reason":"SetDesiredConfig"' "$TMP/events"
port=$(sed -n 's/.*metrics on :\([0-9]*\).*/\1/p' "$TMP/controller.log" | tail -1)
curl -s "http://127.0.0.1:$port/metrics" >"$TMP/metrics"
check 'gauges count the machines' grep -qx 'mco_machine_count{pool="worker"} 3' "$TMP/metrics"
check 'the rules were kept' test ! -s "$TMP/faults"
[ -s "$TMP/faults" ] && cat "$TMP/faults"
kill -TERM "$controller"
wait "$controller"
check 'it ends well' test $? = 0
controller=
check 'the lease is released' test -z "$(get $lease | field holderIdentity)"
finish
