#!/bin/bash
# takeover.sh BUILD: an mco-controller that was built without a version takes over a
# cluster that upstream's 4.22.0 made, on the API server at $URL. It refuses what
# would harm the cluster before it writes anything; when it continues, no rendered
# config changes. Ends with "N passed, N failed".
#
# The server must be fresh, as for controller.sh. With ACCOUNTS=1, and examples/deploy
# applied, the controller has the rights of its service account and no others.
set -u
BIN=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. "$here/controller.lib"

# ---- what upstream leaves behind -------------------------------------------------------
. "$here/controller.d/00-cluster.sh"
end_controller
made() { # all MachineConfigs and the pools' targets, with their versions
	get $mc/machineconfigs | jq -r '.items[].metadata | .name + " " + .resourceVersion'
	get $mc/machineconfigpools | jq -r '.items[] | .metadata.name + " " + .spec.configuration.name'
}
before=$(made)

# ---- the built-in templates ------------------------------------------------------------
as_controller=$KUBECONFIG
if [ -n "${ACCOUNTS:-}" ]; then
	as_controller=$W/account
	sed "s/^\( *user: {token: .*\)}/\1, as: \"system:serviceaccount:$mco_ns:machine-config-controller\"}/" "$KUBECONFIG" >"$as_controller"
fi
# as examples/deploy starts it, except for the ports
mapfile -t args < <("$BIN/mcoctl" fmt -o json-compact examples/deploy/controller.yaml |
	jq -r 'select(.kind == "Deployment") | .spec.template.spec.containers[].args[]')
start=("$BIN/mco-controller" "${args[@]/=:8798/=127.0.0.1:0}" --kubeconfig "$as_controller" --metrics-listen-address 127.0.0.1:0)
refused() { # NAME WHY FLAGS...: exits with 255 and the reason, and writes nothing
	local name=$1 why=$2
	shift 2
	timeout "${PATIENCE:-300}" "${start[@]}" "$@" >"$W/refused" 2>&1
	is "$name: it ends" 255 $?
	is "$name: it says why" "$why" "$(sed -n 's/^F[^]]*\] //p' "$W/refused")"
	is "$name: nothing is written" "$before" "$(made)"
}
refused 'no templates' "there are no templates in /etc/mcc/templates: mount those of upstream's image there, name another directory with --templates=DIR, or give --templates=builtin for the built-in ones (platforms None and BareMetal)"
platform() { patch $mc/controllerconfigs/machine-config-controller "{\"spec\":{\"infra\":{\"status\":{\"platformStatus\":{\"type\":\"$1\"}}}}}"; }
was=$(j $mc/controllerconfigs/machine-config-controller .spec.infra.status.platformStatus.type)
platform AWS
refused 'the built-in templates on AWS' "the builtin templates support the platforms None, BareMetal, not AWS: give upstream's templates with --templates=DIR" \
	--templates=builtin
platform "$was"
refused 'the built-in templates over others' "00-master, 00-worker come from other templates: the built-in ones would remove 16 of their 22 files and units (file /etc/golden/kept-when-blank, file /etc/golden/platform-note, file /var/lib/golden/registry-login.json, ...) and every node would reboot: mount the templates of upstream's image in /etc/mcc/templates or give --templates=DIR; --replace-templates allows the change" \
	--templates=builtin
is 'a refusal gives up the lease' '' "$(j $lease .spec.holderIdentity)"

# ---- the version -----------------------------------------------------------------------
cluster_hash=$MCO_HASH
unset MCO_RAW MCO_HASH
grep -q 'GIVEN 0' "$BIN/gen/version.h" || start+=(--version-from-cluster)
tree=$golden/templates-controllers
take_over() { # FLAGS...
	"${start[@]}" --gather-changes 300ms --v 2 "$@" >>"$W/controller.log" 2>&1 &
	controller=$!
}
degraded() { j $mc/machineconfigpools '[.items[] | .metadata.name as $n | .status.conditions[] |
	select((.type | endswith("Degraded")) and .status != "False") | $n + " " + .type] | sort | join(",")'; }
