# Lists: selectors, pages, versions, tables.
r list-all GET $ns/configmaps
for s in app=x app==x 'app!=x' 'app%20in%20(x,y)' 'app%20notin%20(x)' app '!app' 'n%3E1' 'n%3C3' 'app=x,n=3' 'app%20in%20(x' 'a%20b=c' '=x' 'app=a%20b' 'n%3Ex' ',' 'app%20in%20()' 'app='; do
	r "labels $s" GET "$ns/configmaps?labelSelector=$s&limit=500"
done
for s in metadata.name=a metadata.name==a 'metadata.name!=a,metadata.name!=b' metadata.namespace=suite data.k=v bogus '' metadata.name=a,bogus=1; do
	r "fields $s" GET "$ns/configmaps?fieldSelector=$s"
done
for s in spec.nodeName=n2 spec.nodeName=none status.phase=Pending 'status.phase!=Pending' spec.unschedulable=true spec.restartPolicy=Never; do
	r "pods $s" GET "$core/pods?fieldSelector=$s"
done
for s in spec.unschedulable=false spec.unschedulable=true metadata.name=n1 status.phase=x; do
	r "nodes $s" GET "$core/nodes?fieldSelector=$s"
done
r "secrets type" GET "$ns/secrets?fieldSelector=type=Opaque"
r "events reason" GET "$ns/events?fieldSelector=reason=Because,involvedObject.kind=ConfigMap"
r "namespaces phase" GET "$core/namespaces?fieldSelector=status.phase=Active,metadata.name=suite"

for i in 1 2 3 4 5; do
	r page-make-$i POST $ns/configmaps '{"metadata":{"name":"page-'$i'","labels":{"page":"yes"}}}'
done
r page-1 GET "$ns/configmaps?labelSelector=page=yes&limit=2"
c=$(field "$ns/configmaps?labelSelector=page=yes&limit=2" .metadata.continue)
r page-2 GET "$ns/configmaps?labelSelector=page=yes&limit=2&continue=$c"
c=$(field "$ns/configmaps?labelSelector=page=yes&limit=4" .metadata.continue)
r page-3 GET "$ns/configmaps?labelSelector=page=yes&limit=4&continue=$c"
r page-count GET "$ns/serviceaccounts?limit=1"
r page-remaining GET "$core/nodes?limit=1"
c=$(field "$core/nodes?limit=1" .metadata.continue)
r page-rest GET "$core/nodes?limit=1&continue=$c"
r page-bad GET "$core/nodes?limit=1&continue=garbage"
r page-and-rv GET "$core/nodes?limit=1&continue=$c&resourceVersion=1"
r page-limit-bad GET "$core/nodes?limit=x"
r page-limit-negative GET "$core/nodes?limit=-1"
r rv-bad GET "$core/nodes?resourceVersion=x"
r rv-zero GET "$core/nodes?resourceVersion=0&fieldSelector=metadata.name=n2"
r rv-match-exact-zero GET "$core/nodes?resourceVersion=0&resourceVersionMatch=Exact"
r rv-match-alone GET "$core/nodes?resourceVersionMatch=Exact"
r rv-match-bogus GET "$core/nodes?resourceVersion=1&resourceVersionMatch=Bogus"
r rv-match-newer GET "$core/nodes?resourceVersion=1&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=n2"
n=$(rv $core/nodes)
r rv-match-exact GET "$core/nodes?resourceVersion=$n&resourceVersionMatch=Exact&limit=1"

# All pages show the state at the first request, whatever changes later.
for i in 1 3 5 7; do
	r past-make-$i POST $ns/secrets '{"metadata":{"name":"past-'$i'","labels":{"past":""}}}'
