# mcoctl convert: Ignition in, Ignition out; MachineConfig in, MachineConfig out.
. test/applets/lib.sh
ctl=$BIN/mcoctl base=examples/cluster
ign='{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/x","overwrite":true,"contents":{"source":"data:,x"},"mode":420}]}}'
v22='{"ignition":{"version":"2.2.0"},"storage":{"files":[{"filesystem":"root","overwrite":true,"path":"/etc/x","contents":{"source":"data:,x"},"mode":420}]}}'

# ---- Ignition
expect 'down to 2.2' 0 "$v22
" '' "$ctl" convert --to 2.2 -o json-compact -f - <<< "$ign"
expect 'up again' 0 '{"ignition":{"version":"3.5.0"},"storage":{"files":[{"overwrite":true,"path":"/etc/x","contents":{"source":"data:,x"},"mode":420}]}}
' '' "$ctl" convert -o json-compact -f - <<< "$v22"
expect 'up from 3.4, as YAML' 0 'ignition:
  version: 3.5.0
storage:
  files:
  - contents:
      source: data:,x
    mode: 420
    overwrite: true
    path: /etc/x
' '' "$ctl" convert -o yaml -f - <<< "$ign"
expect 'JSON unless asked otherwise' 0 '{
  "ignition": {
    "version": "3.1.0"
  }
}
' '' "$ctl" convert --to 3.1 -f - <<< 'ignition: {version: 3.5.0}'
echo "$ign" > "$TMP/a.ign"
expect 'two files, as words or with -f' 0 "$v22
$v22
" '' "$ctl" convert --to 2.2 -o json-compact "$TMP/a.ign" -f "$TMP/a.ign"

# ---- MachineConfigs
cat > "$TMP/mc.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 50-old
  labels: {machineconfiguration.openshift.io/role: worker, mine: "yes"}
  annotations: {why: "because"}
spec:
  kernelArguments: [nosmt]
  later: {unknown: 0644}
  config:
    ignition: {version: 2.2.0}
    storage:
      files:
      - {filesystem: root, path: /etc/x, mode: 420, overwrite: true, contents: {source: "data:,x"}}
Y
new='apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  annotations:
    why: because
  labels:
    machineconfiguration.openshift.io/role: worker
    mine: "yes"
  name: 50-old
spec:
  config:
    ignition:
      version: 3.5.0
    storage:
      files:
      - contents:
          source: data:,x
        mode: 420
        overwrite: true
        path: /etc/x
  kernelArguments:
  - nosmt
  later:
    unknown: 420
'
expect 'a MachineConfig stays one' 0 "$new" '' "$ctl" convert -f "$TMP/mc.yaml"
expect 'to 3.2' 0 "${new/3.5.0/3.2.0}" '' "$ctl" convert --to 3.2 -f "$TMP/mc.yaml"
expect 'and back to 2.2' 0 "$("$ctl" fmt -o json-compact -f "$TMP/mc.yaml")
" '' "$ctl" fmt -o json-compact -f - < <("$ctl" convert -f "$TMP/mc.yaml" | "$ctl" convert --to 2.2 -f -)
expect 'its members keep their order in JSON' 0 '{"kind":"MachineConfig","apiVersion":"machineconfiguration.openshift.io/v1","spec":{"config":{"ignition":{"version":"3.5.0"}},"fips":true},"metadata":{"name":"a"}}
' '' "$ctl" convert -o json-compact -f - <<< '{"kind":"MachineConfig","apiVersion":"machineconfiguration.openshift.io/v1","spec":{"config":{"ignition":{"version":"3.1.0"}},"fips":true},"metadata":{"name":"a"}}'
expect 'one without a config is as it was' 0 'apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: a
spec:
  fips: true
' '' "$ctl" convert -f - <<< '{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: a}, spec: {fips: true}}'
sed -s '$a---' "$TMP/mc.yaml" "$TMP/mc.yaml" > "$TMP/two.yaml"
expect 'two documents' 0 "$new---
$new" '' "$ctl" convert -f "$TMP/two.yaml"
{ printf 'apiVersion: v1\nkind: List\nitems:\n-\n'; sed 's/^/  /' "$TMP/mc.yaml"; } > "$TMP/list.yaml"
expect 'a list' 0 "$(printf 'apiVersion: v1\nitems:\n'; sed 's/^/  /; 1s/^ /-/' <<< "${new%?}")
kind: List
" '' "$ctl" convert -f "$TMP/list.yaml"

# ---- conversions that are not possible
expect 'what the target cannot say' 1 '' 'Error: -: KernelArguments is not supported on 3.2
' "$ctl" convert --to 3.2 - <<< '{"ignition":{"version":"3.5.0"},"kernelArguments":{"shouldExist":["a"]}}'
expect 'in a MachineConfig' 1 '' "Error: $TMP/k.yaml: MachineConfig 50-old: KernelArguments is not supported on 3.2
" "$ctl" convert --to 3.2 "$TMP/mc.yaml" "$(sed 's/{version: 2.2.0}/{version: 3.5.0}\n    kernelArguments: {shouldExist: [a]}/; s/filesystem: root, //' "$TMP/mc.yaml" > "$TMP/k.yaml"; echo "$TMP/k.yaml")"
expect 'another kind' 1 '' 'Error: -: ConfigMap has no Ignition config: give MachineConfigs or Ignition configs
' "$ctl" convert -f - <<< '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'
expect 'no such version' 1 '' $'Error: invalid version "x": use 3.5, 3.4, 3.3, 3.2, 3.1 or 2.2\n' \
	"$ctl" convert --to x $base/60-infra-sysctl.yaml
expect 'nothing' 1 '' $'Error: no configs found in standard input\n' "$ctl" convert -f - < /dev/null
expect 'no such file' 1 '' $'Error: open /nonexistent: No such file or directory\n' "$ctl" convert -f /nonexistent
finish
