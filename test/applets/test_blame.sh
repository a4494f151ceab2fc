# mcoctl blame, files and cat: every part of a config, rendered configs by name, the
# objects behind generated ones, and pools that cannot be rendered.
. test/applets/lib.sh
ctl=$BIN/mcoctl
group=machineconfiguration.openshift.io
mkdir "$TMP/c"
head_of() {	# KIND NAME
	printf -- '---\napiVersion: %s/v1\nkind: %s\nmetadata:\n  name: %s\n' $group "$1" "$2"
}
mc() {	# NAME; the rest on standard input
	head_of MachineConfig "$1"
	echo "  labels: {$group/role: worker}"
	cat
}
mc 40-base > "$TMP/c/a.yaml" <<'Y'
spec:
  config:
    ignition: {version: 3.5.0}
    passwd: {users: [{name: core, sshAuthorizedKeys: [ssh-rsa AAAAB3NzaC1yc2E= me]}]}
    storage: {files: [{path: /etc/motd, mode: 420, contents: {source: "data:,one%0A"}}]}
    systemd:
      units:
      - name: a.service
        enabled: true
        contents: "[Service]\nExecStart=/bin/true\n"
        dropins: [{name: 10-a.conf, contents: "[Unit]\n"}]
  kernelArguments: [quiet, luks.key=hunter2]
Y
mc 50-mine > "$TMP/c/b.yaml" <<'Y'
spec:
  config:
    ignition: {version: 3.5.0}
    passwd: {users: [{name: core, passwordHash: "$6$hunter2"}]}
    storage: {files: [{path: /etc/motd, contents: {source: "data:,two%0A"}}]}
    systemd: {units: [{name: a.service, dropins: [{name: 20-b.conf, contents: "[Unit]\n"}]}]}
  kernelArguments: [quiet]
  kernelType: realtime
  extensions: [usbguard]
  osImageURL: registry.example.net/os@sha256:1111111111111111111111111111111111111111111111111111111111111111
