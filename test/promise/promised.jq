# The output of `mcoctl diff -o json`, one line for each pool: see outcome.jq. $names has
# the current rendered name of each pool.
def actions: [.actions[] | if .type == "Special" then "Reload crio" elif .service then "\(.type) \(.service)" else .type end |
	select(IN("None", "Drain", "Reboot") | not)] | unique;
. as $all |
# a removed pool has no config
([$all.differences[] | select(.to == "" and (.renderError or .waits | not)) | .pool]) as $gone |
(($names | keys_unsorted) - $gone + ([$all.differences[].pool] - $gone) | unique)[] as $pool |
# its nodes move to another pool
(first($all.differences[] | select(.pool == $pool)) //
	first($all.differences[] | select(.nodesTo == $pool) | .to = $names[$pool]) // null) as $d |
{pool: $pool, to: ($names[$pool] // "")} + (
	if $d == null then {kind: "same"}
	elif $d.waits then {kind: "same"} # for an object that is refused
	elif $d.renderError then {kind: "broken", why: $d.renderError}
	elif $d.from == $d.to then # its nodes have it: it can be rendered again, or a change was taken back
		if $d.to == $names[$pool] then {kind: "same"} else {kind: "none", to: $d.to, drain: $d.drain, actions: ($d | actions)} end
	elif $d.paused then {kind: "paused", to: $d.to}
	elif $d.maxUnavailableError then {kind: "stuck", to: $d.to}
	elif $d.nodes == 0 then {kind: "unused", to: $d.to}
	elif $d.refused then {kind: "refused", to: $d.to, why: $d.refused, drain: $d.drain}
	elif $d.reboot then {kind: "reboot", to: $d.to, drain: $d.drain}
	else {kind: (if $d.drain then "drain" else "none" end), to: $d.to, drain: $d.drain, actions: ($d | actions)}
	end)
