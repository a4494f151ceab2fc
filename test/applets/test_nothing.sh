# mcoctl: input without anything to check is an error, not a success.
. test/applets/lib.sh
mkdir -p "$TMP/empty" "$TMP/repo/a/b" "$TMP/repo/.git" "$TMP/other"
cp examples/cluster/*.yaml "$TMP/repo/a/b"
cp examples/cluster/*.yaml "$TMP/repo/.git"
n=$(ls examples/cluster/*.yaml | wc -l)
: > "$TMP/empty.yaml"
printf -- '---\n# only a comment\n---\n' > "$TMP/comment.yaml"
echo text > "$TMP/other/README.md"

none() {	# NAME STATUS TEXT ARGS...
	local name=$1 status=$2 text=$3
	shift 3
	expect "$name" "$status" '' "Error: $text
" "$BIN/mcoctl" "$@" < /dev/null
}
for path in empty empty.yaml comment.yaml other; do
	none "validate $path" 2 "no manifests found in $TMP/$path" validate -f "$TMP/$path"
	none "diff $path" 2 "no manifests found in $TMP/$path" diff -f "$TMP/$path" --base examples/cluster
	none "diff --base $path" 2 "no manifests found in $TMP/$path" diff -f examples/new-time-source.yaml --base "$TMP/$path"
	none "hash $path" 2 "no manifests found in $TMP/$path" hash -f "$TMP/$path"
	none "render $path" 1 "no manifests found in $TMP/$path" render -f "$TMP/$path"
done
none '/dev/null' 2 'no manifests found in /dev/null' validate -f /dev/null
none 'standard input' 2 'no manifests found in standard input' validate -f -
none 'hash of standard input' 2 'no manifests found in standard input' hash -f -
none 'one of two' 2 "no manifests found in $TMP/empty" validate -f examples/cluster -f "$TMP/empty"
none 'deeper' 2 "no manifests found in $TMP/repo itself, but $n in directories below it: use -R" validate -f "$TMP/repo"
expect 'deeper, with -R' 0 "$("$BIN/mcoctl" validate -f examples/cluster)
" '' "$BIN/mcoctl" validate -R -f "$TMP/repo"

none 'diff: no such pool' 2 'no MachineConfigPool "nosuch" among the manifests: the pools are worker, infra' \
	diff -f examples/new-time-source.yaml --base examples/cluster -p worker -p nosuch
none 'hash: nothing to check' 2 'neither a rendered config nor a pool among the manifests' \
	hash -f examples/new-time-source.yaml

# ---- a base without the objects that the controllers start from ----
left='skipped: no MachineConfig from templates has'
dump='give a dump with them (mcoctl dump)'
image="warning: registries: pool worker: $left /etc/containers/registries.conf: $dump
warning: registries: pool infra: $left /etc/containers/registries.conf: $dump
warning: Image cluster: skipped: the release image, which must not be blocked, is unknown: there is no ClusterVersion, and the ControllerConfig has no spec.releaseImage: $dump
"
cat > "$TMP/image.yaml" <<E
apiVersion: config.openshift.io/v1
kind: Image
metadata: {name: cluster}
spec: {registrySources: {blockedRegistries: [bad.example.net]}}
E
cat > "$TMP/kubelet.yaml" <<E
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: pods}
spec:
  machineConfigPoolSelector: {matchLabels: {size: large}}
  kubeletConfig: {maxPods: 300}
E
expect 'diff: no release image' 2 '' "$image" "$BIN/mcoctl" diff -f "$TMP/image.yaml" --base examples/cluster
strings() {	# MEMBER COMMAND...: the strings of that member in its JSON
	local member=$1
	shift
	"$@" 2> /dev/null | jq -r --arg m "$member" '.[$m][] | "warning: " + .'
	return "${PIPESTATUS[0]}"
}
expect 'diff: no release image, for programs' 2 "$image" '' strings warnings "$BIN/mcoctl" diff -o json -f "$TMP/image.yaml" --base examples/cluster
expect 'and on standard error' 2 '' "$image" eval '"$BIN/mcoctl" diff -o json -f "$TMP/image.yaml" --base examples/cluster > /dev/null'
expect 'validate: no release image, for programs' 0 "$image" '' strings notes "$BIN/mcoctl" validate -o json -f "$TMP/image.yaml" --base examples/cluster
{ cat "$TMP/image.yaml"; echo ---; sed '/etc\/relative/,$d' examples/careless.yaml; } > "$TMP/findings.yaml"
expect 'validate: beside findings, for programs' 0 "$image" '' strings notes "$BIN/mcoctl" validate -o json -f "$TMP/findings.yaml" --base examples/cluster
expect 'validate: findings say enough' 0 '' '' eval '"$BIN/mcoctl" validate -o json -f "$TMP/findings.yaml" --base examples/cluster > /dev/null'
expect 'validate: no release image' 0 '1 object, 0 MachineConfigs: valid
' "$image" "$BIN/mcoctl" validate -f "$TMP/image.yaml" --base examples/cluster
cp -r examples/cluster "$TMP/labelled"
sed -i 's/^  name: worker$/&\n  labels: {size: large}/' "$TMP/labelled/pools.yaml"
expect 'diff: no kubelet.conf' 2 '' "warning: KubeletConfig pods: pool worker: $left /etc/kubernetes/kubelet.conf: $dump
" "$BIN/mcoctl" diff -f "$TMP/kubelet.yaml" --base "$TMP/labelled"

# ---- a config that no pool selects ----
sed 's/role: worker$/role: wrker/; s/50-worker-chrony/51-wrker/' examples/new-time-source.yaml > "$TMP/wrker.yaml"
expect 'diff: no pool selects it' 0 '' "warning: MachineConfig 51-wrker: no pool selects it: the pools are worker (machineconfiguration.openshift.io/role=worker), infra (machineconfiguration.openshift.io/role in (infra,worker))
" "$BIN/mcoctl" diff -f "$TMP/wrker.yaml" --base examples/cluster -p worker
expect 'diff: no pool selects it, for programs' 0 '{"assumptions":[],"differences":[],"pruned":[],"refusals":[],"warnings":["MachineConfig 51-wrker: no pool selects it: the pools are worker (machineconfiguration.openshift.io/role=worker), infra (machineconfiguration.openshift.io/role in (infra,worker))"]}
' '' bash -c '"$0" diff -o json "$@" 2> /dev/null | jq -Sc ".assumptions = []"' "$BIN/mcoctl" -f "$TMP/wrker.yaml" --base examples/cluster -p worker
finish
