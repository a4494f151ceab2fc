# mcoctl diff: the effect of a change on each pool of a cluster.
. test/applets/lib.sh
ctl=$BIN/mcoctl

# ---- a cluster: master and worker select one config each, infra also selects the workers'
mc() {	# name, role, the rest of spec as flow YAML
	printf -- '---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: %s, labels: {machineconfiguration.openshift.io/role: %s}}\nspec: {%s}\n' "$1" "$2" "$3"
}
file() {	# path, contents: a config with one file
	echo "config: {ignition: {version: 3.5.0}, storage: {files: [{path: $1, mode: 420, contents: {source: 'data:,$2'}}]}}"
}
pool() {	# name, roles, additional members of spec
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
pools() {	# additional members of worker's spec
	pool master master ''
	pool worker worker "${1:-}"
	pool infra 'worker, infra' ''
}
{ mc 00-master master "$(file /etc/a a)"; mc 00-worker worker "$(file /etc/a a)"; } > "$TMP/mcs.yaml"
{ cat "$TMP/mcs.yaml"; pools; nodes; } > "$TMP/base.yaml"
{ cat "$TMP/mcs.yaml"; pools; } > "$TMP/nodeless.yaml"
mc 50-b worker "$(file /etc/b b)" > "$TMP/b.yaml"

assumed='assumed: no MachineConfiguration: node disruption policies are the defaults
assumed: no ControllerConfig: configs are rendered without OS images'
headlines() {	# arguments of diff...: the outcome of each pool, which follows the last contents
	"$ctl" diff "$@" > "$TMP/.all"
	local rc=$?
	awk '/^$/ { s = ""; next } !/^assumed: / { s = s $0 "\n" } END { printf "%s", s }' "$TMP/.all"
	return $rc
}
json() { "$ctl" diff -o json "$@" > "$TMP/.all"; local rc=$?; "$ctl" fmt -o json-compact - < "$TMP/.all"; return $rc; }
name() { "$ctl" render -f "$1" -p "$2" -o name | sed 's,.*/,,'; }
worker=$(name "$TMP/base.yaml" worker) infra=$(name "$TMP/base.yaml" infra)
cat "$TMP/base.yaml" "$TMP/b.yaml" > "$TMP/after.yaml"
worker_b=$(name "$TMP/after.yaml" worker) infra_b=$(name "$TMP/after.yaml" infra)

# ---- JSON output
expect 'every pool, for programs' 1 '{"assumptions":["no MachineConfiguration: node disruption policies are the defaults","no ControllerConfig: configs are rendered without OS images"],"differences":[{"actions":[{"cause":"file /etc/b","rule":"no disruption policy for this path","type":"Reboot"}],"changes":{"extensions":false,"files":["/etc/b"],"fips":false,"kernelArguments":false,"kernelType":false,"osImageURL":false,"units":[],"users":false},"drain":true,"drainReason":"the node reboots","from":"'"$worker"'","headline":"each node: drain and reboot (5 nodes, 1 at a time)","maxUnavailable":1,"nodes":5,"paused":false,"pool":"worker","reboot":true,"refused":null,"renderError":null,"to":"'"$worker_b"'","waits":null}],"pruned":[],"refusals":[],"warnings":[]}
' '' json -p worker -f "$TMP/b.yaml" --base "$TMP/base.yaml"

# ---- nodes: how many, and how many at a time
expect 'every node of each pool' 1 "pools worker, infra: the same change
  worker: $worker -> $worker_b
  infra: $infra -> $infra_b
file /etc/b (added)
  + mode: 0644
  --- /dev/null
  +++ b/etc/b
  @@ -0,0 +1,1 @@
  +b
  \\ No newline at end of file

pool worker: each node: drain and reboot (5 nodes, 1 at a time)
pool infra: each node: drain and reboot (1 node, 1 at a time)
  Reboot: file /etc/b: no disruption policy for this path
$assumed
" '' "$ctl" diff -f "$TMP/b.yaml" --base "$TMP/base.yaml"
with() {	# additional members of worker's spec: the base with them
	{ cat "$TMP/mcs.yaml"; pools "$1"; nodes; } > "$TMP/with.yaml"
}
one() { headlines -p worker -f "$TMP/b.yaml" --base "$TMP/with.yaml"; }
why='  Reboot: file /etc/b: no disruption policy for this path'
with $'  maxUnavailable: 40%\n'
expect 'a share of them' 1 "pool worker: each node: drain and reboot (5 nodes, 2 at a time)
$why
" '' one
with $'  maxUnavailable: 9\n'
expect 'no more than there are' 1 "pool worker: each node: drain and reboot (5 nodes, 5 at a time)
$why
" '' one
with $'  maxUnavailable: 40\n  paused: true\n'
expect 'a paused pool' 1 "pool worker: paused: rendered, but no node updates until it is unpaused; then each node: drain and reboot (5 nodes, 5 at a time)
$why
" '' one
expect 'paused, for programs' 0 '"maxUnavailable":40
"nodes":5
"paused":true
' '' grep -oE '"(paused|nodes|maxUnavailable)":[^,]*' <(json -p worker -f "$TMP/b.yaml" --base "$TMP/with.yaml")
with $'  maxUnavailable: some\n'
expect 'a bad maxUnavailable' 1 "pool worker: no node updates: \"maxUnavailable\" invalid value for IntOrString: invalid type: string is not a percentage; otherwise each node: drain and reboot
$why
" '' one
with $'  maxUnavailable: -1\n'
expect 'a negative one' 1 "pool worker: no node updates: maxUnavailable is -1; otherwise each node: drain and reboot
$why
" '' one
{ cat "$TMP/mcs.yaml"; pools; node w worker; } > "$TMP/with.yaml"
expect 'a pool without nodes' 1 'pool infra: no nodes: rendered, but nothing updates
' '' headlines -p infra -f "$TMP/b.yaml" --base "$TMP/with.yaml"
expect 'nodes that are not known' 1 "pool infra: each node: drain and reboot (number of nodes unknown, 1 at a time)
$why
" '' headlines -p infra -f "$TMP/b.yaml" --base "$TMP/nodeless.yaml"
expect 'not known, for programs' 0 '"maxUnavailable":1
"nodes":null
' '' grep -oE '"(nodes|maxUnavailable)":[^,]*' <(json -p infra -f "$TMP/b.yaml" --base "$TMP/nodeless.yaml")

# ---- a render error is the headline, and the other pools are still shown
cannot='cannot be rendered: Failed to render configuration for pool'
{ mc 50-b infra 'extensions: [vim], config: {ignition: {version: 3.5.0}}'; mc 50-c master "$(file /etc/c c)"; } > "$TMP/bad.yaml"
expect 'one bad pool among others' 1 "pool master: each node: drain and reboot (3 nodes, 1 at a time)
  Reboot: file /etc/c: no disruption policy for this path
pool infra: $cannot infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: the pool becomes RenderDegraded and its nodes keep $infra
  MachineConfig 50-b ($TMP/bad.yaml)
" '' headlines -f "$TMP/bad.yaml" --base "$TMP/base.yaml"
expect 'the same for programs' 1 '{"assumptions":["no MachineConfiguration: node disruption policies are the defaults","no ControllerConfig: configs are rendered without OS images"],"differences":[{"actions":[],"culprit":"MachineConfig 50-b ('"$TMP"'/bad.yaml)","drain":false,"from":"'"$infra"'","headline":"'"$cannot"' infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: the pool becomes RenderDegraded and its nodes keep '"$infra"'","maxUnavailable":1,"nodes":1,"paused":false,"pool":"infra","reboot":false,"refused":null,"renderError":"Failed to render configuration for pool infra: could not generate rendered MachineConfig: invalid extensions found: [vim]","to":"","waits":null}],"pruned":[],"refusals":[],"warnings":[]}
' '' json -p infra -f "$TMP/bad.yaml" --base "$TMP/base.yaml"
expect 'another program is not asked' 1 '' "warning: pool infra: $cannot infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: the pool becomes RenderDegraded and its nodes keep $infra
" env KUBECTL_EXTERNAL_DIFF=/nonexistent "$ctl" diff -p infra -f "$TMP/bad.yaml" --base "$TMP/base.yaml"
big() { file "$1" "$(head -c 900000 /dev/zero | tr '\0' x)"; }
{ mc 60-x infra "$(big /etc/x)"; mc 60-y infra "$(big /etc/y)"; } > "$TMP/big.yaml"
{ cat "$TMP/base.yaml" "$TMP/bad.yaml"; } > "$TMP/broken.yaml"
# ---- the headline comes before the contents, and a long file is cut
size="size validation failed: rendered MachineConfig NAME is too large (SIZE bytes, max 1572864 bytes). This will exceed etcd's size limit. Consider reducing the number or size of MachineConfigs, particularly large registry mirror configurations (ImageDigestMirrorSet/ImageContentSourcePolicy): the pool becomes RenderDegraded and its nodes keep $infra"
more="KUBECTL_EXTERNAL_DIFF='diff -uN' shows"
tell() { "$ctl" diff "$@" | sed -E 's/rendered-infra-[0-9a-f]+ (\(not|is)/NAME \1/; s/[0-9]+ bytes, max/SIZE bytes, max/'; return "${PIPESTATUS[0]}"; }
expect 'too large: the cause comes first' 1 "pool infra: $infra -> NAME (not rendered)
pool infra: $cannot infra: $size
file /etc/x (added)
  + mode: 0644
  --- /dev/null
  +++ b/etc/x
  @@ -0,0 +1,1 @@
  ... 1 more line, 900000 bytes: $more it
file /etc/y (added)
  + mode: 0644
  --- /dev/null
  +++ b/etc/y
  @@ -0,0 +1,1 @@
  ... 1 more line, 900000 bytes: $more it

pool infra: $cannot infra: $size
$assumed
" '' tell -f "$TMP/big.yaml" --base "$TMP/base.yaml"
long() { file /etc/long "$(seq -s %0A "$1" "$2")%0A"; }
mc 60-l infra "$(long 1001 3000)" > "$TMP/all.yaml"
mc 60-l infra "$(long 1001 3004)" > "$TMP/over.yaml"
expect 'as many lines as are shown' 0 $'  @@ -0,0 +1,2000 @@\n  +3000\n' '' eval '"$ctl" diff -f "$TMP/all.yaml" --base "$TMP/base.yaml" | sed -n "/^  @@/p; /^$/!h; /^$/{x;p;q}"'
expect 'and more' 0 "  @@ -0,0 +1,2004 @@
  ... 4 more lines, 16 bytes: $more them
" '' eval '"$ctl" diff -f "$TMP/over.yaml" --base "$TMP/base.yaml" | sed -n "/^  @@/p; /^$/!h; /^$/{x;p;q}"'
lines() { mc 60-l infra "$(file /etc/long "$(seq 1000 4999 | sed "$1" | sed ':a; N; $!ba; s/\n/%0A/g')%0A")"; }
{ cat "$TMP/base.yaml"; lines ''; } > "$TMP/long.yaml"
lines '5~10s/$/x/' > "$TMP/tenth.yaml"
expect 'nor later hunks' 0 "250 hunks
  ... 1200 more lines, 4950 bytes: $more them
" '' eval '"$ctl" diff -f "$TMP/tenth.yaml" --base "$TMP/long.yaml" | awk "/^  @@/ { n++ } /^  \.\.\./ { print n \" hunks\"; print }"'
expect 'all of it with another program' 0 $'2004\n+3004\n' '' eval 'KUBECTL_EXTERNAL_DIFF="diff -uN" "$ctl" diff -f "$TMP/over.yaml" --base "$TMP/base.yaml" | grep -x "+[0-9]\{4\}" | sed -n "\${=;p}"'
mc 50-d master "$(file /etc/d d)" > "$TMP/d.yaml"
expect 'bad already' 1 "pool master: each node: drain and reboot (3 nodes, 1 at a time)
  Reboot: file /etc/d: no disruption policy for this path
pool infra: cannot be rendered, as before: Failed to render configuration for pool infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: the pool stays RenderDegraded and has no config
  MachineConfig 50-b ($TMP/broken.yaml)
" '' headlines -f "$TMP/d.yaml" --base "$TMP/broken.yaml"
expect 'bad already is no difference' 0 "pool infra: cannot be rendered, as before: Failed to render configuration for pool infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: the pool stays RenderDegraded and has no config
  MachineConfig 50-b ($TMP/broken.yaml)
$assumed
" '' "$ctl" diff -f "$TMP/mcs.yaml" --base "$TMP/broken.yaml"
expect 'bad already, for programs' 0 '"failedBefore":true
' '' grep -o '"failedBefore":true' <(json -f "$TMP/d.yaml" --base "$TMP/broken.yaml")
expect 'no prediction is possible' 2 '' "Error: pool infra: Failed to render configuration for pool infra: could not generate rendered MachineConfig: invalid extensions found: [vim]: MachineConfig 50-b ($TMP/broken.yaml)
" "$ctl" diff -p infra -f "$TMP/d.yaml" --base "$TMP/broken.yaml"
mc 50-b infra "$(file /etc/b b)" > "$TMP/mend.yaml"
expect 'mended' 1 "pool infra: rendered again, $(name <(cat "$TMP/base.yaml" "$TMP/mend.yaml") infra) (1 node, 1 at a time)
$assumed
" '' "$ctl" diff -p infra -f "$TMP/mend.yaml" --base "$TMP/broken.yaml"
expect 'another version is meant' 2 '' "warning: the manifests have version v4.22.0 (0): set MCO_RAW and MCO_HASH to these values, or unset both
Error: pool worker: Failed to render configuration for pool worker: could not generate rendered MachineConfig: Ignoring controller config generated from v4.22.0 (my version: v1)
" env MCO_RAW=v1 MCO_HASH=0 "$ctl" diff -p worker -f examples/new-time-source.yaml --base examples/cluster

# ---- a refusal by running nodes is the headline
mc 50-d infra 'config: {ignition: {version: 3.5.0}, storage: {directories: [{path: /srv/d}]}}' > "$TMP/dir.yaml"
expect 'refused by nodes' 1 'pool infra: refused by running nodes: ignition directories section contains changes: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
' '' headlines -f "$TMP/dir.yaml" --base "$TMP/base.yaml"
expect 'it comes first' 1 "pool infra: $infra -> $(name <(cat "$TMP/base.yaml" "$TMP/dir.yaml") infra)
pool infra: refused by running nodes: ignition directories section contains changes: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
directories /srv/d (added)

pool infra: refused by running nodes: ignition directories section contains changes: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
$assumed
" '' "$ctl" diff -f "$TMP/dir.yaml" --base "$TMP/base.yaml"
sed 's/role: infra/role: worker/' "$TMP/dir.yaml" > "$TMP/dirs.yaml"
expect 'by the nodes of two pools' 0 "pools worker, infra: the same change
  worker: $worker ->
  worker: refused by running nodes: ignition directories section contains changes: the first node becomes Degraded and the rollout stops (5 nodes, 1 at a time)
  infra: $infra ->
  infra: refused by running nodes: ignition directories section contains changes: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
directories /srv/d (added)
" '' eval '"$ctl" diff -f "$TMP/dirs.yaml" --base "$TMP/base.yaml" | sed "/^$/,\$d; s/-> .*/->/"'
expect 'of two configs' 1 'a -> 50-d
refused by running nodes: ignition directories section contains changes
directories /srv/d (added)

refused by running nodes: ignition directories section contains changes
' '' "$ctl" diff <(mc a infra 'config: {ignition: {version: 3.5.0}}') "$TMP/dir.yaml"
expect 'refused, for programs' 0 '"actions":[]
"drain":false
"reboot":false
"refused":"ignition directories section contains changes"
"renderError":null
' '' grep -oE '"(actions|drain|reboot|refused|renderError)":(null|[][a-z]+|"[^"]*")' <(json -f "$TMP/dir.yaml" --base "$TMP/base.yaml")
mc 50-e infra 'extensions: [vim]' > "$TMP/ext.yaml"
expect 'refused after the drain' 1 'pool infra: refused by running nodes after they were drained: invalid extensions found: [vim]: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
' '' headlines -f "$TMP/ext.yaml" --base "$TMP/base.yaml"
mc 50-h infra 'config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/h, contents: {source: "https://example.net/h"}}]}}' > "$TMP/https.yaml"
expect 'contents that are elsewhere' 1 'pool infra: refused by running nodes after they were drained: could not decode file "/etc/h": could not decode file content string: missing data prefix: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
' '' headlines -f "$TMP/https.yaml" --base "$TMP/base.yaml"
# with the pool's current config the controller refuses it first
"$ctl" render -f "$TMP/base.yaml" -p infra > "$TMP/now.yaml"
{ cat "$TMP/mcs.yaml"; pool infra 'worker, infra' "  configuration: {name: $infra}"$'\n'; nodes; echo ---; cat "$TMP/now.yaml"; } > "$TMP/current.yaml"
expect 'refused by the controller' 1 "pool infra: $cannot infra: could not generate rendered MachineConfig: reconciliation failed between current config \"$infra\" and base config \"50-d\": ignition directories section contains changes: the pool becomes RenderDegraded and its nodes keep $infra
" '' headlines -f "$TMP/dir.yaml" --base "$TMP/current.yaml"
expect 'both, for programs' 0 '"refused":"ignition directories section contains changes"
"renderError":"Failed to render configuration for pool infra: could not generate rendered MachineConfig: reconciliation failed between current config \"'"$infra"'\" and base config \"50-d\": ignition directories section contains changes"
' '' grep -oE '"(refused|renderError)":("[^"]*(\\"[^"]*)*")' <(json -f "$TMP/dir.yaml" --base "$TMP/current.yaml")

# ---- objects that controllers refuse, and pools that wait for them
kubelet() {	# name, pool, kubeletConfig
	printf -- '---\napiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: %s}\nspec: {machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/%s: ""}}, kubeletConfig: {%s}}\n' "$@"
}
ex=examples/bootstrap
roomy=$(name $ex worker)
{ kubelet roomy-workers worker 'clusterDomain: x'; mc 50-c master "$(file /etc/c c)"; } > "$TMP/spoilt.yaml"
says="KubeletConfig roomy-workers ($TMP/spoilt.yaml): KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x"
expect 'an object is refused' 1 "pool master: each node: drain and reboot (number of nodes unknown, 1 at a time)
  Reboot: file /etc/c: no disruption policy for this path
pool worker: not rendered until this is fixed: $says: its nodes keep $roomy
refused: $says
" '' headlines -f "$TMP/spoilt.yaml" --base $ex
expect 'refused, for programs' 0 '"refusals":[{"file":"'"$TMP/spoilt.yaml"'","message":"KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x","object":"KubeletConfig roomy-workers","pools":["worker"]}]
"to":"'"$roomy"'","waits":"'"$says"'"
' '' bash -c 'grep -oE "\"refusals\":\[[^]]*\]\}\]|\"to\":\"$1\",\"waits\":\"[^\"]*\"" <<<"$0" | sort' "$(json -f "$TMP/spoilt.yaml" --base $ex)" "$roomy"
for i in 0 1 2 3 4 5 6 7 8; do kubelet "pods-$i" infra "maxPods: $((100 + i))"; done > "$TMP/ten.yaml"
cp -r $ex "$TMP/eleven" && cp "$TMP/ten.yaml" "$TMP/eleven/"
kubelet pods-10 infra 'maxPods: 300' > "$TMP/eleventh.yaml"
expect 'the eleventh' 1 "pool infra: not rendered until this is fixed: KubeletConfig pods-10 ($TMP/eleventh.yaml): max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying: its nodes keep $(name "$TMP/eleven" infra)
refused: KubeletConfig pods-10 ($TMP/eleventh.yaml): max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying
" '' headlines -f "$TMP/eleventh.yaml" --base "$TMP/eleven"
expect 'reported with an external diff program' 1 '' "warning: refused: $says
warning: pool worker: not rendered until this is fixed: $says: its nodes keep $roomy
" env KUBECTL_EXTERNAL_DIFF=/nonexistent "$ctl" diff -p worker -f "$TMP/spoilt.yaml" --base $ex

# ---- the same change
{ mc 50-s master "$(file /etc/s 'password%3Dhunter1')"; mc 50-s2 worker "$(file /etc/s 'password%3Dhunter2')"; } > "$TMP/secrets.yaml"
expect 'what is only shown alike is not the same' 0 "pool master: $(name "$TMP/base.yaml" master)
pools worker, infra: the same change
" '' sed -n 's/ -> .*//; /^pools\|^pool master: rendered-/p' <("$ctl" diff -f "$TMP/secrets.yaml" --base "$TMP/base.yaml")

# ---- new and deleted pools take their nodes along
{ cat "$TMP/mcs.yaml"; pool master master ''; pool worker worker ''; nodes; } > "$TMP/two.yaml"
{ pool infra 'worker, infra' ''; mc 60-i infra "$(file /etc/i i)"; } > "$TMP/infra.yaml"
infra_i=$(name <(cat "$TMP/two.yaml" "$TMP/infra.yaml") infra)
expect 'a new pool takes nodes of another' 1 "pool infra: $worker -> $infra_i
file /etc/i (added)
  + mode: 0644
  --- /dev/null
  +++ b/etc/i
  @@ -0,0 +1,1 @@
  +i
  \\ No newline at end of file

pool infra: new, $infra_i: its nodes come from pool worker: each node: drain and reboot (1 node, 1 at a time)
  Reboot: file /etc/i: no disruption policy for this path
$assumed
" '' "$ctl" diff -f "$TMP/infra.yaml" --base "$TMP/two.yaml"
expect 'for programs' 0 '"from":"","nodesFrom":"worker","to":"'"$infra_i"'"
' '' bash -c 'grep -oE "\"(from|nodesFrom|to)\":\"[^\"]*\"" <<<"$0" | paste -sd,' "$(json -f "$TMP/infra.yaml" --base "$TMP/two.yaml")"
{ cat "$TMP/two.yaml" "$TMP/infra.yaml"; } > "$TMP/three.yaml"
expect 'a pool that is gone gives them back' 1 "pool infra: removed, was $infra_i: its nodes go to pool worker: each node: drain and reboot (1 node, 1 at a time)
  Reboot: file /etc/i: no disruption policy for this path
" '' headlines --prune -f "$TMP/mcs.yaml" --base "$TMP/three.yaml"
pool empty 'worker' '' > "$TMP/empty.yaml"
expect 'a new pool without nodes' 1 "pool empty: new, $(name <(cat "$TMP/two.yaml" "$TMP/empty.yaml") empty): no nodes: rendered, but nothing updates
" '' headlines -f "$TMP/empty.yaml" --base "$TMP/two.yaml"
expect 'an empty pool that goes' 1 "pool empty: removed, was $(name <(cat "$TMP/two.yaml" "$TMP/empty.yaml") empty): no nodes
" '' headlines --prune -f "$TMP/mcs.yaml" --base <(cat "$TMP/two.yaml" "$TMP/empty.yaml")

# ---- objects that --prune removes
note() { sed "s|metadata: {name: $1|metadata: {annotations: {$2}, name: $1|"; }
kept() {
	mc 97-tuned worker "$(file /etc/t t)" | note 97-tuned "tuned.openshift.io/generated-by-controller-version: '1'"
	mc 99-worker-ssh worker "$(file /etc/u u)"
	mc rendered-worker-old worker "$(file /etc/v v)"
	mc 95-owned worker "$(file /etc/w w)" | sed 's/metadata: {/metadata: {ownerReferences: [{kind: X, name: x, uid: u, apiVersion: v1}], /'
	mc 94-release worker "$(file /etc/x x)" | note 94-release "include.release.openshift.io/self-managed: 'true'"
}
{ cat "$TMP/base.yaml"; kept; mc 50-b worker "$(file /etc/b b)" | sed 's/labels: {/labels: {team: red, /'; mc 51-c worker "$(file /etc/c c)"; } > "$TMP/full.yaml"
prune() { "$ctl" diff --prune "$@" | sed -n '/^pruned/p; /^file/p; /^pool[^s].*was/p; /^Error/p'; return "${PIPESTATUS[0]}"; }
expect 'nothing is removed unasked' 0 '' '' "$ctl" diff -f "$TMP/mcs.yaml" --base "$TMP/full.yaml"
expect 'pruned' 1 'pruned: MachineConfig 50-b
pruned: MachineConfig 51-c
pruned: MachineConfigPool infra
file /etc/b (removed)
file /etc/c (removed)
pool infra: removed, was '"$(name "$TMP/full.yaml" infra)"': its nodes go to pool worker: each node: drain and reboot (1 node, 1 at a time)
' '' prune -f "$TMP/mcs.yaml" --base "$TMP/full.yaml"
expect 'within a selector' 1 'pruned: MachineConfig 50-b
file /etc/b (removed)
' '' prune -l team=red -f "$TMP/mcs.yaml" --base "$TMP/full.yaml"
expect 'which bounds what is applied, too' 0 '' '' "$ctl" diff -l 'team in (red, blue)' -f "$TMP/d.yaml" --base "$TMP/full.yaml"
expect 'for programs' 0 '"pruned":["MachineConfig 50-b"]
' '' grep -oE '"pruned":[^]]*]' <(json --prune -l team=red -f "$TMP/mcs.yaml" --base "$TMP/full.yaml")
expect 'what is given stays' 0 'pruned: MachineConfigPool infra
pool infra: removed, was '"$(name "$TMP/full.yaml" infra)"': its nodes go to pool worker: each node: no drain, no reboot (1 node, 1 at a time)
' '' grep -E '^prune|was' <("$ctl" diff --prune -f "$TMP/mcs.yaml" -f <(sed -n '/name: 50-b/,$p' "$TMP/full.yaml" | sed '1i ---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig') --base "$TMP/full.yaml")
expect 'a bad selector' 2 '' "Error: --selector: unable to parse requirement: found '', expected: identifier
" "$ctl" diff --prune -l '!' -f "$TMP/mcs.yaml" --base "$TMP/full.yaml"
expect 'not without -f' 2 '' $'Error: --prune and --selector are for -f\n' "$ctl" diff --prune "$TMP/a.yaml" "$TMP/b.yaml"
cat > "$TMP/kubelets.yaml" <<Y
---
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: pods, finalizers: [99-worker-generated-kubelet], annotations: {machineconfiguration.openshift.io/mc-name-suffix: ''}, generation: 1}
spec: {machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ''}}, kubeletConfig: {maxPods: 3}}
status: {observedGeneration: 1, conditions: [{type: Success, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}]}
Y
mc 99-worker-generated-kubelet worker "$(file /etc/kubernetes/kubelet.conf k)" | note 99-worker-generated-kubelet "machineconfiguration.openshift.io/generated-by-controller-version: ''" >> "$TMP/kubelets.yaml"
{ cat "$TMP/base.yaml" "$TMP/kubelets.yaml"; } > "$TMP/with.yaml"
expect 'with what was made of it' 1 'pruned: MachineConfigPool infra
pruned: KubeletConfig pods
file /etc/kubernetes/kubelet.conf (removed)
pool infra: removed, was '"$(name "$TMP/with.yaml" infra)"': its nodes go to pool worker: each node: drain and reboot (1 node, 1 at a time)
' '' prune -f "$TMP/mcs.yaml" --base "$TMP/with.yaml"

