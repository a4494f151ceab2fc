# Sourced after lib.sh: an API server for the test, and functions that create objects in it.
sandbox_pid='' api=''
trap '[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null; rm -rf "$TMP"' EXIT

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
is() {	# name, want, got
	if [ "$2" = "$3" ]; then ok; else bad "$1: expected \"$2\", got \"$3\""; fi
}

sandbox_start() {	# flags...: sets sandbox_pid and api; kubeconfig in $TMP/kubeconfig
	local i
	rm -f "$TMP/kubeconfig" # of an earlier sandbox
	"$BIN/mco-sandbox" start --port 0 --write-kubeconfig "$TMP/kubeconfig" "$@" \
		2>"$TMP/sandbox.log" &
	sandbox_pid=$!
	for ((i = 0; i < 4000; i++)); do
		[ -s "$TMP/kubeconfig" ] && break
		sleep 0.03
	done
	api=$(sed -n 's/^ *server: //p' "$TMP/kubeconfig")
}

sandbox_path() {	# kind, namespace: the path of such objects
	local v1=/apis/machineconfiguration.openshift.io/v1
	local config=/apis/config.openshift.io/v1
	case $1 in
	ConfigMap|Service) echo "/api/v1/namespaces/$2/${1,,}s" ;;
	Route) echo "/apis/route.openshift.io/v1/namespaces/$2/routes" ;;
	CustomResourceDefinition)
		echo /apis/apiextensions.k8s.io/v1/customresourcedefinitions ;;
	Image|FeatureGate|APIServer|Node|ImageContentPolicy) echo "$config/${1,,}s" ;;
	ImageDigestMirrorSet|ImageTagMirrorSet) echo "$config/${1,,}s" ;;
	MachineConfiguration) echo /apis/operator.openshift.io/v1/machineconfigurations ;;
	*) echo "$v1/${1,,}s" ;;
	esac
}

sandbox_put() {	# file of one object: created, and its status set
	local kind name space path got rv
	sed -i -E 's/(creationTimestamp|uid): *("[^"]*"|[-0-9a-f]+),? ?//' "$1"
	sed -i -E 's/uid: *[-0-9a-f]+//' "$1"
	kind=$(sed -n 's/^kind: *//p' "$1")
	name=$(sed -n '/^metadata:/,/^[a-z]*:/s/.*\bname: *\([^,} ]*\).*/\1/p' "$1" | head -n 1)
	space=$(sed -n 's/.*\bnamespace: *\([^,} ]*\).*/\1/p' "$1" | head -n 1)
	path=$(sandbox_path "$kind" "$space")
	got=$(sed -E 's/resourceVersion: *"[^"]*",? ?//' "$1" |
		curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' --data-binary @- \
		-H 'Content-Type: application/yaml' "$api$path")
	[ "$got" = 201 ] || { bad "create $kind $name: $got"; cat "$TMP/put"; }
	grep -q '^status:' "$1" || return 0
	curl -sS -m 60 "$api$path/$name" > "$TMP/now"
	rv=$(sed -n 's/.*"resourceVersion": *"\([0-9]*\)".*/\1/p' "$TMP/now" | head -n 1)
	got=$(sed -E "s/resourceVersion: *\"[^\"]*\"/resourceVersion: \"$rv\"/" "$1" |
		curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' -X PUT --data-binary @- \
		-H 'Content-Type: application/yaml' "$api$path/$name/status")
	[ "$got" = 200 ] || { bad "status of $kind $name: $got"; cat "$TMP/put"; }
}

sandbox_load() {	# files of objects...
	local one
	rm -rf "$TMP/docs" && mkdir "$TMP/docs"
	awk -v dir="$TMP/docs" 'FNR == 1 || /^---/ { n++ } !/^---/ {
		print > sprintf("%s/%04d", dir, n) }' "$@"
	for one in "$TMP/docs"/*; do
		if grep -q '^kind:' "$one"; then sandbox_put "$one"; fi
	done
}

sandbox_patch() {	# path, merge patch: the status
	curl -sS -m 60 -o "$TMP/put" -w '%{http_code}' -X PATCH -d "$2" \
		-H 'Content-Type: application/merge-patch+json' "$api$1"
}
