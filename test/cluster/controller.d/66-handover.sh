# What upstream leaves unchanged stays unchanged: nothing here may roll out to nodes
# that would keep their config under upstream's controller.
w5=$(target worker)
max_pods() { file_of "$1" /etc/kubernetes/kubelet.conf | sed -n 's/^maxPods: //p'; }
rv() { j $mc/"$1" '.metadata.resourceVersion'; }
# What mcoctl renders from the cluster, which must equal what the cluster has.
rendered() { "$BIN/mcoctl" render --kubeconfig "$KUBECONFIG" -p "$1" -o name 2>"$W/warnings" | sed 's,.*/,,'; }
# Waits until the controller has planned the changes made before this call.
caught_up() {
	post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"marker"},
		"spec":{"machineConfigPoolSelector":{"matchLabels":{"no":"pool"}},"kubeletConfig":{"maxPods":1}}}'
	eventually 'the controller has caught up' '1 Failure True |Error: could not find any MachineConfigPool set for KubeletConfig' last kubeletconfigs/marker
	delete $mc/kubeletconfigs/marker
}

# A KubeletConfig that is settled.
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"kept"},
	"spec":{'"$pools_selected"',"kubeletConfig":{"maxPods":222}}}'
w6=$(new_target worker "$w5")
eventually 'the KubeletConfig is rolled out' "$(all_well 4 "$w6")" settled worker
eventually 'and settled' '1 Success True |Success' last kubeletconfigs/kept
kept=$(rv machineconfigs/99-worker-generated-kubelet)

# (a) The Node config: the 97- and 98- configs of every pool follow; the
# KubeletConfig's does not.
profile '"MediumUpdateAverageReaction"'
eventually 'the Node config reaches the 97' 20s reports
caught_up
is 'the KubeletConfig keeps its MachineConfig' "$kept" "$(rv machineconfigs/99-worker-generated-kubelet)"
post $config/apiservers '{"apiVersion":"config.openshift.io/v1","kind":"APIServer","metadata":{"name":"cluster"},"spec":{"tlsSecurityProfile":{"type":"Modern","modern":{}}}}'
tls() { file_of "$1" /etc/kubernetes/kubelet.conf | sed -n 's/^tlsMinVersion: //p'; }
eventually 'an APIServer reaches the 98' VersionTLS13 tls 98-worker-generated-kubelet
caught_up
is 'and not what is settled' "$kept VersionTLS12" "$(rv machineconfigs/99-worker-generated-kubelet) $(tls 99-worker-generated-kubelet)"
# A restart changes nothing.
end_controller
start_controller
caught_up
is 'nor does a start' "$kept VersionTLS12" "$(rv machineconfigs/99-worker-generated-kubelet) $(tls 99-worker-generated-kubelet)"
is 'mcoctl renders what the cluster has' "$(target worker)" "$(rendered worker)"
get $mc/kubeletconfigs/kept | jq '{apiVersion, kind, metadata: {name: "kept"}, spec}' >"$W/kept.json"
is 'the same manifest again is no change' '0 ' "$("$BIN/mcoctl" diff --kubeconfig "$KUBECONFIG" -p worker -f "$W/kept.json" >"$W/diff"; echo $? "$(cat "$W/diff")")"
sed -i 's/222/223/' "$W/kept.json"
is 'an edit brings what was left alone' 'tlsMinVersion: VersionTLS13' "$("$BIN/mcoctl" diff --kubeconfig "$KUBECONFIG" -p worker -f "$W/kept.json" | sed -n 's/^ *+\(tlsMin.*\)/\1/p')"
patch $mc/kubeletconfigs/kept '{"spec":{"kubeletConfig":{"maxPods":223}}}'
eventually 'an edit does' '223 VersionTLS13' eval 'echo $(max_pods 99-worker-generated-kubelet) $(tls 99-worker-generated-kubelet)'
delete $config/apiservers/cluster
eventually 'without an APIServer it is as it was' VersionTLS12 tls 98-worker-generated-kubelet
profile null
eventually 'and the Node config, too' "$was" reports

# (b) A pool created now has none until the Node config changes.
post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"late",
	"labels":{"pools.operator.'$P'/worker":""}},"spec":{"machineConfigSelector":{"matchExpressions":[
	{"key":"'$P'/role","operator":"In","values":["worker","late"]}]},"nodeSelector":{"matchLabels":{"'$role'/late":""}}}}'
