#!/bin/bash
# rest.sh: the requests of the roles, of kubectl and of careless clients, sent to
# the API server at $URL; prints one line per request: name, code and type, body.
# Names that differ from run to run (uids, times, versions) are masked, so two
# servers that behave alike print the same. rest.expected holds what
# the newest kube-apiserver answers.
#
#   URL=https://127.0.0.1:6443 CA=ca.crt TOKEN=t COMPACT='command' rest.sh
#
# The server must be fresh, with no controllers behind it. COMPACT makes it
# forget the past.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
all=$dir/all
: >"$all"
common=(-s --noproxy '*' --max-time 120)
[ -z "${CA:-}" ] || common+=(--cacert "$CA")
[ -z "${TOKEN:-}" ] || common+=(-H "Authorization: Bearer $TOKEN")

# send FILE NAME METHOD PATH BODY CURL-OPTION...
send() {
	local file=$1 name=$2 method=$3 path=$4 body=$5
	shift 5
	[ -z "$body" ] || set -- --data-binary "$body" "$@"
	printf '\036%s\037' "$name" >>"$file"
	curl "${common[@]}" -X "$method" -w $'\037%{http_code} %{content_type}' \
		"$@" "$URL$path" >>"$file"
}
# r NAME METHOD PATH [BODY [CURL-OPTION...]]
r() {
	local name=$1 method=$2 path=$3 body=${4:-}
	shift $(($# < 4 ? $# : 4))
	if [ -n "$body" ]; then set -- -H 'Content-Type: application/json' "$@"; fi
	send "$all" "$name" "$method" "$path" "$body" "$@"
}
# p NAME TYPE PATH BODY: a patch
p() {
	local type=$2
	case $type in
	json|merge) type=application/$type-patch+json ;;
	strategic) type=application/strategic-merge-patch+json ;;
	apply) type=application/apply-patch+yaml ;;
	esac
	send "$all" "$1" PATCH "$3" "$4" -H "Content-Type: $type"
}
# t NAME PATH: as a table
t() {
	send "$all" "$1" GET "$2" '' -H \
		'Accept: application/json;as=Table;v=v1;g=meta.k8s.io'
}
# field PATH FILTER: part of an answer, for later requests
field() {
	curl "${common[@]}" "$URL$1" | jq -r "$2"
}
rv() {	# the current version of a list
	field "$1?limit=1" .metadata.resourceVersion
}
# w NAME PATH QUERY: a watch, run at the end beside the others
watches=()
w() {
	watches+=("$1" "$2?watch=true&timeoutSeconds=${4:-5}&$3")
}

core=/api/v1
ns=$core/namespaces/suite
apps=/apis/apps/v1/namespaces/suite
lease=/apis/coordination.k8s.io/v1/namespaces/suite/leases
policy=${POLICY:-v1}	# v1beta1 before 1.21
pdb=/apis/policy/$policy/namespaces/suite/poddisruptionbudgets
crd=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
wg=/apis/example.com/v1/namespaces/suite/widgets
gg=/apis/example.com/v1/gadgets

for part in "$here"/rest.d/*.sh; do
	# shellcheck disable=SC1090 # one of many
	. "$part"
done

# The events since then, as each watch got them.
pids=()
for ((i = 0; i < ${#watches[@]}; i += 2)); do
	send "$dir/w$i" "${watches[i]}" GET "${watches[i + 1]}" '' &
	pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
for ((i = 0; i < ${#watches[@]}; i += 2)); do
	cat "$dir/w$i" >>"$all"
done
if [ -n "${COMPACT:-}" ]; then . "$here/compact.sh"; fi
jq -Rrs --from-file "$here/mask.jq" "$all"
