#!/bin/bash
# mco-daemon start: rotation of the API servers' CAs, up to a kubelet that requests new
# credentials; logs kept at the end; missing feature gates (spec 1.3, 7.1, 7.9).
. test/applets/node.sh
. test/applets/daemon.sh
command -v openssl > /dev/null || finish

ca() {	# NAME: a certificate of that name in $TMP/NAME.pem, its key beside it
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$TMP/$1.key" -days 1 \
		-subj "/OU=openshift/CN=$1" -addext subjectAltName=IP:127.0.0.1 > "$TMP/$1.pem" 2>/dev/null
}
for n in old new-signer kube-apiserver-lb-signer kube-apiserver-localhost-signer; do
	ca $n
done
bundle() {	# FILE...
	api DELETE /api/v1/namespaces/openshift-machine-config-operator/configmaps/kubeconfig-data > /dev/null
	api POST /api/v1/namespaces/openshift-machine-config-operator/configmaps \
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"kubeconfig-data\"},\"data\":{\"ca-bundle.crt\":\"$(cat "$@" | base64 -w0)\"}}" > /dev/null
}
kubeconfig() {	# SERVER: a kubeconfig that trusts only old
	printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: x\n  cluster:\n    server: %s\n    certificate-authority-data: %s\ncontexts:\n- name: c\n  context: {cluster: x, user: u}\nusers:\n- name: u\n  user: {token: kept}\n' "$1" "$(base64 -w0 "$TMP/old.pem")"
}
trusted() { sed -n 's/ *certificate-authority-data: //p' "$ROOT$1" | base64 -d; }
subjects() { openssl crl2pkcs7 -nocrl -certfile <(trusted "$1") | openssl pkcs7 -print_certs -noout | sed -n 's/^subject=.*CN *= *//p' | paste -sd' '; }
rotate() {	# JSON; waits until the daemon has seen it
	merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":$1}}}" > /dev/null
	until_note "rotate $1" lastObservedServerCAAnnotation "$(tr -d '"' <<< "$1" | sed s/null//)"
}
found() { echo "\"Cert not found in kubeconfig. This means we need to write to disk. Subject is: $1\""; }
kubelet=/var/lib/kubelet/kubeconfig
seen() { # a node whose kubelet uses SERVER; the daemon runs, nothing has rotated
	new_node
	on_disk
	mkdir -p "$ROOT/var/lib/kubelet"
	kubeconfig "$URL" > "$ROOT/etc/kubernetes/kubeconfig"
	kubeconfig "$1" > "$ROOT$kubelet"
	node "${R1[@]}" reason ''
}

# ---- CAs that rotate in every upgrade can wait; with any other one, none can -----------
seen "$URL"
start
until_ 'up' '[[ "$(mcn Updated)" == True* ]]' # and all events are sent
: > "$CALLS"
bundle "$TMP"/{old,kube-apiserver-lb-signer,kube-apiserver-localhost-signer}.pem
rotate '"true"'
same 'they can wait' "$(for n in kube-apiserver-lb-signer kube-apiserver-localhost-signer; do found $n; echo '"Skipping kubelet restart"'; done)
" "$(logs)
$(calls)"
same 'they are trusted' 'old kube-apiserver-lb-signer kube-apiserver-localhost-signer|old' \
	"$(subjects /etc/kubernetes/kubeconfig)|$(subjects $kubelet)"
rotate '"false"'
# ---- an invalid certificate is skipped, and logged twice because it is new ----------------------
printf -- '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' > "$TMP/bad.pem"
: > "$CALLS"
bundle "$TMP"/{old,bad,new-signer}.pem
rotate '"true"'
bad='"Malformed Cert, not syncing: \n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"'
same 'malformed' "$bad
$bad
$(found new-signer)
\"Need to restart kubelet\"
\"restarting kubelet due to server-ca rotation\"
systemctl stop kubelet
systemctl daemon-reload
systemctl start kubelet" "$(logs)
$(calls)"
same 'malformed: trusted' 'old new-signer|old new-signer|kept' "$(subjects /etc/kubernetes/kubeconfig)|$(subjects $kubelet)|$(grep -o kept "$ROOT$kubelet")"
rotate '"false"'
# ---- an empty bundle removes no CA -------------------------------------------------
: > "$CALLS"
bundle "$TMP/bad.pem"
rotate '"true"'
same 'nothing to trust' "old new-signer " "$(subjects /etc/kubernetes/kubeconfig) $(calls)"
rotate null
# ---- logs are kept at the end -----------------------------------------------------
pods=/var/log/pods/openshift-machine-config-operator_
kept=/etc/machine-config-daemon/previous-logs
mkdir -p "$ROOT$kept/old" "$ROOT$pods"{machine-config-daemon-abc_1,machine-config-daemon-xyz_2,other_3}
: > "$CALLS"
stop TERM
same 'logs' "cp --recursive ${pods}machine-config-daemon-xyz_2 $kept/openshift-machine-config-operator_machine-config-daemon-xyz_2" "$(calls)"
same 'logs: old ones' "" "$(ls "$ROOT$kept")"
same 'logs: reported' "Daemon logs from ${pods}machine-config-daemon-xyz_2 preserved at $kept/openshift-machine-config-operator_machine-config-daemon-xyz_2" "$(tail -n 1 "$TMP/log" | sed 's/.*\] //')"

