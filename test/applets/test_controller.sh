# mco-controller start on the sandbox: the scenarios of test/cluster/controller.d,
# killed fewer times than on a real kube-apiserver (make test-cluster).
build=${MCO_DIR:-build}
. test/cluster/servers.sh
dir=$(mktemp -d)
trap 'stop_servers; rm -rf "$dir"' EXIT
start_sandbox "$build" || exit 1
KILLS=${KILLS:-8} test/cluster/controller.sh "$build"
