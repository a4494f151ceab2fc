# The outcome of each pool since a step began, one line each, in the format of
# promised.jq:
#   same     nothing changed                      broken   RenderDegraded, with the reason
#   paused   a new config, the pool is paused     unused   a new config, and no node
#   refused  the node refuses it, with the reason reboot   the node has it, after a reboot
#   drain    the node has it, after a drain       none     the node has it, undisturbed
#   stuck    no node gets the new config          busy     the update still runs
# The node of a pool is called POOL-0, except for those in $moved. $names are the rendered
# names and $before the nodes at the start of the step; $since has the states of the nodes
# since then, $did the commands that their machines ran.
def note($n): .metadata.annotations?[$p + $n] // "";
def condition($t): first(.status.conditions[]? | select(.type == $t and .status == "True")) // null;
$pools[0].items[] | . as $pool | .metadata.name as $name | (.spec.configuration.name // "") as $to |
(($moved | to_entries | map(select(.key == $name).value)[0]) //
	($name + "-0" | if IN($moved[]) then "" else . end)) as $member |
([$nodes[0].items[] | select(.metadata.name == $member)][0]) as $node |
[$since[0][] | select(.metadata.name == $member)] as $seen |
($did[0][$member] // []) as $done |
([$before[0].items[] | select(.metadata.name == $member)][0] | note("desiredDrain")) as $drained |
($seen | any(.spec.unschedulable == true or (note("desiredDrain") | startswith("drain-") and . != $drained))) as $drain |
([$done[] | select(. == "reboot")] | length) as $reboots |
([$done[] | select(. != "reboot") |
	sub("^reload "; "Reload ") | sub("^restart "; "Restart ") | sub("^daemon-reload$"; "DaemonReload")] | unique) as $actions |
condition("RenderDegraded") as $broken |
{pool: $name, to: $to} + (
	if $broken then {kind: "broken", why: $broken.message}
	elif $node == null then {kind: (if $to == $names[$name] then "same" else "unused" end)}
	elif ($node | note("state") | IN("Degraded", "Unreconcilable")) then
		{kind: "refused", why: ($node | note("reason")), drain: $drain}
	elif .spec.paused and ($node | note("currentConfig")) != $to then {kind: (if $to == $names[$name] then "same" else "paused" end)}
	elif ($node | note("state") == "Done" and note("currentConfig") != $to and note("desiredConfig") == note("currentConfig")) then {kind: "stuck"}
	elif ($node | note("state") != "Done" or note("currentConfig") != $to or note("desiredConfig") != $to or .spec.unschedulable) then
		{kind: "busy", state: ($node | note("state")), reboots: $reboots, drain: $drain}
	elif $reboots > 0 then {kind: (if $reboots > 1 then "\($reboots) reboots" else "reboot" end), drain: $drain}
	elif $to != $names[$name] or $drain or ($actions | length) > 0 then
		{kind: (if $drain then "drain" else "none" end), drain: $drain, actions: $actions}
	else {kind: "same"}
	end)
