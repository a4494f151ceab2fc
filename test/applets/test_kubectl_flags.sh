# kubectl's global flags: each has the effect it has in kubectl, or is accepted
# without effect. The servers are the sandbox, one that records its requests, and
# openssl.
. test/applets/lib.sh
. test/applets/sandbox.sh
ctl=$BIN/mcoctl
unset KUBECONFIG HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy
export HOME=$TMP
pids=()
trap 'kill $sandbox_pid "${pids[@]}" 2>/dev/null; wait; rm -rf "$TMP"' EXIT
certs=$TMP/certs
mkdir "$certs"
bash test/kube/certs.sh "$certs" || exit 1
pools=/apis/machineconfiguration.openshift.io/v1/machineconfigpools
none='Error: no MachineConfigPool in the cluster
'
try() {	# NAME STDERR FLAGS...: the error of a verb that reads the cluster
	local name=$1 want=$2
	shift 2
	expect "$name" 1 '' "$want" "$ctl" render "$@" </dev/null
}
why() { echo "Error: listing machineconfigpools: GET $1$pools: $2"; }

# ---- the server's identity ------------------------------------------------------------
sandbox_start --tls-cert-file "$certs/server.pem" --tls-private-key-file "$certs/server.key"
tls=(--server "$api")
try 'an authority that is not configured' "$(why "$api" 'tls: certificate signed by unknown authority (CN=ca)')
" "${tls[@]}"
try '--certificate-authority' "$none" "${tls[@]}" --certificate-authority "$certs/ca.pem"
try 'another authority' "$(why "$api" 'tls: certificate signed by unknown authority (CN=ca)')
" "${tls[@]}" --certificate-authority "$certs/other.pem"
try 'an authority that is not there' 'Error: certificate-authority: open /nowhere.pem: No such file or directory
' "${tls[@]}" --certificate-authority /nowhere.pem
try '--insecure-skip-tls-verify, silently' "$none" "${tls[@]}" --insecure-skip-tls-verify
try '--insecure-skip-tls-verify=false' "$(why "$api" 'tls: certificate signed by unknown authority (CN=ca)')
" "${tls[@]}" --insecure-skip-tls-verify=false
both='insecure-skip-tls-verify and certificate-authority contradict each other: give only one
'
try 'both' "Error: $both" "${tls[@]}" --insecure-skip-tls-verify --certificate-authority "$certs/ca.pem"
try '--tls-server-name' "$none" "${tls[@]}" --certificate-authority "$certs/ca.pem" --tls-server-name localhost
try 'a name that the certificate has not' "$(why "$api" 'tls: certificate is valid for localhost, not elsewhere')
" "${tls[@]}" --certificate-authority "$certs/ca.pem" --tls-server-name elsewhere
try 'a wrong name, not verified' "$none" "${tls[@]}" --insecure-skip-tls-verify --tls-server-name elsewhere

try 'those that have no effect' "$none" "${tls[@]}" --insecure-skip-tls-verify --cache-dir /nowhere \
	--disable-compression --kuberc=/nowhere --match-server-version --profile cpu --profile-output /nowhere/x \
	--warnings-as-errors --log-flush-frequency 1s --vmodule x=1 --request-timeout 10s -n openshift-machine-config-operator

# the same in a kubeconfig, and which of its settings flags override
config() {	# CLUSTER USER
	cat >"$TMP/config" <<-CONFIG
	clusters:
	- {name: home, cluster: {server: "$api", $1}}
	- {name: away, cluster: {server: "http://127.0.0.1:1"}}
	users:
	- {name: me, user: {${2-}}}
	- {name: other, user: {token: other-token}}
	contexts:
	- {name: home, context: {cluster: home, user: me}}
	- {name: away, context: {cluster: away, user: me}}
	current-context: home
	CONFIG
}
file=(--kubeconfig "$TMP/config")
config 'insecure-skip-tls-verify: true'
try 'a kubeconfig that verifies nothing' "$none" "${file[@]}"
config "insecure-skip-tls-verify: true, certificate-authority: $certs/ca.pem"
try 'a kubeconfig that has both' "Error: $TMP/config: $both" "${file[@]}"
try 'the flag replaces both' "$none" "${file[@]}" --insecure-skip-tls-verify
try 'the authority replaces both' "$none" "${file[@]}" --certificate-authority "$certs/ca.pem"
config "certificate-authority: $certs/other.pem"
try '--insecure-skip-tls-verify replaces an authority' "$none" "${file[@]}" --insecure-skip-tls-verify
config "certificate-authority: $certs/ca.pem, tls-server-name: elsewhere"
try '--tls-server-name replaces one' "$none" "${file[@]}" --tls-server-name localhost
try '--server forgets it' "$none" "${file[@]}" --server "$api"

