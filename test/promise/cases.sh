# Sourced by run.sh. Each case_NAME prints the objects of one change as JSON and
# declares the expected outcome: for each affected pool its kind of outcome
# (outcome.jq). `undone` declares it for the undoing where that differs.

file() {	# PATH TEXT [MODE [MORE]]
	printf '{"path":"%s","overwrite":true,"mode":%d,"contents":{"source":"data:;base64,%s"}%s}' \
		"$1" "$((0${3:-644}))" "$(printf '%s\n' "$2" | base64 -w 0)" "${4:-}"
}
files() { local IFS=,; printf '"storage":{"files":[%s]}' "$*"; }
units() { local IFS=,; printf '"systemd":{"units":[%s]}' "$*"; }
core() { printf '"passwd":{"users":[{"name":"core"%s}]}' "$1"; }
mc() {	# NAME ROLE CONFIG-MEMBERS [SPEC-MEMBERS]
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"%s",
		"labels":{"machineconfiguration.openshift.io/role":"%s"}},"spec":{"config":{"ignition":{"version":"3.4.0"}%s}%s}}\n' \
		"$1" "$2" "${3:+,$3}" "${4:+,$4}"
}
object() {	# APIVERSION KIND NAME SPEC
	printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s"},"spec":%s}\n' "$1" "$2" "$3" "$4"
}
cluster() { object config.openshift.io/v1 "$1" cluster "$2"; }
live() {	# COLLECTION/NAME JQ-FILTER: the current object, changed by the filter
	api GET "$1" | jq -c "$stored | $2"
}
pool_selector() { printf '"machineConfigPoolSelector":{"matchLabels":{"pools.operator.machineconfiguration.openshift.io/%s":""}}' "$1"; }
kubelet() {	# NAME POOL CONFIG-MEMBERS
	object machineconfiguration.openshift.io/v1 KubeletConfig "$1" "{$(pool_selector "$2"),\"kubeletConfig\":{$3}}"
}
runtime() {	# NAME POOL MEMBERS
	object machineconfiguration.openshift.io/v1 ContainerRuntimeConfig "$1" "{$(pool_selector "$2"),\"containerRuntimeConfig\":{$3}}"
}
service='[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n'

# ---- files ---------------------------------------------------------------------------------
case_file() { expect infra reboot worker reboot; mc 60-p worker "$(files "$(file /etc/x 1)")"; }
case_file_of_a_custom_pool() { expect infra reboot; mc 60-p infra "$(files "$(file /etc/x 1)")"; }
case_file_of_masters() { expect master reboot; mc 60-p master "$(files "$(file /etc/x 1)")"; }
case_file_mode() { expect infra reboot; mc 60-p infra "$(files "$(file /etc/kubernetes/kubelet-ca.crt 1 600)")"; }
case_policy_none() { expect infra none; mc 60-p infra "$(files "$(file /etc/promise/none 1)")"; }
case_policy_drain() { expect infra drain; mc 60-p infra "$(files "$(file /etc/promise/drain 1)")"; }
case_policy_reload() { expect infra none; mc 60-p infra "$(files "$(file /etc/promise/reload 1)")"; }
case_policy_restart() { expect infra none; mc 60-p infra "$(files "$(file /etc/promise/restart 1)")"; }
case_policy_reboot() { expect infra reboot; mc 60-p infra "$(files "$(file /etc/promise/reboot 1)")"; }
case_policy_several() { expect infra drain; mc 60-p infra "$(files "$(file /etc/promise/drain 1)" "$(file /etc/promise/reload 1)" "$(file /etc/promise/restart 1)")"; }
case_policy_and_another() { expect infra reboot; mc 60-p infra "$(files "$(file /etc/promise/none 1)" "$(file /etc/other 1)")"; }
case_https_source() {
	expect infra refused; undone infra none
	mc 60-p infra '"storage":{"files":[{"path":"/etc/x","contents":{"source":"https://example.net/x"}}]}'
}
case_directory() { expect infra broken; undone; mc 60-p infra '"storage":{"directories":[{"path":"/etc/d"}]}'; }
case_link() { expect infra broken; undone; mc 60-p infra '"storage":{"links":[{"path":"/etc/l","target":"/etc/x"}]}'; }
case_disk() { expect infra broken; undone; mc 60-p infra '"storage":{"disks":[{"device":"/dev/sdb","wipeTable":true}]}'; }
case_append() { expect infra broken; undone; mc 60-p infra '"storage":{"files":[{"path":"/etc/x","append":[{"source":"data:,x"}]}]}'; }
case_registries_by_hand() { expect infra none; mc 60-p infra "$(files "$(file /etc/containers/policy.json '{}')")"; }

