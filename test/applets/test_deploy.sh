# examples/deploy uses upstream's names, so that whatever selects upstream's pods,
# accounts and logs finds these; test/cluster applies it with kubectl.
. test/applets/lib.sh
command -v jq > /dev/null || { echo 'no jq'; exit 1; }
ns=openshift-machine-config-operator
all() { for f in examples/deploy/*.yaml; do "$BIN/mcoctl" fmt -o json-compact "$f"; done; }
all > "$TMP/all"
of() { jq -r "$1" "$TMP/all"; }

expect 'workloads' 0 'Deployment machine-config-controller machine-config-controller machine-config-controller machine-config-controller templates
DaemonSet machine-config-daemon machine-config-daemon machine-config-daemon machine-config-daemon 
DaemonSet machine-config-server machine-config-server machine-config-server machine-config-server 
' '' jq -r 'select(.spec.template) | .spec.template as $t | [.kind, .metadata.name, .spec.selector.matchLabels["k8s-app"],
	$t.metadata.labels["k8s-app"], $t.spec.serviceAccountName, ($t.spec.initContainers // [] | map(.name) | join(","))] | join(" ")' "$TMP/all"
expect 'containers' 0 'machine-config-controller /mco-controller start
machine-config-daemon /mco-daemon start
machine-config-server /mco-server start
' '' jq -r 'select(.spec.template) | .spec.template.spec.containers[] | [.name, (.command | join(",")), .args[0]] | join(" ")' "$TMP/all"
expect 'accounts' 0 "$ns machine-config-controller
$ns machine-config-daemon
$ns machine-config-server
" '' jq -r 'select(.kind == "ServiceAccount") | .metadata | .namespace + " " + .name' "$TMP/all"
expect 'roles are given to these accounts only' 0 "$ns machine-config-controller
$ns machine-config-daemon
$ns machine-config-server
" '' sh -c "jq -r 'select(.subjects) | .subjects[] | .namespace + \" \" + .name' '$TMP/all' | sort -u"
expect 'roles have names of their own' 0 'mco-controller
mco-daemon
mco-server
' '' sh -c "jq -r 'select(.kind | test(\"Role\")) | .metadata.name' '$TMP/all' | sort -u"
expect 'confined where that is possible' 0 'machine-config-controller true RuntimeDefault restricted-v2
machine-config-daemon null null privileged
machine-config-server true RuntimeDefault hostnetwork-v2
' '' jq -r 'select(.spec.template) | .spec.template | .spec.securityContext as $s | [.metadata.labels["k8s-app"], $s.runAsNonRoot,
	$s.seccompProfile.type, .metadata.annotations["openshift.io/required-scc"]] | map(tostring) | join(" ")' "$TMP/all"
expect 'nothing that is confined may become more' 0 'templates false true ALL
machine-config-controller false true ALL
machine-config-server false true ALL
' '' jq -r 'select(.spec.template) | .spec.template.spec | (.initContainers // []) + .containers | .[] | select(.securityContext.privileged != true) |
	[.name, (.securityContext | .allowPrivilegeEscalation, .readOnlyRootFilesystem, .capabilities.drop[])] | map(tostring) | join(" ")' "$TMP/all"
expect 'probes' 0 'machine-config-controller health health
machine-config-daemon null 8797
machine-config-server 22624 22624
' '' jq -r 'select(.spec.template) | .spec.template.spec.containers[] | [.name, .livenessProbe.httpGet.port, .readinessProbe.httpGet.port] | map(tostring) | join(" ")' "$TMP/all"
for role in controller server; do
	expect "the control plane by either label: $role" 0 'node-role.kubernetes.io/master node-role.kubernetes.io/control-plane
true true
' '' jq -r --arg n machine-config-$role 'select(.spec.template and .metadata.name == $n) | .spec.template.spec |
		([.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].key] | join(" ")),
		([.tolerations[].key] | (any(. == "node-role.kubernetes.io/master") | tostring) + " " + (any(. == "node-role.kubernetes.io/control-plane") | tostring))' "$TMP/all"
done

# exactly upstream's policy
expect 'a daemon writes its own MachineConfigNode only' 0 "machineconfiguration.openshift.io v1 machineconfignodes/status,machineconfignodes CREATE,UPDATE Fail
request.userInfo.username == 'system:serviceaccount:$ns:machine-config-daemon'
has(request.userInfo.extra) && ('authentication.kubernetes.io/node-name' in request.userInfo.extra)
this user must have a \"authentication.kubernetes.io/node-name\" claim
object.metadata.name == request.userInfo.extra[\"authentication.kubernetes.io/node-name\"][0]
'updates to MCN ' + string(object.metadata.name) + ' can only be done from the MCN\\'s owner node'
" '' jq -r 'select(.kind == "ValidatingAdmissionPolicy") | .spec | (.matchConstraints.resourceRules[] | [.apiGroups[], .apiVersions[],
	(.resources | join(",")), (.operations | join(","))] | join(" ")) + " " + .failurePolicy, .matchConditions[].expression,
	(.validations[] | .expression, .message // .messageExpression)' "$TMP/all"
expect 'and that is enforced' 0 'mcn-guards mcn-guards-binding mcn-guards Deny
' '' jq -rs 'map(select(.kind | test("AdmissionPolicy"))) | [.[].metadata.name, (.[] | .spec | select(.policyName) | .policyName, .validationActions[])] | join(" ")' "$TMP/all"
finish
