# User errors: one clear line, an exit status that scripts can use, no hanging.
. test/applets/lib.sh
unset KUBECONFIG KUBERNETES_SERVICE_HOST
export HOME=$TMP
mkdir "$TMP/empty"

# fails NAME STATUS ERROR COMMAND...: ERROR is the last line of the output
fails() {
	local name=$1 status=$2 want=$3 got
	shift 3
	timeout 60 "$@" > "$TMP/.out" 2> "$TMP/.err" < /dev/null
	got=$?
	if [ "$got" = "$status" ] && [ ! -s "$TMP/.out" ] && [ "$want" = "$(grep -v "^See '" "$TMP/.err" | tail -n 1 |
		sed 's/^[A-Z][0-9]* .*[0-9]\] //')" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name: exit $got"
		cat "$TMP/.err"
	fi
}
fails 'render: no such file' 1 'Error: open /nonexistent: No such file or directory' "$BIN/mcoctl" render -f /nonexistent
fails 'render: an empty directory' 1 "Error: no manifests found in $TMP/empty" "$BIN/mcoctl" render -f "$TMP/empty"
fails 'render: no such pool' 1 'Error: no MachineConfigPool "nope" among the manifests: the pools are master, worker, infra' \
	"$BIN/mcoctl" render -f examples/bootstrap --pool nope
fails 'diff: no server' 2 'Error: listing machineconfigpools: GET http://127.0.0.1:1/apis/machineconfiguration.openshift.io/v1/machineconfigpools: connect to 127.0.0.1 port 1: Connection refused' \
	"$BIN/mcoctl" diff a b --server http://127.0.0.1:1
fails 'cat: no cluster' 1 'Error: worker is not a file here: no cluster: give --kubeconfig or --server, or set KUBECONFIG; or give manifests with -f PATH (- is standard input)' \
	"$BIN/mcoctl" cat worker:/etc/x
fails 'bootstrap: no directories' 255 '--dest-dir or --manifest-dir not set' "$BIN/mco-controller" bootstrap
fails 'controller: no kubeconfig' 255 'creating clients: open /none: No such file or directory' \
	"$BIN/mco-controller" start --kubeconfig /none
fails 'controller: metrics nowhere' 1 'Error: --metrics-listen-address: invalid address "foo": use HOST:PORT, or :PORT for all addresses' \
	"$BIN/mco-controller" start --templates=builtin --kubeconfig examples/server/kubeconfig --metrics-listen-address foo
for port in 99999 -1; do
	fails "sandbox: port $port" 1 'Error: a port is a number from 0 to 65535' "$BIN/mco-sandbox" start --port $port
done
fails 'sandbox: a port that is no number' 1 'Error: invalid argument "abc" for --port: must be a whole number' \
	"$BIN/mco-sandbox" start --port abc
fails 'sandbox: data nowhere' 1 'Error: open /none/x: No such file or directory' \
	"$BIN/mco-sandbox" start --port 0 --data /none/x
fails 'sandbox: data is a directory' 1 "Error: open $TMP/empty: Is a directory" \
	"$BIN/mco-sandbox" start --port 0 --data "$TMP/empty"
fails 'sandbox: evictions' 1 'Error: invalid argument "v9" for --eviction (did you mean v1?): use v1beta1, v1 or none' "$BIN/mco-sandbox" start --eviction v9
fails 'verify: nothing there' 2 "Error: $TMP/empty has no config to verify: open /etc/machine-config-daemon/currentconfig: no such file or directory" \
	"$BIN/mco-daemon" verify --root-mount "$TMP/empty"
fails 'rollback: nothing there' 1 'Error: no update to roll back: the node keeps only the state before the last one' \
	"$BIN/mco-daemon" rollback --root-mount "$TMP/empty"
fails 'daemon: no node' 255 'node-name is required' env -u NODE_NAME "$BIN/mco-daemon" start
fails 'server: no URL' 1 '--apiserver-url cannot be empty' "$BIN/mco-server" start
fails 'server: no cluster' 255 'no cluster: give --kubeconfig, set KUBECONFIG, or run in a pod (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set)' \
	env -u KUBERNETES_SERVICE_PORT "$BIN/mco-server" start --apiserver-url https://a:6443

# Typos: the message suggests the intended name.
# shellcheck disable=SC2089,SC2090 # the quotes are in the message alone
for words in 'mcoctl rendr:unknown command "rendr" for "mcoctl" (did you mean render?)' \
	'mco-daemon verfy:unknown command "verfy" for "mco-daemon" (did you mean verify?)' \
	'mco-sandbox start --prt 1:unknown flag: --prt (did you mean --port?)' \
	'mco-server start --secure-prot 1:unknown flag: --secure-prot (did you mean --secure-port?)' \
	'mco mcoct:unknown name "mcoct" for "mco" (did you mean mcoctl?)'; do
	# shellcheck disable=SC2086
	fails "${words%%:*}" 1 "Error: ${words#*:}" "$BIN"/${words%%:*}
done
for words in '1 render -f examples/bootstrap:yaml, json or name' '2 diff examples/demo examples/demo:text or json' \
	'1 fmt examples/demo/60-worker-motd.yaml:yaml, json or json-compact' \
	'2 validate examples/demo/60-worker-motd.yaml:text or json'; do
	command=${words%%:*}
	# shellcheck disable=SC2086
	fails "format of $command" "${command%% *}" "Error: unknown output format \"xyz\": use ${words#*:}" \
		"$BIN/mcoctl" ${command#* } -o xyz
done

# Output to a full disk, or to a closed pipe.
for command in 'mcoctl fmt examples/demo/60-worker-motd.yaml' 'mcoctl --help' 'mcoctl version' 'mco --list' 'mco --help' 'mco --version'; do
	# shellcheck disable=SC2086
	expect "full disk: $command" 1 '' 'Error: write standard output: No space left on device
' bash -c "\"\$0\"/$command > /dev/full" "$BIN"
done
expect 'a reader that closes the pipe' 0 '141
' '' bash -c 'mkfifo "$1"; exec 3<>"$1" 4>"$1" 3>&-; "$0/mcoctl" --help >&4; echo $?' "$BIN" "$TMP/fifo"

# Ctrl-C. Background jobs of a shell ignore SIGINT, so env restores the default. The
# signal is sent when the program's output shows that it runs.
interrupted() {	# NAME STATUS COMMAND...
	local name=$1 status=$2 got pid end=$((SECONDS + 120))
	shift 2
	: > "$TMP/.err"
	env --default-signal=INT "$@" > "$TMP/.out" 2> "$TMP/.err" < /dev/null &
	pid=$!
	while [ ! -s "$TMP/.err" ] && [ $SECONDS -lt $end ]; do sleep 0.05; done
	kill -INT $pid
	while kill -0 $pid 2>/dev/null && [ $SECONDS -lt $((end + 120)) ]; do sleep 0.05; done
	kill -KILL $pid 2>/dev/null
	wait $pid
	got=$?
	if [ $got = "$status" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name: exit $got"; fi
}
interrupted 'sandbox' 0 "$BIN/mco-sandbox" start --port 0
interrupted 'firstboot' 130 "$BIN/mco-daemon" firstboot --url http://127.0.0.1:1/x --root "$TMP/empty"
finish