# ---- a pool keeps fields that the manifests lack
pool infra 'worker, infra' $'  maxUnavailable: 2\n' > "$TMP/pool.yaml"
expect 'its config: the controller refuses what it cannot reach' 1 "pool infra: $cannot infra: could not generate rendered MachineConfig: reconciliation failed between current config \"$infra\" and base config \"50-d\": ignition directories section contains changes: the pool becomes RenderDegraded and its nodes keep $infra
" '' headlines -f "$TMP/dir.yaml" -f "$TMP/pool.yaml" --base "$TMP/current.yaml"
printf 'apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\nspec: {featureSet: TechPreviewNoUpgrade}\n' > "$TMP/gates.yaml"
expect 'a feature set' 0 '' 'warning: FeatureGate cluster: its effect cannot be predicted: another operator writes the gates into its status, and the manifest has no status
' "$ctl" diff -f "$TMP/gates.yaml" --base "$TMP/base.yaml"

# ---- a layered pool
{ cat "$TMP/with.yaml"; printf -- '---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineOSConfig\nmetadata: {name: infra}\nspec: {machineConfigPool: {name: infra}}\n'; } > "$TMP/layered.yaml"
expect 'an image is built for each config' 1 'pool infra: MachineOSConfig infra builds an image first; then each node: drain and reboot (1 node, 1 at a time)
  Reboot: image of MachineOSConfig infra: a new OS image needs a reboot
