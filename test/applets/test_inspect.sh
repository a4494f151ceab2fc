# diff, cat, files, blame, hash: on the examples and on files created here.
. test/applets/lib.sh
ctl=$BIN/mcoctl base=examples/cluster

# ---- diff
"$ctl" diff -f examples/new-time-source.yaml --base $base > "$TMP/diff"
expect 'what a change does' 1 "$(cat "$TMP/diff")
" '' "$ctl" diff -f examples/new-time-source.yaml --base $base
expect 'the contents that differ' 0 '  -pool ntp.example.net iburst
  +pool time.example.net iburst
  +makestep 1.0 3
' '' grep -E '^  [-+](pool|makestep)' "$TMP/diff"
expect 'the summary' 0 'pool worker: each node: drain and reboot (number of nodes unknown, 1 at a time)
pool infra: each node: drain and reboot (number of nodes unknown, 1 at a time)
  Reboot: file /etc/chrony.conf: no disruption policy for this path
' '' grep -A1 -E '^pool (worker|infra): each' "$TMP/diff"
expect 'one pool only' 0 'pool infra: each node: drain and reboot (number of nodes unknown, 1 at a time)
' '' grep -E '^pool .*each' <("$ctl" diff -p infra -f examples/new-time-source.yaml --base $base)
expect 'no change' 0 '' '' "$ctl" diff -f $base/50-worker-chrony.yaml --base $base
expect 'two equal directories' 0 '' '' "$ctl" diff $base $base
"$ctl" render -f $base -p worker > "$TMP/a.yaml"
"$ctl" render -f $base -f examples/new-time-source.yaml -p worker > "$TMP/b.yaml" 2>/dev/null
expect 'a rendered config and itself' 0 '' '' "$ctl" diff "$TMP/a.yaml" "$TMP/a.yaml"
sed 's/- nosmt/- quiet/' "$TMP/a.yaml" > "$TMP/c.yaml"
expect 'two rendered configs' 1 "$(sed -n 's/^  name: \(rendered.*\)/\1 -> \1/p' "$TMP/a.yaml")
kernelArguments
  --- a/kernelArguments
  +++ b/kernelArguments
  @@ -1,2 +1,2 @@
  -nosmt
  +quiet
   mitigations=auto

each node: drain and reboot
  Reboot: kernelArguments: new kernel arguments need a reboot
" '' "$ctl" diff "$TMP/a.yaml" "$TMP/c.yaml"
expect 'as JSON' 0 '"actions":[{"cause":"kernelArguments","rule":"new kernel arguments need a reboot","type":"Reboot"}]
"reboot":true
' '' grep -oE '"actions":[^]]*]|"reboot":true' \
	<("$ctl" diff -o json "$TMP/a.yaml" "$TMP/c.yaml" | "$ctl" fmt -o json-compact -)
expect 'another diff program' 1 'config:etc:chrony.conf
config:machineconfig-spec.yaml
LIVE MERGED
' '' env KUBECTL_EXTERNAL_DIFF="$PWD/test/applets/external-diff.sh" "$ctl" diff "$TMP/a.yaml" "$TMP/c.yaml"
expect 'any diff program: no recursion into directories' 1 '-- nosmt
+- quiet
' '' bash -c 'KUBECTL_EXTERNAL_DIFF="diff -u" "$0" diff "$1" "$2" > "$3"; rc=$?
	grep "^[-+]- " "$3"; exit $rc' "$ctl" "$TMP/a.yaml" "$TMP/c.yaml" "$TMP/ext"
cat > "$TMP/secret.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: s, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 3.5.0}, storage: {files: [{path: /etc/tls.key, contents: {source: "data:,hunter2"}}, {path: /etc/bin, contents: {source: "data:;base64,AAEC"}}]}}}
Y
expect 'secrets are masked, binaries are shown by checksum' 0 'file /etc/bin (added)
  + 3 bytes, sha256 ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc
file /etc/tls.key (added)
  contents differ, but look secret: --show-secrets shows them
