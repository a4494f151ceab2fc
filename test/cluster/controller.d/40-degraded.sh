# A node fails, reports why, and recovers.
w2=$(target worker)
annotate worker-2 '"test/break":"unexpected on-disk state validating against x: \"y\""'
machine_config 52-worker worker degraded
w4=$(new_target worker "$w2")
eventually 'the first node fails' 'Degraded' on_node worker-2 state
# Other writers change the same object: writes that were lost to a conflict, or
# overwritten, are repeated.
reported() { # STATUS MESSAGE COMMAND...: reports like the daemon, then runs the command
	get $mc/machineconfignodes/worker-2 | jq -c --arg s "$1" --arg m "$2" '{metadata: {resourceVersion: .metadata.resourceVersion},
		status: {conditions: .status.conditions | map(if .type == "NodeDegraded" then .status = $s | .message = $m else . end)}}' >"$W/mcn"
	shift 2
	api PATCH $mc/machineconfignodes/worker-2/status "@$W/mcn" application/merge-patch+json >/dev/null
	"$@"
}
message='Node worker-2 is reporting: "it broke", Node worker-2 is reporting: "unexpected on-disk state validating against x: \"y\""'
eventually 'the pool says which node, and why' "True 1 nodes are reporting degraded status on sync|$message" \
	reported True 'it broke' condition worker NodeDegraded
eventually 'and is degraded' "True |$message" condition worker Degraded
eventually 'the node is counted' '5 0 0 0 1' counts worker
is 'no other node moves' "$w2" "$(for i in 0 1 3 4; do on_node worker-$i desiredConfig; done | uniq)"
eventually 'the pool goes on updating' "True |All nodes are updating to MachineConfig $w4" condition worker Updating
eventually 'it reports that it is well' 'False it is well' reported False 'it is well' eval \
	"mcn worker-2 NodeDegraded | sed 's/ .*|/ /'"
annotate worker-2 '"test/break":null'
eventually 'when it has recovered the rest follows' "$(all_well 5 "$w4")" settled worker
