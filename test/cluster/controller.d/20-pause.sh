# A paused pool is rendered, and its nodes keep their config.
w1=$(target worker)
patch $mc/machineconfigpools/worker '{"spec":{"paused":true}}'
machine_config 51-worker worker paused
w2=$(new_target worker "$w1")
eventually 'a paused pool says so' "False |Pool is paused; will not update to MachineConfig $w2" condition worker Updating
eventually 'it is not up to date' 'False |' condition worker Updated
eventually 'its nodes count as not updated, and ready for nothing else' '5 0 0 0 0' counts worker
is 'no node of it is told' "$w1" "$(for i in 0 1 2 3 4; do on_node worker-$i desiredConfig; done | uniq)"
is 'or tainted' '' "$(j /api/v1/nodes '.items[] | .spec.taints[]? | select(.key == "UpdateInProgress") | .key')"
patch $mc/machineconfigpools/worker '{"spec":{"paused":false}}'
eventually 'it goes on when it is no longer paused' "$(all_well 5 "$w2")" settled worker
