# Faulty requests, and the answers to them.
cms=$ns/configmaps
c() {	# NAME MORE: the body of a config map
	printf '{"metadata":{"name":"%s"}%s}' "$1" "${2:+,$2}"
}
r opt-manager-long POST "$cms?fieldManager=$(printf 'm%.0s' {1..129})" "$(c x)"
r opt-manager-control POST "$cms?fieldManager=a%09b" "$(c x)"
r opt-dry-twice POST "$cms?dryRun=All&dryRun=None" "$(c x)"
r opt-put-dry PUT "$cms/a?dryRun=no" "$(c a)"
r opt-limit-huge GET "$cms?limit=99999999999999999999"
r opt-limit-empty GET "$cms?limit="
r opt-watch-word GET "$core/nodes?watch=0&fieldSelector=metadata.name=none"
r opt-match-continue GET "$core/nodes?resourceVersionMatch=Exact&continue=x"
p opt-apply-both apply "$cms/ssa?fieldManager=a%0Ab&dryRun=x" 'a: b'
r page-version GET "$cms?limit=1&continue=$(printf '{"v":"v2","rv":1,"start":"a"}' | base64 -w0 | tr -d =)"
r page-no-rv GET "$cms?limit=1&continue=$(printf '{"v":"meta.k8s.io/v1","start":"a"}' | base64 -w0 | tr -d =)"
r page-no-key GET "$cms?limit=1&continue=$(printf '{"v":"meta.k8s.io/v1","rv":5}' | base64 -w0 | tr -d =)"
r page-up GET "$cms?limit=1&continue=$(printf '{"v":"meta.k8s.io/v1","rv":5,"start":"../../a"}' | base64 -w0 | tr -d =)"
r page-padded GET "$cms?limit=1&continue=YWI="
r page-short GET "$cms?limit=1&continue=a"
for s in 'a%20in%20b' 'a%20in%20(%3D' 'a%20in%20(,)' 'a%20in%20(b%20c)' '!' '!a%3Db' 'a,' 'a,,b' 'a%3D%3D%3Db' 'a/b/c' "$(printf 'a%.0s' {1..64})" "a%3D$(printf 'a%.0s' {1..64})" 'a%3D-' 'a%3Eb' 'Aa.b/c%3D1' 'in%20in%20(in)' 'a%3Db%3Dc' '%20'; do
	r "select $s" GET "$ns/serviceaccounts?labelSelector=$s"
