# mco-server: TLS handshakes, made by openssl, that must not crash it.
. test/applets/lib.sh
. test/applets/sandbox.sh
export LC_ALL=C
pid='' log=$TMP/log
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null; rm -rf "$TMP"' EXIT

openssl req -x509 -nodes -days 2 -subj /CN=one -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
mkdir "$TMP/token"
printf secret > "$TMP/token/token"

await() {	# pattern, times: waits for it in the log
	local i
	for ((i = 0; i < 3000; i++)); do
		[ "$(grep -c -e "$1" "$log")" -ge "${2:-1}" ] && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.03
	done
	bad "not in the log: $1"
	tail -n 5 "$log"
}

serve() {	# command, flags...: sets pid and secure
	: > "$log"
	# shellcheck disable=SC2086
	${WRAP:-} "$BIN/mco-server" "$@" --bind-address 127.0.0.1 --secure-port 0 \
		--cert "$TMP/tls.crt" --key "$TMP/tls.key" 2>>"$log" &
	pid=$!
	await 'Launching server on' 1
	secure=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$log" | head -n 1)
}

serve_cluster() {
	serve start --apiserver-url=https://api-int.demo.example.test:6443 \
		--kubeconfig "$TMP/kubeconfig" --bootstrap-token-dir "$TMP/token" \
		--insecure-port 0 "$@"
}

serve_bootstrap() {
	serve bootstrap --server-basedir "$TMP" --bootstrap-kubeconfig "$TMP/kubeconfig" \
		--insecure-port 0 "$@"
}

stop() {
	kill "$pid"
	wait "$pid"
	is "$1 ends well" 0 $?
	pid=''
}

hello() { openssl s_client -connect "127.0.0.1:$secure" -CAfile "$TMP/tls.crt" "$@" </dev/null 2>&1; }

# A session resumed with another ALPN list. BearSSL 0.6 itself reads past the
# names.
resume_other_alpn() {	# name
	hello -tls1_2 -no_ticket -alpn http/1.1 -sess_out "$TMP/s" > "$TMP/said"
	is "$1: ALPN of a full handshake" 'ALPN protocol: http/1.1' "$(grep '^ALPN protocol' "$TMP/said")"
	hello -tls1_2 -no_ticket -alpn h2 -sess_in "$TMP/s" > "$TMP/said"
	is "$1: resumed with h2" 1 "$(grep -c '^Reused, TLSv1.2' "$TMP/said")"
	is "$1: which is not spoken" 'No ALPN negotiated' "$(grep 'ALPN' "$TMP/said")"
	hello -tls1_2 -no_ticket -alpn h2,http/1.1 -sess_in "$TMP/s" > "$TMP/said"
	is "$1: resumed with both" 1 "$(grep -c '^Reused, TLSv1.2' "$TMP/said")"
	# a session with other suites is not resumed; h2 alone is refused or not
	# negotiated
	hello -tls1_2 -no_ticket -alpn h2 -sess_in "$TMP/s" -cipher ECDHE-ECDSA-CHACHA20-POLY1305 > "$TMP/said"
	is "$1: not resumed with other suites" 0 "$(grep -c '^Reused' "$TMP/said")"
	hello -tls1_2 -no_ticket -alpn h2 > "$TMP/said"
	is "$1: h2 alone is refused" 1 "$(grep -c 'alert number 120' "$TMP/said")"
	is "$1: healthy" 200 "$(curl -sS -m 60 --cacert "$TMP/tls.crt" -o /dev/null -w '%{http_code}' "https://127.0.0.1:$secure/healthz")"
	is "$1: no worker was ended" 0 "$(grep -c 'ended by signal' "$log")"
}

# A refused client gets the reason.
alerts() {	# name
	local fd
	is "$1: TLS 1.1" 1 "$(hello -tls1_1 -cipher DEFAULT@SECLEVEL=0 | grep -c 'alert number 70')"
	is "$1: no cipher suite in common" 1 "$(hello -tls1_2 -cipher AES128-SHA | grep -c 'alert number 40')"
	exec {fd}<>"/dev/tcp/127.0.0.1/$secure"
	printf '\x16\x03\x03\x00\x04\x0e\x00\x00\x00' >&$fd
	is "$1: a message out of turn" '1503030002020a' "$(timeout 60 head -c 7 <&$fd | od -An -tx1 | tr -d ' \n')"
	exec {fd}>&-
}

sandbox_start
for n in 1 2; do
	serve_bootstrap --workers $n
	resume_other_alpn "bootstrap, $n workers"
	alerts "bootstrap, $n workers"
	stop "bootstrap, $n workers"
done
serve_cluster --workers 1
resume_other_alpn start
stop start

# A minimum of TLS 1.3 is refused at start, not served with 1.2.
refuses() {	# name, line, command...
	local name=$1 line=$2
	shift 2
	timeout 60 "$BIN/mco-server" "$@" --bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 \
		--cert "$TMP/tls.crt" --key "$TMP/tls.key" 2>"$log"
	is "$name: exit status" 1 $?
	is "$name: does not listen" 0 "$(grep -c 'Launching server on' "$log")"
	is "$name: and says" "Machine Config Server exited with error: $line" "$(tail -n 1 "$log" | sed 's/^F[^]]*\] //')"
}
start=(start --apiserver-url=https://api-int.demo.example.test:6443 --kubeconfig "$TMP/kubeconfig"
	--bootstrap-token-dir "$TMP/token")
newer='TLS 1.3 is the minimum that --tls-min-version or the TLS profile asks for, and only TLS 1.2 is supported: use VersionTLS12, or the profile Intermediate'
none='none of the cipher suites asked for is supported: name one of TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'
refuses VersionTLS13 "$newer" "${start[@]}" --tls-min-version=VersionTLS13
refuses 'VersionTLS13 with suites of 1.2' "$newer" "${start[@]}" --tls-min-version=VersionTLS13 \
	--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
refuses 'suites of 1.3 alone' "$none" "${start[@]}" --tls-cipher-suites=TLS_AES_128_GCM_SHA256
printf 'spec: {tlsSecurityProfile: {type: Modern}}' > "$TMP/api.yaml"
refuses 'the profile Modern' "$newer" bootstrap --server-basedir "$TMP" \
	--bootstrap-kubeconfig "$TMP/kubeconfig" --apiserver-manifest "$TMP/api.yaml"
printf 'spec: {tlsSecurityProfile: {type: Custom, custom: {minTLSVersion: VersionTLS13}}}' > "$TMP/api.yaml"
refuses 'a custom profile' "$newer" bootstrap --server-basedir "$TMP" \
	--bootstrap-kubeconfig "$TMP/kubeconfig" --apiserver-manifest "$TMP/api.yaml"
is 'and what was asked for' 1 "$(grep -c 'Launching bootstrap server with tls min version: VersionTLS13' "$log")"
finish
