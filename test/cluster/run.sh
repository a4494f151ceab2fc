#!/bin/bash
# run.sh BUILD PEERS [OLD-PEERS]: the REST suite and kubectl against a real kube-apiserver with
# etcd, and against mco-sandbox; both must give the same answers. RECORD=1 stores the
# real server's answers as the expected ones: those of the newest release. 1.20.2 answers
# otherwise where *.differs.1.20.2 says so. Then rollouts, faults and the controllers' suite
# run on the real server, and on the sandbox with as many kills: make test runs them there with
# fewer kills. The last step is a short run on OLD-PEERS, if there are any.
set -u
build=$1 peers=$2 old=${3:-}
command -v etcd >/dev/null && [ "$old" != "$peers" ] || old=
cd "$(dirname "$0")/../.." || exit 1
. test/cluster/servers.sh
top=$(mktemp -d)
dir=$top	# where servers.sh keeps its own
passed=0 failed=0
trap 'stop_servers; rm -rf "$top"' EXIT

rollout() {	# SEED; restarts the server RESTARTS times
	if STEPS=4 PATIENCE=300 test/cluster/rollout.sh "$build" "$1"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}
count() {	# COMMAND...: adds its tally; ends the servers
	local p f
	"$@" | tee "$top/count.out"
	stop_servers
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$top/count.out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}
deploy() {
	if test/cluster/deploy.sh "$peers/kubectl"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
recipe() {	# of examples/deploy/README.md: a take-over, and the way back
	if test/cluster/recipe.sh "$peers/kubectl"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
faults() {	# the client while connections are cut and the server is killed and gets new certificates
	if PATIENCE=300 CHANGES=150 test/cluster/faults.sh "$build"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}
real() {	# NAME [PEERS]: starts an empty server
	dir=$top/$1
	mkdir "$dir"
	start_real "${2:-$peers}" || exit 1
}
differs() {	# SUITE PEERS: names of the answers in which that server is known to differ
	if [ -x "$2/kube-controller-manager" ]; then echo /dev/null; else echo "test/cluster/$1.differs.1.20.2"; fi
}
answers() {	# NAME PEERS: what the real server answers
	real "$1" "$2"
	test/cluster/rest.sh >"$top/$1.rest"
	test/cluster/kubectl.sh "$2/kubectl" >"$top/$1.kubectl" 2>&1
	stop_servers
}
answers real "$peers"
if [ -x "$peers/kube-controller-manager" ]; then
	real workloads
	start_controller_manager "$peers" || exit 1
	count test/cluster/workloads.sh "$peers/kubectl"
	real standalone
	start_controller_manager "$peers" || exit 1
	count test/cluster/standalone.sh "$build" "$peers/kubectl"
	count test/cluster/operator.sh "$build" "$peers"	# its own servers
	real rules
	count test/cluster/rules.sh "$build"
fi
real rollouts
deploy
test/cluster/kinds.sh
# A restarted server refuses the requests of service accounts for a while.
ACCOUNTS=1 RESTARTS=0 rollout "${SEED:-1}"
RESTARTS=1 rollout "${SEED:-2}"
faults
stop_servers
controllers() {	# [SUITE]: uses the running server
	count "test/cluster/${1:-controller}.sh" "$build"
}
real controller
controllers
real recipe
test/cluster/kinds.sh
recipe
stop_servers
real takeover
deploy
ACCOUNTS=1 controllers takeover
dir=$top
start_sandbox "$build" || exit 1
controllers

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
start_sandbox "$build" --tls-cert-file "$dir/sandbox.crt" \
	--tls-private-key-file "$dir/sandbox.key" || exit 1
deploy
stop_servers
start_sandbox "$build" --tls-cert-file "$dir/sandbox.crt" \
	--tls-private-key-file "$dir/sandbox.key" || exit 1
recipe
stop_servers
if [ -n "$old" ]; then
	answers old "$old"
	dir=$top
fi

for suite in rest kubectl; do
	compare test/cluster/$suite.expected "$dir/real.$suite" "$(differs $suite "$peers")"
	[ -z "$old" ] || compare test/cluster/$suite.expected "$dir/old.$suite" "$(differs $suite "$old")"
	# an old kubectl has other words
	[ "$suite $(differs $suite "$peers")" = "kubectl /dev/null" ] || [ $suite = rest ] || continue
	compare test/cluster/$suite.expected "$dir/sandbox.$suite" \
		test/cluster/$suite.differs
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