# ---- names in the kubeconfig ----------------------------------------------------------
config "certificate-authority: $certs/ca.pem"
try '--context' "$(why http://127.0.0.1:1 'connect to 127.0.0.1 port 1: Connection refused')
" "${file[@]}" --context away
try 'an unknown context' "Error: context \"hone\" does not exist (did you mean home?) in $TMP/config
" "${file[@]}" --context hone
try 'an unknown context, though there is a server' "Error: context \"x\" does not exist in $TMP/config
" "${file[@]}" --context x --server "$api"
try '--cluster' "$none" "${file[@]}" --context away --cluster home
try 'an unknown cluster' "Error: cluster \"hme\" does not exist (did you mean home?) in $TMP/config
" "${file[@]}" --cluster hme
try 'an unknown user' "Error: user \"othr\" does not exist (did you mean other?) in $TMP/config
" "${file[@]}" --user othr
kill "$sandbox_pid"; wait "$sandbox_pid" 2>/dev/null

# ---- identity: the credentials that the server gets -----------------------------------
asked=$TMP/asked$pools
mkdir -p "${asked%/*}"
printf 'HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"message":"no"}' >"$asked"
perl test/applets/canned.pl "$TMP/asked" &
pids+=($!)
for ((i = 0; i < 2400; i++)); do [ -s "$TMP/asked/port" ] && break; sleep 0.05; done
api=http://127.0.0.1:$(cat "$TMP/asked/port")
shown() {	# NAME HEADERS FLAGS...: Authorization and Impersonate-* of the request, sorted
	local name=$1 want=$2
	shift 2
	rm -f "$asked.request"
	"$ctl" render "$@" </dev/null >"$TMP/out" 2>&1
	is "$name" "$want" "$(tr -d '\r' <"$asked.request" | grep -i '^\(Authorization\|Impersonate\)' | LC_ALL=C sort)"
}
basic=$(printf 'me:pass-word' | base64)
at=(--server "$api")
shown 'nothing' '' "${at[@]}"
shown '--token' 'Authorization: Bearer to-ken' "${at[@]}" --token to-ken
shown '--username and --password' "Authorization: Basic $basic" "${at[@]}" --username me --password=pass-word
shown '--as' 'Impersonate-User: admin' "${at[@]}" --as admin
shown '--as-group, --as-uid, --as-user-extra' 'Impersonate-Extra-scopes%2Fa: view
Impersonate-Extra-scopes%2Fa: x=y
Impersonate-Group: a
Impersonate-Group: b,c
Impersonate-Uid: 7
Impersonate-User: admin' "${at[@]}" --as=admin --as-group a --as-group b,c --as-uid 7 \
	--as-user-extra scopes/a=view --as-user-extra=scopes/a=x=y
config '' 'token: from-file, as: root, as-uid: u-1, as-groups: [g, h], as-user-extra: {reason: [one, two]}'
shown 'the kubeconfig says who' 'Authorization: Bearer from-file
Impersonate-Extra-reason: one
Impersonate-Extra-reason: two
Impersonate-Group: g
Impersonate-Group: h
Impersonate-Uid: u-1
Impersonate-User: root' "${file[@]}"
shown 'flags replace it' 'Authorization: Bearer flag
Impersonate-Extra-reason: three
Impersonate-Group: i
Impersonate-Uid: u-2
Impersonate-User: admin' "${file[@]}" --token flag --as admin --as-group i --as-uid u-2 --as-user-extra reason=three
shown '--user' 'Authorization: Bearer other-token' "${file[@]}" --user other
two='a token and a username: only one way to authenticate is allowed
'
try 'two ways to authenticate' "Error: $two" "${at[@]}" --token secret-1 --username me --password secret-2
try 'two ways, one in the kubeconfig' "Error: $TMP/config: $two" "${file[@]}" --username me
try '--password alone' $'Error: a password needs a username\n' "${at[@]}" --password secret-3
need='as-uid, as-group and as-user-extra need as: the user to impersonate
'
try '--as-group alone' "Error: $need" "${at[@]}" --as-group g
try '--as-uid alone' "Error: $need" "${at[@]}" --as-uid 1
try '--as-user-extra alone' "Error: $need" "${at[@]}" --as-user-extra a=b
try '--as-user-extra without a value' $'Error: --as-user-extra a: give KEY=VALUE\n' "${at[@]}" --as me --as-user-extra a
config '' 'as-uid: "1"'
try 'a uid alone in the kubeconfig' "Error: $TMP/config: $need" "${file[@]}"
config '' 'as-user-extra: [a]'
try 'extras of another type' "Error: $TMP/config: users[0].user.as-user-extra is a list, must be a mapping
" "${file[@]}"
try '--client-certificate alone' $'Error: client-certificate needs client-key\n' "${at[@]}" --client-certificate "$certs/alice.pem"
shown 'with -v 9 no secret is logged' 'Authorization: Bearer secret-4' "${at[@]}" --token secret-4 -v 9
expect 'nor printed' 1 $'0\n' '' grep -c secret- "$TMP/out"