late_configs() { j $mc/machineconfigs '[.items[].metadata.name | select(test("^9[0-9]-late-generated"))] | join(" ")'; }
l1=$(new_target late '')
eventually 'a late pool is well' "$(all_well 0 "$l1")" settled late
caught_up
is 'without anything of its own' '' "$(late_configs)"
is 'which is what mcoctl renders' "$l1" "$(rendered late)"
is 'and says' 'warning: KubeletConfig kept: pool late has no MachineConfig 99-late-generated-kubelet yet: the controller creates it at its next start, or when the object is edited' "$(cat "$W/warnings")"
profile '"MediumUpdateAverageReaction"'
eventually 'until the Node config changes' '97-late-generated-kubelet 98-late-generated-kubelet 99-late-generated-kubelet' late_configs
profile null
eventually 'back' "$was" reports

# A deleted pool leaves the KubeletConfigs that selected it unchanged.
post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"of-late"},
	"spec":{"machineConfigPoolSelector":{"matchLabels":{"only":"late"}},"kubeletConfig":{"maxPods":99}}}'
eventually 'one waits for its pool' '1 Failure True |Error: could not find any MachineConfigPool set for KubeletConfig' last kubeletconfigs/of-late
patch $mc/machineconfigpools/late '{"metadata":{"labels":{"only":"late"}}}'
eventually 'and is made when there is one' '1 Success True |Success' last kubeletconfigs/of-late
of_late=$(rv kubeletconfigs/of-late)
delete $mc/machineconfigpools/late
caught_up
is 'the pool is deleted: no failure is told' "$of_late" "$(rv kubeletconfigs/of-late)"
end_controller
start_controller
caught_up
is 'nor at a start' "$of_late" "$(rv kubeletconfigs/of-late)"
delete $mc/kubeletconfigs/of-late
for n in 97 98 99; do delete $mc/machineconfigs/$n-late-generated-kubelet; done

# (d) Two configs that upstream's workers gave one name: both keep it until one
# is edited.
end_controller
for k in one two; do
	post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"'$k'","finalizers":["99-worker-generated-kubelet-1"],
		"annotations":{"'$P'/mc-name-suffix":"1"}},"spec":{'"$pools_selected"',"kubeletConfig":{"maxPods":240}}}'
	patch $mc/kubeletconfigs/$k/status '{"status":{"observedGeneration":1,"conditions":[{"type":"Success","status":"True",
		"message":"Success","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'
done
get $mc/machineconfigs/99-worker-generated-kubelet | jq -c --arg u "$(j $mc/kubeletconfigs/two .metadata.uid)" '{apiVersion, kind,
	metadata: (.metadata | {name: "99-worker-generated-kubelet-1", labels, annotations, ownerReferences: [.ownerReferences[0] * {name: "two", uid: $u}]}), spec}' >"$W/shared"
post $mc/machineconfigs "@$W/shared"
shared() { echo "$(rv kubeletconfigs/one) $(rv kubeletconfigs/two) $(rv machineconfigs/99-worker-generated-kubelet-1) $(kind_at $mc/machineconfigs/99-worker-generated-kubelet-2)"; }
before=$(shared)
start_controller
caught_up
eventually 'the shared config is rendered' 99-worker-generated-kubelet-1 j $mc/machineconfigpools/worker '.spec.configuration.source[].name | select(endswith("kubelet-1"))'
is 'a shared name stays' "$before" "$(shared)"
is 'mcoctl renders it' "$(target worker)" "$(rendered worker)"
is 'and says so' 'warning: KubeletConfig one and two share MachineConfig 99-worker-generated-kubelet-1, which contains only the settings of two: edit the other one, and it gets its own MachineConfig' "$(cat "$W/warnings")"
patch $mc/kubeletconfigs/one '{"spec":{"kubeletConfig":{"maxPods":241}}}'
eventually 'an edit gives a name of its own' '2 241' eval 'echo $(j $mc/kubeletconfigs/one ".metadata.annotations[\"$P/mc-name-suffix\"]") $(max_pods 99-worker-generated-kubelet-2)'
for k in one two kept; do delete $mc/kubeletconfigs/$k; done
eventually 'deleted, they leave nothing behind' '' eval 'owners kubelet'
eventually 'and the config before them is back' "$(all_well 4 "$w5")" settled worker
