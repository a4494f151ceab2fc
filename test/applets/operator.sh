# Sourced after sandbox.sh: a cluster for mco-operator, and what others do in it.
OP_CASES=test/golden/operator-live/cases
OP_NS=openshift-machine-config-operator
RAW=v4.22.0 HASH=0123456789abcdef0123456789abcdef01234567
mc=/apis/machineconfiguration.openshift.io/v1 config=/apis/config.openshift.io/v1

# The path of an object's collection. jq's input is the object.
op_path='def plural: (.kind | ascii_downcase) as $k | if $k | test("y$") then ($k | sub("y$"; "ies"))
	elif $k | test("s$") then $k + "es" else $k + "s" end;
	def path: (if .apiVersion | contains("/") then "/apis/" else "/api/" end) + .apiVersion + "/" +
	(if .metadata.namespace then "namespaces/" + .metadata.namespace + "/" else "" end) + plural;'

op_curl() { curl -sS -m 60 --noproxy '*' "$@"; }
op_get() { op_curl "$api$1"; }
op_send() {	# METHOD PATH TYPE BODY-FILE: prints the status
	op_curl -o "$TMP/answer" -w '%{http_code}' -X "$1" -H "Content-Type: application/$3" --data-binary "@$4" "$api$2"
}
op_patch() {	# PATH MERGE-PATCH
	printf '%s' "$2" >"$TMP/patch"
	op_send PATCH "$1" merge-patch+json "$TMP/patch"
}

op_docs() { "$BIN/mcoctl" fmt -o json-compact -f "$1"; }	# a line of JSON per document

op_put() {	# reads objects as lines of JSON: creates or merges them, with their status
	local line path name got
	while IFS=$'\t' read -r path name line; do
		printf '%s' "$line" >"$TMP/object"
		got=$(op_send POST "$path" json "$TMP/object")
		if [ "$got" = 409 ]; then
			got=$(op_send PATCH "$path/$name" merge-patch+json "$TMP/object")
		fi
		case $got in
		20*) ;;
		*) bad "$path/$name: $got $(head -c 300 "$TMP/answer")" ;;
		esac
		case $line in
		*'"status":'*) op_send PATCH "$path/$name/status" merge-patch+json "$TMP/object" >"$TMP/status" ;;
		esac
	done < <(jq -r "$op_path"'del(.metadata.resourceVersion, .metadata.uid, .metadata.creationTimestamp,
		.metadata.generation, .metadata.managedFields) | [path, .metadata.name, tojson] | join("\t")')
}

op_crds() {	# the kinds that the operator reads, except those named
	local f skip
	for f in examples/deploy/crds/*.yaml examples/deploy/crds/openshift/*.yaml; do
		for skip; do
			[ "${f##*/}" != "$skip.yaml" ] || continue 2
		done
		op_docs "$f" | op_put
	done
}

op_images() {	# CASE: its images.json
	op_docs "$OP_CASES/$1/input.yaml" | jq -r 'select(.metadata.name == "machine-config-operator-images") | .data["images.json"]'
}