# ---- client certificates, server names ------------------------------------------------
tls_server() {	# FLAGS...: starts openssl s_server, which answers with a page; sets there
	rm -f "$TMP/s_server"
	openssl s_server -accept 127.0.0.1:0 -tls1_2 -www "$@" >"$TMP/s_server" 2>&1 </dev/null &
	pids+=($!)
	for ((i = 0; i < 2400; i++)); do grep -qs ^ACCEPT "$TMP/s_server" && break; sleep 0.05; done
	there=https://127.0.0.1:$(sed -n 's/^ACCEPT.*://p' "$TMP/s_server" | head -n 1)
}
page() { echo "Error: listing machineconfigpools: GET $1 returned text/html instead of JSON: is it an API server?"; }
tls_server -cert "$certs/server.pem" -key "$certs/server.key" -Verify 1 -CAfile "$certs/ca.pem" -verify_return_error
at=(--server "$there" --certificate-authority "$certs/ca.pem")
alice=(--client-certificate "$certs/alice.pem" --client-key "$certs/alice.key")
try '--client-certificate and --client-key' "$(page "$there")
" "${at[@]}" "${alice[@]}"
"$ctl" render "${at[@]}" </dev/null >"$TMP/out" 2>&1
is 'without them it is refused' "Error: listing machineconfigpools: GET $there$pools: tls: " "$(grep -o '^Error.*tls: ' "$TMP/out")"
config "certificate-authority: $certs/ca.pem" "client-certificate-data: $(base64 -w0 "$certs/bob.pem"), client-key-data: $(base64 -w0 "$certs/server.key")"
try 'they replace those of the kubeconfig' "$(page "$there")
" "${file[@]}" --server "$there" "${alice[@]}"
try 'a certificate that is not there' 'Error: client-certificate: open /nowhere.pem: No such file or directory
' "${at[@]}" --client-certificate /nowhere.pem --client-key "$certs/alice.key"

# The server presents the matching certificate only to clients that request the
# name.
tls_server -cert "$certs/ip.pem" -key "$certs/ip.key" -servername api.example \
	-cert2 "$certs/name.pem" -key2 "$certs/name.key"
at=(--server "$there" --certificate-authority "$certs/ca.pem")
try '--tls-server-name is asked for and verified' "$(page "$there")
" "${at[@]}" --tls-server-name api.example
try 'the certificate for others' "$(why "$there" 'tls: certificate is valid for 10.1.2.3, not 127.0.0.1')
" "${at[@]}"

# ---- every verb that reads a cluster has them ------------------------------------------
verbs=0
for verb in $("$ctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
	"$ctl" "$verb" --help | grep -q 'Use "mcoctl options"' || continue
	verbs=$((verbs + 1))
	for flag in $("$ctl" options | sed -n 's/^ .*\(--[a-z-]*\).*/\1/p'); do
		"$ctl" "$verb" "$flag=true" --help >/dev/null 2>"$TMP/err" || bad "$verb $flag: $(cat "$TMP/err")"
	done
	ok
done
if [ "$verbs" -ge 5 ]; then ok; else bad "only $verbs verbs"; fi
for flag in as as-group as-uid as-user-extra cache-dir certificate-authority client-certificate client-key cluster \
	context disable-compression insecure-skip-tls-verify kubeconfig kuberc match-server-version namespace password \
	profile profile-output request-timeout server tls-server-name token user username warnings-as-errors; do
	if "$ctl" options | grep -q -- "--$flag\( \|$\)"; then ok; else bad "options has no --$flag"; fi
done
finish
