# mcoctl: TYPE/NAME and TYPE NAME as in kubectl, in manifests and in a cluster.
. test/applets/lib.sh
. test/applets/sandbox.sh
ctl=$BIN/mcoctl base=examples/cluster
unset KUBECONFIG
export HOME=$TMP
group=machineconfiguration.openshift.io

"$ctl" render -f $base -p worker | sed '/^  ownerReferences:/,/ uid:/d' > "$TMP/now.yaml"
now=$(sed -n 's/^  name: \(rendered.*\)/\1/p' "$TMP/now.yaml")
sed 's/ntp.example.net/old.example.net/; s/- nosmt/- quiet/; s/^  name: rendered.*/  name: rendered-worker-old/' \
	"$TMP/now.yaml" > "$TMP/old.yaml"
node() {	# NAME CONFIG
	cat <<Y
---
apiVersion: v1
kind: Node
metadata:
  name: $1
  annotations: {note: ""$2}
Y
}
mkdir "$TMP/dump"
cp $base/*.yaml "$TMP/now.yaml" "$TMP/old.yaml" "$TMP/dump"
{
	node worker-0 ", $group/currentConfig: rendered-worker-old, $group/desiredConfig: $now"
	node worker-1 ", $group/currentConfig: $now"
	node worker-2 ", $group/currentConfig: rendered-worker-gone"
	node worker-3 ''
} > "$TMP/dump/nodes.yaml"
printf 'apiVersion: operator.openshift.io/v1\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {}\n' > "$TMP/dump/operator.yaml"
chrony=$'pool ntp.example.net iburst\n' old=$'pool old.example.net iburst\n'

names() {	# WHERE ARGS...: tries every way to name a config
	local where=$1 word
	shift
	for word in mcp/worker machineconfigpool/worker machineconfigpools/worker \
		machineconfigpool.$group/worker MachineConfigPool/worker "mc/$now" \
		machineconfig/50-worker-chrony machineconfigs.v1.$group/50-worker-chrony \
		node/worker-1 nodes/worker-1 no/worker-1 worker; do
		expect "cat of $word $where" 0 "$chrony" '' "$ctl" cat "$@" "$word:/etc/chrony.conf"
	done
	for word in mcp machineconfigpools "MachineConfigPool.$group"; do
		expect "cat of $word worker $where" 0 "$chrony" '' "$ctl" cat "$@" "$word" worker:/etc/chrony.conf
	done
	expect "its current config $where" 0 "$old" '' "$ctl" cat "$@" node/worker-0:/etc/chrony.conf
	expect "three words $where" 0 "$old" '' "$ctl" cat "$@" node worker-0 /etc/chrony.conf
	expect "files of a node $where" 0 '1
' '' grep -c '^/etc/chrony.conf ' <("$ctl" files "$@" node worker-0)
	expect "render of a pool $where" 0 "machineconfig.$group/$now
" '' "$ctl" render "$@" -o name mcp/worker
	expect "render by two words $where" 0 "machineconfig.$group/$now
" '' "$ctl" render "$@" -o name mcp worker
	expect "hash $where" 0 "pool worker: $now
$now: ok
" '' "$ctl" hash "$@" mcp/worker node/worker-1
	expect "no node $where" 1 '' "Error: node worker-2: no MachineConfig \"rendered-worker-gone\" ${where}, which is its current config
" "$ctl" cat "$@" node/worker-2:/etc/x
	expect "no annotation $where" 1 '' "Error: node worker-3 has no current config: the annotation $group/currentConfig is not set
" "$ctl" files "$@" node/worker-3
	expect "no such node $where" 1 '' "Error: no Node \"worker-9\" $where (did you mean worker-0?)
" "$ctl" files "$@" node/worker-9
	expect "no pool $where" 1 '' "Error: no MachineConfigPool \"workers\" $where (did you mean worker?): the pools are $(
		[ "$where" = 'in the cluster' ] && echo infra, worker || echo worker, infra)
" "$ctl" files "$@" mcp/workers
	expect "no config $where" 1 '' "Error: no MachineConfig \"worker\" $where
" "$ctl" files "$@" mc/worker
}
names 'among the manifests' -f "$TMP/dump"

diff="$("$ctl" diff -o json "$TMP/old.yaml" "$TMP/now.yaml")
"
expect 'diff of a node and its pool in a dump' 1 "$diff" '' "$ctl" diff -o json --base "$TMP/dump" node/worker-0 mcp/worker
expect 'and of a file' 1 "$diff" '' "$ctl" diff -o json --base "$TMP/dump" "$TMP/old.yaml" mcp/worker
expect 'no such name in the dump' 2 '' 'Error: no MachineConfig "nosuch" among the manifests
' "$ctl" diff --base "$TMP/dump" node/worker-0 mc/nosuch

# ---- errors
use='use mcp/NAME, mc/NAME or node/NAME'
for verb in 'cat nodee/worker-0:/etc/x' 'files nodee/worker-0' 'blame nodee/worker-0:/etc/x' 'render nodee/worker-0'; do
	# shellcheck disable=SC2086
	expect "a slip: $verb" 1 '' "Error: nodee/worker-0 is not a file here: no resource type \"nodee\" has configs (did you mean node?): $use
" "$ctl" $verb
done
for verb in 'hash nodee/worker-0' 'diff nodee/worker-0 mcp/worker' 'diff mcp/worker nodee/worker-0'; do
	# shellcheck disable=SC2086
	expect "a slip: $verb" 2 '' "Error: nodee/worker-0 is not a file here: no resource type \"nodee\" has configs (did you mean node?): $use
" "$ctl" $verb
done
expect 'another type' 1 '' "Error: secret/x is not a file here: no resource type \"secret\" has configs: $use
" "$ctl" files secret/x
expect 'no name' 1 '' "Error: mcp/ is not a file here: \"mcp/\" has no name: $use
" "$ctl" files -f "$TMP/dump" mcp/
expect 'a file that is missing' 1 '' "Error: open ./none/x.yaml: No such file or directory
" "$ctl" files ./none/x.yaml
expect 'a node is not rendered' 1 '' 'Error: node/worker-0 is not rendered: give pools, such as mcp/worker
' "$ctl" render -f "$TMP/dump" node/worker-0
expect 'a config without a hash' 2 '' 'Error: MachineConfig 50-worker-chrony is not a rendered config: its name has no hash
' "$ctl" hash -f "$TMP/dump" mc/50-worker-chrony
mkdir "$TMP/mc"
cp "$TMP/old.yaml" "$TMP/mc/x"
expect 'a file that is there is a file' 0 "$old" '' bash -c 'cd "$1" && "$2" cat mc/x /etc/chrony.conf' - "$TMP" "$PWD/$ctl"

# ---- a cluster
sandbox_start
sandbox_load $base/*.yaml "$TMP/now.yaml" "$TMP/old.yaml"
for name in worker-0 worker-1 worker-2 worker-3; do
	got=$(sed -n "/^  name: $name/{N;p}" "$TMP/dump/nodes.yaml" |
		cat <(printf 'apiVersion: v1\nkind: Node\nmetadata:\n') - |
		curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' --data-binary @- \
		-H 'Content-Type: application/yaml' "$api/api/v1/nodes")
	is "create $name" 201 "$got"
done
export KUBECONFIG=$TMP/kubeconfig
names 'in the cluster'
"$ctl" diff -o json rendered-worker-old mcp/worker > "$TMP/want"
expect 'diff of a node and its pool' 1 "$(cat "$TMP/want")
" '' "$ctl" diff -o json node/worker-0 mcp/worker
expect 'and of the same' 0 '' '' "$ctl" diff node/worker-1 mcp/worker
finish
