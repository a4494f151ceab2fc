# Creating, reading, replacing and deleting built-in kinds.
r ns-create POST $core/namespaces '{"metadata":{"name":"suite"}}'
r ns-get GET $core/namespaces/suite
r ns-exists POST $core/namespaces '{"metadata":{"name":"suite"}}'
r ns-bad-name POST $core/namespaces '{"metadata":{"name":"Not_a.label"}}'
r ns-status-put PUT $core/namespaces/suite/status '{"metadata":{"name":"suite"},"status":{"phase":"Active"}}'
cm0=$(rv $ns/configmaps) pod0=$(rv $ns/pods) node0=$(rv $core/nodes)

r cm-create POST $ns/configmaps '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","labels":{"app":"x","n":"1"},"annotations":{"note":"hi"}},"data":{"k":"v"}}'
r cm-create-bare POST $ns/configmaps '{"metadata":{"name":"b","labels":{"app":"y","n":"2"}},"data":{"k":"v2"},"binaryData":{"b":"aGk="}}'
r cm-get GET $ns/configmaps/a
r cm-head-missing GET $ns/configmaps/none
r cm-missing-ns GET $core/namespaces/nowhere/configmaps/none
r cm-create-missing-ns POST $core/namespaces/nowhere/configmaps '{"metadata":{"name":"a"}}'
r cm-exists POST $ns/configmaps '{"metadata":{"name":"a"}}'
r cm-other-ns POST $ns/configmaps '{"metadata":{"name":"z","namespace":"default"}}'
r cm-no-name POST $ns/configmaps '{"metadata":{}}'
r cm-no-meta POST $ns/configmaps '{}'
r cm-bad-name POST $ns/configmaps '{"metadata":{"name":"A_b"}}'
r cm-long-name POST $ns/configmaps '{"metadata":{"name":"'"$(printf 'a%.0s' {1..254})"'"}}'
r cm-bad-label POST $ns/configmaps '{"metadata":{"name":"c","labels":{"a b":"c d","x":"'"$(printf 'a%.0s' {1..64})"'"}}}'
r cm-bad-annotation POST $ns/configmaps '{"metadata":{"name":"c","annotations":{"-a":"x"}}}'
r cm-bad-key POST $ns/configmaps '{"metadata":{"name":"c"},"data":{"a/b":"x"}}'
r cm-both-keys POST $ns/configmaps '{"metadata":{"name":"c"},"data":{"a":"x"},"binaryData":{"a":"aGk="}}'
r cm-with-rv POST $ns/configmaps '{"metadata":{"name":"c","resourceVersion":"1"}}'
r cm-wrong-kind POST $ns/configmaps '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"c"}}'
r cm-wrong-version POST $ns/configmaps '{"kind":"ConfigMap","apiVersion":"apps/v1","metadata":{"name":"c"}}'
r cm-array POST $ns/configmaps '[]'
r cm-no-json POST $ns/configmaps '{"metadata":'
r cm-empty-body POST $ns/configmaps ''
send "$all" cm-text POST $ns/configmaps 'x' -H 'Content-Type: text/plain'
send "$all" cm-yaml POST $ns/configmaps $'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n' -H 'Content-Type: application/yaml'
send "$all" cm-406 GET $ns/configmaps/a '' -H 'Accept: text/html'
r cm-generate POST $ns/configmaps '{"metadata":{"generateName":"gen-"}}'
r cm-generate-bad POST $ns/configmaps '{"metadata":{"generateName":"Bad_"}}'
r cm-dry POST "$ns/configmaps?dryRun=All" '{"metadata":{"name":"dry"}}'
r cm-dry-gone GET $ns/configmaps/dry
r cm-dry-bad POST "$ns/configmaps?dryRun=some" '{"metadata":{"name":"dry"}}'
r cm-manager POST "$ns/configmaps?fieldManager=me" '{"metadata":{"name":"managed"}}'

