# Discovery, for the kinds that both servers have. A real server lists new kinds
# a little after it serves them.
for ((i = 0; i < 300; i++)); do
	[ "$(field /apis/example.com/v1 '.resources | length')" -lt 3 ] || break
	sleep 0.1
done
d() {	# NAME PATH FILTER
	printf '\036%s\037%s\037200 filtered' "$1" \
		"$(curl "${common[@]}" "$URL$2" | jq -c "$3")" >>"$all"
}
kinds='.resources |= ([.[] | select(.name as $n | ["namespaces","nodes","pods","configmaps","secrets","events","serviceaccounts","namespaces/status","namespaces/finalize","nodes/status","pods/status","pods/eviction","leases","daemonsets","daemonsets/status","poddisruptionbudgets","poddisruptionbudgets/status","customresourcedefinitions","customresourcedefinitions/status","widgets","widgets/status","gadgets","clusterroles","rolebindings","jobs","jobs/status"] | index([$n]))] | sort_by(.name))'
d discover-versions /api '{kind,versions}'
d discover-core /api/v1 "$kinds"
d discover-apps /apis/apps/v1 "$kinds"
d discover-leases /apis/coordination.k8s.io/v1 "$kinds"
d discover-policy /apis/policy/$policy "$kinds"
d discover-rbac /apis/rbac.authorization.k8s.io/v1 "$kinds"
d discover-crds /apis/apiextensions.k8s.io/v1 "$kinds"
d discover-jobs /apis/batch/v1 "$kinds"
r discover-custom GET /apis/example.com/v1
r discover-custom-other GET /apis/example.com/v1beta1
r discover-group GET /apis/example.com
r discover-group-unknown GET /apis/bogus.example
r discover-version-unknown GET /apis/example.com/v9
d discover-groups /apis '.groups |= [.[] | select(.name == "example.com")]'
d discover-version /version '{platform}'
# All of it in one answer, as kubectl and client-go ask first.
a() {	# NAME PATH FILTER
	printf '\036%s\037%s\037200 filtered' "$1" "$(curl "${common[@]}" \
		-H 'Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' "$URL$2" |
		jq -c "$3" 2>/dev/null)" >>"$all"	# 1.20.2 has no items
}
some='map(.versions |= map(.resources |= ([.[] | select(.resource as $r | ["configmaps","namespaces","leases","widgets","gadgets","jobs"] | index([$r]))] | sort_by(.resource) | map(.verbs |= sort))))'
a discover-all-core /api ".items |= $some"
a discover-all-groups /apis ".items |= ([.[] | select(.metadata.name as \$n | [\"coordination.k8s.io\",\"example.com\",\"batch\"] | index([\$n])) | .versions |= [.[] | select(.version == \"v1\")]] | sort_by(.metadata.name) | $some)"
