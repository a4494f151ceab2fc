# Query strings and passwords in URLs may be secrets: no log and no message of the
# server, of clients or of firstboot contains them.
. test/applets/node.sh
export LC_ALL=C NO_PROXY='*'
unset MCO_HOST_PATH
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$TMP"' EXIT
bare() {	# name, files...: not empty, and without the secrets
	local name=$1
	shift
	same "$name: written" "$#" "$(find "$@" -size +0 | wc -l)"
	same "$name: secrets" '' "$(grep -h -e QUERY -e PASSWORD "$@")"
}

# ---- mco-server --------------------------------------------------------------------

openssl req -x509 -nodes -days 2 -subj /CN=one -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
tree=test/golden/server/tree/base
"$BIN/mco-server" --v=9 bootstrap --server-basedir $tree --bootstrap-kubeconfig $tree/kubeconfig \
	--bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 --cert "$TMP/tls.crt" --key "$TMP/tls.key" \
	--workers 1 --audit-log "$TMP/audit" 2>"$TMP/server.log" &
pids+=($!)
until_ 'mco-server listens' 'grep -q "Launching server on" "$TMP/server.log"'
port=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$TMP/server.log" | head -n 1)
statuses=
for path in /config/master /config/worker /config/ /config //config/master /healthz /none /config/%zz /config/%3FQUERY%3D; do
	statuses+=" $(curl -sS -m 60 -o /dev/null -w '%{http_code}' --path-as-is --cacert "$TMP/tls.crt" \
		-H 'Accept: application/vnd.coreos.ignition+json;version=9.0.0' "https://127.0.0.1:$port$path?token=QUERY")"
done
statuses+=" $(curl -sS -m 60 -o /dev/null -w '%{http_code}' --cacert "$TMP/tls.crt" \
	-u user:PASSWORD "https://127.0.0.1:$port/config/master?token=QUERY")"
same 'statuses' ' 400 400 400 301 301 200 404 400 400 200' "$statuses"
kill "${pids[0]}"
wait "${pids[0]}"
pids=()
# the name of a pool is part of the path
sed -i 's/?QUERY=/the pool/g; s/%3FQUERY%3D/the pool/g' "$TMP/server.log" "$TMP/audit"
bare 'the log and the audit log' "$TMP/server.log" "$TMP/audit"
same 'audited' 10 "$(grep -c '"path":' "$TMP/audit")"

# ---- clients -----------------------------------------------------------------------

client() {	# name, server
	printf 'clusters: [{name: c, cluster: {server: "%s"}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n' \
		"$2" > "$TMP/kubeconfig"
	"$BIN/mcoctl" get pools --kubeconfig "$TMP/kubeconfig" > "$TMP/said" 2>&1
	same "$1: exit status" 1 $?
	bare "$1" "$TMP/said"
}
client 'no server' 'https://user:PASSWORD@127.0.0.1:1/?token=QUERY'
client 'no such scheme' 'ftp://user:PASSWORD@127.0.0.1/?token=QUERY'
client 'no such port' 'https://user:PASSWORD@127.0.0.1:x/?token=QUERY'
client 'a fragment' 'https://user:PASSWORD@127.0.0.1/?token=QUERY#x'

# ---- firstboot ---------------------------------------------------------------------

D=$TMP/canned
mkdir "$D"
perl test/applets/canned.pl "$D" &
pids+=($!)
until_ 'a server of canned answers' '[ -s "$D/port" ]'
host=127.0.0.1:$(cat "$D/port")
url="http://user:PASSWORD@$host"
answer() {	# name, status, [headers]; body on standard input
	cat > "$D/.body"
	{ printf 'HTTP/1.1 %s\r\n%bContent-Length: %d\r\nConnection: close\r\n\r\n' "$2" "${3:-}" \
		"$(stat -c %s "$D/.body")"; cat "$D/.body"; } > "$D/$1"
}
R=$TMP/sysroot
mkdir -p "$R/etc"
printf 'root:x:0:0:root:/root:/bin/bash\n' > "$R/etc/passwd"
printf 'root:x:0:\n' > "$R/etc/group"
boot() {	# name, flags...
	local name=$1
	shift
	timeout 120 "$MCO" firstboot --root "$R" --timeout 300ms "$@" > "$TMP/said" 2>&1
	same "$name: exit status" 1 $?
	bare "$name" "$TMP/said"
	same "$name: reported" 1 "$(grep -c '^Error: ' "$TMP/said")"
}
config() { printf '{"ignition":{"version":"3.4.0"%s}%s}' "$1" "${2:-}"; }
answer teapot '418 Teapot' < /dev/null
answer absent '503 Later' < /dev/null
answer moved '302 Found' 'Location: /teapot?token=QUERY2\r\n' < /dev/null
answer junk '200 OK' <<< 'no config'
answer gone '200 OK' 'Content-Encoding: gzip\r\n' <<< 'no gzip'
config ",\"config\":{\"replace\":{\"source\":\"$url/teapot?token=QUERY\"}}" | answer outer '200 OK'
config ",\"config\":{\"merge\":[{\"source\":\"data:,QUERY%20is%20no%20config\"}]}" | answer data '200 OK'
config '' ",\"storage\":{\"files\":[{\"path\":\"/etc/x\",\"contents\":{\"source\":\"$url/teapot?token=QUERY\"}}]}" | answer file '200 OK'
for what in teapot absent moved junk gone outer data file; do
	boot "firstboot, $what" --url "$url/$what?token=QUERY"
done
boot 'firstboot, no server' --url 'https://user:PASSWORD@127.0.0.1:1/?token=QUERY'
boot 'firstboot, no such scheme' --url 'ftp://user:PASSWORD@127.0.0.1:1/?token=QUERY'
finish