before_file_changed() { mc 60-p infra "$(files "$(file /etc/x 1)")"; }
case_file_changed() { expect infra reboot; mc 60-p infra "$(files "$(file /etc/x 2)")"; }
before_file_mode_changed() { mc 60-p infra "$(files "$(file /etc/promise/reload 1)")"; }
case_file_mode_changed() { expect infra none; mc 60-p infra "$(files "$(file /etc/promise/reload 1 600)")"; }

before_file_behind_another() { mc 70-q infra "$(files "$(file /etc/x 1)")"; }
case_file_behind_another() { expect; mc 60-p infra "$(files "$(file /etc/x 2)")"; }
before_file_compressed() { mc 60-p infra "$(files "$(file /etc/x 1)")"; }
case_file_compressed() {	# the same contents
	expect infra reboot
	mc 60-p infra '"storage":{"files":[{"path":"/etc/x","overwrite":true,"mode":420,"contents":{"compression":"gzip","source":"data:;base64,'"$(echo 1 | gzip -n | base64 -w 0)"'"}}]}'
}
case_ignition_2() {
	expect infra reboot
	mc 60-p infra '"storage":{"files":[{"filesystem":"root","path":"/etc/x","mode":420,"contents":{"source":"data:,x"}}]}' | sed 's/"version":"3.4.0"/"version":"2.2.0"/'
}

# ---- units ---------------------------------------------------------------------------------
case_unit() { expect infra reboot; mc 60-p infra "$(units "{\"name\":\"x.service\",\"enabled\":true,\"contents\":\"$service\"}")"; }
case_unit_masked() { expect infra reboot; mc 60-p infra "$(units '{"name":"x.service","mask":true}')"; }
case_unit_dropin() { expect infra reboot; mc 60-p infra "$(units '{"name":"x.service","dropins":[{"name":"10-x.conf","contents":"[Service]\nNice=1\n"}]}')"; }
case_unit_with_a_policy() { expect infra none; mc 60-p infra "$(units "{\"name\":\"promised.service\",\"enabled\":true,\"contents\":\"$service\"}")"; }

# ---- users ---------------------------------------------------------------------------------
case_ssh_keys() { expect infra none; mc 60-p infra "$(core ',"sshAuthorizedKeys":["ssh-ed25519 AAAA x"]')"; }
case_password() { expect infra none; mc 60-p infra "$(core ',"passwordHash":"$6$salt$hash"')"; }
case_another_user() { expect infra broken; undone; mc 60-p infra '"passwd":{"users":[{"name":"eve","sshAuthorizedKeys":["ssh-ed25519 AAAA x"]}]}'; }
case_groups() { expect infra broken; undone; mc 60-p infra '"passwd":{"groups":[{"name":"g"}]}'; }

# ---- the OS --------------------------------------------------------------------------------
case_kernel_arguments() { expect infra reboot; mc 60-p infra '' '"kernelArguments":["nosmt","x=1"]'; }
before_kernel_argument_twice() { mc 60-p infra '' '"kernelArguments":["x=1"]'; }
case_kernel_argument_twice() { expect infra reboot; mc 60-p infra '' '"kernelArguments":["x=1","x=1"]'; }
case_realtime() { expect infra reboot; mc 60-p infra '' '"kernelType":"realtime"'; }
case_64k_pages() { expect infra refused; undone infra none; mc 60-p infra '' '"kernelType":"64k-pages"'; }
case_extension() { expect infra reboot; mc 60-p infra '' '"extensions":["usbguard"]'; }
case_unknown_extension() { expect infra broken; undone; mc 60-p infra '' '"extensions":["nosuch"]'; }
case_fips() { expect infra broken; undone; mc 60-p infra '' '"fips":true'; }
case_os_image() { expect infra reboot; mc 60-p infra '' "\"osImageURL\":\"registry.example.net/os@sha256:$(printf '5%.0s' {1..64})\""; }

# ---- registries ------------------------------------------------------------------------------
mirrors() {	# KIND MEMBER
	object config.openshift.io/v1 "$1" p "{\"$2\":[{\"source\":\"quay.io/x\",\"mirrors\":[\"mirror.example.net/x\"]}]}"
}
case_digest_mirrors() { expect infra none master none worker none; undone infra drain master drain worker drain; mirrors ImageDigestMirrorSet imageDigestMirrors; }
case_tag_mirrors() { expect infra drain master drain worker drain; mirrors ImageTagMirrorSet imageTagMirrors; }
case_mirrors_only() {
	expect infra none master none worker none; undone infra drain master drain worker drain
	object config.openshift.io/v1 ImageDigestMirrorSet p '{"imageDigestMirrors":[{"source":"quay.io/x","mirrors":["mirror.example.net/x"],
		"mirrorSourcePolicy":"NeverContactSource"}]}'
}
case_old_mirrors() {
	expect infra none master none worker none; undone infra drain master drain worker drain
	object operator.openshift.io/v1alpha1 ImageContentSourcePolicy p '{"repositoryDigestMirrors":[{"source":"quay.io/y","mirrors":["mirror.example.net/y"]}]}'
}
case_blocked_registries() { expect infra drain master drain worker drain; cluster Image '{"registrySources":{"blockedRegistries":["evil.example.net"]}}'; }
case_insecure_registries() { expect infra drain master drain worker drain; cluster Image '{"registrySources":{"insecureRegistries":["dev.example.net"]}}'; }

