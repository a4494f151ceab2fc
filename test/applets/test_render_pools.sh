# mcoctl render and hash: names the pools that cannot be rendered, and renders the others.
. test/applets/lib.sh
ctl=$BIN/mcoctl base=examples/cluster
mc() {	# NAME ROLE SPEC
	cat <<Y
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: $1, labels: {machineconfiguration.openshift.io/role: $2}}
spec: $3
Y
}
pool() {	# NAME
	cat <<Y
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: $1}
spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: $1}}}
Y
}
{
	pool bad
	mc 50-bad bad '{kernelType: fast}'
	pool none
	pool large
	mc 50-devel large '{kernelType: realtime, extensions: [kernel-devel], config: {ignition: {version: 3.5.0}}}'
} > "$TMP/bad.yaml"
worker=$("$ctl" render -f $base -o name -p worker) infra=$("$ctl" render -f $base -o name -p infra)
bad="Error: pool bad: MachineConfig 50-bad ($TMP/bad.yaml): kernelType=fast is invalid
"
none="Error: pool none: couldn't find any MachineConfigs for pool: none
"
large="Error: pool large: installing kernel-devel extension is not supported with kernelType: realtime
"
expect 'the others are rendered' 1 "$worker
$infra
" "$bad$none$large" "$ctl" render -o name -f "$TMP/bad.yaml" -f $base
expect 'bytes of the others are whole' 1 "$("$ctl" render -f $base)
" "$bad$none$large" "$ctl" render -f "$TMP/bad.yaml" -f $base
expect 'as JSON' 1 "$("$ctl" render -o json -f $base)
" "$bad$none$large" "$ctl" render -o json -f "$TMP/bad.yaml" -f $base
expect 'none can be' 1 '' "$bad" "$ctl" render -f "$TMP/bad.yaml" bad
expect 'those asked for' 1 "$infra
" "$bad"'Error: no MachineConfigPool "nosuch" among the manifests: the pools are bad, none, large, worker, infra
' "$ctl" render -o name -f "$TMP/bad.yaml" -f $base bad infra nosuch
expect 'those that can be, alone' 0 "$worker
$infra
" '' "$ctl" render -o name -f "$TMP/bad.yaml" -f $base mcp/infra -p worker
expect 'hash' 2 "pool worker: ${worker##*/}
pool infra: ${infra##*/}
" "$bad$none$large" "$ctl" hash -f "$TMP/bad.yaml" -f $base

# ---- a refused object blocks the rendering of the pools that it selects
cat > "$TMP/kubelet.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: wrong}
spec:
  machineConfigPoolSelector:
    matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ""}
  kubeletConfig: {clusterDomain: mine.example}
Y
wrong="Error: pool worker: KubeletConfig wrong ($TMP/kubelet.yaml): KubeletConfiguration: clusterDomain is not allowed to be set, but contains: mine.example
"
others=$("$ctl" render -o name -f examples/bootstrap -p master -p infra 2> /dev/null)
expect 'a refused KubeletConfig' 1 "$others
" "$wrong" "$ctl" render -o name -f examples/bootstrap -f "$TMP/kubelet.yaml"
expect 'those it is not for' 0 "$others
" '' "$ctl" render -o name -f examples/bootstrap -f "$TMP/kubelet.yaml" master infra
expect 'hash of it' 2 "$(sed 's,.*/rendered-\([a-z]*\)-,pool \1: rendered-\1-,' <<< "$others")
" "$wrong" "$ctl" hash -f examples/bootstrap -f "$TMP/kubelet.yaml"
finish
