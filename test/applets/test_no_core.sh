# Roles that hold keys leave no core dumps, neither as a file nor through a
# core_pattern program.
. test/applets/lib.sh
. test/applets/sandbox.sh
pids=()
trap 'kill -9 "${pids[@]}" $sandbox_pid 2>/dev/null; wait 2>/dev/null; rm -rf "$TMP"' EXIT
# The /proc files of a process that is not dumpable belong to root, whoever runs
# it. So the test runs it as nobody when it is root, to see the difference.
as=() me=$(id -u)
if [ "$me" = 0 ]; then as=(setpriv --reuid 65534 --regid 65534 --clear-groups) me=65534; fi
chmod 0755 "$TMP"
cp "$BIN/mco" "$TMP/mco"
for role in mco-server mco-daemon mco-controller; do ln -s mco "$TMP/$role"; done
mkdir "$TMP/root"
openssl req -x509 -nodes -days 2 -subj /CN=one -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null
chmod 0644 "$TMP/tls.key"
sandbox_start
chmod 0644 "$TMP/kubeconfig"
touch "$TMP/log" && chmod 0666 "$TMP/log"

alive() {	# pattern, command...: waits until the log has it; sets pid
	local want=$1 i
	shift
	: > "$TMP/log"
	(ulimit -S -c "$(ulimit -H -c)"; exec "${as[@]}" "$@") >> "$TMP/log" 2>&1 &
	pid=$!
	pids+=("$pid")
	for ((i = 0; i < 3000; i++)); do
		grep -q -e "$want" "$TMP/log" && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.03
	done
	bad "$1: not in the log: $want"
	tail -n 3 "$TMP/log"
}
limit() { sed -n 's/^Max core file size  *\([^ ]*\)  *\([^ ]*\) .*/\1 \2/p' "/proc/$1/limits"; }
checked() {	# name, pid
	is "$1: the limit" '0 0' "$(limit "$2")"
	is "$1: not dumpable" 0 "$(stat -c %u "/proc/$2/limits")"
}

alive now sh -c 'echo now; exec sleep 1000'
is 'another program is dumpable' "$me" "$(stat -c %u "/proc/$pid/limits")"
alive 'Launching server on' "$TMP/mco-server" bootstrap --server-basedir "$TMP" --workers 2 \
	--bootstrap-kubeconfig "$TMP/kubeconfig" --bind-address 127.0.0.1 --secure-port 0 \
	--insecure-port 0 --cert "$TMP/tls.crt" --key "$TMP/tls.key"
checked mco-server "$pid"
for ((i = 0; i < 3000; i++)); do
	workers=$(cat "/proc/$pid/task/$pid/children")
	[ "$(wc -w <<< "$workers")" -lt 2 ] || break
	sleep 0.03
done
is 'workers' 2 "$(wc -w <<< "$workers")"
for worker in $workers; do checked 'a worker' "$worker"; done
kill "$pid"
wait "$pid"
is 'mco-server ends well' 0 $?
alive lease "$TMP/mco-controller" start --templates=builtin --kubeconfig "$TMP/kubeconfig" --metrics-listen-address 127.0.0.1:0
checked mco-controller "$pid"
alive 'attempt #' "$TMP/mco-daemon" firstboot --url http://127.0.0.1:1/ --root "$TMP/root"
checked mco-daemon "$pid"
finish
