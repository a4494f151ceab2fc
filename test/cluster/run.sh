#!/bin/bash
# run.sh BUILD PEERS: the REST suite and kubectl against a real kube-apiserver
# with etcd, and against mco-sandbox; both must answer alike. With RECORD=1 what
# the real one answers becomes what is expected.
set -u
build=$1 peers=$2
cd "$(dirname "$0")/../.." || exit 1
. test/cluster/servers.sh
dir=$(mktemp -d)
passed=0 failed=0
trap 'stop_servers; rm -rf "$dir"' EXIT

start_real "$peers" || exit 1
test/cluster/rest.sh >"$dir/real.rest"
test/cluster/kubectl.sh "$peers/kubectl" >"$dir/real.kubectl" 2>&1
stop_servers
if [ -n "${RECORD:-}" ]; then
	cp "$dir/real.rest" test/cluster/rest.expected
	cp "$dir/real.kubectl" test/cluster/kubectl.expected
fi
make_cert "$dir/sandbox"
start_sandbox "$build" --tls-cert-file "$dir/sandbox.crt" \
	--tls-private-key-file "$dir/sandbox.key" --data "$dir/data" || exit 1
CA=$dir/sandbox.crt test/cluster/rest.sh >"$dir/sandbox.rest"
test/cluster/kubectl.sh "$peers/kubectl" >"$dir/sandbox.kubectl" 2>&1
stop_servers

for suite in rest kubectl; do
	compare test/cluster/$suite.expected "$dir/real.$suite"
	compare test/cluster/$suite.expected "$dir/sandbox.$suite" \
		test/cluster/$suite.differs
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
