#!/bin/bash
# faults.sh BUILD [SEED]: runs the programs' client on the API server at $URL while
# connections are cut at random bytes and the server is killed, loses its history and
# gets new tokens and certificates. A writer makes numbered changes; followers print
# what their caches report. Where the server kept its history, that must equal the
# changes, line by line. Where it did not, versions never go back, nothing is
# reported twice, and the final state equals the server's. Prints "N passed, N
# failed" and the seed, which cuts at the same bytes again.
#  URL=https://… CA=api.crt TOKEN= TOKENS=file RESTART='command' COMPACT='command' \
#	faults.sh build 7
#
# $CA is the server's certificate, with its key beside it. Both are replaced, and so is
# the token: other suites cannot use the server afterwards.
set -u
churn=$1/test/kube/churn seed=${2:-$((RANDOM * 32768 + RANDOM))}
CHANGES=${CHANGES:-150} PATIENCE=${PATIENCE:-120}
. test/cluster/free_port.sh
. test/cluster/make_cert.sh
dir=$(mktemp -d)
passed=0 failed=0 proxy='' followers=()
maps=/api/v1/namespaces/faults/configmaps
end_all() {
	local pid
	for pid in $proxy "${followers[@]}"; do kill "$pid"; done
	wait
} 2>/dev/null
trap 'end_all; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
ok() { passed=$((passed + 1)); }
bad() {
	failed=$((failed + 1))
	echo "FAIL $* (seed $seed)"
}
call() {	# METHOD PATH BODY
	curl -s --noproxy '*' --max-time 60 --cacert "$CA" -X "$1" \
		-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
		${3:+--data-binary "$3"} "$URL$2"
}
core=/api/v1 # for COMPACT
rv() { call GET "$1" | jq -r .metadata.resourceVersion; }	# for COMPACT

# ---- processes ------------------------------------------------------------------------
config() {	# FILE SERVER: refers to files that the suite replaces later
	cat >"$1" <<-CONFIG
	clusters:
	- {name: c, cluster: {server: "$2", certificate-authority: $dir/ca.crt}}
	users:
	- {name: u, user: {tokenFile: $dir/token}}
	contexts:
	- {name: c, context: {cluster: c, user: u}}
	current-context: c
	CONFIG
}
# The suite cannot continue without it.
await() {	# NAME PID FILE TEXT: waits until the process has printed TEXT
	local end=$((SECONDS + PATIENCE))
	until grep -sq "$4" "$3"; do
		if ! kill -0 "$2" 2>/dev/null || [ $SECONDS -ge $end ]; then
			bad "$1 does not get ready"
			tail -n 5 "$3"
			echo "$passed passed, $failed failed"
			exit 1
		fi
		sleep 0.05
	done
}
port=$(free_port) proxies=0
proxy_start() {	# uses the same port each time
	proxies=$((proxies + 1))
	"$churn" cut "$port" "${URL##*:}" $((seed + proxies)) >"$dir/proxy$proxies" 2>&1 &
	proxy=$!
	await 'the proxy' $proxy "$dir/proxy$proxies" "^$port\$"
}
proxy_stop() { kill "$proxy" && wait "$proxy"; proxy=; }
follow() {	# NUMBER
	"$churn" follow "$dir/cut.kubeconfig" $maps >"$dir/told$1" 2>"$dir/log$1" &
	followers+=($!)
	await "follower $1" $! "$dir/log$1" '^synced$'
}
write() { "$churn" write "$dir/direct.kubeconfig" $maps "$1" $((seed + RANDOM)) >>"$dir/done"; }

# ---- checks ---------------------------------------------------------------------------
replay() {	# JOURNAL: prints the final state, and every impossible event
	awk '$1 == "+" && $2 in at || $1 ~ /^[-~]/ && !($2 in at) || $3 != "" && $3 + 0 <= last[$2] {
			print "line " NR ": " $0 }
		$1 == "-" { delete at[$2] }
		$1 ~ /^[+~]/ { at[$2] = $3; last[$2] = $3 + 0 }
		END { for (k in at) print k, at[k] }' "$1" | sort
}
listed() { call GET $maps | jq -r '.items[].metadata | "\(.namespace)/\(.name) \(.resourceVersion)"' | sort; }
agree() {	# NAME: every follower reaches the server's state after the cuts
	local i n have
	kill -USR1 "$proxy"
	for ((n = 0; n < ${#followers[@]}; n++)); do
		for ((i = 0; i < PATIENCE * 4; i++)); do
			have=$(listed)
			[ "$(replay "$dir/told$n")" != "$have" ] || break
			sleep 0.25
		done
		if [ "$(replay "$dir/told$n")" = "$have" ]; then ok; else
			bad "$1: follower $n"
			diff <(echo "$have") <(replay "$dir/told$n") | head
			tail -n 5 "$dir/log$n"
		fi
	done
	kill -USR1 "$proxy"
}
exact() {	# NAME: and reported every change once and in order
	local n
	for ((n = 0; n < ${#followers[@]}; n++)); do
		if cmp -s "$dir/done" "$dir/told$n"; then ok; else
			bad "$1: follower $n"
			diff "$dir/done" "$dir/told$n" | head
		fi
	done
}

cp "$CA" "$dir/ca.crt"
echo "$TOKEN" >"$dir/token"
config "$dir/direct.kubeconfig" "$URL"
call POST /api/v1/namespaces '{"metadata":{"name":"faults"}}' >/dev/null
: >"$dir/done"
proxy_start
config "$dir/cut.kubeconfig" "https://127.0.0.1:$port"
follow 0
follow 1
rotate() {	# TOKEN: replaces the server's; the followers get it a moment later
	# shellcheck disable=SC2153 # TOKENS is the file
	sed -i "s/$TOKEN/$1/" "$TOKENS"
	export TOKEN=$1
	make_cert "${CA%.crt}"
	$RESTART || bad 'restart'
	sleep 1
	cp "$CA" "$dir/ca.new" && mv "$dir/ca.new" "$dir/ca.crt"
	echo "$1" >"$dir/token"
	write 40
}

# ---- faults ---------------------------------------------------------------------------
for scene in ${SCENES:-cut kill forget rotate}; do
	case $scene in
	cut)
		write "$CHANGES"
		agree 'connections are cut'
		exact 'connections are cut'
		;;
	kill)
		write "$CHANGES" &
		writer=$!
		sleep 1
		$RESTART || bad 'restart'
		wait $writer || bad 'the writer'
		agree 'the server is killed'
		;;
	forget)
		proxy_stop
		write 40
		eval "$COMPACT"
		$RESTART || bad 'restart'
		write 10
		proxy_start
		agree 'the past is forgotten meanwhile'
		;;
	rotate)
		rotate rotated-token
		agree 'tokens and certificates are new'
		;;
	esac
done
for pid in "${followers[@]}"; do kill "$pid" && wait "$pid"; done
followers=()
proxy_stop
cat "$dir"/proxy* "$dir"/told* | awk -v seed="$seed" -v changes="$(wc -l <"$dir/done")" '
	/ cuts in / { cuts += $1 }
	/^lists / { lists += $2 }
	END { print "seed " seed ": " changes " changes, " cuts " cuts, " lists " lists" }'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
