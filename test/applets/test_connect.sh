# mcoctl and API servers that are hard to reach: certificates, TLS versions, proxies.
# Each case ends in an answer or in a one-line error.
. test/applets/lib.sh
. test/applets/sandbox.sh
ctl=$BIN/mcoctl churn=$BIN/test/kube/churn
unset KUBECONFIG HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy
export HOME=$TMP
pids=()
trap 'kill $sandbox_pid "${pids[@]}" 2>/dev/null; wait; rm -rf "$TMP"' EXIT
mkdir "$TMP/certs"
bash test/kube/certs.sh "$TMP/certs" || exit 1
certs=$TMP/certs none='Error: no MachineConfigPool in the cluster
'
serve() {	# CERTIFICATE: starts a server that presents it
	[ -z "$sandbox_pid" ] || { kill "$sandbox_pid"; wait "$sandbox_pid" 2>/dev/null; }
	rm -f "$TMP/kubeconfig"
	sandbox_start --tls-cert-file "$certs/$1.pem" --tls-private-key-file "$certs/$1.key"
	port=${api##*:}
}
config() {	# SERVER MORE: of the cluster
	cat >"$TMP/config" <<-CONFIG
	clusters:
	- {name: c, cluster: {server: "$1", $2}}
	contexts:
	- {name: c, context: {cluster: c, user: ""}}
	current-context: c
	CONFIG
}
ca="certificate-authority: $certs/ca.pem"
try() {	# NAME STDERR: no pool was found, or the reason
	expect "$1" 1 '' "$2" "$ctl" render --kubeconfig "$TMP/config" </dev/null
}
pools=/apis/machineconfiguration.openshift.io/v1/machineconfigpools
why() { echo "Error: listing machineconfigpools: GET $1$pools: $2"; }
line() {	# NAME SERVER WHY
	try "$1" "$(why "$2" "$3")
"
}

# ---- certificates ---------------------------------------------------------------------
serve server
here=https://127.0.0.1:$port
config "$here" "$ca"
try 'a good one' "$none"
config "$here" "certificate-authority: $certs/other.pem"
line 'of another authority' "$here" 'tls: certificate signed by unknown authority (CN=ca)'
config "$here" "certificate-authority-data: $(base64 -w0 "$certs/ca.pem")"
try 'the authority in the kubeconfig' "$none"
config "$here" "certificate-authority-data: $(echo nothing | base64)"
try 'an authority that is none' 'Error: certificate authority in the kubeconfig: no usable CA certificate: no PEM block found
'
config "$here" "$ca, tls-server-name: localhost"
try 'another name to expect' "$none"
config "$here" "$ca, tls-server-name: elsewhere"
line 'a name it is not' "$here" 'tls: certificate is valid for localhost, not elsewhere'
config "$here" 'insecure-skip-tls-verify: true'
try 'not looked at' "$none"
config "http://127.0.0.1:$port" ''
try 'not by TLS' "Error: http://127.0.0.1:$port: listing machineconfigpools: the server responded with 400 Bad Request: Client sent an HTTP request to an HTTPS server.
"
serve expired
config "$api" "$ca"
"$ctl" render --kubeconfig "$TMP/config" 2>"$TMP/err" </dev/null
is 'an old one' "$(why "$api" 'tls: certificate has expired or is not yet valid: current time NOW is after 2021-01-01T00:00:00Z')" \
	"$(sed 's/time 20[^ ]*/time NOW/' "$TMP/err")"
serve ip
config "$api" "$ca"
line 'for another address' "$api" 'tls: certificate is valid for 10.1.2.3, not 127.0.0.1'
serve name
config "$api" "$ca"
line 'for a name' "$api" "tls: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"
config "$api" "$ca, tls-server-name: api.example"
try 'for the name that is expected' "$none"

# ---- other protocols ------------------------------------------------------------------
openssl s_server -accept 127.0.0.1:0 -tls1_3 -cert "$certs/server.pem" \
	-key "$certs/server.key" -www >"$TMP/s_server" 2>&1 </dev/null &
pids+=($!)
for ((i = 0; i < 2400; i++)); do grep -q ^ACCEPT "$TMP/s_server" && break; sleep 0.05; done
new=https://127.0.0.1:$(sed -n 's/^ACCEPT.*://p' "$TMP/s_server" | head -n 1)
config "$new" "$ca"
line 'TLS 1.3 alone' "$new" 'tls: the peer speaks no TLS 1.2 (it may insist on TLS 1.3, which is not supported)'
"$BIN/mco-sandbox" start --port 0 --write-kubeconfig "$TMP/plain" 2>/dev/null &
pids+=($!)
for ((i = 0; i < 4000; i++)); do [ -s "$TMP/plain" ] && break; sleep 0.03; done
plain=$(sed -n 's/^ *server: http:/https:/p' "$TMP/plain")
config "$plain" "$ca"
line 'no TLS' "$plain" 'tls: the server speaks plain HTTP here'

# ---- proxies --------------------------------------------------------------------------
proxy_start() {	# sets proxy, which logs into $TMP/proxied
	rm -f "$TMP/proxied"
	"$churn" connect 0 >"$TMP/proxied" &
	pids+=($!)
	for ((i = 0; i < 2400; i++)); do [ -s "$TMP/proxied" ] && break; sleep 0.05; done
	proxy=127.0.0.1:$(head -n 1 "$TMP/proxied")
}
proxy_start
far=https://api.example:$port
config "$far" "$ca, proxy-url: \"http://$proxy\""
try 'by the proxy of the kubeconfig' "$none"
is 'it leads to the name' "CONNECT api.example:$port HTTP/1.1" "$(sed 1d "$TMP/proxied" | sort -u)"
config "$far" "$ca"
export HTTPS_PROXY=http://$proxy
n=$(wc -l <"$TMP/proxied")
try 'by the proxy of the environment' "$none"
is 'as often as there are connections' $((n + 1)) "$(wc -l <"$TMP/proxied")"
export NO_PROXY=.example
line 'but not for these' "$far" "connect to api.example port $port: no such host"
unset NO_PROXY
config "$api" "$ca, tls-server-name: api.example"
try 'nor for this machine' "$none"
is 'which was not asked for' $((n + 1)) "$(wc -l <"$TMP/proxied")"
config "$api" "$ca, tls-server-name: api.example, proxy-url: \"http://$proxy\""
try 'unless the kubeconfig says so' "$none"
is 'and then it is' "CONNECT 127.0.0.1:$port HTTP/1.1" "$(tail -n 1 "$TMP/proxied")"
unset HTTPS_PROXY
config "$far" "$ca, proxy-url: \"http://127.0.0.1:1\""
line 'a proxy that is not there' "$far" 'connect to 127.0.0.1 port 1: Connection refused'
config "$far" "$ca, proxy-url: \"socks5://$proxy\""
line 'a proxy of another kind' "$far" "proxy address is not supported: give http://host:port"
PROXY_AUTH='Proxy-Authorization: Basic dTpw' proxy_start
config "$far" "$ca, proxy-url: \"http://$proxy\""
line 'a proxy that asks who it is' "$far" 'proxy refused: 407 Proxy Authentication Required'
config "$far" "$ca, proxy-url: \"http://u:p@$proxy\""
try 'and is told' "$none"

# ---- kubeconfigs ----------------------------------------------------------------------
echo 'clusters: [' >"$TMP/config"
try 'torn' "Error: $TMP/config: line 2, column 1: did not find expected node content
"
config "$api" "certificate-authority: none.pem"
try 'an authority that is not there' "Error: $TMP/config: certificate-authority: open $TMP/none.pem: No such file or directory
"
config "$api" "$ca"
expect 'no such context' 1 '' "Error: context \"x\" does not exist in $TMP/config
" "$ctl" render --kubeconfig "$TMP/config" --context x </dev/null
expect 'no such file' 1 '' 'Error: open /nowhere: No such file or directory
' "$ctl" render --kubeconfig /nowhere </dev/null
finish
