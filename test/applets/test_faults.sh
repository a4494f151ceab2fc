# The programs' client on a sandbox, under many faults.
. test/applets/lib.sh
. test/cluster/servers.sh
dir=$TMP
trap 'stop_servers; rm -rf "$TMP"' EXIT
make_cert "$TMP/api"
start_sandbox "$BIN" --data "$TMP/data" --tls-cert-file "$TMP/api.crt" \
	--tls-private-key-file "$TMP/api.key" || exit 1
# test_auth.c and make test-cluster cover the other scenes
CHANGES=100 SCENES="cut kill" CA=$TMP/api.crt test/cluster/faults.sh "$BIN"