' '' headlines -p infra -f "$TMP/b.yaml" --base "$TMP/layered.yaml"
expect 'layered, for programs' 0 '"drain":true
"layeredBy":"infra"
"reboot":true
' '' bash -c 'grep -oE "\"(layeredBy\":\"[a-z]*\"|(drain|reboot)\":[a-z]*)" <<<"$0"' "$(json -p infra -f "$TMP/b.yaml" --base "$TMP/layered.yaml")"

# ---- a pool with another OS stream
streams() {	# gates: a cluster with two streams
	cat "$TMP/base.yaml" - <<Y
---
apiVersion: machineconfiguration.openshift.io/v1
kind: ControllerConfig
metadata: {name: machine-config-controller, annotations: {machineconfiguration.openshift.io/generated-by-version: v1}}
spec: {baseOSContainerImage: os-default}
---
apiVersion: machineconfiguration.openshift.io/v1alpha1
kind: OSImageStream
metadata: {name: cluster, annotations: {machineconfiguration.openshift.io/release-image-version: '0'}}
status: {defaultStream: old, availableStreams: [{name: old, osImage: os-old, osExtensionsImage: ''}, {name: new, osImage: os-new, osExtensionsImage: ''}]}
---
apiVersion: config.openshift.io/v1
kind: FeatureGate
metadata: {name: cluster}
spec: {}
status: {featureGates: [{version: 4.22.0, $1: [{name: OSStreams}]}]}
Y
}
as_v1() { MCO_RAW=v1 MCO_HASH=0 "$ctl" "$@" 2>/dev/null; }	# the gates want kubelets, which this cluster has not
streams enabled > "$TMP/streams.yaml"
worker_old=$(as_v1 render -o name -p worker -f "$TMP/streams.yaml" | sed 's,.*/,,')
pool worker worker $'  osImageStream: {name: new}\n' > "$TMP/stream.yaml"
expect 'another stream is another image' 0 '  - osImageURL: os-old
  + osImageURL: os-new
