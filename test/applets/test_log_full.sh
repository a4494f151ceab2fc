# A log that is not read: mco-server still answers, and later reports how many
# lines were lost. Failed TLS handshakes are logged at default verbosity, once.
. test/applets/lib.sh
export NO_PROXY='*'
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$TMP"' EXIT
is() { if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $1: expected \"$2\", got \"$3\""; fi; }

openssl req -x509 -nodes -days 2 -subj /CN=one -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
mkfifo "$TMP/log"
exec 7<>"$TMP/log" # a reader, so that no writer gets SIGPIPE; it reads on request
tree=test/golden/server/tree/base
"$BIN/mco-server" bootstrap --server-basedir $tree --bootstrap-kubeconfig $tree/kubeconfig \
	--bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 --cert "$TMP/tls.crt" --key "$TMP/tls.key" \
	--workers 1 2>"$TMP/log" 7>&- &
pid=$!
while IFS= read -r -t 120 line <&7; do
	case $line in *'Launching server on :'*) break ;; esac
done
api=https://127.0.0.1:${line##*:}
get() { curl -s -m 60 -o /dev/null -w '%{http_code}\n' --cacert "$TMP/tls.crt" -H 'Accept: nothing' "$api$1"; }
is 'it answers' 200 "$(get /healthz)"
for _ in 1 2 3; do curl -s -m 60 -o /dev/null "$api/healthz"; done # a client that does not trust the server
# lines of a kilobyte, into a pipe of 64 KiB
is 'requests that fill the log are answered' '500 200' \
	"$(get "/config/nosuch$(printf '%0900d' 0)?[1-200]" | sort | uniq -c | awk '{ print $2, $1 }')"
is 'and those that come then' 200 "$(get /healthz)"
handshakes=0
while IFS= read -r -t 0.2 line <&7; do
	case $line in *'] http: TLS handshake error from 127.0.0.1:'*) handshakes=$((handshakes + 1)) ;; esac
done
is 'equal handshake failures are logged once' 1 $handshakes
is 'there is room again' 500 "$(get /config/nosuch)"
IFS= read -r -t 60 line <&7
is 'what was lost is counted' 'W log lines were lost: the reader is too slow' \
	"$(sed -E 's/^(.).*\] [1-9][0-9]* /\1 /' <<< "$line")"
kill "$pid"
wait "$pid"
pid=
finish
