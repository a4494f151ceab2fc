#!/bin/bash
# mco-daemon start: everything besides updates: credentials, secrets that stay secret, rotation of
# certificates, the kubelet's health, feature gates (spec 1.3, 7.1, 7.5, 10). test_daemon_enter.sh
# has the pod that enters the node's root.
. test/applets/node.sh
. test/applets/daemon.sh

# ---- no secret in any log -----------------------------------------------------
S=mArKeR
given "$(files "$(file /etc/foo ${S}1)" "$(file /var/lib/kubelet/config.json ${S}2)"),\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"${S}3\"],\"passwordHash\":\"\$6\$${S}4\"}]}"
merge $MC/controllerconfigs/machine-config-controller "{\"spec\":{\"internalRegistryPullSecret\":\"$(printf '{"auths":"%s5"}' $S | base64 -w0)\"}}" > /dev/null
until_ 'the pull secret' 'grep -q 5 "$ROOT/etc/mco/internal-registry-pull-secret.json"'
says chpasswd 'echo "chpasswd: invalid: $(cat)"; exit 1'
to "$(files "$(file /etc/foo ${S}6)" "$(file /var/lib/kubelet/config.json ${S}7)"),\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"${S}8\"],\"passwordHash\":\"\$6\$${S}9\"}]}"
until_note 'a failure' state Degraded
says chpasswd 'exit 0'
until_ 'and an update' 'grep -q "reboot successful" "$CALLS"'
printf %s "${S}a" > "$ROOT/etc/foo"
stop
api GET /api/v1/namespaces/openshift-machine-config-operator/events > "$TMP/told"
api GET /api/v1/nodes/node >> "$TMP/told"
api GET $MC/machineconfignodes/node >> "$TMP/told"
same 'no secret is logged or reported' '' "$(grep -o ".\{60\}$S." "$TMP/log" "$TMP/told"; grep "LOG.*$S" "$CALLS")"
merge $MC/controllerconfigs/machine-config-controller '{"spec":{"internalRegistryPullSecret":"e30="}}' > /dev/null

# ---- writes of the Node use the kubelet's credentials: here, another server ----
new_node
on_disk
"$BIN"/mco-sandbox start --port 0 --write-kubeconfig "$TMP/other" > "$TMP/sandbox2" 2>&1 &
OTHER=$!
disown
trap 'kill -KILL $SANDBOX $DAEMON $ACK $OTHER 2>/dev/null; rm -rf "$TMP"' EXIT
until_ 'another server' '[ -s "$TMP/other" ]'
mkdir -p "$ROOT/var/lib/kubelet"
cp "$TMP/other" "$ROOT/var/lib/kubelet/kubeconfig"
node "${R1[@]}" state Working
FIRST=$URL URL=$(sed -n 's/^ *server: //p' "$TMP/other")
api POST /api/v1/nodes "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node\",\"annotations\":{$(pairs "${R1[@]}" state Working)}}}" > /dev/null
start
until_note 'written there' state Done
until_ 'reported there' 'events | grep -q "^NodeDone"'
URL=$FIRST
same 'read here' Working "$(note state)"
same 'nothing is reported here' '' "$(events)"
kill $OTHER
stop