done
n=$(rv $ns/secrets)
c=$(field "$ns/secrets?limit=1" .metadata.continue)
r past-new POST $ns/secrets '{"metadata":{"name":"past-4","labels":{"past":""}}}'
p past-change merge $ns/secrets/past-3 '{"metadata":{"labels":{"seen":"no"}}}'
p past-change-2 merge $ns/secrets/past-3 '{"metadata":{"labels":{"seen":"twice"}}}'
r past-gone DELETE $ns/secrets/past-5
r past-gone-2 DELETE $ns/secrets/past-7
r past-back POST $ns/secrets '{"metadata":{"name":"past-7","labels":{"past":""}},"data":{"new":"eA=="}}'
r past-page GET "$ns/secrets?limit=2&continue=$c"
c=$(field "$ns/secrets?limit=2&continue=$c" .metadata.continue)
r past-page-last GET "$ns/secrets?limit=9&continue=$c"
r past-exact GET "$ns/secrets?resourceVersion=$n&resourceVersionMatch=Exact"
r past-exact-page GET "$ns/secrets?resourceVersion=$n&resourceVersionMatch=Exact&limit=2"
r past-legacy GET "$ns/secrets?resourceVersion=$n&limit=2"
r past-newer GET "$ns/secrets?resourceVersion=$n&resourceVersionMatch=NotOlderThan&labelSelector=seen"
r past-now GET "$ns/secrets"
r past-forget DELETE "$ns/secrets?labelSelector=past"
r get-rv-zero GET "$core/nodes/n2?resourceVersion=0"
r get-rv-bad GET "$core/nodes/n2?resourceVersion=x"
r timeout-bad GET "$core/nodes?timeoutSeconds=x"

t table-nodes $core/nodes
t table-node $core/nodes/n2
t table-pods $ns/pods
t table-configmaps "$ns/configmaps?limit=2"
t table-secrets $ns/secrets
t table-namespaces "$core/namespaces?fieldSelector=metadata.name=suite"
t table-leases $lease
t table-events "$ns/events?fieldSelector=reason=Because"
t table-pdbs $pdb
t table-daemonsets $apps/daemonsets
t table-deployments $apps/deployments
t table-serviceaccounts $ns/serviceaccounts
t table-jobs /apis/batch/v1/namespaces/suite/jobs
t table-missing $core/nodes/none
t table-object "$core/nodes/n2?includeObject=Object"
t table-none "$core/nodes/n2?includeObject=None"
send "$all" table-fallback GET $core/nodes/n2 '' -H 'Accept: application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json'
send "$all" partial-list GET "$core/nodes?fieldSelector=metadata.name=n2" '' -H 'Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
send "$all" partial GET $core/nodes/n2 '' -H 'Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

options='{"kind":"DeleteOptions","apiVersion":"v1",'
for i in 1 2 3; do
	r batch-make-$i POST $ns/configmaps '{"metadata":{"name":"batch-'$i'","labels":{"batch":"yes"}}}'
done
r delete-all-dry DELETE "$ns/configmaps?labelSelector=batch&dryRun=All"
r delete-all-dry-body DELETE "$ns/configmaps?labelSelector=batch" "$options\"dryRun\":[\"All\"]}"
r delete-all-dry-bad DELETE "$ns/configmaps?labelSelector=batch&dryRun=Some"
r delete-all-policy-bad DELETE "$ns/configmaps?labelSelector=batch&propagationPolicy=Bogus"
r delete-all-policy-bad-body DELETE "$ns/configmaps?labelSelector=batch" "$options\"propagationPolicy\":\"Bogus\"}"
r delete-all-dry-left GET "$ns/configmaps?labelSelector=batch"
r delete-all-limit DELETE "$ns/configmaps?labelSelector=batch&limit=2"
r delete-all-limit-left GET "$ns/configmaps?labelSelector=batch"
r delete-dry-body DELETE $ns/configmaps/batch-3 "$options\"dryRun\":[\"All\"]}"
r delete-dry-body-bad DELETE $ns/configmaps/batch-3 "$options\"dryRun\":[\"Some\"]}"
r delete-dry-body-left GET $ns/configmaps/batch-3
r delete-all-labels DELETE "$ns/configmaps?labelSelector=page=yes&fieldSelector=metadata.name!=page-1"
r delete-all-left GET "$ns/configmaps?labelSelector=page=yes"
r delete-all-none DELETE "$ns/configmaps?labelSelector=page=no"
r delete-all-ns DELETE $core/namespaces
r delete-all-options DELETE $ns/leases '{"kind":"DeleteOptions","apiVersion":"v1"}'
r delete-all-leases DELETE $lease
