# A MachineConfig that cannot be rendered, and is then fixed.
m1=$(target master)
w2=$(target worker)
machine_config 60-bad worker x 9.9.0
eventually 'a bad config degrades the pool' "True |Failed to render configuration for pool worker: could not generate rendered MachineConfig: parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5" \
	condition worker RenderDegraded
eventually 'as a whole' 'True |' condition worker Degraded
is 'it keeps the config it had' "$w2" "$(target worker)"
eventually 'the other pool is well' "$(all_well 3 "$m1")" settled master
machine_config 60-bad worker x 3.4.0
w3=$(new_target worker "$w2")
eventually 'put right, it is rolled out' "$(all_well 5 "$w3")" settled worker
# a change that nodes cannot apply
patch $mc/machineconfigs/60-bad '{"spec":{"fips":true}}'
eventually 'what nodes cannot change is refused' "True |Failed to render configuration for pool worker: could not generate rendered MachineConfig: reconciliation failed between current config \"$w3\" and base config \"60-bad\": detected change to FIPS flag; refusing to modify FIPS on a running cluster" \
	condition worker RenderDegraded
delete $mc/machineconfigs/60-bad
eventually 'deleted, the config before it is back' "$(all_well 5 "$w2")" settled worker
# a change that the server refuses: the name of the rendered config would be too
# long
long=$(printf '%0215d' 0 | tr 0 l)
post $mc/machineconfigpools '{"apiVersion":"'$P'/v1","kind":"MachineConfigPool","metadata":{"name":"'"$long"'"},
	"spec":{"machineConfigSelector":{"matchLabels":{"'$P'/role":"worker"}},"nodeSelector":{"matchLabels":{"no":"node"}}}}'
eventually 'a rendered config that the server refuses degrades the pool' "True |Failed to render configuration for pool LONG: MachineConfig.$P \"rendered-LONG-SUM\" is invalid: metadata.name: Invalid value: \"rendered-LONG-SUM\": must be no more than 253 characters" \
	eval 'condition $long RenderDegraded | sed -E "s/$long/LONG/g; s/[0-9a-f]{32}/SUM/g"'
delete $mc/machineconfigpools/"$long"
eventually 'which is deleted' Status kind_at $mc/machineconfigpools/"$long"
