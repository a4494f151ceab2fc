#!/bin/bash
# ignition.sh OUT: the judges of what mco-server serves: ignition-validate for every
# version it knows, and ignition itself, which fetches its config from here over TLS
# with a token and applies it to a scratch root.
set -u
. test/cluster/free_port.sh
BIN=$1
golden=test/golden/server
ignition=/usr/lib/dracut/modules.d/30ignition/ignition
TMP=$(mktemp -d)
log=$TMP/log pid='' passed=0 failed=0
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$TMP"' EXIT
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }

openssl req -x509 -nodes -days 2 -subj /CN=example -addext subjectAltName=IP:127.0.0.1 \
	-newkey rsa:2048 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null

start() {	# tree, flags...
	local tree=$1 i
	shift
	: >"$log" # what the one before said is not taken for this one's
	"$BIN/mco-server" bootstrap --server-basedir "$tree" --bootstrap-kubeconfig "$tree/kubeconfig" \
		--bind-address 127.0.0.1 --secure-port 0 --insecure-port "$(free_port)" --cert "$TMP/tls.crt" \
		--key "$TMP/tls.key" "$@" 2>"$log" &
	pid=$!
	for ((i = 0; i < 3000; i++)); do
		[ "$(grep -c 'Launching server on' "$log")" = 2 ] && break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	if [ "$(grep -c 'Launching server on' "$log")" != 2 ]; then
		bad "mco-server does not start: $(tail -n 1 "$log")"
		echo "$passed passed, $failed failed"
		exit 1
	fi
	read -r -d '' secure _ < <(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$log"; printf '\0')
}
stop() {
	kill "$pid"
	wait "$pid" || bad "exit status $?"
	pid=''
}

# ---- ignition-validate: all trees, pools and versions ---------------------------------

# what our own first run of the controller leaves is a tree like the others
MCO_RAW=v4.22.0 "$BIN/mco-controller" bootstrap --templates=builtin --manifest-dir examples/bootstrap --pull-secret \
	examples/bootstrap/pull-secret.yaml --payload-version 4.22.0 --dest-dir "$TMP/first-run" 2>"$log" ||
	bad 'mco-controller bootstrap'
cp examples/server/kubeconfig "$TMP/first-run/"

for tree in "$TMP/first-run" examples/server "$golden"/tree/*/; do
	start "${tree%/}"
	for pool in master arbiter; do
		for v in 3.1.0 3.2.0 3.3.0; do
			status=$(curl -sS -o "$TMP/body" -w '%{http_code}' \
				-H "Accept: application/vnd.coreos.ignition+json;version=$v" \
				--cacert "$TMP/tls.crt" "https://127.0.0.1:$secure/config/$pool")
			# golden cases tell where it is not
			case "$status $tree" in
			'200 '*) ;;
			*"$TMP/first-run") [ $pool = arbiter ] || bad "first run, $pool $v: $status" ;&
			*) continue ;;
			esac
			if ignition-validate "$TMP/body" > "$TMP/report" 2>&1; then
				ok
			else
				bad "ignition-validate ${tree%/} $pool $v"
				cat "$TMP/report"
			fi
		done
	done
	stop
done

# ---- ignition: fetch over TLS with a token, apply --------------------------------------

echo sesame > "$TMP/token"
start examples/server --require-token-file "$TMP/token"
ca=$(base64 -w0 "$TMP/tls.crt")
config() {	# token
	cat <<-JSON
		{"ignition": {"version": "3.3.0", "security": {"tls": {"certificateAuthorities":
		  [{"source": "data:;base64,$ca"}]}}, "config": {"replace": {
		  "source": "https://127.0.0.1:$secure/config/master",
		  "httpHeaders": [{"name": "Authorization", "value": "Bearer $1"}]}}}}
	JSON
}
run() {	# stage
	timeout 300 "$ignition" -platform file -stage "$1" -root "$TMP/root" -log-to-stdout \
		-config-cache "$TMP/cache.json" -state-file "$TMP/state" -neednet "$TMP/neednet" \
		-fetch-timeout 60s > "$TMP/ignition.log" 2>&1
}
mkdir -p "$TMP/root/etc/selinux" "$TMP/root/usr/share/zoneinfo"
printf 'SELINUX=disabled\nSELINUXTYPE=none\n' > "$TMP/root/etc/selinux/config"
# it labels what it wrote, for a system that has SELinux
mkdir "$TMP/bin" && printf '#!/bin/sh\n' > "$TMP/bin/setfiles" && chmod +x "$TMP/bin/setfiles"
PATH=$TMP/bin:$PATH
config sesame > "$TMP/config.ign"
export IGNITION_CONFIG_FILE=$TMP/config.ign
run fetch && ok || { bad 'ignition fetch'; tail -5 "$TMP/ignition.log" "$log"; }
run files && ok || { bad 'ignition files'; tail -5 "$TMP/ignition.log"; }
holds() {	# path, text
	if [ "$(cat "$TMP/root$1" 2>&1)" = "$2" ]; then ok; else bad "$1: $(cat "$TMP/root$1" 2>&1)"; fi
}
holds /etc/chrony.conf $'pool ntp.example.test iburst\ndriftfile /var/lib/chrony/drift'
holds /etc/kubernetes/kubeconfig "$(cat examples/server/kubeconfig)"
holds /etc/kubernetes/kubelet-ca.crt 'kubelet CA'
m=machineconfiguration.openshift.io c=rendered-master-example
holds /etc/machine-config-daemon/node-annotations.json \
	"{\"$m/currentConfig\":\"$c\",\"$m/desiredConfig\":\"$c\",\"$m/firstPivotConfig\":\"$c\",\"$m/state\":\"Done\"}"
holds /etc/ignition-machine-config-encapsulated.json \
	"{\"kind\":\"MachineConfig\",\"apiVersion\":\"$m/v1\",\"metadata\":{\"name\":\"$c\"},\"spec\":{\"osImageURL\":\"\",\"baseOSExtensionsContainerImage\":\"\",\"config\":{\"ignition\":{\"version\":\"3.5.0\"}},\"kernelArguments\":[\"nosmt\"],\"extensions\":null,\"fips\":false,\"kernelType\":\"\"}}"
[ "$(stat -c %a "$TMP/root/var/lib/example")" = 700 ] && ok || bad 'the directory'
[ "$(readlink "$TMP/root/etc/localtime")" = ../usr/share/zoneinfo/UTC ] && ok || bad 'the link'
grep -q '^enable example.service$' "$TMP/root/etc/systemd/system-preset/20-ignition.preset" && ok || bad 'the unit'
rm -rf "$TMP/cache.json" "$TMP/state"
config wrong > "$TMP/config.ign"
run fetch && bad 'ignition with a wrong token' || ok
stop
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
