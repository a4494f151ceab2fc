# The remaining cases.
is 'no daemon saw what none should see' '' "$(grep FAULT "$W/agents.log")"
eventually 'gauges count the machines' 'mco_machine_count{pool="worker"} 4' eval "metrics | grep '^mco_machine_count{pool=\"worker\"}'"
gauges() { metrics | sed -n '/ process_/d; s/^# TYPE \(.*\) gauge/\1/p' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'; }
eventually 'every gauge of upstream is there' 'mcc_boot_image_skew_enforcement_none mcc_drain_err mcc_pool_alert mcc_sub_controller_state mco_degraded_machine_count mco_machine_count mco_state mco_unavailable_machine_count mco_updated_machine_count os_image_url_override' \
	gauges
eventually 'it is healthy' ok metrics /healthz

# Other feature gates: the process ends, and the next one uses them.
all_of() { j $mc/machineconfignodes/worker-0 '[.status.conditions[].type] | map(select(startswith("Applied") or startswith("ImagePulled"))) | sort | join(" ")'; }
begun() { events FeatureGatesInitialized | sed 's/ x[0-9]* / /' | uniq; }
eventually 'the event of its start' "Normal machine-config-operator Namespace/$mco_ns FeatureGates updated to featuregates.Features{Enabled:[]v1.FeatureGateName(nil), Disabled:[]v1.FeatureGateName{\"SigstoreImageVerification\"}}" \
	begun
eventually 'conditions of MachineConfigNodes' 'AppliedFilesAndOS' all_of
set_gates '["ImageModeStatusReporting","CRIOCredentialProviderConfig","NoRegistryClusterInstall"]'
controller_ends 'other gates end it'
eventually 'an event says so' "Normal machine-config-operator Namespace/$mco_ns x1 FeatureGates updated to featuregates.Features{Enabled:[]v1.FeatureGateName{\"ImageModeStatusReporting\", \"CRIOCredentialProviderConfig\", \"NoRegistryClusterInstall\"}, Disabled:[]v1.FeatureGateName{\"SigstoreImageVerification\"}}" \
	events FeatureGatesModified
post_yaml $crds "$here/../../examples/deploy/crds/criocredentialproviderconfigs.yaml"
credentials=/apis/config.openshift.io/v1alpha1/criocredentialproviderconfigs
eventually 'the kind of its own gate is served' CRIOCredentialProviderConfigList kind_at $credentials
start_controller
eventually 'MachineConfigNodes are brought to image mode' 'AppliedFiles AppliedOSImage ImagePulledFromRegistry' all_of

# CRIOCredentialProviderConfig: one more credential provider for the kubelet.
provided() { # POOL PATH: as the pool has it
	file_of "97-$1-generated-credentialproviderconfig" "/etc/$2"
}
said_of_it() { j $credentials/cluster ".status.conditions[] | .type + \"=\" + ($said) + \" \" + (.observedGeneration | tostring)"; }
is 'nothing without the object' Status "$(kind_at $mc/machineconfigs/97-worker-generated-credentialproviderconfig)"
post $credentials '{"apiVersion":"config.openshift.io/v1alpha1","kind":"CRIOCredentialProviderConfig","metadata":{"name":"cluster"},
	"spec":{"matchImages":["b.example.com/x","*.a.example.com"]}}'
eventually 'it becomes a file of providers' 'apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
- apiVersion: credentialprovider.kubelet.k8s.io/v1
  defaultCacheDuration: 1s
  matchImages:
  - '"'*.a.example.com'"'
  - b.example.com/x
  name: crio-credential-provider
  tokenAttributes:
    cacheType: Token
    requireServiceAccount: false
    serviceAccountTokenAudience: https://kubernetes.default.svc' provided worker kubernetes/credential-providers/generic-credential-provider.yaml
is 'and the flags that name it' 'Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=--image-credential-provider-bin-dir=/usr/libexec/kubelet-image-credential-provider-plugins --image-credential-provider-config=/etc/kubernetes/credential-providers/generic-credential-provider.yaml"' \
	"$(provided worker systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf | tail -1)"
