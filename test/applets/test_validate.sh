# mcoctl validate: reports every error with its position, and nothing for valid
# manifests.
. test/applets/lib.sh
unset KUBECONFIG KUBERNETES_SERVICE_HOST
export HOME=$TMP
ctl=$BIN/mcoctl base=examples/cluster role='machineconfiguration.openshift.io/role'
cd "$TMP" && ln -s "$OLDPWD/examples" "$OLDPWD/test" . && case $BIN in /*) ;; *) ctl=$OLDPWD/$ctl ;; esac || exit 1

# manifest KIND NAME REST...: a manifest of the worker role whose spec is REST
manifest() {
	cat <<-Y
	apiVersion: machineconfiguration.openshift.io/v1
	kind: $1
	metadata:
	  name: $2
	  labels: {$role: worker}
	Y
}
# finds NAME STATUS EXPECTED [ARGS...]: checks the manifest on standard input as
# x.yaml
finds() {
	local name=$1 status=$2 want=$3
	shift 3
	cat > x.yaml
	expect "$name" "$status" "$want
" '' "$ctl" validate -f x.yaml "$@"
}
mc() {	# NAME STATUS EXPECTED SPEC: a MachineConfig
	finds "$1" "$2" "$3" <<< "$(manifest MachineConfig 50-x)
spec:
$4"
}

# ---- valid and invalid
expect 'valid' 0 $'5 objects, 2 MachineConfigs: valid\n' '' "$ctl" validate -f $base
expect 'careless' 1 'examples/careless.yaml:5:9: warning: MachineConfig 00-worker-mine: metadata.name: the controllers generate MachineConfigs with such names and may overwrite it
examples/careless.yaml:9:15: warning: MachineConfig 00-worker-mine: spec.osImageURL: registry.example.net/os:latest is a tag, not a digest: nodes may run different images under one name
examples/careless.yaml:15:15: warning: MachineConfig 00-worker-mine: spec.config.storage.files.0.path: /usr/lib/mine.conf is outside of /etc and /var (and the links into it): it cannot be written on a running node, or does not last
examples/careless.yaml:19:15: error: MachineConfig 00-worker-mine: spec.config.storage.files.1.path: path not absolute
1 error, 3 warnings
' '' "$ctl" validate -f examples/careless.yaml
mc 'a path that does not last' 0 'x.yaml:9:30: warning: MachineConfig 50-x: spec.config.storage.files.0.path: /usr/lib/mine.conf is outside of /etc and /var (and the links into it): it cannot be written on a running node, or does not last
1 warning' '  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /usr/lib/mine.conf, contents: {source: "data:,x"}}]}'
expect 'strict' 1 "$("$ctl" validate -f x.yaml)
" '' "$ctl" validate --strict -f x.yaml
sed 's/name: 50-worker-chrony/&2/' $base/50-worker-chrony.yaml > two.yaml
expect 'one file, two MachineConfigs' 0 'warning: MachineConfigPool worker: /etc/chrony.conf is set by 50-worker-chrony, 50-worker-chrony2: the last one wins
warning: MachineConfigPool infra: /etc/chrony.conf is set by 50-worker-chrony, 50-worker-chrony2: the last one wins
2 warnings
' '' "$ctl" validate -f $base -f two.yaml
mkdir mixed
cp $base/*.yaml mixed
echo '[not: a manifest' > mixed/README.md
expect 'of directories only manifests are read' 0 $'5 objects, 2 MachineConfigs: valid\n' '' "$ctl" validate -f mixed

# ---- kinds and versions
kind() {	# API KIND WHERE EXPECTED
	local want="x.yaml:$3: error: $2 a: $4"
	finds "$1 $2" 1 "$want
1 error" <<< "apiVersion: $1
kind: $2
metadata: {name: a}
spec: {}"
}
m=machineconfiguration.openshift.io
kind $m/v1 MachineConfigg '2:7' "kind: $m/v1 has no kind MachineConfigg (did you mean MachineConfig?)"
kind $m/v1 machineconfigpool '2:7' "kind: $m/v1 has no kind machineconfigpool (did you mean MachineConfigPool?)"
kind $m/v1 KubletConfig '2:7' "kind: $m/v1 has no kind KubletConfig (did you mean KubeletConfig?)"
kind $m/v1 Deployment '2:7' "kind: $m/v1 has no kind Deployment"
kind $m/v2 MachineConfig '1:13' "apiVersion: $m/v2 has no kind MachineConfig (did you mean $m/v1?)"
kind $m MachineConfig '1:13' "apiVersion: $m has no kind MachineConfig (did you mean $m/v1?)"
kind v1 KubeletConfig '1:13' "apiVersion: v1 has no kind KubeletConfig (did you mean $m/v1?)"
kind machineconfig.openshift.io/v1 PinnedImageSet '1:13' "apiVersion: machineconfig.openshift.io/v1 has no kind PinnedImageSet (did you mean $m/v1?)"
kind config.openshift.io/v1beta9 ImageTagMirrorSet '1:13' "apiVersion: config.openshift.io/v1beta9 has no kind ImageTagMirrorSet (did you mean config.openshift.io/v1?)"
kind config.openshift.io/v2 Image '1:13' "apiVersion: config.openshift.io/v2 has no kind Image (did you mean config.openshift.io/v1?)"
kind config.openshift.io/v1 ImageDigestMirorSet '2:7' 'kind: config.openshift.io/v1 has no kind ImageDigestMirorSet (did you mean ImageDigestMirrorSet?)'
kind operator.openshift.io/v1 MachineConfigurations '2:7' 'kind: operator.openshift.io/v1 has no kind MachineConfigurations (did you mean MachineConfiguration?)'
for words in 'apps/v1 Deployment' 'v1 Node' 'v1 ConfigMap' 'operator.openshift.io/v1 IngressController' 'hive.openshift.io/v1 MachinePool' \
	'config.openshift.io/v1 ClusterVersion' 'config.openshift.io/v1alpha1 Backup' 'image.openshift.io/v1 Image' 'x.example/v1 KubeletConfig'; do
	finds "other API groups: $words" 0 '1 object, 0 MachineConfigs: valid' <<< "apiVersion: ${words% *}
kind: ${words#* }
metadata: {name: a}
spek: {}"
done

# ---- fields, at every depth
dropped='the API server would drop it silently'
mc 'fields of a MachineConfig' 1 "x.yaml:7:3: error: MachineConfig 50-x: spec.kernelArgument: no such field (did you mean kernelArguments?): $dropped
x.yaml:8:3: error: MachineConfig 50-x: spec.confg: no such field (did you mean config?): $dropped
x.yaml:9:1: error: MachineConfig 50-x: stats: no such field: $dropped
3 errors" "  kernelArgument: [a]
  confg: {}
stats: {}"
finds 'fields of metadata' 1 "x.yaml:5:3: error: MachineConfig a: metadata.lables: no such field (did you mean labels?): $dropped
x.yaml:6:31: error: MachineConfig a: metadata.ownerReferences.0.nam: no such field (did you mean name?): $dropped
2 errors" <<< "apiVersion: $m/v1
kind: MachineConfig
metadata:
  name: a
  lables: {$role: worker}
  ownerReferences: [{kind: x, nam: y}]
  labels: {$role: worker}
  annotations: {any: x}"
finds 'fields of a pool' 1 "x.yaml:7:3: error: MachineConfigPool p: spec.machineConfigSelecter: no such field (did you mean machineConfigSelector?): $dropped
x.yaml:8:38: error: MachineConfigPool p: spec.nodeSelector.matchExpressions.0.operater: no such field (did you mean operator?): $dropped
2 errors" <<< "$(manifest MachineConfigPool p)
spec:
  machineConfigSelecter: {matchLabels: {$role: worker}}
  nodeSelector: {matchExpressions: [{operater: In, key: a, operator: Exists}], matchLabels: {any: x}}
status: {newer: 1}"
finds 'fields of a MachineConfiguration' 1 "x.yaml:6:24: error: MachineConfiguration cluster: spec.nodeDisruptionPolicy.files.0.actoins: no such field (did you mean actions?): $dropped
x.yaml:7:5: error: MachineConfiguration cluster: spec.nodeDisruptionPolicy.sshKey: no such field (did you mean sshkey?): $dropped
2 errors" <<< "apiVersion: operator.openshift.io/v1
kind: MachineConfiguration
metadata: {name: cluster}
spec:
  nodeDisruptionPolicy:
    files: [{path: /a, actoins: []}]
    sshKey: {actions: []}
  observedConfig: {any: {thing: 1}}"
for words in "$m/v1 PinnedImageSet pinnedImage pinnedImages" "$m/v1 ContainerRuntimeConfig containerRuntimeConf containerRuntimeConfig" \
	"$m/v1 MachineOSConfig machineConfigPol machineConfigPool" "$m/v1 ControllerConfig releaseImag releaseImage" \
	"$m/v1 MachineOSBuild machineConf machineConfig" "$m/v1 MachineConfigNode configVersoin configVersion" \
	"$m/v1alpha1 OSImageStream defaultStrem defaultStream" "$m/v1 InternalReleaseImage relases releases" \
	'config.openshift.io/v1 ImageDigestMirrorSet imageDigestMirror imageDigestMirrors' 'config.openshift.io/v1 Image registrySource registrySources' \
	'config.openshift.io/v1 Node cgroupmode cgroupMode' 'config.openshift.io/v1 FeatureGate featureset featureSet' \
	'config.openshift.io/v1 APIServer tlsSecurityProfiles tlsSecurityProfile' 'config.openshift.io/v1 ClusterImagePolicy scope scopes' \
	'config.openshift.io/v1 Infrastructure platformspec platformSpec' 'config.openshift.io/v1alpha1 CRIOCredentialProviderConfig matchImage matchImages' \
	'operator.openshift.io/v1alpha1 ImageContentSourcePolicy repositoryDigestMirror repositoryDigestMirrors'; do
	read -r api kind field meant <<< "$words"
	cat > x.yaml <<< "{apiVersion: $api, kind: $kind, metadata: {name: a},
spec: {$field: {}}}"
	expect "fields of a $kind" 0 "x.yaml:2:8: error: $kind a: spec.$field: no such field (did you mean $meant?): $dropped
" '' grep 'no such' <("$ctl" validate -f x.yaml)
done
cat > x.yaml <<< "$(manifest KubeletConfig pods)
spec:
  logLevell: 4
  machineConfigPoolSelector:
    matchLabels: {p: w}
  kubeletConfig:
    maxPodz: 500
    logging: {vmodul: []}
    evictionHard: {memory.available: 1Gi}
    clusterDomain: mine.example
---
$(manifest ContainerRuntimeConfig pids)
spec:
  containerRuntimeConfig:
    pidsLimit: 7
---
$(manifest KubeletConfig types)
spec:
  machineConfigPoolSelector: {matchLabels: {p: w}}
  kubeletConfig:
    maxPods: many"
expect 'configs that MachineConfigs are made of' 1 "x.yaml:7:3: error: KubeletConfig pods: spec.logLevell: no such field (did you mean logLevel?): $dropped
x.yaml:11:5: warning: KubeletConfig pods: spec.kubeletConfig.maxPodz: no such field: it is ignored (did you mean maxPods?)
x.yaml:12:15: warning: KubeletConfig pods: spec.kubeletConfig.logging.vmodul: no such field: it is ignored (did you mean vmodule?)
x.yaml:14:20: error: KubeletConfig pods: spec.kubeletConfig.clusterDomain: KubeletConfiguration: clusterDomain is not allowed to be set, but contains: mine.example
x.yaml:21:1: warning: ContainerRuntimeConfig pids: spec.machineConfigPoolSelector: without a selector it applies to no pool
x.yaml:23:16: error: ContainerRuntimeConfig pids: spec.containerRuntimeConfig.pidsLimit: invalid PidsLimit 7
x.yaml:33:14: error: KubeletConfig types: spec.kubeletConfig.maxPods: KubeletConfig could not be unmarshalled, err: json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32
4 errors, 3 warnings
" '' "$ctl" validate -f x.yaml
finds 'a name and labels that no API server takes' 1 "x.yaml:3:18: error: MachineConfig A_b: metadata.name: not a valid name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
1 error" <<< "apiVersion: $m/v1
kind: MachineConfig
metadata: {name: A_b, labels: {$role: worker}}"
finds 'no name' 1 'x.yaml:3:12: error: MachineConfig: metadata.name: the object needs a name
1 error' <<< "apiVersion: $m/v1
kind: MachineConfig
metadata: {labels: {$role: worker}}"

# ---- one wrong type does not hide the rest
mkdir all
manifest MachineConfig 10-a > all/a.yaml
cat >> all/a.yaml <<< "spec:
  kernelArguments: nosmt
  fips: 'yes'
  kernelType: fast
  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: etc/x, contents: {source: 'data:,x'}}]}
---
a: [
---
$(manifest MachineConfigPool infra)
spec: {paused: 3, maxUnavailable: [1]}"
printf 'kind: List\napiVersion: v1\nitems:\n- %s\n- 7\n' "{apiVersion: $m/v1, kind: MachineConfig, metadata: {name: l, labels: {$role: worker}}, spec: {fips: 1}}" > all/b.yaml
echo '{"kind" "x"}' > all/c.json
expect 'all findings' 1 "all/a.yaml:7:20: error: MachineConfig 10-a: spec.kernelArguments: json: cannot unmarshal string into Go struct field MachineConfigSpec.spec.kernelArguments of type []string
all/a.yaml:8:9: error: MachineConfig 10-a: spec.fips: json: cannot unmarshal string into Go struct field MachineConfigSpec.spec.fips of type bool
all/a.yaml:9:15: error: MachineConfig 10-a: spec.kernelType: kernelType=fast is invalid
all/a.yaml:12:30: error: MachineConfig 10-a: spec.config.storage.files.0.path: path not absolute
all/a.yaml:15:1: error: did not find expected node content
all/a.yaml:21:16: error: MachineConfigPool infra: spec.paused: json: cannot unmarshal number into Go struct field MachineConfigPoolSpec.spec.paused of type bool
all/a.yaml:21:35: error: MachineConfigPool infra: spec.maxUnavailable: json: cannot unmarshal array into Go struct field MachineConfigPoolSpec.spec.maxUnavailable of type int32
all/b.yaml:4:167: error: MachineConfig l: spec.fips: json: cannot unmarshal number into Go struct field MachineConfigSpec.spec.fips of type bool
all/b.yaml:5:3: error: not an object but of type number
all/c.json:1:9: error: invalid character '\"' after object key
10 errors
" '' "$ctl" validate -f all
"$ctl" validate -f all -o json > all.json
expect 'all findings as JSON' 0 '10 0 6
error all/a.yaml 7 20 MachineConfig 10-a spec.kernelArguments
' '' perl -MJSON::PP -e 'local $/; my $j = decode_json(<STDIN>); my $f = $j->{findings}[0];
	print "$j->{errors} $j->{warnings} $j->{objects}\n@$f{qw(severity file line column object path)}\n"; exit(@{$j->{findings}} != 10)' < all.json
go='json: cannot unmarshal' at='MachineConfig 50-x: spec.config'
mc 'wrong types in Ignition' 1 "x.yaml:10:7: warning: $at.storage.disks: running nodes refuse it: ignition disks section contains changes
x.yaml:10:45: error: $at.storage.disks.0.wipeTable: $go string into Go struct field Disk.storage.disks.wipeTable of type bool
x.yaml:11:7: warning: $at.storage.directories: running nodes refuse it: ignition directories section contains changes
x.yaml:13:30: error: $at.storage.files.0.mode: $go string into Go struct field File.storage.files.FileEmbedded1.mode of type int
x.yaml:14:30: error: $at.storage.files.1.mode: invalid mode 01204 for /etc/b, cannot exceed 0777 (decimal; did you mean 0644?)
x.yaml:14:54: warning: $at.storage.files.1.contents.source: running nodes refuse it: could not decode file \"/etc/b\": could not decode file content string: missing data prefix
x.yaml:15:16: error: $at.storage.files.2.path: $go number into Go struct field File.storage.files.Node.path of type string
x.yaml:16:9: error: $at.storage.files.3: $go string into Go struct field Storage.storage.files of type types.File
x.yaml:17:34: error: $at.storage.files.4.contents: $go string into Go struct field File.storage.files.FileEmbedded1.contents of type types.Resource
x.yaml:18:16: error: $at.storage.files.5.path: path not absolute
x.yaml:19:50: error: $at.systemd.units.0.enabled: $go string into Go struct field Unit.systemd.units.enabled of type bool
x.yaml:20:66: error: $at.passwd.users.0.sshAuthorizedKeys.1: $go number into Go struct field PasswdUser.passwd.users.sshAuthorizedKeys of type types.SSHAuthorizedKey
9 errors, 3 warnings" "  config:
    ignition: {version: 3.4.0}
    storage:
      disks: [{device: /dev/sdb, wipeTable: maybe}]
      directories: [{path: /etc/d}]
      files:
      - {path: /etc/a, mode: foo, contents: {source: 'data:,a'}}
      - {path: /etc/b, mode: 644, contents: {source: 'https://example.com/b'}}
      - {path: 5, contents: {source: 'data:,c'}}
      - nothing
      - {path: /etc/e, contents: text}
      - {path: etc/f, contents: {source: 'data:,f'}}
    systemd: {units: [{name: a.service, enabled: 'yes'}]}
    passwd: {users: [{name: core, sshAuthorizedKeys: [ssh-rsa a, 7]}]}"
mc 'a number for the version of Ignition' 1 "x.yaml:8:25: error: $at.ignition.version: $go number into Go struct field .Ignition.Version of type string
x.yaml:9:30: error: $at.storage.files.0.path: path not absolute
2 errors" "  config:
    ignition: {version: 3.4}
    storage: {files: [{path: etc/x, contents: {source: 'data:,x'}}]}"
mc 'wrong types in Ignition of spec 2' 1 "x.yaml:9:62: error: $at.storage.files.0.mode: $go string into Go struct field File.storage.files.FileEmbedded1.mode of type int
x.yaml:9:96: error: $at.storage.files.1.path: $go bool into Go struct field File.storage.files.Node.path of type string
2 errors" "  config:
    ignition: {version: 2.2.0}
    storage: {files: [{filesystem: root, path: /etc/x, mode: '0644'}, {filesystem: root, path: true}]}"
echo '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"50-x","labels":{"'$role'":"worker"}},"spec":{"config":{"ignition":{"version":"3.5.0"},
"storage":{"links":3,"files":[{"path":"/etc/x","mode":{},"contents":{"source":"data:,x"}}]}}}}' > x.json
expect 'wrong types in Ignition, in JSON' 1 "x.json:2:20: error: $at.storage.links: $go number into Go struct field Storage.storage.links of type []types.Link
x.json:2:55: error: $at.storage.files.0.mode: $go object into Go struct field File.storage.files.FileEmbedded1.mode of type int
2 errors
" '' "$ctl" validate -f x.json
mc 'Butane in a MachineConfig' 1 "x.yaml:8:5: error: $at.variant: this is Butane: convert it with butane first
1 error" '  config:
    variant: openshift
    version: 4.14.0
    storage: {files: [{path: /etc/x}]}'
finds 'types of kinds that are only judged' 1 'x.yaml:4:41: error: PinnedImageSet p: spec.pinnedImages.1.name: json: cannot unmarshal number into Go struct field NameReference.spec.pinnedImages.name of type string
1 error' <<< "apiVersion: $m/v1
kind: PinnedImageSet
metadata: {name: p}
spec: {pinnedImages: [{name: a}, {name: 7}]}"
expect 'unreadable is 2' 2 '' $'Error: open /nonexistent: No such file or directory\n' "$ctl" validate /nonexistent
expect 'unreadable, and the rest' 2 "$("$ctl" validate -f all)
" $'Error: open /nonexistent: No such file or directory\n' "$ctl" validate -f /nonexistent -f all
expect 'unreadable as JSON' 2 '{
  "findings": [],
  "errors": 0,
  "warnings": 0,
  "objects": 1,
  "notes": [],
  "error": "open /nonexistent: No such file or directory"
}
' $'Error: open /nonexistent: No such file or directory\n' "$ctl" validate -o json -f /nonexistent
mkdir empty
expect 'nothing as JSON' 2 '{
  "findings": [],
  "errors": 0,
  "warnings": 0,
  "objects": 0,
  "notes": [],
  "error": "no manifests found in empty"
}
' $'Error: no manifests found in empty\n' "$ctl" validate -o json -f empty
finds 'keys that stand twice' 0 'x.yaml:8:20: warning: MachineConfig 50-x: the key kernelArguments occurs twice in one mapping: the last one wins
1 warning' <<< "$(manifest MachineConfig 50-x)
spec:
  kernelArguments: [a]
  kernelArguments: [b]"
expect 'names that are there twice' 0 "x.yaml:4:9: warning: MachineConfig 50-x: metadata.name: - has an object of the same name: a cluster keeps the one applied last
x.yaml:8:20: warning: MachineConfig 50-x: the key kernelArguments occurs twice in one mapping: the last one wins
2 warnings
" '' "$ctl" validate -f - -f x.yaml <<< "$(manifest MachineConfig 50-x)"

# ---- common mistakes
for word in '644 0644 01204' '755 0755 01363' '1777 0 03361'; do
	read -r mode meant octal <<< "$word"
	text="invalid mode $octal for /etc/x, cannot exceed 0777 (decimal; did you mean $meant?)"
	[ "$meant" = 0 ] && text="invalid mode $octal for /etc/x, cannot exceed 0777"
	mc "mode: $mode" 1 "x.yaml:9:44: error: MachineConfig 50-x: spec.config.storage.files.0.mode: $text
1 error" "  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /etc/x, mode: $mode, contents: {source: 'data:,x'}}]}"
done
finds 'a mode in JSON' 1 'x.yaml:1:255: error: MachineConfig j: spec.config.storage.files.0.mode: invalid mode 01204 for /etc/x, cannot exceed 0777 (decimal; did you mean 420: 0644?)
1 error' <<< '{"apiVersion":"'$m'/v1","kind":"MachineConfig","metadata":{"name":"j","labels":{"'$role'":"worker"}},"spec":{"config":{"ignition":{"version":"3.5.0"},"storage":{"files":[{"path":"/etc/x","mode":644,"contents":{"source":"data:,x"}}]}}}}'
mc 'mode: 400' 0 'x.yaml:9:44: warning: MachineConfig 50-x: spec.config.storage.files.0.mode: the mode of /etc/x is 0620 (decimal; did you mean 0400?)
1 warning' "  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /etc/x, mode: 400, contents: {source: 'data:,x'}}]}"
mc 'mode: 420' 0 '1 object, 1 MachineConfig: valid' "  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /etc/x, mode: 420, contents: {source: 'data:,x'}}]}"
finds 'Butane' 1 'x.yaml:1:1: error: this is Butane: convert it with butane first
1 error' <<< "variant: openshift
version: 4.14.0
metadata: {name: x, labels: {$role: worker}}
storage: {files: [{path: /etc/x, contents: {inline: $(printf 'secret%.0s' {1..500})}}]}"
expect 'Butane, for render' 1 '' 'Error: x.yaml:1:1: this is Butane: convert it with butane first
' "$ctl" render -f x.yaml
finds 'Ignition alone' 1 'x.yaml:1:1: error: this is an Ignition config: it goes into spec.config of a MachineConfig
1 error' <<< 'ignition: {version: 3.5.0}'
finds 'no kind' 1 'x.yaml:1:1: error: no kind: there is only password, more
1 error' <<< 'password: secret
more: secret'
big=$(printf 'x%.0s' {1..5000})
finds 'what is quoted is bounded' 1 "x.yaml:2:7: error: ${big:0:100}…: kind: $m/v1 has no kind ${big:0:100}…
1 error" <<< "apiVersion: $m/v1
kind: $big"

# ---- changes that running nodes refuse
refused() {	# NAME WHERE PATH WHY SPEC
	mc "nodes refuse: $1" 0 "x.yaml:$2: warning: MachineConfig 50-x: $3: running nodes refuse it: $4
1 warning" "$5"
}
v='ignition: {version: 3.5.0}'
refused 'an extension without config' 7:16 spec.extensions 'invalid extensions found: [nosuch]' '  extensions: [nosuch, usbguard]'
mc 'an extension with config' 1 'x.yaml:8:16: error: MachineConfig 50-x: spec.extensions: invalid extensions found: [nosuch]
1 error' "  config: {$v}
  extensions: [nosuch]"
refused fips 7:9 spec.fips 'detected change to FIPS flag; refusing to modify FIPS on a running cluster' '  fips: true'
for section in 'disks device: /dev/vdb' 'filesystems device: /dev/vdb, format: xfs, path: /var/a' 'raid name: a, level: linear, devices: [/dev/vdb]' \
	'directories path: /etc/d' 'links path: /etc/l, target: /etc/m'; do
	name=${section%% *}
	refused "$name" 9:15 "spec.config.storage.$name" "ignition $name section contains changes" "  config:
    $v
    storage: {$name: [{${section#* }}]}"
done
refused 'kernel arguments of Ignition' 9:5 spec.config.kernelArguments 'ignition kargs section contains changes' "  config:
    $v
    kernelArguments: {shouldExist: [a]}"
refused append 9:38 spec.config.storage.files.0.append 'ignition file /etc/a includes append' "  config:
    $v
    storage: {files: [{path: /etc/a, append: [{source: 'data:,x'}]}]}"
refused 'https sources' 9:57 spec.config.storage.files.0.contents.source 'could not decode file "/etc/a": could not decode file content string: missing data prefix' "  config:
    $v
    storage: {files: [{path: /etc/a, contents: {source: 'https://x.example/y'}}]}"
refused 'contents that do not unpack' 9:76 spec.config.storage.files.0.contents.source 'could not decode file "/etc/a": failed decompressing: unexpected EOF' "  config:
    $v
    storage: {files: [{path: /etc/a, contents: {compression: gzip, source: 'data:,x'}}]}"
refused "the daemon's state" 9:30 spec.config.storage.files.0.path "/etc/machine-config-daemon/currentconfig is the daemon's own state: no MachineConfig may write it" "  config:
    $v
    storage: {files: [{path: /etc/machine-config-daemon/currentconfig, contents: {source: 'data:,x'}}]}"
finds 'an error does not hide what nodes refuse' 1 "x.yaml:7:13: warning: MachineConfig 50-x: spec.fips: running nodes refuse it: detected change to FIPS flag; refusing to modify FIPS on a running cluster
x.yaml:14:1: error: MachineConfig 60-x: stats: no such field: $dropped
1 error, 1 warning" <<< "$(manifest MachineConfig 50-x)
spec:
  { fips:   true}
---
$(manifest MachineConfig 60-x)
stats: {}"
refused users 9:43 spec.config.passwd.users.1.name 'invalid passwd change(s): ignition passwd user section contains unsupported changes: non-core user' "  config:
    $v
    passwd: {users: [{name: core}, {name: me}]}"
refused groups 9:23 spec.config.passwd.groups 'invalid passwd change(s): ignition Passwd Groups section contains changes' "  config:
    $v
    passwd: {groups: [{name: me}]}"
mc 'nodes pass over luks' 0 'x.yaml:9:22: warning: MachineConfig 50-x: spec.config.storage.luks: it works on new machines only: running nodes ignore it
1 warning' "  config:
    $v
    storage: {luks: [{name: a, device: /dev/vdb, clevis: {tpm2: true}}]}"
mc 'nodes take keys of core' 0 '1 object, 1 MachineConfig: valid' "  config:
    $v
    passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}"

# ---- too large
mc '1.5 MiB' 1 'x.yaml:1:1: error: MachineConfig 50-x: it has 1572865 bytes as JSON: the API server accepts at most 1572864 (1.5 MiB)
1 error' "  kernelArguments: [$(head -c 1572669 /dev/zero | tr '\0' a)]"
mc 'one byte less' 0 '1 object, 1 MachineConfig: valid' "  kernelArguments: [$(head -c 1572668 /dev/zero | tr '\0' a)]"

# ---- objects that pools need
finds 'how many nodes of a pool, and which' 1 'x.yaml:1:1: error: MachineConfigPool infra: invalid label selector: "Near" is not a valid label selector operator
x.yaml:1:1: warning: MachineConfigPool infra: no node updates: "maxUnavailable" invalid value for IntOrString: invalid value "many%": strconv.Atoi: parsing "many": invalid syntax
1 error, 1 warning' <<< "$(manifest MachineConfigPool infra)
spec:
  maxUnavailable: many%
  machineConfigSelector: {matchLabels: {$role: worker}}
  nodeSelector: {matchExpressions: [{key: a, operator: Near}]}
---
$(manifest MachineConfig 50-x)"

# ---- objects that the cluster wrote may be of a newer version
finds 'a newer ControllerConfig' 0 '1 object, 0 MachineConfigs: valid' <<< "apiVersion: $m/v1
kind: ControllerConfig
metadata: {name: machine-config-controller, uid: 0a0b}
spec: {newer: {}}"
finds 'a MachineConfig is its user'"'s" 1 "x.yaml:4:8: error: MachineConfig a: spec.newer: no such field: $dropped
1 error" <<< "apiVersion: $m/v1
kind: MachineConfig
metadata: {name: a, uid: 0a0b, labels: {$role: worker}}
spec: {newer: {}}"

# ---- with a base
pools='worker (ROLE=worker), infra (ROLE in (infra,worker))'
based() {	# NAME STATUS EXPECTED MANIFEST: as a change of the examples
	finds "$1" "$2" "${3//ROLE/$role}" --base $base <<< "$4"
}
labelled() {	# ROLE: a MachineConfig whose spec follows
	manifest MachineConfig 70-x | sed "s/worker/$1/"
}
selectors='{machineConfigPoolSelector: {matchLabels: {size: big}}, '
based 'sound' 0 '1 object, 1 MachineConfig: valid' "$(labelled infra)
spec: {kernelArguments: [a]}"
based 'a role that no pool has' 0 "x.yaml:5:52: warning: MachineConfig 70-x: metadata.labels: no pool selects it: the pools are $pools
1 warning" "$(labelled workr)
spec: {kernelArguments: [a]}"
based 'configs that select no pool' 0 'x.yaml:6:8: warning: KubeletConfig k: spec.machineConfigPoolSelector: it selects no pool (size=big): the pools are worker (no labels), infra (no labels)
x.yaml:13:8: warning: ContainerRuntimeConfig r: spec.machineConfigPoolSelector: it selects no pool (size=big): the pools are worker (no labels), infra (no labels)
2 warnings' "$(manifest KubeletConfig k)
spec: ${selectors}kubeletConfig: {maxPods: 9}}
---
$(manifest ContainerRuntimeConfig r)
spec: ${selectors}containerRuntimeConfig: {pidsLimit: 900}}"
finds 'without a base nothing is known of pools' 0 '1 object, 1 MachineConfig: valid' <<< "$(labelled workr)
spec: {kernelArguments: [a]}"
pool=$(manifest MachineConfigPool infra)'
spec: {machineConfigSelector: {matchExpressions: [{key: '$role', operator: In, values: [infra, worker]}]}}'
finds 'the pools at hand, and those of every cluster' 0 "x.yaml:12:52: warning: MachineConfig 70-x: metadata.labels: no pool selects it: the pools are infra ($role in (infra,worker)), master ($role=master), worker ($role=worker)
1 warning" <<< "$pool
---
$(labelled workr)
spec: {kernelArguments: [a]}
---
$(labelled master | sed s/70/71/)"
based 'a change that nodes refuse' 0 'x.yaml:9:15: warning: MachineConfig 70-x: spec.config.storage.directories: running nodes refuse it: ignition directories section contains changes
1 warning' "$(labelled worker)
spec:
  config:
    $v
    storage: {directories: [{path: /etc/d}]}"
cp -r $base/. based && cp x.yaml based/70.yaml
expect 'what nodes have already is no change' 0 $'1 object, 1 MachineConfig: valid\n' '' "$ctl" validate -f x.yaml --base based
sed -i 's,/etc/d,/etc/e,' x.yaml
expect 'unless it differs' 0 'x.yaml:9:15: warning: MachineConfig 70-x: spec.config.storage.directories: running nodes refuse it: ignition directories section contains changes
1 warning
' '' "$ctl" validate -f x.yaml --base based
manifest MachineConfig 70-x > x.yaml
expect 'that it goes, neither' 0 'warning: MachineConfigPool worker: running nodes refuse the change: ignition directories section contains changes
warning: MachineConfigPool infra: running nodes refuse the change: ignition directories section contains changes
2 warnings
' '' "$ctl" validate -f x.yaml --base based
cat > based/settings.yaml <<< '{apiVersion: operator.openshift.io/v1, kind: MachineConfiguration, metadata: {name: cluster},
spec: {irreconcilableValidationOverrides: {storage: [Disks]}}}'
labelled worker > x.yaml
cat >> x.yaml <<< "spec: {config: {$v, storage: {directories: [{path: /etc/d}], disks: [{device: /dev/vdb}]}}}"
expect 'changes that nodes accept by override' 0 $'1 object, 1 MachineConfig: valid\n' '' "$ctl" validate -f x.yaml --base based
based 'a pool that cannot be rendered' 1 'x.yaml:1:1: error: MachineConfigPool infra: This machineconfigpool is selecting all machineconfigs. A non-empty selector is required.
1 error' "$(manifest MachineConfigPool infra)
spec: {machineConfigSelector: {}}"
based 'faults of the base are not reported' 0 '1 object, 1 MachineConfig: valid' "$(labelled infra)"
sed 's/mode: 0644/mode: 4200/' $base/50-worker-chrony.yaml > based/50-worker-chrony.yaml
labelled worker | sed s/70/71/ > x.yaml
expect 'nor where they break a pool' 0 $'1 object, 1 MachineConfig: valid\n' '' "$ctl" validate -f x.yaml --base based
for i in {1..10}; do
	cat <<< "$(manifest KubeletConfig k$i)
spec: {machineConfigPoolSelector: {matchLabels: {pools.operator.$m/worker: ''}}, kubeletConfig: {maxPods: $i}}
---"
done > x.yaml
mkdir first
cp examples/bootstrap/[01]*.yaml first
expect 'more KubeletConfigs than there may be' 1 'x.yaml:64:1: error: KubeletConfig k10: max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying
1 error
' '' "$ctl" validate -f x.yaml --base first
cp -r first mirrored
mirror() { echo "{apiVersion: config.openshift.io/v1, kind: ImageTagMirrorSet, metadata: {name: $1}, spec: {imageTagMirrors: [{source: $2, mirrors: [a.example]}]}}"; }
mirror bad 'Bad Source' > mirrored/bad.yaml
mirror good b.example > x.yaml
expect 'mirrors that were bad before keep others out' 1 'error: could not update registries config with new changes: invalid format for source "Bad Source"
1 error
' '' "$ctl" validate -f x.yaml --base mirrored
mirror bad 'Bad Source' > x.yaml
expect 'mirrors that are bad now' 1 'error: registries: could not update registries config with new changes: invalid format for source "Bad Source"
1 error
' '' "$ctl" validate -f x.yaml --base $base
labelled worker > x.yaml
cat >> x.yaml <<< "spec: {config: {$v, storage: {files: [{path: /etc/a, contents: {source: 'http://x.example'}}]}}}"
expect 'a refusal of one config is reported once' 0 'x.yaml:6:97: warning: MachineConfig 70-x: spec.config.storage.files.0.contents.source: running nodes refuse it: could not decode file "/etc/a": could not decode file content string: missing data prefix
1 warning
' '' "$ctl" validate -f x.yaml --base $base
expect 'a base that cannot be read' 2 '' $'Error: open /nonexistent: No such file or directory\n' "$ctl" validate -f x.yaml --base /nonexistent
expect 'no cluster' 2 '' $'Error: no cluster: give --kubeconfig or --server, or set KUBECONFIG; or give --base PATH\n' "$ctl" validate -f x.yaml --live
expect 'two bases' 2 '' $'Error: give --base or a cluster, not both\n' "$ctl" validate -f x.yaml --live --base based

# ---- upstream's golden cases: what it takes is sound, what it refuses is not
# Fields that the API server would drop.
dropping='055-ignition 061-pool 075-platform 078-topology 090-manifests'
# Refused because of the version of upstream's controller, or only by bootstrap: two configs of one
# pool, gates, the platform, prebuilt images, the ControllerConfig, the pull secret.
elsewhere='086-err-controllerconfig 087-err-generated 087-err-controllerconfig 033-err 044-err 070-err-featuregate 082-err-platform 085-err-machineosconfig 086-err-no 088-err-pull'
listed() { local w; for w in $2; do case $1 in "$w"*) return 0 ;; esac; done; return 1; }
taken=0 refused=0
for d in test/golden/render/*/ test/golden/controllers/*/; do
	name=$(basename "$d") want=0
	"$ctl" validate -f "$d/input" > out 2>&1
	got=$?
	if listed "$name" "$dropping"; then
		want=1
		[ "$(grep -c 'error:' out)" = "$(grep -c 'error:.*no such field' out)" ] || want=x
	elif [ -e "$d/expected/error.txt" ] && ! listed "$name" "$elsewhere"; then
		want=1 refused=$((refused + 1))
	else
		taken=$((taken + 1))
	fi
	[ $got = "$want" ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL $name: exit $got, expected $want"; cat out; }
done
[ $taken -gt 100 ] && [ $refused -gt 50 ] && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL $taken taken, $refused refused"; }
finish