r cm-put PUT $ns/configmaps/b '{"metadata":{"name":"b"},"data":{"k":"v3"}}'
r cm-put-same PUT $ns/configmaps/b '{"metadata":{"name":"b"},"data":{"k":"v3"}}'
r cm-put-stale PUT $ns/configmaps/b '{"metadata":{"name":"b","resourceVersion":"1"},"data":{"k":"v4"}}'
r cm-put-uid PUT $ns/configmaps/b '{"metadata":{"name":"b","uid":"11111111-1111-1111-1111-111111111111"},"data":{"k":"v4"}}'
r cm-put-name PUT $ns/configmaps/b '{"metadata":{"name":"c"}}'
r cm-put-no-name PUT $ns/configmaps/b '{"data":{"k":"v4"}}'
r cm-put-missing PUT $ns/configmaps/none '{"metadata":{"name":"none"}}'
r cm-put-other-ns PUT $ns/configmaps/b '{"metadata":{"name":"b","namespace":"default"}}'
r cm-put-bad-rv PUT $ns/configmaps/b '{"metadata":{"name":"b","resourceVersion":"x"}}'
r cm-put-dry PUT "$ns/configmaps/b?dryRun=All" '{"metadata":{"name":"b"},"data":{"k":"dry"}}'
r cm-put-dry-not GET $ns/configmaps/b
r cm-immutable POST $ns/configmaps '{"metadata":{"name":"fixed"},"data":{"a":"b"},"immutable":true}'
r cm-immutable-put PUT $ns/configmaps/fixed '{"metadata":{"name":"fixed"},"data":{"a":"c"},"immutable":true}'
r cm-immutable-off PUT $ns/configmaps/fixed '{"metadata":{"name":"fixed"},"data":{"a":"b"}}'
r cm-unknown-fields POST $ns/configmaps '{"metadata":{"name":"unknown","bogus":1},"data":{},"other":{"x":1}}'
r cm-empty-maps POST $ns/configmaps '{"metadata":{"name":"empties","labels":{},"annotations":{},"finalizers":[],"ownerReferences":[]},"data":{}}'
r cm-given-meta POST $ns/configmaps '{"metadata":{"name":"given","uid":"x","creationTimestamp":"2001-01-01T00:00:00Z","generation":7,"selfLink":"/x","deletionTimestamp":"2001-01-01T00:00:00Z"}}'

r cm-owner POST $ns/configmaps '{"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u"}]}}'
r cm-owner-empty POST $ns/configmaps '{"metadata":{"name":"o2","ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""}]}}'
r cm-owner-two POST $ns/configmaps '{"metadata":{"name":"o2","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"v","controller":true}]}}'
r cm-owner-event POST $ns/configmaps '{"metadata":{"name":"o2","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}]}}'
r cm-finalizer POST $ns/configmaps '{"metadata":{"name":"final","finalizers":["example.com/stay"]}}'
r cm-finalizer-bad POST $ns/configmaps '{"metadata":{"name":"f2","finalizers":["stay","a b"]}}'
r cm-finalizer-delete DELETE $ns/configmaps/final
r cm-finalizer-again DELETE $ns/configmaps/final
r cm-finalizer-add PUT $ns/configmaps/final '{"metadata":{"name":"final","finalizers":["example.com/stay","example.com/more"]}}'
r cm-finalizer-last PUT $ns/configmaps/final '{"metadata":{"name":"final"}}'
r cm-finalizer-gone GET $ns/configmaps/final

r cm-delete DELETE $ns/configmaps/yaml
r cm-delete-missing DELETE $ns/configmaps/yaml
r cm-delete-uid DELETE $ns/configmaps/b '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"11111111-1111-1111-1111-111111111111"}}'
r cm-delete-rv DELETE $ns/configmaps/b '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"1"}}'
r cm-delete-dry DELETE "$ns/configmaps/b?dryRun=All"
r cm-delete-policy-bad DELETE $ns/configmaps/b '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Sideways"}'
r cm-delete-policy-both DELETE $ns/configmaps/b '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan","orphanDependents":true}'
r cm-delete-foreground DELETE "$ns/configmaps/managed?propagationPolicy=Foreground"
r cm-delete-orphan DELETE $ns/configmaps/unknown '{"propagationPolicy":"Orphan"}'
r cm-delete-background DELETE "$ns/configmaps/empties?propagationPolicy=Background"
r cm-delete-body-bad DELETE $ns/configmaps/b '{"kind":'
r cm-delete-grace DELETE "$ns/configmaps/given?gracePeriodSeconds=5"

