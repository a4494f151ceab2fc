# mcoctl dump: previews of a dump and of the cluster are the same.
. test/applets/lib.sh
. test/applets/sandbox.sh
ctl=$BIN/mcoctl ex=examples/bootstrap controller=''
v1=/apis/machineconfiguration.openshift.io/v1 config=/apis/config.openshift.io/v1
trap 'kill $controller $sandbox_pid 2>/dev/null; wait; rm -rf "$TMP"' EXIT
unset KUBECONFIG
export HOME=$TMP

# ---- a cluster whose controller has rendered its pools
create() {	# path, JSON
	local got
	got=$(curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' -H 'Content-Type: application/json' -d "$2" "$api$1")
	[ "$got" = 201 ] || { bad "create in $1: $got"; cat "$TMP/put"; }
}
sandbox_start
sed '/^status:/,$d' $ex/01-featuregate.yaml > "$TMP/gate.yaml"
sandbox_load "$TMP/gate.yaml"
is 'the gates are set' 200 "$(sandbox_patch $config/featuregates/cluster/status \
	"{$("$ctl" fmt -o json-compact $ex/01-featuregate.yaml | grep -oE '"status":.*')")"
sed '/^spec:/a\  pullSecret: {name: pull-secret, namespace: openshift-config}' $ex/00-controllerconfig.yaml > "$TMP/cc.yaml"
create /api/v1/namespaces/openshift-config/secrets "$("$ctl" fmt -o json-compact $ex/pull-secret.yaml)"
sandbox_load "$TMP/cc.yaml" $ex/10-pools.yaml $ex/20-kubelet.yaml $ex/21-mirrors.yaml
for n in master-0:master worker-0:worker worker-1:worker worker-2:worker; do
	create /api/v1/nodes '{"metadata":{"name":"'"${n%:*}"'","labels":{"node-role.kubernetes.io/'"${n#*:}"'":""}},"status":{"images":[{"names":["a"]}]}}'
done
create /apis/operator.openshift.io/v1/machineconfigurations '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{"managementState":"Managed","nodeDisruptionPolicy":{"files":[{"path":"/etc/motd","actions":[{"type":"None"}]}]}}}'
create $config/clusterversions '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"spec":{"clusterID":"1"}}'
is 'the release is set' 200 "$(sandbox_patch $config/clusterversions/version/status '{"status":{"desired":{"version":"4.22.0","image":"registry.example.net/release@sha256:3333333333333333333333333333333333333333333333333333333333333333"}}}')"
create $config/images '{"apiVersion":"config.openshift.io/v1","kind":"Image","metadata":{"name":"cluster"},"spec":{}}'
create $config/apiservers '{"apiVersion":"config.openshift.io/v1","kind":"APIServer","metadata":{"name":"cluster"},"spec":{}}'
"$BIN/mco-controller" start --kubeconfig "$TMP/kubeconfig" --templates=builtin --payload-version 4.22.0 \
	--metrics-listen-address 127.0.0.1:0 2>"$TMP/log" &
controller=$!
export KUBECONFIG=$TMP/kubeconfig
pools() { curl -sS -m 60 "$api$v1/machineconfigpools" | tr -d ' \n' | grep -oE '"name":"rendered-[^"]*","source"' | sed 's/.*:"//; s/".*//' | sort -u; }
rendered() { [ "$("$ctl" render -o name 2>/dev/null | sed 's,.*/,,' | sort)" = "$(pools)" ]; }
for ((i = 0; i < 300; i++)); do rendered && break; sleep 0.1; done
rendered && ok || bad "pools are rendered: $(pools): $(tail -n 3 "$TMP/log")"
kill $controller && wait $controller
controller=''

# ---- the dump
expect 'dump' 0 '' '' "$ctl" dump --output-file "$TMP/dump.yaml"
is 'for its owner alone' 600 "$(stat -c %a "$TMP/dump.yaml")"
"$ctl" dump > "$TMP/stdout.yaml"
expect 'the same to standard output' 0 '' '' cmp "$TMP/dump.yaml" "$TMP/stdout.yaml"
"$ctl" dump -o json > "$TMP/dump.json"
expect 'the same in JSON' 0 '' '' cmp "$TMP/dump.yaml" <("$ctl" fmt "$TMP/dump.json")
expect 'one List' 0 'apiVersion: v1
kind: List
' '' sed -n '/^[a-z]/{/^items/!p}' "$TMP/dump.yaml"
expect 'every kind' 0 '      1 APIServer
      1 ClusterVersion
      1 ControllerConfig
      1 FeatureGate
      1 Image
      1 ImageDigestMirrorSet
      1 KubeletConfig
     15 MachineConfig
      3 MachineConfigPool
      1 MachineConfiguration
      4 Node
' '' bash -c 'sed -n "s/^  kind: //p" "$0" | sort | uniq -c' "$TMP/dump.yaml"
expect 'no Secrets, no managedFields, no images of nodes' 1 '' '' grep -E '^  kind: Secret|managedFields:|^    - names:' "$TMP/dump.yaml"
"$ctl" dump --output-file "$TMP/none/dump.yaml" 2> "$TMP/.err"
is 'a file that is no place for it' 1 $?
is 'not to a terminal' 'Error: a dump contains the secrets of MachineConfigs and is not written to a terminal: redirect it, or give --output-file FILE' \
	"$(script -qec "'$ctl' dump" /dev/null < /dev/null | tr -d '\r')"

# ---- every preview of it equals the cluster's
same() {	# name, status, manifest, flags of diff...: compares the cluster with the dump in YAML and in JSON
	local name=$1 status=$2 f=$3 how
	shift 3
	"$ctl" diff -f "$f" "$@" > "$TMP/live" 2> "$TMP/live.err"
	is "$name: status" "$status" $?
	[ -s "$TMP/live" ] && ok || bad "$name: nothing is said: $(cat "$TMP/live.err")"
	for how in yaml json; do
		"$ctl" diff -f "$f" --base "$TMP/dump.$how" "$@" > "$TMP/off" 2> "$TMP/off.err"
		is "$name: status, $how" "$status" $?
		expect "$name: $how" 0 '' '' diff "$TMP/live" "$TMP/off"
		expect "$name: $how: warnings" 0 '' '' diff "$TMP/live.err" "$TMP/off.err"
	done
	"$ctl" diff -o json -f "$f" "$@" > "$TMP/live" 2>/dev/null
	"$ctl" diff -o json -f "$f" --base "$TMP/dump.yaml" "$@" > "$TMP/off" 2>/dev/null
	expect "$name: for programs" 0 '' '' diff "$TMP/live" "$TMP/off"
}
mc() {	# name, role, spec
	printf 'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: %s, labels: {machineconfiguration.openshift.io/role: %s}}\nspec: {%s}\n' "$1" "$2" "$3" > "$TMP/$1.yaml"
}
mc 60-motd worker 'config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/motd, contents: {source: "data:,hi"}}]}}'
mc 60-other master 'config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/other, contents: {source: "data:,hi"}}]}}, kernelArguments: [quiet]'
mc 60-dir worker 'config: {ignition: {version: 3.5.0}, storage: {directories: [{path: /srv/d}]}}'
mc 60-ext worker 'extensions: [vim]'
mc 60-big worker "config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/big, contents: {source: 'data:,$(head -c 1500000 /dev/zero | tr '\0' x)'}}]}}"
same 'a file with a policy' 1 "$TMP/60-motd.yaml"
same 'a file and an argument' 1 "$TMP/60-other.yaml"
same 'a directory' 1 "$TMP/60-dir.yaml"
expect 'refused where it is rendered' 0 'pool infra: cannot be rendered
pool worker: cannot be rendered
' '' sed -nE 's/^(pool [a-z]+: cannot be rendered).*/\1/p' <("$ctl" diff -f "$TMP/60-dir.yaml")
same 'an extension' 1 "$TMP/60-ext.yaml"
same 'too large' 1 "$TMP/60-big.yaml"
same 'mirrors' 1 examples/new-mirrors.yaml
sed 's/maxPods: 500/maxPods: 250/' $ex/20-kubelet.yaml > "$TMP/kubelet.yaml"
same 'a kubelet' 1 "$TMP/kubelet.yaml"
same 'what users own is gone' 1 "$TMP/60-motd.yaml" --prune
is 'what it was made from is known' '' "$(cat "$TMP/live.err")"
printf 'apiVersion: config.openshift.io/v1\nkind: Image\nmetadata: {name: cluster}\nspec: {registrySources: {insecureRegistries: [a.example]}}\n' > "$TMP/image.yaml"
same 'the Image config' 1 "$TMP/image.yaml"
printf 'apiVersion: config.openshift.io/v1\nkind: Node\nmetadata: {name: cluster}\nspec: {cgroupMode: v2}\n' > "$TMP/nodeconfig.yaml"
same 'the Node config' 1 "$TMP/nodeconfig.yaml"
printf 'apiVersion: operator.openshift.io/v1\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {managementState: Managed}\n' > "$TMP/settings.yaml"
cat "$TMP/60-motd.yaml" <(echo ---) "$TMP/settings.yaml" > "$TMP/both.yaml"
same 'with other policies' 1 "$TMP/both.yaml"
sed -n '/name: worker$/,/^---/p' $ex/10-pools.yaml | sed '1i apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata:' | sed '/^---/d; s/^spec:/spec:\n  paused: true\n  maxUnavailable: 50%/' > "$TMP/pool.yaml"
cat "$TMP/pool.yaml" <(echo ---) "$TMP/60-motd.yaml" > "$TMP/paused.yaml"
same 'a pool that is paused' 1 "$TMP/paused.yaml"
expect 'and says so' 0 'pool worker: paused: rendered, but no node updates until it is unpaused; then each node: no drain, no reboot (3 nodes, 1 at a time)
' '' grep '^pool worker: paused' <("$ctl" diff -f "$TMP/paused.yaml" --base "$TMP/dump.yaml")

# ---- the dump that examples/docs/preview.md makes with oc gives the same
if command -v kubectl > /dev/null; then
	what=$(sed -n 's/^oc get -A -o yaml \([a-z.,]*\) >.*/\1/p' examples/docs/preview.md)
	kubectl get -A -o yaml "$what" > "$TMP/dump.yaml.oc"
	cp "$TMP/dump.yaml" "$TMP/ours.yaml"
	cp "$TMP/dump.yaml.oc" "$TMP/dump.yaml"
	same 'the dump of kubectl' 1 "$TMP/60-motd.yaml"
	same 'the dump of kubectl: mirrors' 1 examples/new-mirrors.yaml
	cp "$TMP/ours.yaml" "$TMP/dump.yaml"
fi

# ---- without MachineConfiguration the preview has a reboot and the reason
expect 'with it' 0 'pool worker: each node: no drain, no reboot (3 nodes, 1 at a time)
' '' grep '^pool worker: each\|^assumed' <("$ctl" diff -f "$TMP/60-motd.yaml" --base "$TMP/dump.yaml")
"$ctl" fmt -o json-compact "$TMP/dump.json" | sed 's/"kind":"MachineConfiguration"/"kind":"Unknown"/' > "$TMP/less.json"
expect 'without it' 0 'pool worker: each node: drain and reboot (3 nodes, 1 at a time)
assumed: no MachineConfiguration: node disruption policies are the defaults
' '' grep '^pool worker: each\|^assumed' <("$ctl" diff -f "$TMP/60-motd.yaml" --base "$TMP/less.json")

# ---- a must-gather has the same objects in other places
g=$TMP/gather/img/cluster-scoped-resources
mkdir -p "$g/machineconfiguration.openshift.io/all" "$g/config.openshift.io" "$g/operator.openshift.io" "$g/core/nodes"
split() {	# where, kinds...: writes all of them into one file
	local to=$1
	shift
	awk -v kinds=" $* " '/^- apiVersion/ { n++ } /^kind: List/ { exit } n { item[n] = item[n] substr($0, 3) "\n"; if ($0 ~ /^  kind/) k[n] = $2 }
		END { for (i = 1; i <= n; i++) if (index(kinds, " " k[i] " ")) printf "---\n%s", item[i] }' "$TMP/dump.yaml" > "$to"
}
split "$g/machineconfiguration.openshift.io/all/all.yaml" MachineConfig MachineConfigPool ControllerConfig KubeletConfig
split "$g/config.openshift.io/all.yaml" APIServer ClusterVersion FeatureGate Image ImageDigestMirrorSet
split "$g/operator.openshift.io/all.yaml" MachineConfiguration
split "$g/core/nodes/all.yaml" Node
"$ctl" diff -f "$TMP/60-motd.yaml" > "$TMP/live"
expect 'a must-gather' 0 '' '' diff "$TMP/live" <("$ctl" diff -f "$TMP/60-motd.yaml" --base "$TMP/gather")
finish
