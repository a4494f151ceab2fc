# The definitions in examples/deploy, and objects of their kinds.
mc=/apis/machineconfiguration.openshift.io/v1
for f in "$here"/../../examples/deploy/crds/*.yaml; do
	send "$all" "crd-$(basename "$f" .yaml)" POST $crd "$(cat "$f")" \
		-H 'Content-Type: application/yaml' -o /dev/null
done
for k in machineconfigs machineconfigpools kubeletconfigs containerruntimeconfigs \
	controllerconfigs machineconfignodes machineosconfigs machineosbuilds \
	pinnedimagesets internalreleaseimages; do
	wait_kind $mc/$k
done
wait_kind /apis/operator.openshift.io/v1/machineconfigurations
# What the server stores of a CRD with rules at the root, in an object and in a
# list.
r crd-osimagestreams-kept GET $crd/osimagestreams.machineconfiguration.openshift.io
obj() {	# KIND NAME REST: the body of an object
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"%s","metadata":{"name":"%s"},%s}' "$1" "$2" "$3"
}
r mc-create POST $mc/machineconfigs '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"50-a","labels":{"machineconfiguration.openshift.io/role":"worker"},"annotations":{"machineconfiguration.openshift.io/generated-by-controller-version":"0123"}},"spec":{"config":{"ignition":{"version":"3.5.0"},"storage":{"files":[{"path":"/etc/a","contents":{"source":"data:,x"},"mode":420}]}},"kernelArguments":null,"extensions":["usbguard"],"fips":false,"unknown":1}}'
r mc-bare POST $mc/machineconfigs '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"51-b"}}'
r mc-fips POST $mc/machineconfigs "$(obj MachineConfig 52 '"spec":{"fips":"yes"}')"
r mc-kargs POST $mc/machineconfigs "$(obj MachineConfig 52 '"spec":{"kernelArguments":[1]}')"
t table-mc $mc/machineconfigs
r mcp-create POST $mc/machineconfigpools "$(obj MachineConfigPool worker '"spec":{"machineConfigSelector":{"matchLabels":{"a":"b"}},"nodeSelector":{"matchExpressions":[{"key":"k","operator":"Exists"}]},"maxUnavailable":"10%","paused":false,"pinnedImageSets":[{"name":"set"}]}')"
r mcp-no-spec POST $mc/machineconfigpools '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"x"}}'
r mcp-selector POST $mc/machineconfigpools "$(obj MachineConfigPool x '"spec":{"nodeSelector":{"matchExpressions":[{"key":"k"}]}}')"
r mcp-max POST $mc/machineconfigpools "$(obj MachineConfigPool x '"spec":{"maxUnavailable":true}')"
r mcp-pinned POST $mc/machineconfigpools "$(obj MachineConfigPool x '"spec":{"pinnedImageSets":[{"name":"-"},{"name":"a"},{"name":"a"}]}')"
v=$(field $mc/machineconfigpools/worker .metadata.resourceVersion)
r mcp-status PUT $mc/machineconfigpools/worker/status '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"worker","resourceVersion":"'$v'"},"spec":{},"status":{"machineCount":3,"readyMachineCount":2,"updatedMachineCount":2,"degradedMachineCount":0,"unavailableMachineCount":1,"observedGeneration":1,"configuration":{"name":"rendered-worker-1","source":[{"apiVersion":"v1","kind":"MachineConfig","name":"50-a"}]},"conditions":[{"type":"Updated","status":"False","lastTransitionTime":null,"reason":"R","message":"m"},{"type":"Updating","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"R","message":"m"}]}}'
p mcp-status-count merge $mc/machineconfigpools/worker/status '{"status":{"machineCount":"3"}}'
p mcp-status-sync merge $mc/machineconfigpools/worker/status '{"status":{"poolSynchronizersStatus":[{"poolSynchronizerType":"Other","machineCount":-1}]}}'
p mcp-pause merge $mc/machineconfigpools/worker '{"spec":{"paused":true}}'
t table-mcp $mc/machineconfigpools
r kc-create POST $mc/kubeletconfigs "$(obj KubeletConfig k '"spec":{"kubeletConfig":{"maxPods":500},"logLevel":3,"tlsSecurityProfile":{"type":"Custom","custom":{"ciphers":["a"],"minTLSVersion":"VersionTLS12"}}}')"
r kc-log POST $mc/kubeletconfigs "$(obj KubeletConfig k2 '"spec":{"logLevel":11,"tlsSecurityProfile":{"type":"Other"}}')"
t table-kc $mc/kubeletconfigs
r ctr-create POST $mc/containerruntimeconfigs "$(obj ContainerRuntimeConfig c '"spec":{"containerRuntimeConfig":{"overlaySize":"10G","logSizeMax":8192,"pidsLimit":2048}}')"
r ctr-quantity POST $mc/containerruntimeconfigs "$(obj ContainerRuntimeConfig c2 '"spec":{"containerRuntimeConfig":{"overlaySize":"ten","defaultRuntime":"kata"}}')"
r ctr-empty POST $mc/containerruntimeconfigs "$(obj ContainerRuntimeConfig c2 '"spec":{}')"
r mcn-create POST $mc/machineconfignodes "$(obj MachineConfigNode n1 '"spec":{"node":{"name":"n1"},"pool":{"name":"worker"},"configVersion":{"desired":"not-yet-set"}}')"
p mcn-status merge $mc/machineconfignodes/n1/status '{"status":{"configVersion":{"desired":"a","current":"b"},"observedGeneration":1,"conditions":[{"type":"Updated","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"Updated","message":"m"}]}}'
p mcn-status-bad merge $mc/machineconfignodes/n1/status '{"status":{"conditions":[{"type":"Updated","status":"Maybe","lastTransitionTime":"soon","reason":"a b","message":"m"}]}}'
p mcn-apply apply "$mc/machineconfignodes/n1/status?fieldManager=mco&force=true" '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode","metadata":{"name":"n1"},"status":{"conditions":[{"type":"Drained","status":"False","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"No","message":"x"}]}}'
p mcn-apply-again apply "$mc/machineconfignodes/n1/status?fieldManager=mco&force=true" '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigNode","metadata":{"name":"n1"},"status":{"conditions":[{"type":"Drained","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"Yes","message":"y"}]}}'
t table-mcn $mc/machineconfignodes
r mosc-default POST $mc/machineosconfigs "$(obj MachineOSConfig worker '"spec":{"machineConfigPool":{"name":"worker"},"imageBuilder":{"imageBuilderType":"Job"},"renderedImagePushSecret":{"name":"s"},"renderedImagePushSpec":"reg.example/a:b","containerFile":[{"content":"FROM x"}]}')"
p mosc-status merge $mc/machineosconfigs/worker/status '{"status":{"observedGeneration":1,"machineOSBuild":{"group":"machineconfiguration.openshift.io","namespace":"none","resource":"machineosbuilds","name":"worker-1","unknown":1}}}'
p mosc-status-bad merge $mc/machineosconfigs/worker/status '{"status":{"machineOSBuild":{"group":null}}}'
r pis-empty POST $mc/pinnedimagesets "$(obj PinnedImageSet p '"spec":{"pinnedImages":[]}')"
r pis-create POST $mc/pinnedimagesets "$(obj PinnedImageSet p '"spec":{"pinnedImages":[{"name":"reg.example/a@sha256:0000000000000000000000000000000000000000000000000000000000000000"}]}')"
r iri-create POST $mc/internalreleaseimages "$(obj InternalReleaseImage cluster '"spec":{"releases":[{"name":"ocp-release-bundle-4.22.0-x86_64"}]}')"
r iri-alpha GET /apis/machineconfiguration.openshift.io/v1alpha1/internalreleaseimages/cluster
# The sandbox evaluates no CEL.
r iri-name POST $mc/internalreleaseimages "$(obj InternalReleaseImage c2 '"spec":{"releases":[{"name":"other"}]}')"
r mcfg-create POST /apis/operator.openshift.io/v1/machineconfigurations '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{"managementState":"Managed"}}'
r mcfg-bad POST /apis/operator.openshift.io/v1/machineconfigurations '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"c2"},"spec":{"managementState":"None","logLevel":"Loud","nodeDisruptionPolicy":{"files":[{"path":"/a","actions":[{"type":"Special"}]}]}}}'
r iri-long POST $mc/internalreleaseimages "$(obj InternalReleaseImage c3 '"spec":{"releases":[{"name":"ocp-release-bundle-4.22.0-a-name-of-more-than-sixty-four-characters"}]}')"
r cc-defaults POST $mc/controllerconfigs "$(obj ControllerConfig d '"spec":{"additionalTrustBundle":null,"baseOSContainerImage":"","cloudProviderCAData":null,"cloudProviderConfig":"","clusterDNSIP":"","dns":{"apiVersion":"config.openshift.io/v1","kind":"DNS","metadata":{"name":"cluster"},"spec":{"baseDomain":"a.b"}},"images":{},"infra":{"apiVersion":"config.openshift.io/v1","kind":"Infrastructure","metadata":{"name":"cluster"},"spec":{"platformSpec":{"type":"None"}},"status":{"platform":"None","cpuPartitioning":"AllNodes"}},"ipFamilies":"","kubeAPIServerServingCAData":"YQ==","network":null,"proxy":{"httpProxy":"a","other":"b"},"releaseImage":"","rootCAData":"YQ=="}')"
r cc-bytes POST $mc/controllerconfigs "$(obj ControllerConfig e '"spec":{"additionalTrustBundle":"a","baseOSContainerImage":"","cloudProviderCAData":"YQ","cloudProviderConfig":"","clusterDNSIP":"","dns":null,"images":{},"infra":null,"internalRegistryPullSecret":"YQ==\n","ipFamilies":"","kubeAPIServerServingCAData":"","network":null,"proxy":null,"releaseImage":"","rootCAData":"Y-=="}')"
r cc-missing POST $mc/controllerconfigs "$(obj ControllerConfig c '"spec":{"infra":{"kind":"Infrastructure"},"dns":null}')"
