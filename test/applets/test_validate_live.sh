# mcoctl validate and a running controller: a healthy cluster has no findings, and the
# findings for a manifest match what the controller does with it.
. test/applets/lib.sh
. test/applets/sandbox.sh
controller=''
trap 'kill $controller $sandbox_pid 2>/dev/null; wait; rm -rf "$TMP"' EXIT
unset KUBECONFIG
ctl=$BIN/mcoctl ex=examples/bootstrap P=machineconfiguration.openshift.io
mc=/apis/$P/v1 config=/apis/config.openshift.io/v1
api() {	# METHOD PATH [TYPE, body on standard input]
	curl -sS -m 60 -X "$1" ${3:+-H "Content-Type: $3" --data-binary @-} "$api$2"
}
create() { api POST "$1" application/yaml > "$TMP/created"; }
merge() { api PATCH "$1" application/merge-patch+json <<< "$2" > /dev/null; }
within() {	# COMMAND...: repeats it until it succeeds, for a minute
	local end=$((SECONDS + ${PATIENCE:-60}))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# ---- a cluster ----
sandbox_start
create $config/featuregates < $ex/01-featuregate.yaml
merge $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0",
	"enabled":[{"name":"SigstoreImageVerification"}],"disabled":[{"name":"OSStreams"}]}]}}'
create /api/v1/namespaces/openshift-config/secrets < $ex/pull-secret.yaml
create $mc/controllerconfigs < $ex/00-controllerconfig.yaml
merge $mc/controllerconfigs/machine-config-controller \
	'{"spec":{"pullSecret":{"kind":"Secret","name":"pull-secret","namespace":"openshift-config"}}}'
create /apis/operator.openshift.io/v1/machineconfigurations <<< \
	'{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{}}'
merge /apis/operator.openshift.io/v1/machineconfigurations/cluster/status '{"status":{"observedGeneration":1}}'
create $config/images <<< '{"apiVersion":"config.openshift.io/v1","kind":"Image","metadata":{"name":"cluster"},"spec":{}}'
create $config/nodes <<< '{"apiVersion":"config.openshift.io/v1","kind":"Node","metadata":{"name":"cluster"},"spec":{}}'
create $config/clusterversions <<< '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{}}'
merge $config/clusterversions/version/status '{"status":{"desired":{"version":"4.22.0","image":"registry.example.net/release:4.22.0"}}}'
sandbox_load $ex/10-pools.yaml
create $mc/kubeletconfigs < $ex/20-kubelet.yaml
create $config/imagedigestmirrorsets < $ex/21-mirrors.yaml
MCO_RAW=v4.22.0 MCO_RETRY_MS=100 "$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --payload-version 4.22.0 --templates=builtin \
	--gather-changes 100ms --metrics-listen-address 127.0.0.1:0 2> "$TMP/controller.log" &
controller=$!
pool() { api GET "$mc/machineconfigpools/$1"; }
target() { pool "$1" | jq -r '.spec.configuration.name // ""'; }
settled() {	# POOL: its config is what mcoctl renders from the current cluster
	[ -n "$(target "$1")" ] && [ "$("$ctl" render --kubeconfig "$TMP/kubeconfig" -o name -p "$1" 2>/dev/null | sed 's,.*/,,')" = "$(target "$1")" ]
}
generated() { api GET $mc/machineconfigs | jq -r '.items[].metadata.name' | grep -q "99-$1-generated-registries"; }
for p in master worker infra; do # infra has worker's registries
	within generated "${p/infra/worker}" && within settled $p && ok || bad "pool $p is not rendered: $(tail -n 5 "$TMP/controller.log")"
done
within generated worker && api GET $mc/machineconfigs | grep -q 99-worker-generated-kubelet && ok || bad 'the KubeletConfig has no MachineConfig'

# ---- a dump of it is valid ----
kinds="$mc/machineconfigs $mc/machineconfigpools $mc/controllerconfigs $mc/kubeletconfigs $config/featuregates $config/images $config/nodes
	$config/imagedigestmirrorsets /apis/operator.openshift.io/v1/machineconfigurations /api/v1/secrets"