' '' grep '^  [-+] osImageURL' <(as_v1 diff -p worker -f "$TMP/stream.yaml" --base "$TMP/streams.yaml")
expect 'custom pools follow the workers' 0 '"osImageURL": true
' '' grep -o '"osImageURL": true' <(as_v1 diff -o json -p infra -f "$TMP/stream.yaml" --base "$TMP/streams.yaml")
expect 'and render has it' 0 $'  osImageURL: os-old\n' '' grep 'osImageURL:' <(as_v1 render -p worker -f "$TMP/streams.yaml")
pool worker worker $'  osImageStream: {name: none}\n' > "$TMP/stream.yaml"
expect 'one that there is not' 0 "pool worker: $cannot worker: could not get OSImageStreamSet for pool worker: osimagestreams.machineconfiguration.openshift.io \"none\" not found: the pool becomes RenderDegraded and its nodes keep $worker_old
" '' grep '^pool' <(as_v1 diff -p worker -f "$TMP/stream.yaml" --base "$TMP/streams.yaml")
streams disabled > "$TMP/streams.yaml"
expect 'streams that are off' 0 $'  osImageURL: os-default\n' '' grep 'osImageURL:' <(as_v1 render -p worker -f "$TMP/streams.yaml")

# ---- assumptions
only() { "$ctl" diff "$@" | sed -n '/^assumed: /p'; }
expect 'nothing to go by' 0 'assumed: no MachineConfiguration: node disruption policies are the defaults
assumed: no Nodes: the number of nodes of a pool is unknown
assumed: no ControllerConfig: configs are rendered without OS images
' '' only -f "$TMP/b.yaml" --base "$TMP/nodeless.yaml"
{ cat "$TMP/current.yaml"; printf -- '---\napiVersion: operator.openshift.io/v1\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {nodeDisruptionPolicy: {files: [{path: /etc/b, actions: [{type: None}]}]}}\n'; } > "$TMP/with.yaml"
expect 'policies that are known' 1 'pool infra: each node: no drain, no reboot (1 node, 1 at a time)
  None: file /etc/b: policy for /etc/b
