# mco-sandbox --data: acknowledged changes survive kill -9; TLS.
. test/applets/lib.sh
. test/cluster/servers.sh
dir=$TMP
trap 'stop_servers; rm -rf "$TMP"' EXIT
make_cert "$TMP/s"
tls=(--tls-cert-file "$TMP/s.crt" --tls-private-key-file "$TMP/s.key")

start() {
	start_sandbox "$BIN" "${tls[@]}" --data "$TMP/data" || exit 1
	CA=$TMP/s.crt
}
ask() {	# METHOD PATH [BODY]
	curl -s --noproxy '*' --cacert "$CA" -H "Authorization: Bearer $TOKEN" \
		-X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} "$URL$2"
}
cms=/api/v1/namespaces/default/configmaps
names() { ask GET "$cms" | jq -r '[.items[].metadata.name] | join(" ")'; }
killed() {
	local pid
	pid=$(cat "$dir/sandbox.pid")
	kill -9 "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

start
# Authentication schemes are case-insensitive; a token without a scheme is refused.
knock() {	# AUTHORIZATION
	curl -s --noproxy '*' --cacert "$CA" -o /dev/null -w '%{http_code}\n' \
		-H "Authorization: $1" "$URL$cms"
}
expect 'a small scheme' 0 $'200\n' '' knock "bearer $TOKEN"
expect 'no scheme' 0 $'401\n' '' knock "$TOKEN"
expect 'another scheme' 0 $'401\n' '' knock "Basic $TOKEN"
expect 'a watch for ever is open until curl goes' 28 '' '' curl -s --noproxy '*' --cacert "$CA" -m 1 \
	-H "Authorization: Bearer $TOKEN" "$URL$cms?watch=1&timeoutSeconds=9223372036854775807"
for i in 1 2 3; do ask POST $cms '{"metadata":{"name":"cm'$i'"}}' >/dev/null; done
ask DELETE $cms/cm2 >/dev/null
ask DELETE /api/v1/namespaces/kube-public >/dev/null
ask POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}' >/dev/null
ask POST /apis/example.com/v1/things '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"}}' >/dev/null
before=$(ask GET $cms/cm3)
killed
start
expect 'objects are there again' 0 $'cm1 cm3\n' '' names
expect 'as they were' 0 "$before"$'\n' '' ask GET $cms/cm3
expect 'those of CRDs too' 0 $'t\n' '' bash -c "$(declare -f ask); URL=$URL CA=$CA TOKEN=$TOKEN ask GET /apis/example.com/v1/things | jq -r '.items[].metadata.name'"
v=$(ask GET $cms/cm3 | jq -r .metadata.resourceVersion)
ask POST $cms '{"metadata":{"name":"cm4"}}' >"$TMP/cm4"
expect 'versions go on' 0 '' '' test "$(jq -r .metadata.resourceVersion "$TMP/cm4")" -gt "$v"
expect 'uids are new' 0 '' '' test "$(jq -r .metadata.uid "$TMP/cm4")" != "$(ask GET $cms/cm3 | jq -r .metadata.uid)"
killed
# A truncated record at the end, at any byte: complete records stay.
cp "$TMP/data" "$TMP/whole"
start
ask POST $cms '{"metadata":{"name":"last"}}' >/dev/null
killed
cp "$TMP/data" "$TMP/full"
size=$(wc -c <"$TMP/full")
for cut in 1 2 40 150; do
	head -c $((size - cut)) "$TMP/full" >"$TMP/data"
	start
	expect "cut by $cut bytes" 0 $'cm1 cm3 cm4\n' '' names
	killed
done
# A damaged last record is ignored too: it was not acknowledged.
sed '$s/"last"/"lXst"/' "$TMP/full" >"$TMP/data"
start
expect 'the last one damaged' 0 $'cm1 cm3 cm4\n' '' names
expect 'which is logged' 0 '' '' grep -q 'data: the last record, of [0-9]* bytes, is truncated or damaged' "$TMP/sandbox.log"
expect 'a second one beside it' 1 '' "Error: $TMP/data is in use by another sandbox
" "$BIN/mco-sandbox" start --port 0 --data "$TMP/data"
expect 'does no harm' 0 $'cm1 cm3 cm4\n' '' names
killed
# Damage elsewhere is an error.
sed 's/"cm1"/"cmX"/' "$TMP/full" >"$TMP/data"
timeout -k 5 300 ${WRAP:-} "$BIN/mco-sandbox" start --port 0 --data "$TMP/data" >/dev/null 2>"$TMP/err"
expect 'damage is refused' 0 '' '' grep -q "data: damaged at byte" "$TMP/err"
# a length beyond the end of the file is damage
sed '1s/ [0-9]*$/ 99999999/' "$TMP/full" >"$TMP/data"
${WRAP:-} "$BIN/mco-sandbox" start --port 0 --data "$TMP/data" >/dev/null 2>"$TMP/err"
expect 'so is a wrong length' 0 '' '' grep -q "data: damaged at byte 0" "$TMP/err"
printf 'a\n' >"$TMP/token"
expect 'a certificate without a key' 1 '' $'Error: --tls-cert-file and --tls-private-key-file go together\n' \
	"$BIN/mco-sandbox" start --port 0 --tls-cert-file "$TMP/s.crt"
expect 'words' 1 '' $'Error: start takes no arguments, but got "6443"\n' "$BIN/mco-sandbox" start 6443
start_sandbox "$BIN" || exit 1
expect 'tokens without TLS' 0 '' '' grep -q 'kubectl sends no token over http: it needs --tls-cert-file' "$TMP/sandbox.log"
stop_servers
# No change is lost when a snapshot replaces the log.
rm -f "$TMP/data"
start
big=$(head -c 20000 /dev/zero | tr '\0' x)
for i in $(seq 70); do ask PUT $cms/big '{"metadata":{"name":"big"},"data":{"x":"'"$big$i"'"}}' >/dev/null
	[ "$i" -ne 1 ] || ask POST $cms '{"metadata":{"name":"big"},"data":{"x":"'"$big"'"}}' >/dev/null; done
expect 'the log is replaced' 0 '' '' test "$(wc -c <"$TMP/data")" -lt 1300000
killed
start
expect 'and whole' 0 $'big\n' '' names
expect 'with the last change' 0 $'xx70\n' '' bash -c "$(declare -f ask); URL=$URL CA=$CA TOKEN=$TOKEN ask GET $cms/big | jq -r '.data.x[-4:]'"
stop_servers
finish
