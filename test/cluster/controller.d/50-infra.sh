# A custom pool as admins create them: workers that also get configs of their
# own.
w4=$(target worker)
machine_config 50-infra infra tuned
post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"infra"},
	"spec":{"machineConfigSelector":{"matchExpressions":[{"key":"'$P'/role","operator":"In","values":["worker","infra"]}]},
	"nodeSelector":{"matchLabels":{"'$role'/infra":""}}}}'
made_for_infra() {	# PREFIX: MachineConfigs
	j $mc/machineconfigs '[.items[].metadata.name | select(startswith($p))] | join(" ")' --arg p "$1"
}
i1=$(new_target infra '')
eventually 'a custom pool without nodes is well' "$(all_well 0 "$i1")" settled infra
is 'it is rendered once' "$i1" "$(made_for_infra rendered-infra)"
# As upstream: they are generated at the next start, or when the Node config or
# APIServer changes.
is 'without kubelet configs of its own' ' ' "$(made_for_infra 97-infra) $(made_for_infra 98-infra)"
eventually 'it is made of the configs of both roles, those of workers first' '00-worker 50-infra' \
	j $mc/machineconfigpools/infra '[.spec.configuration.source[].name] | map(select(. == "00-worker" or . == "50-infra")) | join(" ")'
label worker-4 "\"$role/infra\":\"\""
eventually 'a node that is labelled moves to it' "$(all_well 1 "$i1")" settled infra
eventually 'and is no longer a worker' "$(all_well 4 "$w4")" settled worker
eventually 'it has the config of the pool' "$i1" on_node worker-4 currentConfig
label worker-3 "\"$role/infra\":\"\",\"$role/gpu\":\"\""
post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"gpu"},
	"spec":{"machineConfigSelector":{"matchExpressions":[{"key":"'$P'/role","operator":"In","values":["worker","gpu"]}]},
	"nodeSelector":{"matchLabels":{"'$role'/gpu":""}}}}'
eventually 'a node of two custom pools belongs to none' '1 3' eval 'echo $(counts infra | cut -d" " -f1) $(counts worker | cut -d" " -f1)'
eventually 'which the log says' 1 eval 'logged "node worker-3 belongs to 2 custom roles, cannot proceed with this Node" | sed "s/[1-9][0-9]*/1/"'
label worker-3 "\"$role/infra\":null,\"$role/gpu\":null"
delete $mc/machineconfigpools/gpu
eventually 'it is a worker again' "$(all_well 4 "$w4")" settled worker

# A label that moves during the rollout.
annotate worker-0 '"test/hold":"yes"'
machine_config 50-infra infra moved
i2=$(new_target infra "$i1")
machine_config 52-worker worker moving
w5=$(new_target worker "$w4")
i3=$(new_target infra "$i2")
eventually 'the rollout has begun' "$w5" on_node worker-2 desiredConfig
label worker-0 "\"$role/infra\":\"\""
label worker-4 "\"$role/infra\":null"
annotate worker-0 '"test/hold":null'
eventually 'the node that came is updated to its new pool' "$(all_well 1 "$i3")" settled infra
eventually 'the one that left is back with the workers' "$(all_well 4 "$w5")" settled worker
is 'and has their config' "$i3 $w5" "$(on_node worker-0 currentConfig) $(on_node worker-4 currentConfig)"
label worker-0 "\"$role/infra\":null"
label worker-4 "\"$role/infra\":\"\""
eventually 'back' "$(all_well 1 "$i3")" settled infra
eventually 'back (workers)' "$(all_well 4 "$w5")" settled worker
