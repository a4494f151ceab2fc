# The client of the programs on a sandbox, while everything that can go wrong does.
. test/applets/lib.sh
. test/cluster/servers.sh
dir=$TMP
trap 'stop_servers; rm -rf "$TMP"' EXIT
make_cert "$TMP/api"
start_sandbox "$BIN" --data "$TMP/data" --tls-cert-file "$TMP/api.crt" \
	--tls-private-key-file "$TMP/api.key" || exit 1
# what is left out here are test_auth.c, and make test-cluster
CHANGES=100 SCENES="cut kill" CA=$TMP/api.crt test/cluster/faults.sh "$BIN"