' '' headlines -f "$TMP/b.yaml" --base "$TMP/with.yaml"
expect 'the current config to go by' 0 "assumed: no ControllerConfig: OS images and release are taken from the pools' current configs
" '' only -f "$TMP/b.yaml" --base "$TMP/with.yaml"
# ---- nodes without their pool's config: they start from the config they have
at() {	# name, config, additional labels
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {node-role.kubernetes.io/worker: ""%s}, annotations: {machineconfiguration.openshift.io/currentConfig: %s}}\n' "$1" "${3:-}" "$2"
}
behind() {	# additional members of worker's spec: the pool has b, its nodes do not
	cat "$TMP/mcs.yaml" "$TMP/b.yaml"
	pool worker worker "  configuration: {name: $worker_b}
${1:-}"
	for p in base after; do
		echo ---
		"$ctl" render -f "$TMP/$p.yaml" -p worker
	done
	at worker-0 "$worker"
	at worker-1 "$worker"
}
behind > "$TMP/behind.yaml"
behind '  paused: true
' > "$TMP/stopped.yaml"
expect 'back to what the nodes have' 0 "pool worker: $worker -> $worker
pool worker: each node: no drain, no reboot (2 nodes, 1 at a time)
  None: nothing: no files, units or users differ
" '' eval '"$ctl" diff -f "$TMP/mcs.yaml" --prune --base "$TMP/behind.yaml" | sed "/^pruned\|^assumed\|^$/d"'
mc 50-c worker "$(file /etc/c c)" > "$TMP/c.yaml"
expect 'to another config: from what they have' 0 "file /etc/b (added)
file /etc/c (added)
" '' eval '"$ctl" diff -f "$TMP/c.yaml" --base "$TMP/behind.yaml" | grep ^file'
pool worker worker "  configuration: {name: $worker_b}
" > "$TMP/resumed.yaml"
expect 'a pool that is resumed' 1 "pool worker: each node: drain and reboot (2 nodes, 1 at a time)
  Reboot: file /etc/b: no disruption policy for this path
