# mcoctl validate and the CRDs: validate knows every field of a schema, at every depth, and
# no other.
. test/applets/lib.sh
ctl=$BIN/mcoctl

# An object with all fields; $all also adds an unknown member to each object with known
# members.
sample='
def sample($all):
	if .["x-kubernetes-int-or-string"] then 1
	elif .type == "object" then
		if .properties then (.properties | with_entries(.value |= sample($all))) + (if $all then {zzz: 1} else {} end)
		elif (.additionalProperties | type) == "object" then {key: (.additionalProperties | sample($all))}
		else {} end
	elif .type == "array" then [.items | sample($all)]
	elif .type == "string" then
		if .format == "date-time" then "2026-01-01T00:00:00Z" elif .format == "byte" then "" else "1" end
	elif .type == "boolean" then true
	else 1 end;
.spec as $crd | $crd.versions[] | .name as $version | .schema.openAPIV3Schema |
	(sample($all) + {apiVersion: ($crd.group + "/" + $version), kind: $crd.names.kind,
		metadata: ({name: "cluster"} + if $all then {zzz: 1} else {} end)})'
for f in examples/deploy/crds/*.yaml; do
	"$ctl" fmt -o json-compact "$f" > "$TMP/crd"
	for all in false true; do
		jq -c --argjson all $all "$sample" "$TMP/crd" > "$TMP/objects.$all"
	done
	while read -r -u 3 one; do
		printf '%s' "$one" > "$TMP/one.json"
		name=$(jq -r '.apiVersion + " " + .kind' "$TMP/one.json")
		"$ctl" validate -f "$TMP/one.json" -o json > "$TMP/found"
		expect "$name: all fields are known" 0 '' '' jq -r '.findings[] | select(.message | test("no such|no kind|unmarshal")) | .path + ": " + .message' "$TMP/found"
	done 3< "$TMP/objects.false"
	while read -r -u 3 one; do
		printf '%s' "$one" > "$TMP/one.json"
		name=$(jq -r '.apiVersion + " " + .kind' "$TMP/one.json")
		"$ctl" validate -f "$TMP/one.json" -o json > "$TMP/found"
		expect "$name: others are not" 0 "$(jq -r '[paths | select(.[-1] == "zzz" and .[0] != "status") | map(tostring) | join(".")] | sort[]' "$TMP/one.json")
" '' jq -r '[.findings[] | select(.message | test("^no such field.*: the API server would drop it silently$")) | .path] | sort[]' "$TMP/found"
	done 3< "$TMP/objects.true"
done
finish
