#!/bin/bash
# mco-daemon start with the sandbox: this script is the controller and the machine. Annotations,
# events, commands and files equal upstream's.
. test/applets/node.sh
export MCO_RETRY_MS=50 RELEASE_VERSION=4.22.0
K=machineconfiguration.openshift.io
MCS=/apis/$K/v1/machineconfigs
SANDBOX='' DAEMON=''
trap 'kill -KILL $SANDBOX $DAEMON 2>/dev/null; rm -rf "$TMP"' EXIT

"$BIN"/mco-sandbox start --port 0 --write-kubeconfig "$TMP/kubeconfig" > "$TMP/sandbox" 2>&1 &
SANDBOX=$!
for _ in {1..2400}; do [ -s "$TMP/kubeconfig" ] && break; sleep 0.05; done
URL=$(sed -n 's/^ *server: //p' "$TMP/kubeconfig")

api() {	# METHOD PATH [BODY]
	curl -sS -m 60 -X "$1" ${3:+-H "Content-Type: ${TYPE:-application/json}" --data-binary "$3"} "$URL$2"
}
annotate() {	# KEY VALUE ...: on the node, as the controller does
	local body=
	while [ $# -gt 0 ]; do body+=${body:+,}"\"$K/$1\":\"$2\""; shift 2; done
	TYPE=application/merge-patch+json api PATCH /api/v1/nodes/node "{\"metadata\":{\"annotations\":{$body}}}" > /dev/null
}
note() {	# KEY: its value, as JSON has it
	api GET /api/v1/nodes/node | grep -oE "\"$K/$1\": ?\"([^\"\\\\]|\\\\.)*\"" |
		sed -E 's/^"[^"]*": ?"//; s/"$//'
}
until_note() { WANT=$3; until_ "$1" "[ \"\$(note $2)\" = \"\$WANT\" ]"; }
drained() {	# NAME VALUE: waits for the drain request and answers it
	until_note "$1 asks" desiredDrain "$2"
	annotate lastAppliedDrain "$2"
}
events() {	# reasons and texts, in order
	api GET /api/v1/namespaces/openshift-machine-config-operator/events |
		grep -oE '"(reason|message|type)": ?"([^"\\]|\\.)*"' | sed -E 's/^"[^"]*": ?"//; s/"$//'
}
start() {
	DAEMON_OF=$TMP "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 >> "$TMP/log" 2>&1 &
	DAEMON=$!
}
stop() {	# the daemon's exit status
	kill -"${1:-TERM}" "$DAEMON"
	wait "$DAEMON" 2>/dev/null
	echo $?
	orphans
}
reboot_node() {
	until_ "$1: reboot asked for" 'grep -q "^systemd-run.*systemctl reboot" "$CALLS"'
	same "$1: reported before" Rebooting "$(note post-config-action)"
	stop > /dev/null
	echo "$2" > "$ROOT/proc/sys/kernel/random/boot_id"
	: > "$CALLS"
	start
}

new_node
P=/etc/containers/policy.json
mc r1 "$(files "$(file /etc/foo 1)" "$(file $P a)")"
mc r2 "$(files "$(file /etc/foo 2)" "$(file $P a)")"
mc r3 "$(files "$(file /etc/foo 2)" "$(file $P b)")"
mc r4 "$(files "$(file /etc/foo 2)" "$(file $P b)"),$(units)" '"fips":true'
mc r5 "$(files "$(file /etc/foo 5)" "$(file $P b)" "$(file /etc/new n)")"
for c in r1 r2 r3 r4 r5; do api POST $MCS "@$TMP/$c.json" > /dev/null; done
api POST /apis/operator.openshift.io/v1/machineconfigurations \
	'{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{}}' > "$TMP/made"
GENERATION=$(grep -oE '"generation": ?[0-9]+' "$TMP/made" | grep -oE '[0-9]+$')
TYPE=application/merge-patch+json api PATCH /apis/operator.openshift.io/v1/machineconfigurations/cluster/status \
	"{\"status\":{\"observedGeneration\":${GENERATION:-0}}}" > "$TMP/made"
api POST /apis/$K/v1/controllerconfigs \
	"{\"apiVersion\":\"$K/v1\",\"kind\":\"ControllerConfig\",\"metadata\":{\"name\":\"machine-config-controller\"},\"spec\":{\"kubeAPIServerServingCAData\":\"S0NB\"}}" > /dev/null
api POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"node"}}' > /dev/null
api POST /api/v1/nodes "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"other\",\"annotations\":{\"$K/desiredConfig\":\"r2\"}}}" > /dev/null

api POST /apis/config.openshift.io/v1/featuregates '{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}' > /dev/null
TYPE=application/merge-patch+json api PATCH /apis/config.openshift.io/v1/featuregates/cluster/status \
	'{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}' > /dev/null