" '' headlines -f "$TMP/resumed.yaml" --base "$TMP/stopped.yaml"
expect 'and one that was not stopped' 0 '' '' headlines -f "$TMP/resumed.yaml" --base "$TMP/behind.yaml"
{ cat "$TMP/base.yaml"; at worker-0 x ', kubernetes.io/arch: amd64'; } > "$TMP/amd64.yaml"
mc 50-k worker 'kernelType: 64k-pages' > "$TMP/64k.yaml"
expect 'a kernel that is not for these machines' 1 "pool worker: refused by running nodes after they were drained: 64k-pages is only supported for aarch64 architecture: the first node becomes Degraded and the rollout stops (5 nodes, 1 at a time)
" '' headlines -p worker -f "$TMP/64k.yaml" --base "$TMP/amd64.yaml"

# ---- render errors: positions refer to the text that an API server stores
mc 50-bad worker 'config: {ignition: {version: 3.5.0}, storage: {files: [{path: relative}]}}' > "$TMP/bad.yaml"
"$ctl" fmt -o json "$TMP/bad.yaml" > "$TMP/bad.json"
place() { "$ctl" diff -p worker -f "$1" --base "$TMP/base.yaml" | grep -o 'line [0-9]* col [0-9]*' | sort -u; }
expect 'of YAML' 0 'line 1 col 61
' '' place "$TMP/bad.yaml"
expect 'of JSON with lines' 0 'line 1 col 61
' '' place "$TMP/bad.json"
# ---- several wrong types: the first by line, and where to find the others
mc 50-types worker 'kernelArguments: nosmt,
  fips: "yes",
  extensions: 3' > "$TMP/types.yaml"
