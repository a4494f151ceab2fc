# Kinds defined by CRDs.
wait_kind() {	# PATH: waits until the API server serves the kind
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(curl "${common[@]}" -o /dev/null -w '%{http_code}' "$URL$1")" != 200 ] || return 0
		sleep 0.1
	done
}
schema='{"type":"object","required":["spec"],"properties":{"spec":{"type":"object","required":["size"],"properties":{"size":{"type":"integer","minimum":1,"maximum":10},"name":{"type":"string","minLength":2,"maxLength":5,"pattern":"^[a-z]+$"},"mode":{"type":"string","enum":["A","B"],"default":"A"},"when":{"type":"string","format":"date-time"},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"map":{"type":"object","additionalProperties":{"type":"string"}},"list":{"type":"array","maxItems":2,"items":{"type":"string"}},"keyed":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["key"],"items":{"type":"object","required":["key"],"properties":{"key":{"type":"string"},"value":{"type":"integer"}}}},"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},"any":{"x-kubernetes-int-or-string":true},"ratio":{"type":"number"},"on":{"type":"boolean"},"maybe":{"type":"string","nullable":true},"inner":{"type":"object","properties":{"depth":{"type":"integer","default":3},"text":{"type":"string"}}}}},"status":{"type":"object","properties":{"phase":{"type":"string"},"count":{"type":"integer"},"conditions":{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"},"status":{"type":"string"}}}}}}}}'
r crd-create POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"],"categories":["all"]},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"},{"name":"Phase","type":"string","jsonPath":".status.phase"},{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},{"name":"Mode","type":"string","priority":1,"description":"how","jsonPath":".spec.mode"},{"name":"On","type":"boolean","jsonPath":".spec.on"},{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],"schema":{"openAPIV3Schema":'"$schema"'}}]}}' -o /dev/null
r crd-cluster POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"gadgets","kind":"Gadget"},"versions":[{"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}' -o /dev/null
wait_kind $wg
wait_kind $gg
r crd-status GET $crd/widgets.example.com
r crd-gadgets GET $crd/gadgets.example.com
r crd-name POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"wrong"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}'
r crd-no-schema POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true}]}}'
r crd-no-storage POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}'
t table-crds "$crd?fieldSelector=metadata.name=widgets.example.com"

