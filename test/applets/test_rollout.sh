# A rollout to five nodes on mco-sandbox, while daemons, controller and API server
# are killed at random. `make test-cluster` runs it on a real kube-apiserver too.
set -u
BIN=${MCO_DIR:-build}
. test/cluster/servers.sh
dir=$(mktemp -d)
passed=0 failed=0
trap 'stop_servers; rm -rf "$dir"' EXIT
start_sandbox "$BIN" --eviction v1 --data "$dir/data" || exit 1
if STEPS=${STEPS:-4} PATIENCE=300 test/cluster/rollout.sh "$BIN" "${SEED:-3}"; then
	passed=1
else
	failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
