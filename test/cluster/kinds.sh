#!/bin/bash
# kinds.sh: registers the sandbox's built-in kinds with the real API server at
# $URL, as custom resources without a schema; waits until it serves them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ask=(curl -sS --noproxy '*' --max-time 120 --cacert "$CA" -H "Authorization: Bearer $TOKEN")
crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions

# columns: group versions plural Kind traits; only kinds that a CRD defines
awk '$5 ~ /c/ && $1 ~ /openshift/' "$here/../../src/sandbox/builtin/kinds" | while read -r group versions plural kind traits _; do
	jq -nc --arg group "$group" --arg versions "$versions" --arg plural "$plural" \
		--arg kind "$kind" --arg traits "$traits" '
	{apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition",
	 metadata: {name: "\($plural).\($group)",
		    annotations: {"api-approved.kubernetes.io": "unapproved, for a test"}},
	 spec: {group: $group, scope: (if $traits | test("n") then "Namespaced" else "Cluster" end),
		names: {plural: $plural, singular: ($kind | ascii_downcase), kind: $kind, listKind: "\($kind)List"},
		versions: [$versions | split(",") | to_entries[] | {name: .value, served: true, storage: (.key == 0),
			schema: {openAPIV3Schema: {type: "object", "x-kubernetes-preserve-unknown-fields": true}},
			subresources: (if $traits | test("s") then {status: {}} else {} end)}]}}' |
		"${ask[@]}" -o /dev/null -H 'Content-Type: application/json' --data-binary @- "$URL$crds" || exit 1
done
established() {
	"${ask[@]}" "$URL$crds" | jq -e '[.items[] | select(.spec.group | test("openshift"))] | length > 20 and
		all(any(.status.conditions[]?; .type == "Established" and .status == "True"))' > /dev/null
}
for ((i = 0; i < 600; i++)); do
	established && exit 0
	sleep 0.2
done
echo "Error: the server does not establish the kinds" >&2
exit 1
