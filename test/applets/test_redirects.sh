# Redirects during firstboot: never from https to http, and credentials for the first
# server do not go to another.
. test/applets/node.sh
. test/cluster/free_port.sh
unset MCO_HOST_PATH
export NO_PROXY='*'
R=$TMP/sysroot
pids=()
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null; done; rm -rf "$TMP"' EXIT
fresh() {
	rm -rf "$R"; mkdir -p "$R/etc"
	printf 'root:x:0:0:root:/root:/bin/bash\n' > "$R/etc/passwd"
}
canned() {	# DIR: starts a server of the answers in it
	mkdir -p "$1"
	perl test/applets/canned.pl "$1" & pids+=($!)
	for _ in {1..2400}; do [ -s "$1/port" ] && break; sleep 0.05; done
}
answer() {	# FILE STATUS [HEADERS], body on standard input
	cat > "$TMP/.body"
	{ printf 'HTTP/1.1 %s\r\n%bContent-Length: %d\r\nConnection: close\r\n\r\n' "$2" "${3:-}" "$(stat -c %s "$TMP/.body")"; cat "$TMP/.body"; } > "$1"
}
fetch() { timeout ${PATIENCE:-300} "$MCO" firstboot --url "$1" --root "$R" "${@:2}" > "$TMP/.out" 2> "$TMP/.err"; }
tries() { grep -c 'attempt #' "$TMP/.err"; }
err() { sed -n '/^Error: /,$p' "$TMP/.err"; }
key() { grep -i '^authorization:' "$1" | tr -d '\r'; }

A=$TMP/a B=$TMP/b
canned "$A"; canned "$B"
a=http://127.0.0.1:$(cat "$A/port") b=http://127.0.0.1:$(cat "$B/port")
printf '{"ignition":{"version":"3.4.0"},%s}' "$(files "$(file /etc/foo 1)")" > "$TMP/good"
answer "$A/good" '200 OK' < "$TMP/good"
answer "$B/good" '200 OK' < "$TMP/good"

# ---- Authorization ---------------------------------------------------------------------
with_key() {	# NAME: requests a config at a that merges a/NAME, with a key
	printf '{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"%s/%s","httpHeaders":[{"name":"Authorization","value":"Bearer s3same"}]}]}}}' \
		"$a" "$1" | answer "$A/config" '200 OK'
	fresh; fetch "$a/config" --timeout 60s
}
answer "$A/here" '302 Found' 'Location: /good\r\n' < /dev/null
with_key here
same 'sent on by the same server' '0 1' "$? $(cat "$R/etc/foo")"
same 'asked with the key' 'Authorization: Bearer s3same' "$(key "$A/here.request")"
same 'and there, too' 'Authorization: Bearer s3same' "$(key "$A/good.request")"
for status in 301 302 303 307 308; do
	rm -f "$B/good.request"
	answer "$A/there" "$status Moved" "Location: $b/good\r\n" < /dev/null
	with_key there
	same "$status: sent to another" '0 1' "$? $(cat "$R/etc/foo")"
	same "$status: asked with the key" 'Authorization: Bearer s3same' "$(key "$A/there.request")"
	same "$status: the other does not hear it" '1 ' "$(grep -c '^GET /good ' "$B/good.request") $(key "$B/good.request")"
done
# and a further redirect there, by a path alone
answer "$B/on" '302 Found' 'Location: /good\r\n' < /dev/null
answer "$A/there" '302 Found' "Location: $b/on\r\n" < /dev/null
with_key there
same 'nor what it sends on' '0  ' "$? $(key "$B/on.request") $(key "$B/good.request")"
# a retry starts at the first server, with all its headers
answer "$B/late.1" '503 Busy' < /dev/null
answer "$B/late" '200 OK' < "$TMP/good"
answer "$A/there" '302 Found' "Location: $b/late\r\n" < /dev/null
with_key there
same 'asked again' '0 5 1' "$? $(tries) $(cat "$R/etc/foo")"
same 'with the key' 'Authorization: Bearer s3same' "$(key "$A/there.request")"

# ---- from https to http ------------------------------------------------------------------
openssl req -x509 -nodes -days 2 -subj /CN=a -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
mkdir "$TMP/www"
port=$(free_port)
(cd "$TMP/www" && exec openssl s_server -quiet -HTTP -accept "127.0.0.1:$port" -cert "$TMP/tls.crt" -key "$TMP/tls.key" > "$TMP/s_server" 2>&1) & pids+=($!)
s=https://127.0.0.1:$port
answer "$TMP/www/good" '200 OK' < "$TMP/good"
answer "$TMP/www/on" '302 Found' "Location: $s/good\r\n" < /dev/null
fresh; fetch "$s/on" --ca "$TMP/tls.crt"
same 'from https to https' '0 1' "$? $(cat "$R/etc/foo")"
for to in "$b/good" "HTTP${b#http}/good" "${b#http:}/good"; do
	rm -f "$B/good.request"
	answer "$TMP/www/down" '301 Moved' "Location: $to\r\n" < /dev/null
	fresh; fetch "$s/down" --ca "$TMP/tls.crt" --timeout 1s
	same "from https to $to" "1 Error: $s/down: the server responded with status 301" "$? $(err)"
	same "from https to $to: no request" no "$([ -e "$B/good.request" ] && echo yes || echo no)"
	same "from https to $to: nothing written" no "$([ -e "$R/etc/foo" ] && echo yes || echo no)"
done
# through an https server that http redirected to
answer "$A/up" '302 Found' "Location: $s/down\r\n" < /dev/null
answer "$TMP/www/down" '301 Moved' "Location: $b/good\r\n" < /dev/null
rm -f "$B/good.request"
fresh; fetch "$a/up" --ca "$TMP/tls.crt" --timeout 1s
same 'from http to https to http' '1 no' "$? $([ -e "$B/good.request" ] && echo yes || echo no)"
finish