case_image_policy() {
	expect infra none master none worker none
	object config.openshift.io/v1 ClusterImagePolicy p '{"scopes":["quay.io/x"],"policy":{"rootOfTrust":{"policyType":"PublicKey","publicKey":{"keyData":"'"$(printf -- '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n' | base64 -w 0)"'"}}}}'
}

# ---- kubelet and runtime -----------------------------------------------------------------------
case_kubelet() { expect worker reboot; kubelet p worker '"maxPods":100'; }
case_kubelet_of_a_custom_pool() { expect infra reboot; kubelet p infra '"maxPods":100'; }
before_kubelet_changed() { kubelet p infra '"maxPods":100'; }
case_kubelet_changed() { expect infra reboot; kubelet p infra '"maxPods":90,"podsPerCore":5'; }
before_eleventh_kubelet() {
	live $mco/machineconfigpools/infra '.spec.paused = true'
	for i in {0..9}; do kubelet "p$i" infra "\"maxPods\":$((100 + i))"; done
}
case_eleventh_kubelet() { expect; kubelet p infra '"maxPods":80'; }
case_kubelet_without_a_pool() { expect; warns KubeletConfig p: could not find any MachineConfigPool set for KubeletConfig; kubelet p nosuch '"maxPods":100'; }
case_kubelet_refused() { expect; kubelet p infra '"cgroupDriver":"cgroupfs"'; }
case_runtime() { expect infra reboot; runtime p infra '"pidsLimit":2048'; }
case_runtime_log_size() { expect infra reboot; runtime p infra '"logSizeMax":"16Ki","logLevel":"debug"'; }
case_runtime_refused() { expect; runtime p infra '"pidsLimit":-5'; }
case_cgroup_mode_v1() { expect; cluster Node '{"cgroupMode":"v1"}'; }
case_cgroup_mode_v2() { expect; cluster Node '{"cgroupMode":"v2"}'; }
case_latency_profile() { expect worker reboot; cluster Node '{"workerLatencyProfile":"MediumUpdateAverageReaction"}'; }
case_tls_profile() { expect infra reboot master reboot worker reboot; cluster APIServer '{"tlsSecurityProfile":{"type":"Modern","modern":{}}}'; }

# ---- the cluster -------------------------------------------------------------------------------
case_pull_secret() {
	expect infra none master none worker none
	live /api/v1/namespaces/openshift-config/secrets/pull-secret \
		'.data[".dockerconfigjson"] = ("{\"auths\":{\"new.example.net\":{\"auth\":\"dTpw\"}}}" | @base64)'
}
case_root_ca() { expect; live $mco/controllerconfigs/machine-config-controller '.spec.rootCAData = "b3RoZXI="'; }
case_serving_ca() { expect; live $mco/controllerconfigs/machine-config-controller '.spec.kubeAPIServerServingCAData = "b3RoZXI="'; }
case_proxy() { expect infra reboot master reboot worker reboot; live $mco/controllerconfigs/machine-config-controller '.spec.proxy = {"httpProxy":"http://proxy.example.net:3128"}'; }
case_policy_of_the_cluster() {	# and a file that the policy covers
	expect infra none
	live /apis/operator.openshift.io/v1/machineconfigurations/cluster '.spec.nodeDisruptionPolicy.files += [{"path":"/etc/promise/late","actions":[{"type":"None"}]}]'
	mc 60-p infra "$(files "$(file /etc/promise/late 1)")"
}
# As fetched, with the status of that time: a server ignores a client's status.
case_policy_with_a_status() {
	expect infra none
	api GET /apis/operator.openshift.io/v1/machineconfigurations/cluster | jq -c 'del(.metadata.resourceVersion) |
		.spec.nodeDisruptionPolicy.files += [{"path":"/etc/promise/late","actions":[{"type":"None"}]}]'
	mc 60-p infra "$(files "$(file /etc/promise/late 1)")"
}
before_policy_then_file() {
	live /apis/operator.openshift.io/v1/machineconfigurations/cluster '.spec.nodeDisruptionPolicy.files += [{"path":"/etc/promise/late","actions":[{"type":"None"}]}]'
}
case_policy_then_file() { expect infra none; mc 60-p infra "$(files "$(file /etc/promise/late 1)")"; }
case_machineconfiguration() { expect; live /apis/operator.openshift.io/v1/machineconfigurations/cluster '.spec.nodeDisruptionPolicy.sshkey.actions = [{"type":"Drain"},{"type":"None"}]'; }