' '' grep -A1 '^file' <("$ctl" diff -p worker -f "$TMP/secret.yaml" --base $base)
expect 'unless asked for' 0 '  +hunter2
' '' grep hunter <("$ctl" diff --show-secrets -p worker -f "$TMP/secret.yaml" --base $base)
expect 'an error is 2' 2 '' $'Error: open /nonexistent: No such file or directory\n' \
	"$ctl" diff /nonexistent $base
expect 'nothing given is 2' 2 '' $'Error: give two configs to compare (diff A B), or new manifests (diff -f NEW [--base DUMP])\n' "$ctl" diff

sed 's/hunter2/hunter3/' "$TMP/secret.yaml" > "$TMP/secret2.yaml"
expect 'secrets are masked for other programs, too' 1 '-*** (before)
+*** (after)
-        source: '"'*** (before)'"'
+        source: '"'*** (after)'"'
' '' bash -c 'KUBECTL_EXTERNAL_DIFF="diff -u" "$0" diff "$1" "$2" > "$3"; rc=$?
	grep "^[-+][^-+]" "$3"; exit $rc' "$ctl" "$TMP/secret.yaml" "$TMP/secret2.yaml" "$TMP/ext"
expect 'unless asked for, there as well' 0 '-hunter2
+hunter3
' '' grep '^[-+]hunter.$' <(KUBECTL_EXTERNAL_DIFF='diff -u' "$ctl" diff --show-secrets "$TMP/secret.yaml" "$TMP/secret2.yaml")
cat > "$TMP/private.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: p, labels: {machineconfiguration.openshift.io/role: worker}}
spec:
  kernelArguments: [luks.key=hunter2]
  config:
    ignition: {version: 3.5.0}
    storage:
      files:
      - {path: /etc/own, mode: 384, contents: {source: "data:,hunter2%0A"}}
      - {path: /etc/app.conf, contents: {source: "data:,user%20%3D%20me%0Atoken%20%3D%20hunter2%0A"}}
    systemd:
      units:
      - {name: a.service, contents: "[Service]\nEnvironment=TOKEN=hunter2\n"}
Y
sed 's/hunter2/hunter3/' "$TMP/private.yaml" > "$TMP/private2.yaml"
expect 'modes and names of keys tell secrets' 1 'p -> p
file /etc/app.conf (changed)
  --- a/etc/app.conf
  +++ b/etc/app.conf
  @@ -1,2 +1,2 @@
   user = me
  -token = *** (before)
  +token = *** (after)
file /etc/own (changed)
  contents differ, but look secret: --show-secrets shows them
unit a.service (changed)
  --- a/etc/systemd/system/a.service
  +++ b/etc/systemd/system/a.service
  @@ -1,2 +1,2 @@
   [Service]
  -Environment=TOKEN=*** (before)
  +Environment=TOKEN=*** (after)
kernelArguments
  --- a/kernelArguments
  +++ b/kernelArguments
  @@ -1,1 +1,1 @@
  -luks.key=*** (before)
  +luks.key=*** (after)
' '' bash -c '"$0" diff "$1" "$2" > "$3"; rc=$?; sed "/^$/q" "$3" | sed "/^$/d"; exit $rc' "$ctl" "$TMP/private.yaml" "$TMP/private2.yaml" "$TMP/ext"
for how in '' 'diff -ru'; do
	for p in private private2; do
		expect "no secret in the diff: ${how:-own}, $p" 1 '' '' grep hunter \
			<(KUBECTL_EXTERNAL_DIFF=$how "$ctl" diff "$TMP/secret.yaml" "$TMP/$p.yaml")
	done
done
mkdir -p "$TMP/less"
cp $base/*.yaml "$TMP/less"
sed -n '1,/^---/p' $base/pools.yaml > "$TMP/less/pools.yaml"
infra=$("$ctl" render -p infra -o name -f $base | sed 's,.*/,,')
expect 'a pool that is gone' 1 "pool infra: removed, was $infra
assumed: no MachineConfiguration: node disruption policies are the defaults
assumed: no Nodes: the number of nodes of a pool is unknown
" '' "$ctl" diff $base "$TMP/less"
expect 'a pool that is new' 1 "pool infra: new, $infra (number of nodes unknown, 1 at a time)
assumed: no MachineConfiguration: node disruption policies are the defaults
assumed: no Nodes: the number of nodes of a pool is unknown
" '' "$ctl" diff "$TMP/less" $base
expect 'as JSON' 0 "{\"pool\":\"infra\",\"from\":\"\",\"to\":\"$infra\"
" '' grep -o '{"pool[^}]*"to":"[^"]*"' <("$ctl" diff -o json "$TMP/less" $base | tr -d ' \n' && echo)