r secret-create POST $ns/secrets '{"metadata":{"name":"s"},"stringData":{"a":"plain"},"data":{"b":"Yg=="}}'
r secret-type-put PUT $ns/secrets/s '{"metadata":{"name":"s"},"type":"kubernetes.io/tls","data":{"b":"Yg=="}}'
r secret-dockercfg POST $ns/secrets '{"metadata":{"name":"s3"},"type":"kubernetes.io/dockerconfigjson","data":{"x":"Yg=="}}'
r secret-dockercfg-bad POST $ns/secrets '{"metadata":{"name":"s3"},"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"Yg=="}}'
r sa-create POST $ns/serviceaccounts '{"metadata":{"name":"sa"}}'
r lease-create POST $lease '{"metadata":{"name":"l"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2020-01-01T00:00:00.000000Z","renewTime":"2020-01-01T00:00:00.000000Z","leaseTransitions":0}}'
r lease-put-create PUT $lease/made '{"metadata":{"name":"made"},"spec":{}}'
r lease-bad POST $lease '{"metadata":{"name":"l2"},"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}}'
lrv=$(field $lease/l .metadata.resourceVersion)
r lease-put PUT $lease/l '{"metadata":{"name":"l","resourceVersion":"'$lrv'"},"spec":{"holderIdentity":"you","leaseDurationSeconds":15}}'
r lease-put-stale PUT $lease/l '{"metadata":{"name":"l","resourceVersion":"'$lrv'"},"spec":{"holderIdentity":"they"}}'
r event-create POST $ns/events '{"metadata":{"name":"e.1"},"involvedObject":{"kind":"ConfigMap","namespace":"suite","name":"a"},"reason":"Because","message":"m","type":"Normal","source":{"component":"c"},"firstTimestamp":"2020-01-01T00:00:00Z","lastTimestamp":"2020-01-01T00:00:00Z","count":1}'
r event-other-ns POST $ns/events '{"metadata":{"name":"e.2"},"involvedObject":{"kind":"ConfigMap","namespace":"default","name":"a"},"reason":"Because"}'
r event-node-default POST $core/namespaces/default/events '{"metadata":{"name":"e.3"},"involvedObject":{"kind":"Node","name":"n1"},"reason":"Because"}'
r event-node POST $ns/events '{"metadata":{"name":"e.3"},"involvedObject":{"kind":"Node","name":"n1"},"reason":"Because"}'
p event-patch strategic $ns/events/e.1 '{"count":2,"lastTimestamp":"2020-01-02T00:00:00Z"}'
r event-put-create PUT $ns/events/e.4 '{"metadata":{"name":"e.4","namespace":"suite"},"involvedObject":{"namespace":"suite"}}'

r method-post-item POST $ns/configmaps/a '{}'
r method-put-list PUT $ns/configmaps '{}'
r method-patch-list PATCH $ns/configmaps '{}'
r path-unknown GET $core/bogus
r path-unknown-ns GET $ns/bogus
r path-unknown-group GET /apis/bogus.example/v1/things
r path-unknown-version GET /apis/apps/v7/deployments
r path-root GET /bogus
r path-sub GET $ns/configmaps/a/status
r path-sub-unknown GET $ns/pods/a/bogus
r path-cluster-in-ns GET $ns/nodes
r path-ns-item-bare GET $core/configmaps/a
r healthz GET /healthz
r readyz GET /readyz
r livez GET /livez
send "$all" anonymous-token GET $core/nodes '' -H 'Authorization: Bearer wrong'
