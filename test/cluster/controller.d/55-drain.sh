# A drain that a disruption budget blocks: the node of the infra pool. An attempt
# takes three seconds instead of ninety.
end_controller
MCO_DRAIN_MS=3000 start_controller
i3=$(target infra)
pods=/api/v1/namespaces/shop/pods
budgets=/apis/policy/${POLICY:-v1}/namespaces/shop/poddisruptionbudgets
create /api/v1/namespaces shop '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}'
pod() { # NAME [OWNER]
	post $pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"'"$1"'","labels":{"app":"'"$1"'"},"ownerReferences":['"${2:-}"']},
	"spec":{"nodeName":"worker-4","terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i"}]}}'
	patch "$pods/$1/status" '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
}
post /apis/apps/v1/namespaces/shop/daemonsets '{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent"},
	"spec":{"selector":{"matchLabels":{"app":"agent"}},"template":{"metadata":{"labels":{"app":"agent"}},
	"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
pod agent "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":\"agent\",\"controller\":true,\"uid\":\"$(
	j /apis/apps/v1/namespaces/shop/daemonsets/agent .metadata.uid)\"}"
pod cart
pod db
post $budgets '{"apiVersion":"policy/'"${POLICY:-v1}"'","kind":"PodDisruptionBudget","metadata":{"name":"db"},
	"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"db"}}}}'
allow() { # HOW-MANY: writes what the disruption controller would write
	patch $budgets/db/status '{"status":{"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,
	"disruptionsAllowed":'"$1"'}}'
}
allow 0
machine_config 50-infra infra drained
i3=$(new_target infra "$i3")
eventually 'a pod that nothing protects is evicted' Status kind_at $pods/cart
is 'one of a DaemonSet stays' Pod "$(kind_at $pods/agent)"
eventually 'the log names the pod and the budget that protects it' 1 eval \
	'logged "^W.* node worker-4: error when evicting pods/\"db\" -n \"shop\" (will retry after 5s): Cannot evict pod as it would violate the pod.s disruption budget\. The disruption budget db needs 1 healthy pods and has 1 currently$" | sed "s/[1-9][0-9]*/1/"'
is 'which stays' Pod "$(kind_at $pods/db)"
eventually 'the node is cordoned' true j /api/v1/nodes/worker-4 .spec.unschedulable
eventually 'the drain is under way' "Unknown UpdateExecutedDrained|Draining node. The drain will not be complete until desired drainer drain-$i3 matches current drainer uncordon-$(on_node worker-4 currentConfig)" \
	mcn worker-4 Drained
eventually 'the pool waits for it' '1 0 0 1 0' counts infra
eventually 'when the time is over its report names the pod' \
	"Unknown UpdateExecutedDrained|Error: Node Drain has not succeeded. Error is: error when evicting pods/\"db\" -n \"shop\": global timeout reached: 3s The drain will not be complete until desired drainer drain-$i3 matches current drainer uncordon-$(on_node worker-4 currentConfig)" \
	mcn worker-4 Drained
is 'and it still stays' Pod "$(kind_at $pods/db)"
# most of these happen during an attempt, the others between two attempts
for i in 1 2 3 4; do
	patch /api/v1/nodes/worker-4 '{"spec":{"unschedulable":null}}'
	eventually "uncordoned by hand, it is cordoned again: $i" true j /api/v1/nodes/worker-4 .spec.unschedulable
	logged 'node worker-4: externally uncordoned during drain' >/dev/null && break
	sleep 0.7
done
is 'at once after an attempt' 1 "$(logged 'node worker-4: externally uncordoned during drain, draining again' | sed 's/[1-9][0-9]*/1/')"
allow 1
eventually 'freed, the drain ends' "$(all_well 1 "$i3")" settled infra
eventually 'the pod is gone' Status kind_at $pods/db
delete $pods/agent
end_controller
start_controller