# ---- nothing on the disk yet (D101), then the files of the server (D96)
start
until_note 'D101 no config' reason 'open /etc/machine-config-daemon/currentconfig: no such file or directory'
same 'D101 state' Degraded "$(note state)"
stop > /dev/null
mkdir -p "$ROOT/etc/machine-config-daemon" "$ROOT/etc/systemd/system-preset" "$ROOT/etc/containers"
printf 1 > "$ROOT/etc/foo"
printf a > "$ROOT$P"
: > "$ROOT/etc/systemd/system-preset/20-ignition.preset"
echo x > "$ROOT/etc/ignition-machine-config-encapsulated.json"
printf '{"%s/currentConfig":"r1","%s/desiredConfig":"r1","%s/state":"Done"}' $K $K $K > "$ROOT/etc/machine-config-daemon/node-annotations.json"
start
drained 'D96' uncordon-r1
until_note 'D96 done' state Done
until_note 'D96 reason' reason ''
same 'D96 files' 'etc/ignition-machine-config-encapsulated.json.bak
etc/machine-config-daemon/currentconfig
etc/machine-config-daemon/currentimage
etc/machine-config-daemon/node-annotation.json.bak' "$(cd "$ROOT" && find etc -newer "$TMP/made" -type f \( -name '*.bak' -o -path '*daemon/current*' -o -name '*.preset' \) | sort)"
until_ 'D134 certificates' '[ "$(cat "$ROOT/etc/kubernetes/kubelet-ca.crt" 2>/dev/null)" = KCA ]'
until_ 'D134 reported' '[ -n "$(note lastSyncedControllerConfigResourceVersion)" ]'

# ---- an update that reboots (D21, D95)
: > "$CALLS"
annotate desiredConfig r2
until_note 'D21 asks' desiredDrain drain-r2
same 'D21 working' Working "$(note state)"
same 'D21 waits' 1 "$(cat "$ROOT/etc/foo")"
kill "$DAEMON" # not during an update
until_ 'SIGTERM is reported' 'events | grep -q "Got SIGTERM but actively updating"'
annotate lastAppliedDrain drain-r2
reboot_node D21 boot-2
drained 'D95' uncordon-r2
until_note 'D95 done' state Done
same 'D95 current' r2 "$(note currentConfig)"
same 'D95 cleared' '' "$(note post-config-action)"
same 'D21 file' 2 "$(cat "$ROOT/etc/foo")"
same 'D95 one reboot' '' "$(grep systemd-run "$CALLS")"

# ---- one that does not (policy.json: reload)
annotate desiredConfig r3
drained 'reload' uncordon-r3
until_note 'reload done' currentConfig r3
same 'reload' 'systemctl reload crio.service' "$(grep 'reload crio' "$CALLS")"

# ---- drift (D06)
until_ 'monitor' '[ "$(events | grep -c "watching against r3")" = 1 ]'
printf drifted > "$ROOT/etc/foo"
until_ 'D06 reported' 'events | grep -qxF "content mismatch for file \\\"/etc/foo\\\""'
until_note 'D06 degraded' reason 'unexpected on-disk state validating against r3: content mismatch for file \"/etc/foo\"'
same 'D06 state' Degraded "$(note state)"
printf 2 > "$ROOT/etc/foo"
until_note 'D06 recovers' state Done

# ---- a missing config; one that is not reconcilable (FIPS); back again
annotate desiredConfig r9
until_note 'missing' reason 'machineconfig.machineconfiguration.openshift.io \"r9\" not found'
annotate desiredConfig r4
until_note 'fips' state Unreconcilable
until_note 'fips reason' reason "can't reconcile config r3 with r4: configs r3, r4 are not reconcilable: new machineconfig \\\"r3\\\" is not reconcilable against \\\"r4\\\": detected change to FIPS flag; refusing to modify FIPS on a running cluster"
annotate desiredConfig r3
until_note 'back' state Done

# ---- killed while writing files: undone, then applied
says 'rpm -qf /etc/foo' 'kill -KILL $(cat "$SAY.pid"); sleep 1'
echo "$DAEMON" > "$SAY.pid"
annotate desiredConfig r5
drained 'killed' drain-r5
wait "$DAEMON" 2>/dev/null
same 'killed: by us' 137 $?
says 'rpm -qf /etc/foo' 'echo "file $2 is not owned by any package"; exit 1'
: > "$CALLS"
start
reboot_node killed boot-3
drained 'killed' uncordon-r5
until_note 'killed: done' state Done
same 'killed: tree' '5 b n r5' "$(cat "$ROOT/etc/foo") $(cat "$ROOT$P") $(cat "$ROOT/etc/new") $(grep -o '"name":"r5"' "$ROOT/etc/machine-config-daemon/currentconfig" | cut -d'"' -f4)"

# ---- the rest
PORT=$(sed -n 's/.*Metrics on port //p' "$TMP/log" | tail -n 1)
soon 'metrics' 'mcd_state{state="Done",reason=""}' 'curl -sS -m 60 "http://127.0.0.1:$PORT/metrics" | sed -n "s/^\(mcd_state{.*}\).*/\1/p"'
same 'health' ok "$(curl -sS -m 60 "http://127.0.0.1:$PORT/healthz")"
same 'another node' "\"$K/desiredConfig\":\"r2\"" "$(api GET /api/v1/nodes/other | grep -oE "\"$K/[^,}]*" | tr -d ' ')"
stop > "$TMP/.out"
same 'SIGTERM ends it' 0 "$(cat "$TMP/.out")"
DAEMON=
finish
