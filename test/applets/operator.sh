# Sourced after sandbox.sh: a cluster for mco-operator, and what others do in it.
OP_CASES=test/golden/operator-live/cases
OP_NS=openshift-machine-config-operator
OP_RAW=v4.22.0 OP_HASH=0123456789abcdef0123456789abcdef01234567
OP_CO=/apis/config.openshift.io/v1/clusteroperators/machine-config
operator='' others=''

op_end() {	# PID VARIABLE...: ends processes of the test
	local name
	for name; do
		[ -z "${!name}" ] || { kill "${!name}" && wait "${!name}"; } 2>/dev/null
		printf -v "$name" ''
	done
}
op_perl() { perl test/applets/operator.pl "$1" "$api" "${@:2}"; }
op_get() { curl -sS -m 60 --noproxy '*' "$api$1"; }
op_docs() { "$BIN/mcoctl" fmt -o json-compact -f "$1"; }	# a line of JSON per document

op_crds() {	# the kinds that the operator reads, except those named
	local f skip
	for f in examples/deploy/crds/*.yaml examples/deploy/crds/openshift/*.yaml; do
		for skip; do
			[ "${f##*/}" != "$skip.yaml" ] || continue 2
		done
		op_docs "$f"
	done >"$TMP/crds"
	op_perl put "$TMP/crds"
}
op_namespaces() {
	local name
	for name in "$OP_NS" openshift-config openshift-config-managed openshift-machine-api openshift-kube-apiserver-operator; do
		printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}\n' "$name"
	done >"$TMP/namespaces"
	op_perl put "$TMP/namespaces"
}
op_file() { op_docs "$(echo "$OP_CASES/$1"*/"$2.yaml")"; }	# CASE FILE: as lines of JSON
op_input() {	# CASE: its given objects
	op_file "$1" input >"$TMP/input"
	op_perl put "$TMP/input"
}
op_image() { jq -r .machineConfigOperator "$TMP/images.json"; }
op_images() {	# CASE: images.json as the ConfigMap has it
	op_file "$1" input | jq -r 'select(.metadata.name == "machine-config-operator-images") | .data["images.json"]' \
		>"$TMP/images.new"
	mv "$TMP/images.new" "$TMP/images.json"
}
op_start() {	# FLAGS...: sets operator
	MCO_RAW=$OP_RAW MCO_HASH=$OP_HASH "$BIN/mco-operator" start --images-json "$TMP/images.json" \
		--kubeconfig "$TMP/kubeconfig" "$@" 2>>"$TMP/operator.log" &
	operator=$!
}
op_others() { perl test/applets/operator.pl play "$api" "$@" >"$TMP/others" 2>&1 & others=$!; }	# CONTEXT-FILE [nodes]
op_condition() { op_get $OP_CO | jq -r --arg t "$1" '.status.conditions[]? | select(.type == $t) | .status'; }
