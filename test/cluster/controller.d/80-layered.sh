# A pool with its own OS image: the infra pool.
w9=$(target worker)
i4=$(target infra)
eventually 'the pool is well' "$(all_well 1 "$i4")" settled infra
image=registry.example.com/os@sha256:1111111111111111111111111111111111111111111111111111111111111111
record_nodes
post $mc/machineosconfigs '{"apiVersion":"'$P'/v1","kind":"MachineOSConfig","metadata":{"name":"infra","annotations":{"mine":"kept"}},
	"spec":{"machineConfigPool":{"name":"infra"},"imageBuilder":{"imageBuilderType":"Job"},
	"renderedImagePushSecret":{"name":"push"},"renderedImagePushSpec":"registry.example.com/os:latest"}}'
eventually 'a layered pool waits for its build' 'True |Pool is waiting for a new OS image build to start (mosc: infra)' condition infra Updating
post $mc/machineosbuilds '{"apiVersion":"'$P'/v1","kind":"MachineOSBuild","metadata":{"name":"infra-1",
	"labels":{"'$P'/target-machine-config-pool":"infra"}},"spec":{"machineConfig":{"name":"'$i4'"},
	"machineOSConfig":{"name":"infra"},"renderedImagePushSpec":"registry.example.com/os:infra-1"}}'
building() { # TYPE: of the condition that is True
	patch $mc/machineosbuilds/infra-1/status "$(jq -nc --arg t "$1" --arg i "${2:-}" '{status: ({conditions: [{type: $t,
		status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z"}]} +
		if $i != "" then {digestedImagePushSpec: $i, buildStart: "2026-01-01T00:00:00Z", buildEnd: "2026-01-01T00:00:01Z"} else {buildStart: "2026-01-01T00:00:00Z"} end)}')"
}
building Building
eventually 'while it is built' 'True |Pool is waiting for OS image build to complete (mosb: infra-1)' condition infra Updating
is 'the node is not told yet' '' "$(on_node worker-4 desiredImage)"
building Succeeded $image
patch $mc/machineosconfigs/infra/status '{"status":{"currentImagePullSpec":"'$image'"}}'
eventually 'then it is rolled out' "$(all_well 1 "$i4 / Image $image")" settled infra
eventually 'the build is well' 'False BuildSuccess|Build completed successfully' condition infra ImageBuildDegraded
stop_recording
is 'config and image in one go' "taint
image $image
cordon
applied drain-$i4
uncordon
applied uncordon-$i4" "$(node_story worker-4)"
eventually 'an event names both' "Normal machineconfigcontroller-nodecontroller MachineConfigPool/infra x1 Targeted node worker-4 to MachineConfig: $i4 / Image: $image" \
	events SetDesiredConfigAndOSImage
patch $mc/machineosconfigs/infra '{"metadata":{"annotations":{"'$P'/current-machine-os-build":"infra-0"}}}'
machine_config 50-worker worker layered
w9=$(new_target worker "$w9")
i5=$(new_target infra "$i4")
eventually 'the other pools go their way' "$(all_well 4 "$w9")" settled worker
eventually 'the pool waits for a build of its new config' 'True |Pool is waiting for a new OS image build to start (mosc: infra)' condition infra Updating
eventually 'a build that does not exist is not named for long' kept j $mc/machineosconfigs/infra '.metadata.annotations | join(" ")'
is "its nodes' annotations stay as they are" "$i4 $i4 $image $image" \
	"$(on_node worker-4 currentConfig) $(on_node worker-4 desiredConfig) $(on_node worker-4 currentImage) $(on_node worker-4 desiredImage)"
delete $mc/machineosbuilds/infra-1
delete $mc/machineosconfigs/infra
eventually 'no longer layered, it goes to the config alone' "$i5 $i5" eval 'echo $(on_node worker-4 currentConfig) $(on_node worker-4 desiredConfig) $(on_node worker-4 currentImage) $(on_node worker-4 desiredImage)'
