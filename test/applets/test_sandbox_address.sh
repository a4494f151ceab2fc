# mco-sandbox start --address: addresses other than loopback need tokens and TLS. The addresses of
# the accepted cases are not this machine's (192.0.2.0/24 and 2001:db8::/32 are for
# documentation): bind fails, and no port is opened.
. test/applets/lib.sh
trap 'rm -rf "$TMP"' EXIT
echo token > "$TMP/tokens"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$TMP/key" -out "$TMP/cert" -days 1 -subj /CN=sandbox 2>/dev/null
tls=(--tls-cert-file "$TMP/cert" --tls-private-key-file "$TMP/key")
sandbox() { "$BIN/mco-sandbox" start --port 0 "$@" 2>&1 | sed 's/^[A-Z][0-9: .]* [a-z_]*\.c:[0-9]*\] //; s/: bind: .*/: bind/'; return "${PIPESTATUS[0]}"; }
open() { echo "Error: --address $1 is not loopback, so everyone in the network could write here: use --tokens, --tls-cert-file and --tls-private-key-file, or --allow-unauthenticated-network"; }

for a in 192.0.2.1 2001:db8::1 0.0.0.0 :: ::ffff:192.0.2.1 128.0.0.1; do
	expect "refused: $a" 1 "$(open $a)"$'\n' '' sandbox --address $a
done
expect 'no address' 1 'Error: listen: invalid address "localhost"
' '' sandbox --address localhost
expect 'refused: every address' 1 "$(open '""')"$'\n' '' sandbox --address ''
expect 'refused: tokens in the clear' 1 "$(open 192.0.2.1)"$'\n' '' sandbox --address 192.0.2.1 --tokens "$TMP/tokens"
expect 'refused: everybody over TLS' 1 "$(open 192.0.2.1)"$'\n' '' sandbox --address 192.0.2.1 "${tls[@]}"
expect 'tokens and TLS' 1 'Error: listen tcp 192.0.2.1:0: bind
' '' sandbox --address 192.0.2.1 --tokens "$TMP/tokens" "${tls[@]}"
expect 'asked for by name' 1 'Error: listen tcp 192.0.2.1:0: bind
' '' sandbox --address 192.0.2.1 --allow-unauthenticated-network

for a in 127.0.0.1 127.9.9.9; do
	"$BIN/mco-sandbox" start --address $a --port 0 --write-kubeconfig "$TMP/kubeconfig" 2> "$TMP/log" &
	for _ in {1..2000}; do [ -s "$TMP/kubeconfig" ] && break; kill -0 $! 2>/dev/null || break; sleep 0.03; done
	expect "served: $a" 0 "http://$a"$'\n' '' sed -n 's/^ *server: \(.*\):[0-9]*$/\1/p' "$TMP/kubeconfig"
	kill $!; wait $! 2>/dev/null
	rm -f "$TMP/kubeconfig"
done
finish
