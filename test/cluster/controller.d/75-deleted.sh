# Configs that are deleted while they are in use.
w8=$(target worker)
delete $mc/machineconfigs/"$w8"
eventually 'a rendered config that is deleted is written again' "MachineConfig" kind_at $mc/machineconfigs/"$w8"
eventually 'and the pool is well' "$(all_well 4 "$w8")" settled worker
delete $mc/machineconfigs/00-worker
eventually 'so is one of the templates' MachineConfig kind_at $mc/machineconfigs/00-worker
eventually 'and the pool is what it was' "$(all_well 4 "$w8")" settled worker
delete $mc/machineconfigs/52-worker
w9=$(new_target worker "$w8")
eventually "an admin's own is taken out of the nodes" "$(all_well 4 "$w9")" settled worker

# A node whose config no longer exists.
annotate worker-1 "\"test/hold\":\"yes\",\"$P/currentConfig\":\"rendered-worker-gone\",\"$P/desiredConfig\":\"rendered-worker-gone\""
lost='Node worker-1: its currentConfig rendered-worker-gone does not exist; create it again (from a backup or another cluster) so that the node can be updated'
eventually 'a node whose config was deleted is told of' "True 1 nodes have a config that was deleted|$lost" condition worker NodeDegraded
eventually 'the pool is degraded' "True |$lost" condition worker Degraded
annotate worker-1 "\"$P/currentConfig\":\"$w9\",\"$P/desiredConfig\":\"$w9\",\"test/hold\":null"
eventually 'and well when it is put right' "$(all_well 4 "$w9")" settled worker
