# Sourced after node.sh by the tests of `mco-daemon start`: the cluster is a sandbox, the
# controller a background loop that answers every drain at once, and this script the rest.
export MCO_RETRY_MS=${RETRY:-50} RELEASE_VERSION=4.22.0
K=machineconfiguration.openshift.io
MC=/apis/$K/v1
SANDBOX='' DAEMON='' ACK=''
trap 'kill -KILL $SANDBOX $DAEMON $ACK 2>/dev/null; rm -rf "$TMP"' EXIT

"$BIN"/mco-sandbox start --port 0 ${FAULTS:-} --write-kubeconfig "$TMP/kubeconfig" > "$TMP/sandbox" 2>&1 &
SANDBOX=$!
disown
for _ in {1..2400}; do [ -s "$TMP/kubeconfig" ] && break; sleep 0.05; done
URL=$(sed -n 's/^ *server: //p' "$TMP/kubeconfig")

api() {	# METHOD PATH [BODY]
	curl -sS -m 60 -X "$1" ${3:+-H "Content-Type: ${TYPE:-application/json}" --data-binary "$3"} "$URL$2"
}
merge() { TYPE=application/merge-patch+json api PATCH "$1" "$2"; }
pairs() {	# KEY VALUE ...: annotations as JSON members; "-" removes one
	local body=
	while [ $# -gt 0 ]; do
		[ "$2" = - ] && body+=${body:+,}"\"$K/$1\":null" || body+=${body:+,}"\"$K/$1\":\"$2\""
		shift 2
	done
	printf %s "$body"
}
annotate() { merge /api/v1/nodes/node "{\"metadata\":{\"annotations\":{$(pairs "$@")}}}" > /dev/null; }
note() {	# KEY: its value, as JSON
	api GET /api/v1/nodes/node | grep -oE "\"$K/$1\": ?\"([^\"\\\\]|\\\\.)*\"" |
		sed -E 's/^"[^"]*": ?"//; s/"$//'
}
notes() { local k; for k in "$@"; do echo "$k=$(note "$k")"; done; }
until_note() { WANT=$3; until_ "$1" "[ \"\$(note $2)\" = \"\$WANT\" ]"; }
# Reasons and texts of events, in order (a name ends with its time).
events() {	# [REASON]
	api GET "/api/v1/namespaces/${SPACE:-openshift-machine-config-operator}/events" | grep -oE '"(reason|message|type)": ?"([^"\\]|\\.)*"' |
		sed -E 's/^"[^"]*": ?"//; s/"$//' | paste -d'|' - - - | awk -F'|' -v r="${1:-}" '!r || $2 == r { print $2 ($3 == "Warning" ? "!" : "") ": " $1 }'
}
# Removes the events of an earlier daemon.
forget() { local n; for n in openshift-machine-config-operator default; do api DELETE "/api/v1/namespaces/$n/events" > /dev/null; done; }
# Only the reasons, after the start, on one line.
reasons() { events | sed "1,/^ConfigDriftMonitorStarted: .*against ${1:-r1}\$/d" | sed 's/: .*//' | paste -sd' '; }
# A condition of the MachineConfigNode: "True reason message".
mcn() {
	api GET $MC/machineconfignodes/node | tr -d '\n' | sed 's/},{/},\n{/g; s/"conditions":\[/&\n/g' | grep -oE '\{"lastTransitionTime":[^}]*"type": ?"'"$1"'"\}' |
		sed -E 's/.*"message": ?"(([^"\\]|\\.)*)","reason": ?"([^"]*)","status": ?"([^"]*)".*/\4 \3 \1/'
}
# The controller: answers every request at once, unless the node has been replaced by then: the
# new node makes its own requests.
answer() {
	curl -sN "$URL/api/v1/nodes?watch=1&fieldSelector=metadata.name%3Dnode" | while read -r line; do
		want=$(grep -oE "\"$K/desiredDrain\": ?\"[^\"]*\"" <<< "$line" | sed 's/.*"\([^"]*\)"$/\1/')
		did=$(grep -oE "\"$K/lastAppliedDrain\": ?\"[^\"]*\"" <<< "$line" | sed 's/.*"\([^"]*\)"$/\1/')
		seen=$(grep -oE '"resourceVersion": ?"[^"]*"' <<< "$line" | head -n 1)
		[ -n "$want" ] && [ "$want" != "$did" ] && [ ! -e "$TMP/deaf" ] &&
			merge /api/v1/nodes/node "{\"metadata\":{$seen,\"annotations\":{$(pairs lastAppliedDrain "$want")}}}" > /dev/null
	done
}
answer & ACK=$!
disown

put() {	# NAME: the MachineConfig of that name
	api DELETE $MC/machineconfigs/"$1" > /dev/null
	api POST $MC/machineconfigs "@$TMP/$1.json" > "$TMP/made"
}
policies() {	# JSON of spec.nodeDisruptionPolicy [OBSERVED]
	local g
	api DELETE /apis/operator.openshift.io/v1/machineconfigurations/cluster > /dev/null
	api POST /apis/operator.openshift.io/v1/machineconfigurations \
		"{\"apiVersion\":\"operator.openshift.io/v1\",\"kind\":\"MachineConfiguration\",\"metadata\":{\"name\":\"cluster\"},\"spec\":{$1}}" > "$TMP/made"
	g=$(grep -oE '"generation": ?[0-9]+' "$TMP/made" | grep -oE '[0-9]+$')
	merge /apis/operator.openshift.io/v1/machineconfigurations/cluster/status \
		"{\"status\":{\"observedGeneration\":${2:-${g:-0}}}}" > "$TMP/made"
}
feature_gate() { api POST /apis/config.openshift.io/v1/featuregates '{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}' > /dev/null; }
feature_gate
gates() {	# NAME...: the enabled gates
	merge /apis/config.openshift.io/v1/featuregates/cluster/status \
		"{\"status\":{\"featureGates\":[{\"version\":\"4.22.0\",\"enabled\":[$(printf '{"name":"%s"},' "$@" | sed 's/{"name":""},//; s/,$//')],\"disabled\":[]}]}}" > /dev/null
}
gates
policies ''
api POST $MC/controllerconfigs "{\"apiVersion\":\"$K/v1\",\"kind\":\"ControllerConfig\",\"metadata\":{\"name\":\"machine-config-controller\"},\"spec\":{\"kubeAPIServerServingCAData\":\"S0NB\",\"internalRegistryPullSecret\":\"e30=\",\"images\":{\"machineConfigOperator\":\"quay.io/mco@sha256:m\"}}}" > /dev/null
pool() {	# NAME SELECTOR-LABEL
	api POST $MC/machineconfigpools "{\"apiVersion\":\"$K/v1\",\"kind\":\"MachineConfigPool\",\"metadata\":{\"name\":\"$1\"},\"spec\":{\"nodeSelector\":{\"matchLabels\":{\"$2\":\"\"}}}}" > /dev/null
}
pool worker node-role.kubernetes.io/worker

LABELS='"node-role.kubernetes.io/worker":""'
node() {	# KEY VALUE ...: the Node, with these annotations
	api DELETE /api/v1/nodes/node > /dev/null
	api DELETE $MC/machineconfignodes/node > /dev/null
	forget
	api POST /api/v1/nodes "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node\",\"labels\":{$LABELS},\"annotations\":{$(pairs "$@")}}}" > /dev/null
}
start() {	# FLAGS...
	: > "$TMP/log"
	DAEMON_OF=$TMP "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false "$@" >> "$TMP/log" 2>&1 &
	DAEMON=$!
	disown
}
stop() {
	kill -"${1:-KILL}" "$DAEMON" 2>/dev/null
	if ! timeout 300 tail --pid="$DAEMON" -f /dev/null; then
		failed=$((failed + 1))
		echo "FAIL stop: it goes on after SIG${1:-KILL}"
		tail -n 15 "$TMP/log" | sed 's/^/  /'
		kill -KILL "$DAEMON"
	fi
	orphans
	DAEMON=
}
# The daemon has synced its node once more to correct this.
LOOKS=0
looks() {
	local f=$ROOT/etc/mco/internal-registry-pull-secret.json
	echo other > "$f"
	merge /api/v1/nodes/node "{\"metadata\":{\"labels\":{\"x\":\"$((++LOOKS))\"}}}" > /dev/null
	soon "$1 is looked at" '{}' "cat $f"
}
# Waits until a daemon that does not change its node has seen the node's current state.
sees() {	# NAME
	local i
	for i in first second; do
		annotate reason "$1 $i"
		until_ "$1: seen $i" "grep -q 'reason .*-> $1 $i\$' \"\$TMP/log\""
	done
}
# A node with r1 applied, as in the scenarios; SNO=1: a single-node cluster.
on_disk() {	# CONFIG-MEMBERS SPEC-MEMBERS
	mc r1 "${1:-}" "${2:-}"
	put r1
	apply r1 0
	: > "$CALLS"
}
R1=(currentConfig r1 desiredConfig r1 state Done desiredDrain uncordon-r1 lastAppliedDrain uncordon-r1)
running() {	# KEY VALUE ...: the daemon is up and has nothing to do
	node "${R1[@]}" ${SNO:+controlPlaneTopology SingleReplica} "$@"
	start
	until_ 'start' 'events | grep -q "against r1"'
	until_ 'Updated' '[[ "$(mcn Updated)" == True* ]]'
	: > "$CALLS"
}
given() {	# CONFIG-MEMBERS SPEC-MEMBERS: all of the above
	new_node
	on_disk "$@"
	running
}
to() {	# CONFIG-MEMBERS SPEC-MEMBERS: makes r2 the desired config
	mc r2 "${1:-}" "${2:-}"
	put r2
	annotate desiredConfig r2
}
# The last step of an update; events and reports may still follow.
finished() {	# NAME CONFIG
	until_ "$1 done" "[ \"\$(note currentConfig)\$(note state)\" = ${2:-r2}Done ]"
	until_ "$1 over" 'events | grep -q "^RemoveSigterm"'
	until_ "$1 logged" "grep -q '\"Update completed for config ${2:-r2} ' \"\$CALLS\""
}
rebooted() {	# NAME
	until_ "$1 reboots" 'grep -q "reboot successful" "$CALLS"'
	until_ "$1 is reported" '[ "$(note post-config-action)" = Rebooting ]'
	until_ "$1 rests" 'grep -q "is queued for a reboot, skipping sync" "$TMP/log"'
}
degraded() { until_note "$1 reason" reason "$2"; soon "$1 state" "${3:-Degraded}" 'note state'; }
reboot() { echo "systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Node will reboot into config $1 -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot"; }
logs() { sed -n 's/^LOG //p' "$CALLS"; }
JOURNAL='journalctl -b -1 -o cat _UID=0 -u ostree-finalize-staged.service'