# ---- CAs that rotate (7.1) ----------------------------------------------------------
new_node
on_disk
ca() {	# NAME: a certificate of that name, on standard output
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /dev/null -days 1 -subj "/OU=openshift/CN=$1" 2>/dev/null
}
if command -v openssl > /dev/null; then
	ca old > "$TMP/old.pem"; ca new-signer > "$TMP/new.pem"; ca kube-apiserver-lb-signer > "$TMP/lb.pem"
	kubeconfig() { printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: x\n  cluster:\n    server: %s\n    certificate-authority-data: %s\ncontexts:\n- name: c\n  context: {cluster: x, user: u}\nusers:\n- name: u\n  user: {token: kept}\n' "$URL" "$(base64 -w0 "$TMP/old.pem")"; }
	trusted() { sed -n 's/ *certificate-authority-data: //p' "$ROOT$1" | base64 -d | grep -c BEGIN; }
	mkdir -p "$ROOT/var/lib/kubelet"
	kubeconfig > "$ROOT/etc/kubernetes/kubeconfig"
	kubeconfig > "$ROOT/var/lib/kubelet/kubeconfig"
	bundle() { api DELETE /api/v1/namespaces/openshift-machine-config-operator/configmaps/kubeconfig-data > /dev/null
		api POST /api/v1/namespaces/openshift-machine-config-operator/configmaps "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"kubeconfig-data\"},\"data\":{\"ca-bundle.crt\":\"$(cat "$@" | base64 -w0)\"}}" > /dev/null; }
	rotate() { merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":$1}}}" > /dev/null; }
	bundle "$TMP/old.pem" "$TMP/lb.pem"
	node "${R1[@]}"
	start
	until_ 'up' '[[ "$(mcn Updated)" == True* ]]' # and all events are sent
	: > "$CALLS"
	rotate '"true"'
	until_note 'the rotation is seen' lastObservedServerCAAnnotation true
	same 'it can wait' '"Cert not found in kubeconfig. This means we need to write to disk. Subject is: kube-apiserver-lb-signer"
"Skipping kubelet restart" 2 1' "$(logs) $(trusted /etc/kubernetes/kubeconfig) $(trusted /var/lib/kubelet/kubeconfig)"
	rotate '"false"'
	until_note 'over' lastObservedServerCAAnnotation false
	bundle "$TMP/old.pem" "$TMP/lb.pem" "$TMP/new.pem"
	: > "$CALLS"
	rotate '"true"'
	until_note 'again' lastObservedServerCAAnnotation true
	same 'it cannot wait' '"Cert not found in kubeconfig. This means we need to write to disk. Subject is: new-signer"
"Need to restart kubelet"
"restarting kubelet due to server-ca rotation"
systemctl stop kubelet
systemctl daemon-reload
systemctl start kubelet
3 3 kept' "$(logs)
$(calls)
$(trusted /etc/kubernetes/kubeconfig) $(trusted /var/lib/kubelet/kubeconfig) $(grep -o kept "$ROOT/var/lib/kubelet/kubeconfig")"
	rotate null
	stop
fi

# ---- the kubelet's health, and gates --------------------------------------------------
new_node
on_disk
gates ImageModeStatusReporting
node "${R1[@]}"
start --kubelet-healthz-enabled=true --kubelet-healthz-endpoint http://127.0.0.1:9/healthz
until_ 'the kubelet does not answer' 'grep -q "Got an error from auxiliary tools: kubelet health check has failed 1 times: " "$TMP/log"'
of_process() { curl -sS -m 60 "http://127.0.0.1:$(sed -n "s/.*Metrics on port //p" "$TMP/log")/metrics" | sed -n "s/^process_$1 //p" | awk '{ printf "%d", $1 }'; }
until_ 'when it began' '[ $(($(date +%s) - $(of_process start_time_seconds))) -lt 3600 ]'
until_ 'what it takes' '[ "$(of_process resident_memory_bytes)" -gt 500000 ] && [ "$(of_process open_fds)" -ge 5 ] && [ "$(of_process max_fds)" = "$(ulimit -n)" ]'
until_ 'a metric' 'curl -sS -m 60 "http://127.0.0.1:$(sed -n "s/.*Metrics on port //p" "$TMP/log")/metrics" | grep -qE "^mcd_kubelet_state [1-9]"'
until_ 'image mode' '[ "$(mcn AppliedOSImage)" = "False NotYetOccurred This node has not yet entered the AppliedOSImage phase" ]'
gates
until_ 'it ends' '! kill -0 "$DAEMON" 2>/dev/null'
until_ 'a gate is turned' 'grep -q "FeatureGates changed" "$TMP/log"'
DAEMON=
finish