mkdir "$TMP/dump"
for k in $kinds; do
	api GET "$k" > "$TMP/dump/$(basename "$k").json"
done
sums=$(jq -s '[.[].items[]] | length' "$TMP"/dump/*.json)
mcs=$(jq '.items | length' "$TMP/dump/machineconfigs.json")
[ "$mcs" -gt 15 ] && ok || bad "only $mcs MachineConfigs"
expect 'a dump of a healthy cluster' 0 "$sums objects, $mcs MachineConfigs: valid
" '' "$ctl" validate --strict -f "$TMP/dump"

"$ctl" dump --kubeconfig "$TMP/kubeconfig" --output-file "$TMP/dump.yaml"
expect 'what mcoctl dump writes' 0 "$("$ctl" fmt -o json-compact "$TMP/dump.yaml" | jq '.items | length') objects, $mcs MachineConfigs: valid
" '' "$ctl" validate --strict -f "$TMP/dump.yaml"

# ---- manifests: findings and results ----
manifest() {	# KIND NAME SPEC
	cat > "$TMP/x.yaml" <<-Y
	apiVersion: $P/v1
	kind: $1
	metadata: {name: $2, labels: {$P/role: worker}}
	spec: $3
	Y
}
rendered() { [ "$(target worker)" != "$was" ] && settled worker; }
degraded() { pool worker | jq -r '.status.conditions[] | select(.type == "RenderDegraded" and .status == "True") | .message'; }
is_degraded() { [ -n "$(degraded)" ]; }
path_of() { echo "$mc/$(sed -n 's/^kind: //p' "$TMP/x.yaml" | tr '[:upper:]' '[:lower:]')s"; }
undone() { [ "$(target worker)" = "$was" ] && ! is_degraded; }
undo() { api DELETE "$(path_of)/$(sed -n 's/^metadata: {name: \([^,]*\),.*/\1/p' "$TMP/x.yaml")" > /dev/null; within undone || bad "$1: it does not go back"; }
sound() {	# NAME [COUNT]: the cluster accepts it
	expect "$1: valid" 0 "1 object, ${2:-1 MachineConfig}: valid
" '' "$ctl" validate --strict --kubeconfig "$TMP/kubeconfig" -f "$TMP/x.yaml"
	was=$(target worker)
	create "$(path_of)" < "$TMP/x.yaml"
	is "$1: it is created" "$(sed -n 's/^kind: //p' "$TMP/x.yaml")" "$(jq -r .kind "$TMP/created")"
	within rendered && ! is_degraded && ok || bad "$1: it is not rendered: $(degraded)"
	undo "$1"
}
unsound() {	# NAME STATUS FINDING CONDITION: the server accepts it, and it is not rendered
	expect "$1: what validate says" "$2" "$3
" '' "$ctl" validate --kubeconfig "$TMP/kubeconfig" -f "$TMP/x.yaml"
	was=$(target worker)
	create "$(path_of)" < "$TMP/x.yaml"
	within is_degraded || bad "$1: it is rendered"
	case $(degraded) in *"$4"*) ok ;; *) bad "$1: the controller says $(degraded)" ;; esac
	undo "$1"
}
v='ignition: {version: 3.5.0}'
manifest MachineConfig 70-kargs '{kernelArguments: [quiet]}'
sound 'kernel arguments'
manifest MachineConfig 70-file "{config: {$v, storage: {files: [{path: /etc/x, mode: 0600, contents: {source: 'data:,x'}}]}}}"
sound 'a file'
manifest MachineConfig 70-unit "{config: {$v, systemd: {units: [{name: x.service, enabled: true, contents: \"[Install]\\nWantedBy=a.target\"}]}}}"
sound 'a unit'
manifest MachineConfig 70-keys "{config: {$v, passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}"
sound 'keys'
manifest MachineConfig 70-old '{config: {ignition: {version: 2.2.0}, storage: {files: [{filesystem: root, path: /etc/x, mode: 420, contents: {source: "data:,x"}}]}}}'
sound 'an old config'
manifest MachineConfig 70-rt '{kernelType: realtime, extensions: [usbguard]}'
sound 'a kernel and extensions'
manifest MachineConfig 70-os '{osImageURL: "registry.example.net/os@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}'
sound 'an image'
manifest ContainerRuntimeConfig pids "{machineConfigPoolSelector: {matchLabels: {pools.operator.$P/worker: ''}}, containerRuntimeConfig: {pidsLimit: 2000}}"
sound 'a ContainerRuntimeConfig' '0 MachineConfigs'
big="machineConfigPoolSelector: {matchLabels: {pools.operator.$P/worker: ''}}"
manifest KubeletConfig more "{$big, kubeletConfig: {podsPerCore: 10}}"
sound 'a KubeletConfig' '0 MachineConfigs'
manifest KubeletConfig bad "{$big, kubeletConfig: {clusterDomain: x}}"
expect 'a bad KubeletConfig: what validate says' 1 "$TMP/x.yaml:4:144: error: KubeletConfig bad: spec.kubeletConfig.clusterDomain: KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x
1 error
" '' "$ctl" validate --kubeconfig "$TMP/kubeconfig" -f "$TMP/x.yaml"
failure() { api GET $mc/kubeletconfigs/bad | jq -r '.status.conditions[-1] | select(.type == "Failure") | .message'; }
has_failed() { [ -n "$(failure)" ]; }
create $mc/kubeletconfigs < "$TMP/x.yaml"
within has_failed
case $(failure) in *'clusterDomain is not allowed to be set, but contains: x'*) ok ;; *) bad "the controller says $(failure)" ;; esac
undo 'a bad KubeletConfig'
manifest MachineConfig 70-dirs "{config: {$v, storage: {directories: [{path: /etc/d}]}}}"
unsound directories 0 "$TMP/x.yaml:4:55: warning: MachineConfig 70-dirs: spec.config.storage.directories: running nodes refuse it: ignition directories section contains changes
1 warning" 'ignition directories section contains changes'
manifest MachineConfig 70-fips '{fips: true}'
unsound fips 0 "$TMP/x.yaml:4:14: warning: MachineConfig 70-fips: spec.fips: running nodes refuse it: detected change to FIPS flag; refusing to modify FIPS on a running cluster
1 warning" 'detected change to FIPS flag'
manifest MachineConfig 70-kernel '{kernelType: fast}'
unsound 'a kernel' 1 "$TMP/x.yaml:4:20: error: MachineConfig 70-kernel: spec.kernelType: kernelType=fast is invalid
1 error" 'kernelType=fast is invalid'
manifest MachineConfig 70-extension "{config: {$v}, extensions: [nosuch]}"
unsound 'an extension' 1 "$TMP/x.yaml:4:59: error: MachineConfig 70-extension: spec.extensions: invalid extensions found: [nosuch]
1 error" 'invalid extensions found: [nosuch]'
manifest MachineConfig 70-mode "{config: {$v, storage: {files: [{path: /etc/x, mode: 644, contents: {source: 'data:,x'}}]}}}"
unsound 'a mode' 1 "$TMP/x.yaml:4:84: error: MachineConfig 70-mode: spec.config.storage.files.0.mode: invalid mode 01204 for /etc/x, cannot exceed 0777 (decimal; did you mean 0644?)
1 error" 'invalid mode 01204 for /etc/x'
manifest MachineConfig 70-path "{config: {$v, storage: {files: [{path: etc/x}]}}}"
unsound 'a path' 1 "$TMP/x.yaml:4:64: warning: MachineConfig 70-path: spec.config.storage.files.0: a file without contents.source renders, but the result does not parse again
$TMP/x.yaml:4:70: error: MachineConfig 70-path: spec.config.storage.files.0.path: path not absolute
1 error, 1 warning" 'path not absolute'
kill "$controller"
wait "$controller"
is 'the controller ends' 0 $?
controller=''
finish