# ---- pools --------------------------------------------------------------------------------------
case_paused_pool() {
	expect; undone
	live $mco/machineconfigpools/infra '.spec.paused = true'
}
before_resumed_pool() { live $mco/machineconfigpools/infra '.spec.paused = true'; mc 60-p infra "$(files "$(file /etc/x 1)")"; }
case_resumed_pool() { expect infra reboot; undone; live $mco/machineconfigpools/infra '.spec.paused = false'; }
before_change_of_a_paused_pool() { live $mco/machineconfigpools/infra '.spec.paused = true'; }
case_change_of_a_paused_pool() { expect infra paused; undone infra none; mc 60-p infra "$(files "$(file /etc/x 1)")"; }
before_change_beside_a_paused_pool() { before_resumed_pool; }
case_change_beside_a_paused_pool() { expect infra paused worker reboot; mc 61-p worker "$(files "$(file /etc/y 1)")"; }
case_max_unavailable() { expect; live $mco/machineconfigpools/infra '.spec.maxUnavailable = 2'; }
before_bad_max_unavailable() { live $mco/machineconfigpools/infra '.spec.maxUnavailable = "lots"'; }
case_bad_max_unavailable() { expect infra stuck; undone infra none; mc 60-p infra "$(files "$(file /etc/x 1)")"; }
case_new_pool() { expect edge unused; undone; edge node-role.kubernetes.io/edge ''; }
before_pool_selector() { mc 60-p infra "$(files "$(file /etc/x 1)")"; }
edge() {	# NODE-LABEL VALUE
	object machineconfiguration.openshift.io/v1 MachineConfigPool edge '{"machineConfigSelector":{"matchExpressions":[{"key":
		"machineconfiguration.openshift.io/role","operator":"In","values":["worker","edge"]}]},"nodeSelector":{"matchLabels":{"'"$1"'":"'"$2"'"}}}'
}
case_new_pool_with_a_node() {
	expect edge reboot; undone worker refused; moves worker-0 edge
	edge kubernetes.io/hostname worker-0
	mc 60-p edge "$(files "$(file /etc/x 1)")"
}
after_new_pool_with_a_node() {	# restores the config deleted with the pool: the node needs it to continue
	jq -c '.items[] | select(.metadata.name | startswith("rendered-edge-")) |
		del(.metadata.ownerReferences, .metadata.uid, .metadata.resourceVersion)' "$dir/mcs.json" > "$dir/lost.json"
	prepare lost
	apply_objects lost
}
case_pool_selector() {
	expect infra reboot
	live $mco/machineconfigpools/infra '.spec.machineConfigSelector = {"matchLabels":{"machineconfiguration.openshift.io/role":"worker"}}'
}

# ---- configs that cannot be rendered ---------------------------------------------------------------
case_broken() { expect infra broken; undone; mc 60-p infra '"storage":{"files":[{"path":"relative"}]}'; }
case_broken_ignition() {
	expect infra broken; undone
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"60-p","labels":{
		"machineconfiguration.openshift.io/role":"infra"}},"spec":{"config":{"ignition":{"version":"9.9.0"}}}}\n'
}
case_too_large() {	# both together
	expect infra broken; undone
	for i in 1 2; do mc "6$i-p" infra "$(files "$(file "/etc/large$i" "$(head -c 800000 /dev/zero | tr '\0' a)")")"; done
}

# ---- no change --------------------------------------------------------------------------------------
case_no_op() { expect; live $mco/machineconfigpools/worker .; }
case_no_role() {
	expect
	warns 'MachineConfig 60-p: no pool selects it: the pools are infra (machineconfiguration.openshift.io/role in (infra,worker)), master (machineconfiguration.openshift.io/role=master), worker (machineconfiguration.openshift.io/role=worker)'
	mc 60-p nosuch "$(files "$(file /etc/x 1)")"
}
case_empty_config() { expect; mc 60-p infra ''; }
case_feature_gate() { expect; cluster FeatureGate '{}'; }

mapfile -t all_cases < <(declare -F | sed -n 's/^declare -f case_//p')