Y
{
	head_of MachineConfigPool worker
	echo "spec: {machineConfigSelector: {matchLabels: {$group/role: worker}}}"
} > "$TMP/c/pool.yaml"
cd "$TMP" || exit
ctl=$OLDPWD/$ctl
rendered=$("$ctl" render -o name -f c) rendered=${rendered##*/}
os=registry.example.net/os@sha256:1111111111111111111111111111111111111111111111111111111111111111
all="/etc/motd                                                        40-base   -   c/a.yaml   contents,mode
/etc/motd                                                        50-mine   -   c/b.yaml   contents
unit/a.service                                                   40-base   -   c/a.yaml   contents,enabled
dropin/a.service/10-a.conf                                       40-base   -   c/a.yaml   contents
dropin/a.service/20-b.conf                                       50-mine   -   c/b.yaml   contents
user/core                                                        50-mine   -   c/b.yaml   passwordHash
sshkey/core/SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5WBrg   40-base   -   c/a.yaml   ssh-rsa me
kernelArguments=quiet                                            40-base   -   c/a.yaml   quiet
kernelArguments=quiet                                            50-mine   -   c/b.yaml   quiet
kernelArguments=luks.key=***                                     40-base   -   c/a.yaml   luks.key=***
extensions=usbguard                                              50-mine   -   c/b.yaml   usbguard
kernelType=realtime                                              50-mine   -   c/b.yaml   realtime
osImageURL                                                       50-mine   -   c/b.yaml   $os
"
expect 'everything' 0 "$all" '' "$ctl" blame --no-headers -f c worker
expect 'with headings' 0 'PART                                                             MACHINECONFIG   MADE-FROM   MANIFEST   SETS
' '' sed 1q <("$ctl" blame -f c worker)
lines() { grep -E "$1" <<< "$all" | sed 's/   */ /g'; }
part() {	# PART PATTERN: the lines of one part
	expect "blame of $1" 0 "$(lines "$2")
" '' sed 's/   */ /g' <("$ctl" blame --no-headers -f c worker "$1")
}
part /etc/motd '^/etc/motd'
part unit/a.service '^(unit|dropin)/a.service'
part a.service '^(unit|dropin)/a.service'
part dropin/a.service/20-b.conf 20-b
part /etc/systemd/system/a.service.d/10-a.conf 10-a
part user/core '^(user|sshkey)'
part sshkey/core ^sshkey
part kernelArguments ^kernelArguments
part kernelArguments=quiet =quiet
part kernelType ^kernelType
part extensions ^extensions
part osImageURL ^osImageURL
part units ^unit
expect 'nothing of the kind' 1 '' "Error: no MachineConfig of $rendered sets fips
" "$ctl" blame -f c worker fips
expect 'a slip' 1 '' "Error: no MachineConfig of $rendered sets kernelArgument (did you mean kernelArguments?)
" "$ctl" blame -f c worker kernelArgument
expect 'a slip in a unit' 1 '' "Error: no MachineConfig of $rendered sets a.servic (did you mean a.service?)
" "$ctl" blame -f c worker a.servic
expect 'a slip in a path' 1 '' "Error: no MachineConfig of $rendered sets /etc/mtod (did you mean /etc/motd?)
" "$ctl" blame -f c worker:/etc/mtod
expect 'a slip for cat' 1 '' "Error: $rendered has no file or unit /etc/mtod (did you mean /etc/motd?)
" "$ctl" cat -f c worker:/etc/mtod
expect 'one MachineConfig' 0 "$(lines '40-base' | grep -c .)
" '' grep -c ' 40-base ' <("$ctl" blame -f c mc/40-base)

# ---- files
expect 'files' 0 'PART                                                             MODE   SIZE   FROM              OVERRIDES
/etc/motd                                                        0644   4      40-base,50-mine   -
unit/a.service                                                   -      30     40-base           -
dropin/a.service/10-a.conf                                       -      7      40-base           -
dropin/a.service/20-b.conf                                       -      7      50-mine           -
user/core                                                        -      -      50-mine           -
sshkey/core/SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5WBrg   -      -      40-base           -
kernelArguments=quiet                                            -      -      40-base,50-mine   -
kernelArguments=luks.key=***                                     -      -      40-base           -
extensions=usbguard                                              -      -      50-mine           -
kernelType=realtime                                              -      -      50-mine           -
osImageURL                                                       -      -      50-mine           -
' '' "$ctl" files -f c worker
expect 'files without headings' 0 '/etc/motd                                                        0644   4    40-base,50-mine   -
' '' sed 1q <("$ctl" files --no-headers -f c worker)
expect 'as JSON' 0 '{"config":"'"$rendered"'","parts":[{"kind":"file","part":"/etc/motd","mode":"0644","size":4,"setBy":[{"machineConfig":"40-base","sets":["contents","mode"],"overridden":false,"madeFrom":[],"manifest":"c/a.yaml"},{"machineConfig":"50-mine","sets":["contents"],"overridden":false,"madeFrom":[],"manifest":"c/b.yaml"}]}]}
' '' bash -c '"$0" blame -o json -f c worker:/etc/motd | tr -d " \n"; echo' "$ctl"
expect 'as YAML' 0 "config: $rendered
parts:
- kind: kernelType
  part: kernelType=realtime
  setBy:
  - machineConfig: 50-mine
    madeFrom: []
    manifest: c/b.yaml
    overridden: false
    sets:
    - realtime
  value: realtime
" '' "$ctl" blame -o yaml -f c worker kernelType
expect 'no secret in any of them' 1 '' '' grep hunter2 <("$ctl" files -o json -f c worker; "$ctl" blame -o yaml -f c worker; "$ctl" blame -f c worker)
expect 'another format' 1 '' $'Error: unknown output format "xml": use table, json or yaml\nSee \'mcoctl files --help\'.\n' "$ctl" files -o xml -f c worker
expect 'files of one part' 1 '' 'Error: files lists all parts of a config: use mcoctl blame for /etc/motd
' "$ctl" files -f c worker:/etc/motd

# ---- cat of units
expect 'cat of a unit' 0 $'[Service]\nExecStart=/bin/true\n' '' "$ctl" cat -f c worker unit/a.service
expect 'cat of a drop-in' 0 $'[Unit]\n' '' "$ctl" cat -f c worker dropin/a.service/10-a.conf

# ---- rendered configs by name
"$ctl" render -f c > c/rendered.yaml
{
	head_of MachineConfigPool worker
	cat <<Y
spec:
  machineConfigSelector: {matchLabels: {$group/role: worker}}
  configuration: {name: $rendered, source: [{name: 40-base}, {name: 50-mine}]}
status:
  configuration: {name: $rendered, source: [{name: 40-base}, {name: 50-mine}]}
Y
} > c/pool.yaml
expect 'a rendered config by its name' 0 "$all" '' "$ctl" blame --no-headers -f c "$rendered"
expect 'also of a type' 0 "$all" '' "$ctl" blame --no-headers -f c "mc/$rendered"
printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {%s/currentConfig: %s}}\n' $group "$rendered" > c/node.yaml
expect 'and what a node runs' 0 "$(lines ^kernelType)
" '' sed 's/   */ /g' <("$ctl" blame --no-headers -f c node/n1 kernelType)
cp -r c d
sed -i 's/two%0A/three%0A/; s/realtime/64k-pages/' d/b.yaml
rm d/a.yaml
expect 'MachineConfigs that were edited or deleted since' 0 '/etc/motd <unknown> - - -
unit/a.service <unknown> - - -
dropin/a.service/10-a.conf <unknown> - - -
dropin/a.service/20-b.conf 50-mine - d/b.yaml contents
user/core 50-mine - d/b.yaml passwordHash
sshkey/core/SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5WBrg <unknown> - - -
kernelArguments=quiet 50-mine - d/b.yaml quiet
kernelArguments=luks.key=*** <unknown> - - -
extensions=usbguard 50-mine - d/b.yaml usbguard
kernelType=realtime <unknown> - - -
osImageURL 50-mine - d/b.yaml '"$os
warning: 6 parts of $rendered do not match its MachineConfigs, which were edited or deleted later
" '' bash -c '"$0" blame --no-headers -f d "$1" 2> err | sed "s/   */ /g"; cat err' "$ctl" "$rendered"