# ---- deferred, then an untrusted server: the kubelet bootstraps again ---------------------
"$BIN"/mco-sandbox start --port 0 --write-kubeconfig "$TMP/other" --tls-cert-file "$TMP/new-signer.pem" \
	--tls-private-key-file "$TMP/new-signer.key" > "$TMP/sandbox2" 2>&1 &
OTHER=$!
disown
trap 'kill -KILL $SANDBOX $DAEMON $ACK $OTHER 2>/dev/null; rm -rf "$TMP"' EXIT
until_ 'another server' '[ -s "$TMP/other" ]'
untrusted() {	# SHELL-TEXT: the effect of a restart of the kubelet
	seen "$(sed -n 's/^ *server: //p' "$TMP/other")"
	says 'systemctl restart kubelet' "$1"
	mkdir -p "$ROOT${pods}machine-config-daemon-abc_1"
	bundle "$TMP"/{old,kube-apiserver-lb-signer}.pem
	merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":\"true\"}}}" > /dev/null
	: > "$TMP/log"
	timeout -k 1 120 "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false >> "$TMP/log" 2>&1
	echo $?
}
last() { tail -n 1 "$TMP/log" | sed 's/.*\] //'; }
same 'begun anew: exit' 255 "$(untrusted "echo anew > $ROOT$kubelet")"
same 'begun anew: why' 'Error from auxiliary packages' "$(last)"
same 'begun anew: file' anew "$(cat "$ROOT$kubelet")"
same 'begun anew' "$(found kube-apiserver-lb-signer | sed 's/^/LOG /')
LOG \"Skipping kubelet restart\"
LOG \"Re-bootstrapping kubelet in response to deferred kubeconfig changes and WHAT tls: certificate signed by unknown authority (OU=openshift,CN=new-signer, self-signed)\"
systemctl restart kubelet
cp --recursive ${pods}machine-config-daemon-abc_1 $kept/openshift-machine-config-operator_machine-config-daemon-abc_1" \
	"$(sed -n '/LOG "Cert/,$p' "$CALLS" | sed 's/and [A-Z]* https.*: tls:/and WHAT tls:/')"
same 'it never comes: exit' 255 "$(untrusted true)"
same 'it never comes' 'something went wrong while waiting for kubeconfig file to generate: context deadline exceeded' "$(last)"
same 'it is asked for' 12 "$(grep -c 'Failed to get kubeconfig file: open /var/lib/kubelet/kubeconfig: no such file or directory' "$TMP/log")"
same 'it does not restart: exit' 255 "$(untrusted 'echo no >&2; exit 5')"
same 'it does not restart' 'error running systemctl restart kubelet: no' "$(tail -n 2 "$TMP/log" | sed 's/.*\] //' | head -n 1)"
kill $OTHER
rotate_off() { merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":null}}}" > /dev/null; }
rotate_off

# ---- gates: of a missing release; of the cluster's version --------------------------
new_node
on_disk
node "${R1[@]}"
MCO_RETRY_MS=2 timeout -k 1 120 "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
	--payload-version 9.9.9 --metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false > "$TMP/log" 2>&1
same 'no gates' 255 $?
same 'no gates: why' 'failed to connect to feature gates timed out waiting for FeatureGates to be ready' "$(last)"
same 'no gates: nothing is begun' '' "$(cat "$CALLS")"
api DELETE /apis/config.openshift.io/v1/featuregates/cluster > /dev/null
start
until_ 'a cluster without any' 'events | grep -q "against r1"'
same 'a cluster without any: logged' 1 "$(grep -c 'FeatureGate cluster not found: all features are off' "$TMP/log")"
feature_gate
gates MachineConfigNodes
until_ 'then it has some' 'grep -q "FeatureGates changed: restarting" "$TMP/log"'
until_ 'and ends' '! kill -0 "$DAEMON" 2>/dev/null'
orphans
gates
: > "$CALLS"
forget
api POST /apis/config.openshift.io/v1/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{"clusterID":"x"}}' > /dev/null
merge /apis/config.openshift.io/v1/clusterversions/version/status '{"status":{"desired":{"version":"4.22.0"}}}' > /dev/null
start --payload-version 0.0.1-snapshot
until_ 'the cluster has them' 'grep -qF "FeatureGates initialized: enabled=[], disabled=[]" "$TMP/log"'
until_ 'the cluster: up' 'events | grep -q "against r1"'
# ---- no logs to keep; an unknown OS ---------------------------------------------------------------------
stop TERM
same 'no logs' 'Daemon logs could could not be found due to error: lstat /var/log/pods: no such file or directory' "$(last)"
fatal() {	# NAME WANT
	timeout -k 1 120 "$MCO" start --node-name node --root-mount "$ROOT" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false > "$TMP/log" 2>&1
	same "$1: exit" 255 $?
	same "$1" "$2" "$(tail -n "${3:-1}" "$TMP/log" | sed 's/.*\] //' | head -n 1)"
}
says 'rpm-ostree status' 'echo no >&2; exit 1'
fatal 'no status' 'Failed to initialize single run daemon: error reading osImageURL from rpm-ostree: error running rpm-ostree status --json: exit status 1' 2
rm "$ROOT/etc/os-release"
fatal 'no OS' 'Failed to initialize single run daemon: checking operating system: No content available from os-release files'
same 'the state is not changed' Done "$(note state)"
finish