expect 'several wrong types' 2 '' "Error: $TMP/types.yaml:5:25: MachineConfig 50-types: json: cannot unmarshal string into Go struct field MachineConfigSpec.spec.kernelArguments of type []string; and 2 more: mcoctl validate -f $TMP/types.yaml lists them
" "$ctl" diff -f "$TMP/types.yaml" --base "$TMP/base.yaml"
mc 50-types worker 'fips: "yes"' > "$TMP/types.yaml"
expect 'one wrong type' 2 '' "Error: $TMP/types.yaml:5:14: MachineConfig 50-types: json: cannot unmarshal string into Go struct field MachineConfigSpec.spec.fips of type bool
" "$ctl" diff -f "$TMP/types.yaml" --base "$TMP/base.yaml"
# ---- a status in a manifest: the API server ignores it
policies() {	# of spec, of status
	printf -- '---\napiVersion: operator.openshift.io/v1\nkind: MachineConfiguration\nmetadata: {name: cluster}\nspec: {nodeDisruptionPolicy: {files: [%s]}}\nstatus: {nodeDisruptionPolicyStatus: {clusterPolicies: {files: [%s]}}}\n' "$1" "$2"
}
none='{path: /etc/b, actions: [{type: None}]}' reload='{path: /etc/b, actions: [{type: Reload, reload: {serviceName: b.service}}]}'
{ cat "$TMP/base.yaml"; policies "$none" "$reload"; } > "$TMP/reloads.yaml"
{ policies "$none, {path: /etc/c, actions: [{type: None}]}" "$reload"; cat "$TMP/b.yaml"; } > "$TMP/edited.yaml"
expect 'of another spec' 1 'pool worker: each node: no drain, no reboot (5 nodes, 1 at a time)
  None: file /etc/b: policy for /etc/b
