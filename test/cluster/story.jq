# The controller's writes to node $n since $before, one line each.
def notes: .metadata.annotations // {};
def facts: {
	desired: notes["\($p)/desiredConfig"], image: notes["\($p)/desiredImage"],
	drain: notes["\($p)/lastAppliedDrain"], cordon: (.spec.unschedulable // false),
	taint: ([.spec.taints[]? | select(.key == "UpdateInProgress")] | length > 0)
};
[$before[0].items[], (inputs | fromjson? | select(.type != "DELETED" and .type != "BOOKMARK") | .object)]
| map(select(.metadata.name == $n) | facts)
| . as $all | range(1; length) | $all[. - 1] as $was | $all[.] as $is
| if $is.taint != $was.taint then (if $is.taint then "taint" else empty end) else empty end,
  if $is.desired != $was.desired then "desired \($is.desired)" else empty end,
  if $is.image != $was.image then "image \($is.image)" else empty end,
  if $is.cordon != $was.cordon then (if $is.cordon then "cordon" else "uncordon" end) else empty end,
  if $is.drain != $was.drain then "applied \($is.drain)" else empty end