# ---- cat, files, blame
expect 'cat' 0 $'net.core.somaxconn = 4096\n' '' "$ctl" cat -f $base infra:/etc/sysctl.d/90-infra.conf
masked() {
	echo "warning: $1 masked in $2: --show-secrets shows the exact bytes"
}
expect 'cat of a secret file' 0 $'***\n' "$(masked 'the contents are' /etc/own)
" "$ctl" cat "$TMP/private.yaml" /etc/own
expect 'cat of a file with a secret' 0 $'user = me\ntoken = ***\n' "$(masked 'secrets are' /etc/app.conf)
" "$ctl" cat "$TMP/private.yaml" /etc/app.conf
expect 'cat of a unit with a secret' 0 $'[Service]\nEnvironment=TOKEN=***\n' "$(masked 'secrets are' a.service)
" "$ctl" cat "$TMP/private.yaml" a.service
expect 'the exact bytes' 0 $'hunter2\n' '' "$ctl" cat --show-secrets "$TMP/private.yaml" /etc/own
expect 'cat of a file that holds one' 0 $'pool ntp.example.net iburst\n' '' "$ctl" cat $base/50-worker-chrony.yaml /etc/chrony.conf
expect 'cat of nothing' 1 '' "Error: 50-worker-chrony has no file or unit /etc/none
" "$ctl" cat $base/50-worker-chrony.yaml /etc/none
spec='osImageURL                         -      -      ControllerConfig   -
baseOSExtensionsContainerImage     -      -      ControllerConfig   -
'
expect 'files' 0 "PART                               MODE   SIZE   FROM               OVERRIDES
/etc/chrony.conf                   0644   28     50-worker-chrony   -
/etc/sysctl.d/90-infra.conf        0644   26     60-infra-sysctl    -
kernelArguments=nosmt              -      -      50-worker-chrony   -
kernelArguments=mitigations=auto   -      -      50-worker-chrony   -
$spec" '' "$ctl" files -f $base infra
sed 's/name: 50-worker-chrony/name: 70-mine/; s/mode: 0644/mode: 0600/; /kernelArguments/d; /- nosmt/d; /- mitigations/d' $base/50-worker-chrony.yaml > "$TMP/70.yaml"
expect 'files that are overridden' 0 "PART                               MODE   SIZE   FROM               OVERRIDES
/etc/chrony.conf                   0600   28     70-mine            50-worker-chrony
kernelArguments=nosmt              -      -      50-worker-chrony   -
kernelArguments=mitigations=auto   -      -      50-worker-chrony   -
$spec" '' "$ctl" files -f $base -f "$TMP/70.yaml" worker
expect 'blame' 0 "50-worker-chrony - $base/50-worker-chrony.yaml overwrite,contents,mode
70-mine - $TMP/70.yaml overwrite,contents,mode
" '' awk '{ print $2, $3, $4, $5 }' <("$ctl" blame --no-headers -f $base -f "$TMP/70.yaml" worker:/etc/chrony.conf)
expect 'an unknown config' 1 '' $'Error: "nowhere" is neither a MachineConfigPool nor a MachineConfig among the manifests\n' \
	"$ctl" files -f $base nowhere

# ---- hash
name=$(sed -n 's/^  name: \(rendered.*\)/\1/p' "$TMP/a.yaml")
expect 'a name that is right' 0 "$name: ok
" '' "$ctl" hash "$TMP/a.yaml"
expect 'a name that is not' 1 "$name: its spec gives $("$ctl" hash "$TMP/c.yaml" | sed 's/.*gives //')
" '' "$ctl" hash "$TMP/c.yaml"
finish
