# KubeletConfigs and ContainerRuntimeConfigs: created, changed, deleted.
w5=$(target worker)
pools_selected='"machineConfigPoolSelector":{"matchLabels":{"pools.operator.'$P'/worker":""}}'
last() { j "$mc/$1" ".status | (.observedGeneration | tostring) + \" \" + ((.conditions // [])[-1] | .type + \" \" + $said)"; }

post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"pods","annotations":{"mine":"kept"}},
	"spec":{'"$pools_selected"',"kubeletConfig":{"maxPods":321}}}'
w6=$(new_target worker "$w5")
eventually 'a KubeletConfig becomes a MachineConfig' 321 \
	eval 'file_of 99-worker-generated-kubelet /etc/kubernetes/kubelet.conf | sed -n "s/^maxPods: //p"'
eventually 'which it owns' 'KubeletConfig/pods true' j $mc/machineconfigs/99-worker-generated-kubelet \
	'.metadata.ownerReferences[0] | .kind + "/" + .name + " " + (.controller | tostring)'
eventually 'and is kept for' '99-worker-generated-kubelet' j $mc/kubeletconfigs/pods '.metadata.finalizers | join(" ")'
eventually 'annotations of others stay' 'kept |' j $mc/kubeletconfigs/pods ".metadata.annotations | .mine + \" \" + .[\"$P/mc-name-suffix\"] + \"|\""
eventually 'its status is Success' '1 Success True |Success' last kubeletconfigs/pods
patch $mc/kubeletconfigs/pods '{"spec":{"kubeletConfig":{"maxPods":322}}}'
w7=$(new_target worker "$w6")
eventually 'changed, it is rolled out' "$(all_well 4 "$w7")" settled worker
is 'with the new value' 322 "$(file_of "$w7" /etc/kubernetes/kubelet.conf | sed -n 's/^maxPods: //p')"
eventually 'its status is of the new generation' '2 Success True |Success' last kubeletconfigs/pods
patch $mc/kubeletconfigs/pods '{"spec":{"kubeletConfig":{"clusterDomain":"x"}}}'
eventually 'one that is not allowed fails, and says why' '3 Failure True |Error: KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x' \
	last kubeletconfigs/pods
is 'and changes nothing' "$w7" "$(target worker)"
patch $mc/kubeletconfigs/pods '{"spec":{"kubeletConfig":{"clusterDomain":null}}}'
eventually 'put right, it succeeds' '4 Success True |Success' last kubeletconfigs/pods
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"second"},
	"spec":{'"$pools_selected"',"logLevel":4}}'
eventually 'a second one has a number' MachineConfig kind_at $mc/machineconfigs/99-worker-generated-kubelet-1
eventually 'that it keeps' 1 j $mc/kubeletconfigs/second ".metadata.annotations[\"$P/mc-name-suffix\"]"
delete $mc/kubeletconfigs/second
eventually 'its MachineConfig goes with it' 'Status Status' \
	eval 'echo $(kind_at $mc/machineconfigs/99-worker-generated-kubelet-1) $(kind_at $mc/kubeletconfigs/second)'
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"nobody"},
	"spec":{"machineConfigPoolSelector":{"matchLabels":{"no":"pool"}},"kubeletConfig":{"maxPods":1}}}'
eventually 'one for no pool says so' '1 Failure True |Error: could not find any MachineConfigPool set for KubeletConfig' last kubeletconfigs/nobody
delete $mc/kubeletconfigs/nobody
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"misnamed",
	"annotations":{"'$P'/mc-name-suffix":"Not_A_Name"}},"spec":{'"$pools_selected"',"logLevel":3}}'
eventually 'what the server refuses is in the status' '1 Failure True |could not Create/Update MachineConfig: MachineConfig.'$P' "99-worker-generated-kubelet-Not_A_Name" is invalid: metadata.name: Invalid value: "99-worker-generated-kubelet-Not_A_Name"' \
	eval 'last kubeletconfigs/misnamed | sed "s/\(\"99[^:]*\): a .*/\1/"'
delete $mc/kubeletconfigs/misnamed

post $mc/containerruntimeconfigs '{"apiVersion":"'$P'/v1","kind":"ContainerRuntimeConfig","metadata":{"name":"pids"},
	"spec":{'"$pools_selected"',"containerRuntimeConfig":{"pidsLimit":4096}}}'
eventually 'a ContainerRuntimeConfig becomes a MachineConfig' '[crio]
  [crio.runtime]
    pids_limit = 4096' file_of 99-worker-generated-containerruntime /etc/crio/crio.conf.d/01-ctrcfg-pidsLimit
eventually 'its status is Success' '1 Success True |Success' last containerruntimeconfigs/pids
patch $mc/containerruntimeconfigs/pids '{"spec":{"containerRuntimeConfig":{"pidsLimit":4097,"logLevel":"debug"}}}'
eventually 'changed, so does the MachineConfig' '[crio]
  [crio.runtime]
    pids_limit = 4097' file_of 99-worker-generated-containerruntime /etc/crio/crio.conf.d/01-ctrcfg-pidsLimit
patch $mc/containerruntimeconfigs/pids '{"spec":{"containerRuntimeConfig":{"pidsLimit":19}}}'
eventually 'one that is not allowed fails, and says why' '3 Failure True |Error: invalid PidsLimit 19' last containerruntimeconfigs/pids
delete $mc/containerruntimeconfigs/pids
delete $mc/kubeletconfigs/pods
eventually 'deleted, both go' 'Status Status Status Status' eval 'echo $(for o in containerruntimeconfigs/pids \
	kubeletconfigs/pods machineconfigs/99-worker-generated-kubelet machineconfigs/99-worker-generated-containerruntime; do
	kind_at $mc/$o; done)'
eventually 'and the config before them is back' "$(all_well 4 "$w5")" settled worker
