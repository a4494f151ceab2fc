# mcoctl diff: what becomes of each pool of a cluster that is changed.
. test/applets/lib.sh
ctl=$BIN/mcoctl

# ---- a cluster: master and worker take one config each, infra takes workers', too
mc() {	# name, role, the rest of spec as flow YAML
	printf -- '---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: %s, labels: {machineconfiguration.openshift.io/role: %s}}\nspec: {%s}\n' "$1" "$2" "$3"
}
file() {	# path, contents: a config with one file
	echo "config: {ignition: {version: 3.5.0}, storage: {files: [{path: $1, mode: 420, contents: {source: 'data:,$2'}}]}}"
}
pool() {	# name, roles, more of spec
	printf -- '---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: %s}\nspec:\n  machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [%s]}]}\n  nodeSelector: {matchLabels: {node-role.kubernetes.io/%s: ""}}\n%s' "$1" "$2" "$1" "$3"
}
node() {	# name, roles...
	local name=$1 labels=''
	shift
	for role; do labels+="${labels:+, }node-role.kubernetes.io/$role: ''"; done
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {%s}}\n' "$name" "$labels"
}
nodes() {
	for i in 0 1 2; do node "master-$i" master; done
	for i in 0 1 2 3 4; do node "worker-$i" worker; done
	node infra-0 worker infra
}
pools() {	# more of worker's spec
	pool master master ''
	pool worker worker "${1:-}"
	pool infra 'worker, infra' ''
}
{ mc 00-master master "$(file /etc/a a)"; mc 00-worker worker "$(file /etc/a a)"; } > "$TMP/mcs.yaml"
{ cat "$TMP/mcs.yaml"; pools; nodes; } > "$TMP/base.yaml"
{ cat "$TMP/mcs.yaml"; pools; } > "$TMP/nodeless.yaml"
mc 50-b worker "$(file /etc/b b)" > "$TMP/b.yaml"

headlines() {	# arguments of diff...: what happens to each pool
	"$ctl" diff "$@" > "$TMP/.all"
	local rc=$?
	sed -n '/^pool [^ ]*: rendered-[^ ]* -> /d; /^pool /,$p' "$TMP/.all"
	return $rc
}
json() { "$ctl" diff -o json "$@" > "$TMP/.all"; local rc=$?; "$ctl" fmt -o json-compact - < "$TMP/.all"; return $rc; }
name() { "$ctl" render -f "$1" -p "$2" -o name | sed 's,.*/,,'; }
worker=$(name "$TMP/base.yaml" worker) infra=$(name "$TMP/base.yaml" infra)
cat "$TMP/base.yaml" "$TMP/b.yaml" > "$TMP/after.yaml"
worker_b=$(name "$TMP/after.yaml" worker) infra_b=$(name "$TMP/after.yaml" infra)

# ---- for programs
expect 'every pool, for programs' 1 '{"differences":[{"actions":[{"cause":"file /etc/b","rule":"no disruption policy for this path","type":"Reboot"}],"changes":{"extensions":false,"files":["/etc/b"],"fips":false,"kernelArguments":false,"kernelType":false,"osImageURL":false,"units":[],"users":false},"drain":true,"drainReason":"the node reboots","from":"'"$worker"'","headline":"each node: drain and reboot (5 nodes, 1 at a time)","maxUnavailable":1,"nodes":5,"paused":false,"pool":"worker","reboot":true,"refused":null,"renderError":null,"to":"'"$worker_b"'"}]}
' '' json -p worker -f "$TMP/b.yaml" --base "$TMP/base.yaml"
finish