done
r body-null POST $cms null
r body-number POST $cms 7
r body-kind-number POST $cms '{"kind":1,"metadata":{"name":"x"}}'
r body-group POST $cms '{"apiVersion":"a/b/c","kind":"ConfigMap"}'
r body-kind-unknown POST $cms '{"apiVersion":"v1","kind":"Bogus"}'
r body-kind-elsewhere POST $cms '{"apiVersion":"apps/v1","kind":"Deployment"}'
r body-long POST $cms "{\"metadata\":{\"name\":\"xxxxxxxxxxxxxxxxxxxxx\"},"
r body-broken POST $cms '{"metadata":{"name":x}}'
r body-after POST $cms '{} {}'
r body-wd-array POST $wg '[]'
r body-wd-long POST $wg '{"metadata":{"name":"w9","labels":{"a":"0123456789012345678901234567890123456789"}}}'
send "$all" body-yaml-bad POST $cms $'a: [\n' -H 'Content-Type: application/yaml'
r meta-generation POST $cms '{"metadata":{"name":"neg","generation":-1}}'
r meta-finalizers POST $cms '{"metadata":{"name":"fin","finalizers":["orphan","foregroundDeletion","kubernetes"]}}'
r meta-key-long POST $cms '{"metadata":{"name":"kl","labels":{"'"$(printf 'a%.0s' {1..64})"'":"","/b":"c","A.b/c":"d","a/b/c":"e"}}}'
r meta-annotation-upper POST $cms '{"metadata":{"name":"au","annotations":{"Example.COM/x":"y"}}}'
r meta-generate-dash POST "$cms?dryRun=All" '{"metadata":{"generateName":"gen-"}}'
r meta-dots POST $crd '{"metadata":{"name":".."}}'
p meta-put-label merge $cms/a '{"metadata":{"labels":{"x":"a b"}}}'
p meta-wd-label merge $wg/wa '{"metadata":{"labels":{"x":"a b"},"finalizers":["plain"]}}'
p meta-wd-finalizer merge $wg/wa '{"metadata":{"finalizers":["a b"]}}'
p patch-empty strategic $cms/a ''
p patch-string merge $cms/a '"x"'
p patch-null merge $cms/a 'null'
p patch-op-null json $cms/a '[null]'
p patch-op-number json $cms/a '[1]'
p patch-op-bad json $cms/a '[{"op":"add"'
# Each copy doubles the object: the server refuses the result of 22 copies.
bomb='[{"op":"add","path":"/data","value":{}}'
for i in {a..v}; do bomb+=',{"op":"copy","from":"/data","path":"/data/'$i'"}'; done
p patch-copies json $cms/a "$bomb]"
p patch-too-many json $cms/a "[$(printf 'null,%.0s' {1..10000})null]"
p patch-no-name merge $cms/a '{"metadata":{"name":null}}'
p patch-wd-kind merge $wg/wa '{"kind":"Gadget"}'
p patch-type text/plain $cms/a '{}'
p apply-array apply "$cms/ssa?fieldManager=one" '[1]'
p apply-version apply "$wg/wa?fieldManager=one" $'apiVersion: example.com/v2\nkind: Widget\nmetadata: {name: wa}\n'
p apply-managed apply "$cms/ssa?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa, managedFields: [{manager: x}]}\n'
p apply-other-name apply "$cms/ssa?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n'
p apply-no-name apply "$cms/fresh?fieldManager=one" $'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n'
p apply-three apply "$wg/three?fieldManager=one" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: three}\nspec: {size: 2, name: abc, "on": true}\n'
p apply-three-two apply "$wg/three?fieldManager=two&force=true" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: three}\nspec: {size: 3}\n'
p apply-three-lost apply "$wg/three?fieldManager=one" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: three}\nspec: {name: abd}\n'
p apply-three-all apply "$wg/three?fieldManager=three" $'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: three}\nspec: {size: 9, name: xyz}\n'
t6='{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"any":{"type":"integer","anyOf":[{"maximum":1},{"minimum":5}]},"port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},"one":{"type":"integer","oneOf":[{"minimum":3},{"maximum":5}]},"all":{"type":"string","allOf":[{"minLength":2},{"pattern":"^a"}]},"not":{"type":"string","not":{"enum":["x"]}},"many":{"type":"object","minProperties":1,"maxProperties":2,"additionalProperties":{"type":"string"}},"even":{"type":"integer","multipleOf":2},"less":{"type":"integer","maximum":3,"exclusiveMaximum":true},"whole":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}}}'
r crd-things POST $crd '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":'"$t6"'}}]}}' -o /dev/null
wait_kind /apis/example.com/v1/things
thing() {	# NAME SPEC
	r "thing-$1" POST /apis/example.com/v1/things '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":'"$2"'}'
}
thing any '{"any":3}'
thing any-text '{"any":"x"}'
thing port '{"port":{}}'
thing one '{"one":4}'
thing one-none '{"one":"x"}'
thing all '{"all":"b"}'
thing all-one '{"all":"bb"}'
thing not '{"not":"x"}'
thing many '{"many":{"a":"b","c":"d","e":"f"}}'
thing few '{"many":{}}'
thing map '{"many":{"a":1}}'
thing even '{"even":3,"less":3}'
thing whole '{"whole":{"apiVersion":"","kind":7}}'
bad() {	# NAME JSON: a faulty definition
	r "crd-$1" POST $crd "$(jq -nc --argjson more "$2" '{apiVersion:"apiextensions.k8s.io/v1",kind:"CustomResourceDefinition",metadata:{name:"rocks.example.com"},spec:{group:"example.com",scope:"Cluster",names:{plural:"rocks",kind:"Rock"},versions:[{name:"v1",served:true,storage:true,schema:{openAPIV3Schema:{type:"object"}}}]}} * $more')"
}
bad group '{"metadata":{"name":"rocks.example"},"spec":{"group":"example"}}'
bad scope '{"spec":{"scope":"Global"}}'
bad kinds '{"spec":{"names":{"kind":"Ro_ck","listKind":"Ro_ck","shortNames":["R"]}}}'
bad version '{"spec":{"versions":[{"name":"1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}'
bad twice '{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}'
bad root '{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"string"}}}]}}'
bad untyped '{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"properties":{"a":{},"b":{"type":"array","items":{}},"c":{"type":"object","additionalProperties":{}}}}}}]}}'
r path-version GET /apis/apps/v7
r path-group-deep GET /apis/apps/v1/deployments/a/b/c
r healthz-etcd GET /healthz/etcd
r readyz-shutdown GET /readyz/shutdown
r livez-bogus GET /livez/bogus
send "$all" partial-beta GET $core/nodes/n2 '' -H 'Accept: application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io'
send "$all" partial-custom GET $wg/wa '' -H 'Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
