# The controller is killed repeatedly while it rolls out one config after the
# other. The result equals that of an undisturbed run.
life=$([ -n "$real" ] && echo 2500 || echo 700)	# the longest, in ms
kills=${KILLS:-50}
everything() { # the state after a rollout
	j /api/v1/nodes '.items[] | .metadata.name + " " + ([.metadata.annotations | to_entries[] | .key + "=" + .value] |
		sort | join(" ")) + " " + (.metadata.labels | keys | join(",")) + " " + (.spec | tostring)'
	settled master
	settled worker
	settled infra
	j $mc/machineconfigs '.items[].metadata.name | select(startswith("rendered-") | not)'
}
patch $mc/machineconfigpools/worker '{"spec":{"maxUnavailable":2}}'
w=$(target worker) i=$(target infra)
machine_config 50-worker worker undisturbed
w=$(new_target worker "$w")
i=$(new_target infra "$i")
eventually 'before' "$(all_well 4 "$w")" settled worker
eventually 'before (infra)' "$(all_well 1 "$i")" settled infra
everything >"$W/before"
j $mc/machineconfigs '.items[].metadata.name | select(startswith("rendered-"))' >"$W/known"

# slow nodes, so that kills hit the middle of an update
kill "$agents"
start_agents $((life / 5))
record_nodes
killed=0 changes=0 disturbed=0 reached=''
while [ $killed -lt "$kills" ]; do
	if [ $changes = 0 ] || [ -n "$reached" ]; then
		changes=$((changes + 1))
		machine_config 50-worker worker "disturbed-$changes"
		under_way=$(target worker) reached=''
	fi
	# kill it mostly after its caches are synced, sometimes while it starts
	if [ $((RANDOM % 4)) != 0 ]; then
		for ((n = 0; n < 600; n++)); do
			grep -q "^I.* $controller .* all caches are synced" "$W/controller.log" && break
			sleep 0.05
		done
	fi
	sleep "$(awk -v r=$RANDOM -v l=$life 'BEGIN { print r / 32768 * l / 1000 }')"
	now=$(target worker)
	if [ "$now" != "$under_way" ] && [ "$(settled worker)" = "$(all_well 4 "$now")" ]; then
		reached=yes
	else
		disturbed=$((disturbed + 1))
	fi
	kill_controller
	killed=$((killed + 1))
	start_controller
done
is 'it was killed in the middle of rollouts' yes "$([ $disturbed -ge $((kills / 4)) ] && echo yes || echo "$disturbed of $kills")"
went_through() { # the last one, after the kills have ended
	local now
	now=$(target worker)
	[ "$now" = "$w" ] || [ "$(settled worker)" != "$(all_well 4 "$now")" ] || echo yes
}
eventually 'a rollout goes through' yes went_through
machine_config 50-worker worker undisturbed
eventually 'after' "$(all_well 4 "$w")" settled worker
eventually 'after (infra)' "$(all_well 1 "$i")" settled infra
eventually 'the end is the same' "$(cat "$W/before")" everything
stop_recording
most=$(most_unavailable $role/worker $role/infra)
is 'never more than two workers at once' yes "$([ "$most" = 1 ] || [ "$most" = 2 ] && echo yes || echo "$most")"
for n in worker-0 worker-1 worker-2 worker-3 worker-4; do
	node_story $n >"$W/story"
	is "$n was sent to each config once" '' "$(grep '^desired' "$W/story" | grep -v -F -f "$W/known" | sort | uniq -d)"
	is "$n was drained and uncordoned in turn" '' "$(grep -v -e ^taint -e ^desired "$W/story" | sed 's/-rendered.*//' |
		awk '{ want = NR % 4 == 1 ? "cordon" : NR % 4 == 2 ? "applied drain" : NR % 4 == 3 ? "uncordon" : "applied uncordon" }
		$0 != want { print NR ": " $0 ", not " want }')"
done
is 'no event came twice' '' "$(for r in SetDesiredConfig RenderedConfigGenerated Completed; do events $r; done |
	grep -v -F -f "$W/known" | grep -v 'Set target for' | awk '$4 != "x1" || seen[$0]++')"
is 'no more nodes were targeted than there are' '' "$(events SetDesiredConfig | grep MachineConfigPool/worker |
	grep -v -F -f "$W/known" | sed 's/ x/ /' | awk '{ n[$NF] += $4 * ($5 == "Set" ? $8 : 1) }
	END { for (c in n) if (n[c] > 4) print c, n[c] }')"
eventually 'the controller runs' "$controller" eval 'kill -0 $controller && echo $controller'
patch $mc/machineconfigpools/worker '{"spec":{"maxUnavailable":null}}'