wid() {	# NAME SPEC: the body of a widget
	printf '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"%s"},"spec":%s}' "$1" "$2"
}
w0=$(rv $wg)
r wd-create POST $wg "$(wid w1 '{"size":3,"on":true,"inner":{},"unknown":{"x":1}}')"
r wd-get GET $wg/w1
r wd-status-ignored POST $wg '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w2"},"spec":{"size":1,"free":{"any":[1,{"x":null}]},"map":{"a":"b"},"any":"5%","extra":1},"status":{"phase":"x"},"more":1}'
r wd-no-kind POST $wg '{"metadata":{"name":"w3"},"spec":{"size":1}}'
r wd-no-version POST $wg '{"kind":"Widget","metadata":{"name":"w3"},"spec":{"size":1}}'
r wd-wrong-kind POST $wg '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"w3"}}'
r wd-wrong-version POST $wg '{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"w3"}}'
r wd-no-spec POST $wg '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w3"}}'
r wd-empty-spec POST $wg "$(wid w3 '{}')"
r wd-size-low POST $wg "$(wid w3 '{"size":0}')"
r wd-size-high POST $wg "$(wid w3 '{"size":11}')"
r wd-size-float POST $wg "$(wid w3 '{"size":1.5}')"
r wd-size-text POST $wg "$(wid w3 '{"size":"1"}')"
r wd-size-null POST $wg "$(wid w3 '{"size":null}')"
r wd-name-short POST $wg "$(wid w3 '{"size":1,"name":"a"}')"
r wd-name-long POST $wg "$(wid w3 '{"size":1,"name":"abcdef"}')"
r wd-name-pattern POST $wg "$(wid w3 '{"size":1,"name":"Ab1"}')"
r wd-enum POST $wg "$(wid w3 '{"size":1,"mode":"C"}')"
r wd-enum-null POST $wg "$(wid w3 '{"size":1,"mode":null}')"
r wd-when POST $wg "$(wid w3 '{"size":1,"when":"soon"}')"
r wd-map POST $wg "$(wid w3 '{"size":1,"map":{"a":1}}')"
r wd-list-long POST $wg "$(wid w3 '{"size":1,"list":["a","b","c"]}')"
r wd-list-item POST $wg "$(wid w3 '{"size":1,"list":[1]}')"
r wd-list-object POST $wg "$(wid w3 '{"size":1,"list":{}}')"
r wd-keyed-dup POST $wg "$(wid w3 '{"size":1,"keyed":[{"key":"a","value":1},{"key":"a","value":2}]}')"
r wd-set-dup POST $wg "$(wid w3 '{"size":1,"set":["a","b","a"]}')"
r wd-keyed-missing POST $wg "$(wid w3 '{"size":1,"keyed":[{"value":1}]}')"
r wd-any POST $wg "$(wid w3 '{"size":1,"any":1.5}')"
r wd-any-bool POST $wg "$(wid w3 '{"size":1,"any":true}')"
r wd-bool POST $wg "$(wid w3 '{"size":1,"on":"true"}')"
r wd-ratio POST $wg "$(wid w3 '{"size":1,"ratio":"x"}')"
r wd-maybe POST $wg "$(wid w3 '{"size":1,"maybe":null,"ratio":2}')"
r wd-many POST $wg "$(wid w4 '{"size":0,"name":"A","mode":"C","list":["a","b","c"]}')"
r wd-bad-name POST $wg "$(wid W_4 '{"size":1}')"
r wd-generate POST $wg '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generateName":"gen-"},"spec":{"size":1}}'
r wd-dry POST "$wg?dryRun=All" "$(wid dry '{"size":1}')"
r wd-put-no-rv PUT $wg/w1 "$(wid w1 '{"size":4}')"
v=$(field $wg/w1 .metadata.resourceVersion)
r wd-put PUT $wg/w1 '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1","resourceVersion":"'$v'"},"spec":{"size":4},"status":{"phase":"no"}}'
r wd-put-stale PUT $wg/w1 '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1","resourceVersion":"'$v'"},"spec":{"size":5}}'
v=$(field $wg/w1 .metadata.resourceVersion)
r wd-put-same PUT $wg/w1 '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1","resourceVersion":"'$v'"},"spec":{"size":4}}'
r wd-status-put PUT $wg/w1/status '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1","resourceVersion":"'$v'","labels":{"no":"no"}},"spec":{"size":9},"status":{"phase":"Good","count":1,"bogus":1,"conditions":[{"type":"Ready","status":"True"}]}}'
r wd-status-no-rv PUT $wg/w1/status '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1"},"spec":{"size":9},"status":{"phase":"Good"}}'
r wd-status-stale PUT $wg/w1/status '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w1","resourceVersion":"'$v'"},"spec":{"size":9},"status":{"phase":"Bad"}}'
p wd-status-bad merge $wg/w1/status '{"status":{"count":"x"}}'
p wd-status-merge merge $wg/w1/status '{"status":{"count":2},"spec":{"size":8},"metadata":{"annotations":{"from":"status"}}}'
p wd-merge merge $wg/w1 '{"spec":{"size":5},"status":{"count":3}}'
p wd-merge-label merge $wg/w1 '{"metadata":{"labels":{"a":"b"}}}'
p wd-merge-bad merge $wg/w1 '{"spec":{"size":50}}'
p wd-merge-same merge $wg/w1 '{"spec":{"size":5}}'
p wd-merge-null merge $wg/w1 '{"spec":{"on":null,"mode":null}}'
p wd-json json $wg/w1 '[{"op":"replace","path":"/spec/size","value":6},{"op":"add","path":"/spec/list","value":["a"]},{"op":"add","path":"/spec/list/0","value":"b"}]'
p wd-json-gone json $wg/w1 '[{"op":"remove","path":"/spec/nothing"}]'
p wd-strategic strategic $wg/w1 '{"spec":{"size":5}}'
p wd-finalizer merge $wg/w1 '{"metadata":{"finalizers":["example.com/hold"]}}'
r wd-delete-held DELETE $wg/w1
r wd-held GET $wg/w1
p wd-held-add merge $wg/w1 '{"metadata":{"finalizers":["example.com/hold","example.com/new"]}}'
p wd-release merge $wg/w1 '{"metadata":{"finalizers":null}}'
r wd-gone GET $wg/w1
r wd-delete DELETE $wg/w2
r wd-list GET $wg
r wd-list-all GET /apis/example.com/v1/widgets
r wd-fields GET "$wg?fieldSelector=spec.size=1"
r wd-scope GET /apis/example.com/v1/namespaces/suite/gadgets
t table-widgets $wg
r gg-create POST $gg '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g1","labels":{"x":"1"}},"any":{"a":[1,2,{"b":null}]},"number":1e3,"big":12345678901,"float":1.50}'
r gg-other GET /apis/example.com/v1beta1/gadgets/g1
r gg-other-list GET /apis/example.com/v1beta1/gadgets
r gg-other-create POST /apis/example.com/v1beta1/gadgets '{"apiVersion":"example.com/v1beta1","kind":"Gadget","metadata":{"name":"g2"}}'
r gg-status GET $gg/g1/status
t table-gadgets $gg
r gg-ns POST $gg '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g3","namespace":"suite"}}'
r gg-delete-all DELETE "$gg?labelSelector=x=1"
r gg-left GET $gg

p apply-create apply "$ns/configmaps/ssa?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\n  labels: {l: "1"}\ndata: {a: "1", b: "2"}\n'
p apply-same apply "$ns/configmaps/ssa?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\n  labels: {l: "1"}\ndata: {a: "1", b: "2"}\n'
p apply-conflict apply "$ns/configmaps/ssa?fieldManager=two" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata: {a: "9"}\n'
p apply-conflicts apply "$ns/configmaps/ssa?fieldManager=two" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata: {a: "9", b: "9"}\n'
p apply-shared apply "$ns/configmaps/ssa?fieldManager=two" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata: {a: "1"}\n'
p apply-force apply "$ns/configmaps/ssa?fieldManager=two&force=true" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata: {a: "9"}\n'
p apply-remove apply "$ns/configmaps/ssa?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata: {b: "2"}\n'
p apply-no-manager apply "$ns/configmaps/ssa" $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\n'
p apply-no-kind apply "$ns/configmaps/ssa?fieldManager=one" $'metadata:\n  name: ssa\n'
p apply-garbage apply "$ns/configmaps/ssa?fieldManager=one" $'a: [\n'
p merge-force merge "$ns/configmaps/ssa?force=true" '{}'
p apply-custom apply "$wg/wa?fieldManager=one" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: wa}\nspec: {size: 2, list: [a, b]}\n'
p apply-custom-more apply "$wg/wa?fieldManager=two" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: wa}\nspec: {name: abc}\n'
p apply-custom-less apply "$wg/wa?fieldManager=two" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: wa}\n'
p apply-custom-status apply "$wg/wa/status?fieldManager=one&force=true" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: wa}\nstatus: {phase: Fine}\n'
p apply-custom-bad apply "$wg/wa?fieldManager=one" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: wa}\nspec: {size: 200}\n'
