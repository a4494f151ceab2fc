# The worker latency profile: a change from one extreme to the other must go
# through the middle.
w5=$(target worker)
profile() { patch $config/nodes/cluster "{\"spec\":{\"workerLatencyProfile\":$1}}"; }
reports() { file_of 97-worker-generated-kubelet /etc/kubernetes/kubelet.conf | sed -n 's/^nodeStatusUpdateFrequency: //p'; }
was=$(reports)
profile '"LowUpdateSlowReaction"'
eventually 'too far at once is prohibited' 'Normal machineconfigcontroller-kubeletconfigcontroller Node/cluster x1 Skipping the Update Node event, name: cluster, transition not allowed from old WorkerLatencyProfile: "" to new WorkerLatencyProfile: "LowUpdateSlowReaction"' \
	events ActionProhibited 'Skipping the Update Node event'
# the refused profile stays refused in later plans
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"later"},
	"spec":{'"$pools_selected"',"kubeletConfig":{"maxPods":199}}}'
delete $mc/machineconfigs/97-worker-generated-kubelet
eventually 'something else is changed' '1 Success True |Success' last kubeletconfigs/later
eventually 'and made again' MachineConfig kind_at $mc/machineconfigs/97-worker-generated-kubelet
is 'it does not come with that' "$was" "$(reports)"
is 'nor in what a KubeletConfig makes' "$was" \
	"$(file_of 99-worker-generated-kubelet /etc/kubernetes/kubelet.conf | sed -n 's/^nodeStatusUpdateFrequency: //p')"
delete $mc/kubeletconfigs/later
profile '"MediumUpdateAverageReaction"'
eventually 'the middle is allowed' 20s reports
profile '"LowUpdateSlowReaction"'
eventually 'from there it can go on' 1m0s reports
profile '"MediumUpdateAverageReaction"'
eventually 'and back' 20s reports
profile null
eventually 'to where it was' "$was" reports
eventually 'and the config before it is back' "$(all_well 4 "$w5")" settled worker