' '' headlines -p worker -f "$TMP/edited.yaml" --base "$TMP/reloads.yaml"
{ policies "$none" ''; cat "$TMP/b.yaml"; } > "$TMP/same.yaml"
expect 'and of the same' 1 'pool worker: each node: no drain, no reboot (5 nodes, 1 at a time)
  Reload b.service: file /etc/b: policy for /etc/b
' '' headlines -p worker -f "$TMP/same.yaml" --base "$TMP/reloads.yaml"
# ---- a pool that is deleted while nodes have its config: the config is deleted with it
{ cat "$TMP/mcs.yaml"; pool worker worker ''; pool infra 'worker, infra' "  configuration: {name: $infra}
"; node infra-0 worker infra; echo ---; "$ctl" render -f "$TMP/base.yaml" -p infra |
	sed "s/^  name: rendered-infra-.*/&\n  ownerReferences: [{apiVersion: machineconfiguration.openshift.io\/v1, kind: MachineConfigPool, name: infra, uid: u}]/"; } > "$TMP/owned.yaml"
expect 'its nodes miss it' 1 "pool infra: removed, was $infra: its nodes go to pool worker: refused by running nodes: machineconfig.machineconfiguration.openshift.io \"$infra\" not found: the first node becomes Degraded and the rollout stops (1 node, 1 at a time)
" '' headlines -f "$TMP/mcs.yaml" --prune --base "$TMP/owned.yaml"
finish