take_over --templates "$tree"
eventually 'it takes the version of the cluster' 1 logged "using the cluster's version: v4.22.0 ($cluster_hash)"
machine_config 50-takeover worker one
new=$(new_target worker "$w")
is 'what it renders is of that version' "$cluster_hash" \
	"$(j $mc/machineconfigs/"$new" ".metadata.annotations[\"$P/generated-by-controller-version\"]")"
eventually 'the nodes get it' "$(all_well 5 "$new")" settled worker
delete $mc/machineconfigs/50-takeover
eventually "and the same as upstream's comes of the same" "$w" target worker
eventually 'which the nodes get' "$(all_well 5 "$w")" settled worker
is 'no pool is degraded' '' "$(degraded)"
is 'nothing that was there is written again' "$before" "$(made | grep -v "^$new ")"
is 'mcoctl gives the same names' "$(printf '%s\n' "$m" "$w")" "$("$BIN/mcoctl" render --kubeconfig "$KUBECONFIG" -o name | sed 's,.*/,,' | sort)"
end_controller

# ---- MachineConfiguration without an operator ------------------------------------------
settings=$operator/v1/machineconfigurations
operator_lease=${lease%/*}/machine-config
observed() { j $settings/cluster '(.metadata.generation == .status.observedGeneration | tostring) + " " +
	([.status.nodeDisruptionPolicyStatus.clusterPolicies.files[]? | select(.path == "/etc/motd").actions[].type] | join(","))'; }
post ${operator_lease%/*} '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"machine-config","namespace":"'$mco_ns'"},
	"spec":{"holderIdentity":"operator_1","leaseDurationSeconds":1,"leaseTransitions":1}}'
create $settings cluster '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},
	"spec":{"managementState":"Managed"}}'
patch $settings/cluster '{"spec":{"nodeDisruptionPolicy":{"files":[{"path":"/etc/motd","actions":[{"type":"None"}]}]}}}'
MCO_OPERATOR_MS=1000 take_over --templates "$tree"
for ((i = 0; i < 20; i++)); do	# an operator that is alive, for longer than would be waited
	patch $operator_lease '{"spec":{"leaseTransitions":'$((i + 2))'}}'
	sleep 0.2
done
is 'an operator that runs is left to write the status' 'false ' "$(observed)"
eventually 'one that has gone is stood in for' 'true None' observed
patch $settings/cluster '{"spec":{"nodeDisruptionPolicy":{"files":[{"path":"/etc/motd","actions":[{"type":"DaemonReload"}]}]}}}'
eventually 'again at the next change' 'true DaemonReload' observed
is 'with the defaults' "$(sed -n 's/^ *path: //p' "$golden/settings/001-after.yaml"; echo /etc/motd)" \
	"$(j $settings/cluster '.status.nodeDisruptionPolicyStatus.clusterPolicies.files[].path')"
end_controller

# ---- an explicit version ---------------------------------------------------------------
MCO_RAW=v4.23.0 MCO_HASH=abc take_over --version-from-cluster=false --templates "$tree"
eventually 'another version that was chosen says what to do' 1 logged "the ControllerConfig was generated by version v4.22.0 and this controller is v4.23.0: pools are not rendered until the versions match. To use the cluster's version, give --version-from-cluster or set MCO_RAW=v4.22.0 and MCO_HASH=$cluster_hash"
eventually 'and no pool is rendered' 'master Degraded,master RenderDegraded,worker Degraded,worker RenderDegraded' degraded
end_controller
MCO_RAW=v4.22.0 MCO_HASH=$cluster_hash take_over --version-from-cluster=false --templates "$tree"
eventually 'until it is chosen as the log says' '' degraded
end_controller

# ---- forced ----------------------------------------------------------------------------
"${start[@]}" --templates=builtin --replace-templates >>"$W/controller.log" 2>&1 &
controller=$!
eventually 'the built-in templates where they are told to' 'false true' j $mc/machineconfigs/00-worker \
	'[.spec.config.storage.files[].path] | [any(. == "/etc/golden/kept-when-blank"), any(. == "/etc/sysctl.d/50-node.conf")] | map(tostring) | join(" ")'
end_controller

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
