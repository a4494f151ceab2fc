#!/bin/bash
# deploy.sh KUBECTL: the server of $KUBECONFIG accepts the manifests of
# examples/deploy: the definitions, and then the three roles, first as a dry run.
set -u
kubectl=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
for ns in openshift-machine-config-operator openshift-config openshift-image-registry; do
	"$kubectl" create namespace $ns >"$dir/out" 2>&1 || grep -q AlreadyExists "$dir/out" || cat "$dir/out"
done
apply() {	# FILE-OR-DIRECTORY FLAG...
	local file=$1 run
	shift
	for run in ' (server dry run)' ''; do
		timeout 120 "$kubectl" apply "$@" ${run:+--dry-run=server} -f "$file" >"$dir/out" 2>&1 &&
			[ "$(grep -cE " (created|configured|unchanged)${run:+ .server dry run.}\$" "$dir/out")" = \
				"$(cat "$file" "$file"/* 2>/dev/null | grep -c '^kind: ')" ] && continue
		echo "FAIL $file"
		cat "$dir/out"
		exit 1
	done
}
# kubectl 1.20 is older than x-kubernetes-validations and would not send them. The definitions
# are deleted again, because later suites use kinds without a schema.
validate=true
[ -x "${kubectl%/*}/kube-controller-manager" ] || validate=false
apply examples/deploy/crds --validate=$validate
# kube-apiserver 1.35 may overlook a deletion until it looks at all definitions again, after five
# minutes; a change reminds it.
"$kubectl" delete --wait=false -f examples/deploy/crds >"$dir/out" 2>&1 || { cat "$dir/out"; exit 1; }
for ((i = 0; i < 60; i++)); do
	mapfile -t left < <("$kubectl" get -f examples/deploy/crds --ignore-not-found -o name)
	[ ${#left[@]} -gt 0 ] || break
	sleep 1
	"$kubectl" annotate --overwrite "${left[@]}" reminder=$i >"$dir/out" 2>&1
done
for role in controller daemon server; do apply examples/deploy/$role.yaml; done
