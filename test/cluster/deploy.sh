#!/bin/bash
# deploy.sh KUBECTL: the server of $KUBECONFIG takes what examples/deploy has for
# the three roles, as a dry run and then for good.
set -u
kubectl=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
for ns in openshift-machine-config-operator openshift-config openshift-image-registry; do
	"$kubectl" create namespace $ns >"$dir/out" 2>&1 || grep -q AlreadyExists "$dir/out" || cat "$dir/out"
done
for role in controller daemon server; do
	file=examples/deploy/$role.yaml
	for run in ' (server dry run)' ''; do
		timeout 120 "$kubectl" apply ${run:+--dry-run=server} -f "$file" >"$dir/out" 2>&1 &&
			[ "$(grep -cE " (created|configured|unchanged)${run:+ .server dry run.}\$" "$dir/out")" = \
				"$(grep -c '^kind: ' "$file")" ] && continue
		echo "FAIL $file"
		cat "$dir/out"
		exit 1
	done
done