eventually 'the masters have it too, custom pools do not' 'MachineConfig Status' eval 'echo $(for p in master infra; do
	kind_at $mc/machineconfigs/97-$p-generated-credentialproviderconfig; done)'
eventually 'it is owned, and of this version' "CRIOCredentialProviderConfig/cluster null $MCO_HASH" j $mc/machineconfigs/97-worker-generated-credentialproviderconfig \
	'.metadata | (.ownerReferences[0] | .kind + "/" + .name + " " + (.controller | tostring)) + " " + (.annotations | .[keys[0]])'
eventually 'its status says so' 'Validated=True Succeeded|Success 1
MachineConfigRendered=True MachineConfigRenderingSucceeded|Success 1' said_of_it
eventually 'so does the gauge' 2 eval "metrics | grep -c 'state=\"Sync CRIO Credential Provider Config\",subcontroller=\"machine-config-controller-container-runtime-config\"'"
patch $credentials/cluster '{"spec":{"matchImages":["c.example.com"]}}'
eventually 'changed, so does the file' '  - c.example.com' eval 'provided worker kubernetes/credential-providers/generic-credential-provider.yaml | grep example.com'
eventually 'and the status is of the new generation' 'Validated=True Succeeded|Success 2
MachineConfigRendered=True MachineConfigRenderingSucceeded|Success 2' said_of_it
delete $mc/machineconfigs/97-worker-generated-credentialproviderconfig
eventually 'a MachineConfig of its that is gone is made again' MachineConfig kind_at $mc/machineconfigs/97-worker-generated-credentialproviderconfig

# The registry of an InternalReleaseImage: its password is in the nodes' pull secret.
auths() { # of worker nodes
	j $mc/machineconfigs/00-worker '.spec.config.storage.files[] | select(.path == "/var/lib/golden/registry-login.json") | .contents.source' |
		sed 's/^data:,//;s/%/\\x/g' | xargs -0 printf '%b' | jq -r '.auths | to_entries[] | select(.key | endswith(":22625")) | .key + " " + (.value.auth | @base64d)'
}
patch $mc/controllerconfigs/machine-config-controller '{"spec":{"dns":{"metadata":{"name":"cluster"},"spec":{"baseDomain":"c.example.com"}}}}'
post $mc/internalreleaseimages '{"apiVersion":"'$P'/v1","kind":"InternalReleaseImage","metadata":{"name":"cluster"},
	"spec":{"releases":[{"name":"ocp-release-bundle-4.22.0-x86_64"}]}}'
eventually 'without its Secret templates fail' 'True |failed to syncing towards (2) generation using controller version v4.22.0: could not merge IRI registry credentials into pull secret: could not get IRI auth secret: secret "internal-release-image-registry-auth" not found' \
	j $mc/controllerconfigs/machine-config-controller ".status.conditions[] | select(.type == \"TemplateControllerFailing\") | $said"
secrets=/api/v1/namespaces/$mco_ns/secrets
post $secrets '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"internal-release-image-registry-auth"},"stringData":{"password":"first"}}'
eventually 'with it they have its password' "api-int.c.example.com:22625 openshift:first
localhost:22625 openshift:first" auths
patch $secrets/internal-release-image-registry-auth '{"stringData":{"password":"second"}}'
eventually 'and the next one' "api-int.c.example.com:22625 openshift:second
localhost:22625 openshift:second" auths

# The OKD build moves a cluster from runc to crun; no other build does.
end_controller
map=/api/v1/namespaces/$mco_ns/configmaps
post $map '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"crio-default-container-runtime"}}'
machine_config 00-override-worker-generated-crio-default-container-runtime worker runc
left() { echo $(kind_at $map/crio-default-container-runtime) $(kind_at $mc/machineconfigs/00-override-worker-generated-crio-default-container-runtime); }
w=$(target worker)
start_controller
w=$(new_target worker "$w")
is 'upstream keeps runc' 'ConfigMap MachineConfig' "$(left)"
end_controller
MCO_SCOS=1 start_controller
eventually 'OKD moves to crun' 'Status Status' left
w=$(new_target worker "$w")

end_controller
