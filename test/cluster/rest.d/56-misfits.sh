# Bodies that do not fit their kind; watches as tables.
r fit-list POST $ns/pods '{"metadata":{"name":"f"},"spec":{"containers":{"name":"c"}}}'
r fit-element POST $ns/pods '{"metadata":{"name":"f"},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"},{"name":"d","image":5}]}}'
r fit-word POST $ns/pods '{"metadata":{"name":"f"},"spec":{"containers":[{"name":"c","image":"i","args":["a",true]}]}}'
r fit-struct POST $ns/pods '{"metadata":{"name":"f"},"spec":"x"}'
r fit-int POST $apps/deployments '{"metadata":{"name":"f"},"spec":{"replicas":"3","selector":{"matchLabels":{"a":"b"}},"template":{}}}'
r fit-long POST $ns/pods '{"metadata":{"name":"f"},"spec":{"terminationGracePeriodSeconds":"30"}}'
r fit-bool POST $core/nodes '{"metadata":{"name":"f"},"spec":{"unschedulable":"true"}}'
r fit-map POST $ns/pods '{"metadata":{"name":"f"},"spec":{"nodeSelector":["a"]}}'
r fit-map-value POST $ns/pods '{"metadata":{"name":"f"},"spec":{"dnsPolicy":7,"nodeSelector":{"a":"b"}}}'
r fit-quantity POST $ns/pods '{"metadata":{"name":"f"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"one"}}}]}}'
r fit-time POST $ns/events '{"metadata":{"name":"f"},"involvedObject":{"namespace":"suite"},"lastTimestamp":"today"}'
r fit-budget POST $pdb '{"metadata":{"name":"f"},"spec":{"minAvailable":true}}'
r fit-case POST $ns/pods '{"metadata":{"name":"f"},"Spec":{"containers":[{"name":"c","image":"i"}]}}'
r fit-label POST $ns/configmaps '{"metadata":{"name":"f","labels":{"a":"b","c":1}},"data":{"a":"b"}}'
t table-cc $mc/controllerconfigs
t table-ctr $mc/containerruntimeconfigs
t table-mosb $mc/machineosbuilds
t table-mosc $mc/machineosconfigs
t table-mcfg /apis/operator.openshift.io/v1/machineconfigurations
p table-patch merge $core/nodes/k1 '{"metadata":{"labels":{"seen":"1"}}}'
send "$all" table-watch GET "$core/nodes?watch=true&timeoutSeconds=5&resourceVersion=$node0&fieldSelector=metadata.name=k1" '' -H 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io'

# Patches whose result is not a valid object of the kind.
r fit-made POST $ns/configmaps '{"metadata":{"name":"fit"},"data":{"k":"v"}}'
while IFS=' ' read -r name type path patch; do
	p "misfit-$name" "$type" "$path" "$patch"
done <<-PATCHES
	value merge $ns/configmaps/fit {"data":{"k":5}}
	operation json $ns/configmaps/fit [{"op":"add","path":"/data/k","value":5}]
	map merge $ns/configmaps/fit {"data":"x"}
	label merge $ns/configmaps/fit {"metadata":{"labels":{"a":true}}}
	meta merge $ns/configmaps/fit {"metadata":"x"}
	name merge $ns/configmaps/fit {"metadata":{"name":5}}
	bool merge $core/nodes/k1 {"spec":{"unschedulable":"true"}}
	list merge $core/nodes/k1 {"spec":{"taints":{}}}
	restore-int strategic $ns/configmaps/fit {"data":{"k":5}}
	restore-float strategic $ns/configmaps/fit {"data":{"k":5.5}}
	restore-any strategic $ns/configmaps/fit {"data":{"k":[1,{"b":"c d","a":null,"e":true}]}}
	restore-labels strategic $ns/configmaps/fit {"metadata":{"labels":["a"]}}
	restore-meta strategic $ns/configmaps/fit {"metadata":"x"}
	restore-bool strategic $core/nodes/k1 {"spec":{"unschedulable":"true"}}
	restore-list strategic $core/nodes/k1 {"spec":{"taints":{}}}
	restore-element strategic $core/nodes/k1 {"spec":{"taints":[5]}}
	restore-struct strategic $core/nodes/k1 {"spec":5}
	restore-annotation strategic $core/nodes/k1 {"metadata":{"annotations":{"x":5}}}
	restore-time strategic $core/nodes/k1 {"metadata":{"creationTimestamp":"today"}}
	restore-quantity strategic $core/nodes/k1/status {"status":{"capacity":{"cpu":"one"}}}
	restore-status strategic $core/nodes/k1/status {"status":{"conditions":[{"type":"Ready","status":true}]}}
PATCHES
set_of() {	# NAME STRATEGY
	r "set-$1" POST $apps/statefulsets '{"metadata":{"name":"'"$1"'"},"spec":{'"$2"'"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"serviceName":"x"}}'
}
set_of plain ''
set_of rolling '"updateStrategy":{"type":"RollingUpdate"},'
set_of part '"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{}},'
set_of ondelete '"updateStrategy":{"type":"OnDelete"},'
