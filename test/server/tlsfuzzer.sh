#!/bin/bash
# tlsfuzzer.sh OUT: tlsfuzzer's scripts on ALPN and resumption against mco-server.
# TLSFUZZER names a checkout of github.com/tlsfuzzer/tlsfuzzer (default
# ~/.cache/mco/tlsfuzzer), PYTHON a Python that has tlslite-ng. Says so when they
# are absent.
set -u
out=$1 dir=${TLSFUZZER:-$HOME/.cache/mco/tlsfuzzer} python=${PYTHON:-python3}
if [ ! -e "$dir/scripts/test-alpn-negotiation.py" ] || ! "$python" -c 'import tlslite' 2>/dev/null; then
	echo "tlsfuzzer: skipped: needs a checkout in $dir (or TLSFUZZER) and a Python with tlslite-ng (or PYTHON)"
	exit 0
fi
tmp=$(mktemp -d) pid=''
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT
# the scripts use RSA key exchange and CBC unless told otherwise
printf 'spec: {tlsSecurityProfile: {type: Old}}' > "$tmp/api.yaml"
: > "$tmp/kubeconfig"
openssl req -x509 -nodes -days 2 -subj /CN=localhost -newkey rsa:2048 -keyout "$tmp/key" -out "$tmp/crt" 2>/dev/null
"$out/mco-server" bootstrap --server-basedir "$tmp" --apiserver-manifest "$tmp/api.yaml" --workers 1 \
	--bootstrap-kubeconfig "$tmp/kubeconfig" --bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 \
	--cert "$tmp/crt" --key "$tmp/key" 2>"$tmp/log" &
pid=$!
for ((i = 0; i < 1000; i++)); do
	port=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$tmp/log" | head -n 1)
	[ -z "$port" ] || break
	sleep 0.03
done

failed=0
run() {	# script, conversations that differ on purpose...
	local script=$1 x=() name
	shift
	for name in "$@"; do x+=(-x "$name"); done
	if PYTHONPATH=$dir timeout 300 "$python" "$dir/scripts/$script.py" -h localhost -p "$port" \
		"${x[@]}" > "$tmp/said" 2>&1; then
		echo "$script: $(sed -n 's/^PASS: //p' "$tmp/said") passed, $# differ on purpose"
	else
		failed=1
		echo "$script: failed"
		tail -n 30 "$tmp/said"
	fi
}

# No renegotiation, no ALPN answer in a resumed handshake, and an ALPN list without
# a name of ours is answered with no_application_protocol, also when it is malformed.
run test-alpn-negotiation 'empty element' 'empty list' 'renegotiation 2nd handshake alpn' \
	'renegotiation with protocol change' 'renegotiation without protocol change' \
	'resumption with alpn' 'resumption with alpn change' 'resumption without alpn change'
run test-sessionID-resumption
run test-invalid-session-id
# The server's order of suites counts, and a session is not resumed with another suite:
# the handshake is a full one then, or handshake_failure.
run test-resumption-with-wrong-ciphers 'resumption of safe session with NULL cipher' \
	'resumption with cipher from old CH but not selected by server' 'sanity - session ID resume'
# Server names are not looked at: there is one certificate.
run test-invalid-server-name-extension-resumption 'Sanity check, bad SNI' \
	'session resume with different SNI' 'session resume with malformed SNI'

if ! kill -0 "$pid" 2>/dev/null || grep -q 'ended by signal' "$tmp/log"; then
	echo 'tlsfuzzer: a process of the server was ended'
	failed=1
fi
exit $failed
