# Several KubeletConfigs and ContainerRuntimeConfigs exist when the controller starts:
# each gets its own MachineConfig.
w5=$(target worker)
end_controller
pods_config() { # NAME MAXPODS
	post $mc/kubeletconfigs '{"apiVersion":"'$P'/v1","kind":"KubeletConfig","metadata":{"name":"'"$1"'"},
		"spec":{'"$pools_selected"',"kubeletConfig":{"maxPods":'"$2"'}}}'
}
pids_config() { # NAME PIDS
	post $mc/containerruntimeconfigs '{"apiVersion":"'$P'/v1","kind":"ContainerRuntimeConfig","metadata":{"name":"'"$1"'"},
		"spec":{'"$pools_selected"',"containerRuntimeConfig":{"pidsLimit":'"$2"'}}}'
}
for i in 1 2 3; do
	pods_config pods-$i 20$i
	pids_config pids-$i 200$i
done
start_controller
succeeded() { # how many of a kind
	j "$mc/$1" '[.items[] | select(.status.conditions[-1]?.type == "Success" and .status.observedGeneration == .metadata.generation)] | length'
}
owners() { # WHAT: the MachineConfigs of WHAT, each with its owner
	j $mc/machineconfigs '.items[].metadata | select(.name | test("^99-worker-generated-" + $w)) | .ownerReferences[0].name' --arg w "$1" | LC_ALL=C sort
}
eventually 'KubeletConfigs made together succeed' 3 succeeded kubeletconfigs
eventually 'so do ContainerRuntimeConfigs' 3 succeeded containerruntimeconfigs
is 'each KubeletConfig has one of its own' $'pods-1\npods-2\npods-3' "$(owners kubelet)"
is 'each ContainerRuntimeConfig, too' $'pids-1\npids-2\npids-3' "$(owners containerruntime)"
is 'and a suffix' $'1\n2\n3' "$(j $mc/kubeletconfigs ".items[].metadata.annotations[\"$P/mc-name-suffix\"]" | sort)"

# Another version of the controller takes over: it rewrites each MachineConfig, and none
# is missing meanwhile.
uids() { j $mc/machineconfigs '.items[].metadata | select(.name | test("^99-worker-generated-(kubelet|containerruntime)")) | .name + " " + .uid'; }
versions() { # of the same
	j $mc/machineconfigs ".items[].metadata | select(.name | test(\"^99-worker-generated-(kubelet|containerruntime)\")) |
		.annotations[\"$P/generated-by-controller-version\"]" | sort | uniq -c | awk '{ print $1, $2 }'
}
eventually 'all of them are rendered' 6 j $mc/machineconfigpools/worker '[.spec.configuration.source[].name |
	select(test("^99-worker-generated-(kubelet|containerruntime)"))] | length'
w6=$(target worker) before=$(uids)
post $mc/machineconfigs '{"apiVersion":"'$P'/v1","kind":"MachineConfig","metadata":{"name":"99-gone-generated-kubelet",
	"annotations":{"'$P'/generated-by-controller-version":"'$MCO_HASH'"}},"spec":{}}'
end_controller
MCO_HASH=${MCO_HASH//0/f} start_controller
eventually 'another version writes them all' "6 ${MCO_HASH//0/f}" versions
eventually 'and removes what is of no config' Status kind_at $mc/machineconfigs/99-gone-generated-kubelet
is 'not one of them was deleted' "$before" "$(uids)"
eventually 'the config is the same' "$(all_well 4 "$w6")" settled worker
end_controller
start_controller
eventually 'as it is when the first one is back' "6 $MCO_HASH" versions

for i in 1 2 3; do
	delete $mc/kubeletconfigs/pods-$i
	delete $mc/containerruntimeconfigs/pids-$i
done
eventually 'deleted, they leave nothing behind' '' eval 'owners kubelet; owners containerruntime'
eventually 'and the config before them is back' "$(all_well 4 "$w5")" settled worker