# ---- a pool that cannot be rendered
cp -r c e
mc 60-bad > e/bad.yaml <<< 'spec: {kernelType: fast}'
warning="warning: pool worker: MachineConfig 60-bad (e/bad.yaml): kernelType=fast is invalid
warning: pool worker cannot be rendered: this is $rendered, its last config
"
expect 'cat' 0 $'two\n' "$warning" "$ctl" cat -f e worker:/etc/motd
expect 'files' 0 "$("$ctl" files -f c worker)
" "$warning" "$ctl" files -f e worker
expect 'blame' 0 "${all//   c\//   e/}" "$warning" "$ctl" blame --no-headers -f e mcp/worker
rm e/bad.yaml
sed -i 's/path: \/etc\/motd, contents/path: relative, contents/' e/b.yaml
expect 'blame of a source that is the bad one' 0 '/etc/motd <unknown>
kernelArguments=quiet 40-base
kernelArguments=luks.key=*** 40-base
' '' bash -c '"$0" blame --no-headers -f e worker 2> err | grep -E "motd|kernelArg" | awk "{ print \$1, \$2 }" | grep -v 50-mine' "$ctl"
expect 'says why' 0 "warning: MachineConfig 50-mine (e/b.yaml) is not valid: its effect is not known
warning: 6 parts of $rendered do not match its MachineConfigs, which were edited or deleted later
" '' tail -n 2 err
rm e/rendered.yaml
expect 'without a last config' 1 '' 'Error: pool worker: MachineConfig 50-mine (e/b.yaml): ' \
	bash -c '"$0" cat -f e worker:/etc/motd 2> err; rc=$?; head -c 54 err | head -n 1 | tr -d "\n" >&2; exit $rc' "$ctl"

# ---- the objects behind generated configs
cd "$OLDPWD" || exit
expect 'the objects behind generated MachineConfigs' 0 '/etc/kubernetes/kubelet.conf 98-worker-generated-kubelet FeatureGate/cluster
/etc/kubernetes/kubelet.conf 99-worker-generated-kubelet KubeletConfig/roomy-workers
/etc/containers/registries.conf 99-worker-generated-registries ImageDigestMirrorSet/lab
' '' awk '{ print $1, $2, $3 }' <("$BIN/mcoctl" blame --no-headers -f examples/bootstrap worker files)
expect 'and behind the default images' 0 'osImageURL - ControllerConfig/machine-config-controller
' '' awk '{ print $1, $2, $3 }' <("$BIN/mcoctl" blame --no-headers -f examples/bootstrap worker osImageURL)

# ---- a pool that waits for a refused object
last=$("$BIN/mcoctl" render -f examples/bootstrap -o name worker) last=${last##*/}
{
	"$BIN/mcoctl" render -f examples/bootstrap worker
	echo ---
	sed -n '/^  name: worker/,/^---/p' examples/bootstrap/10-pools.yaml | sed '$d' |
		cat <(printf 'apiVersion: %s/v1\nkind: MachineConfigPool\nmetadata:\n' $group) - |
		sed "s/^spec:/&\n  configuration: {name: $last, source: [{name: 98-worker-generated-kubelet}]}/"
	printf -- '---\napiVersion: %s/v1\nkind: KubeletConfig\nmetadata: {name: wrong}\nspec:\n  kubeletConfig: {clusterDomain: x}\n  machineConfigPoolSelector: {matchLabels: {pools.operator.%s/worker: ""}}\n' $group $group
} > "$TMP/wrong.yaml"
expect 'the config it has' 0 $'maxPods: 500\n' "warning: KubeletConfig wrong ($TMP/wrong.yaml): KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x
warning: pool worker cannot be rendered: this is $last, its last config
" bash -c '"$0" cat -f examples/bootstrap -f "$1" worker:/etc/kubernetes/kubelet.conf > "$2"; grep maxPods "$2"' "$BIN/mcoctl" "$TMP/wrong.yaml" "$TMP/out"
finish
