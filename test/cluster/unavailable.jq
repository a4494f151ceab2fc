# The most nodes with label $l, and without $but, that were unavailable at the same time since $before.
def note($k): .metadata.annotations["\($p)/\($k)"] // "";
def unavailable:
	(.spec.unschedulable // false) or
	(([.status.conditions[]? | select(.type == "Ready")][0].status // "True") != "True") or
	((note("currentConfig") != note("desiredConfig") or note("state") != "Done") and
	 (note("currentConfig") == note("desiredConfig") or
	  (note("state") | . != "Degraded" and . != "Unreconcilable")));
def counted: (.metadata.labels // {}) | has($l) and (has($but) | not);
reduce ($before[0].items[], (inputs | fromjson? | select(.type != "BOOKMARK") |
		if .type == "DELETED" then {metadata: {name: .object.metadata.name}} else .object end)) as $node
	({nodes: {}, most: 0};
	.nodes[$node.metadata.name] = ($node | counted and unavailable)
	| ([.nodes[] | select(.)] | length) as $now
	| if $now > .most then .most = $now else . end)
| .most
