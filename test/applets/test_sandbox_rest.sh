# The REST suite with mco-sandbox: the replies equal those of the newest kube-apiserver (`make test-
# cluster` runs both).
set -u
BIN=${MCO_DIR:-build}
. test/cluster/servers.sh
dir=$(mktemp -d)
passed=0 failed=0
trap 'stop_servers; rm -rf "$dir"' EXIT
start_sandbox "$BIN" || exit 1
test/cluster/rest.sh >"$dir/rest"
stop_servers
compare test/cluster/rest.expected "$dir/rest" test/cluster/rest.differs
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
