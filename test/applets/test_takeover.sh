# Taking over a cluster, on the sandbox; make test-cluster runs it on a real
# kube-apiserver.
build=${MCO_DIR:-build}
. test/cluster/servers.sh
dir=$(mktemp -d)
trap 'stop_servers; rm -rf "$dir"' EXIT
start_sandbox "$build" || exit 1
test/cluster/takeover.sh "$build"
