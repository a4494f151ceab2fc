#!/bin/bash
# run.sh BUILD: a cluster in a directory: mco-sandbox as its API server, mco-operator, which brings
# up mco-controller, mco-server, and six mco-daemons on scratch roots, whose host commands are
# stand-ins that only record their arguments. It rolls out a MachineConfig, edits and restores a
# file on one node, and lets another machine join. Ends every process that it starts; needs curl and
# openssl, and no privileges. With KEEP=1 the cluster stays until Ctrl-C.
set -u
bin=$(cd "$1" && pwd) here=$(dirname "$0") nodes='master-0 worker-0 worker-1 worker-2 worker-3 worker-4'
P=machineconfiguration.openshift.io
export MCO_RAW=v4.22.0 MCO_RETRY_MS=100
[ -w /dev/shm ] && export TMPDIR=/dev/shm
dir=$(mktemp -d)
cleanup() {
	exec 2>/dev/null # no message for each killed child
	touch "$dir/over"
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
started=$(date +%s)

say() { printf '%3ds  %s\n' $(($(date +%s) - started)) "$*"; }
fail() { tail -n 20 "$dir"/*.log; say "FAILED: $*"; exit 1; }
api() {	# METHOD PATH [TYPE, body on standard input]
	curl -sS -m 120 -X "$1" ${3:+-H "Content-Type: $3" --data-binary @-} "$url$2"
}
create() {	# PATH, object on standard input
	local answer
	answer=$(api POST "$1" application/yaml) || fail "create in $1"
	case $1:$answer in
	*/namespaces:*'"reason":"AlreadyExists"'*) ;; # the sandbox has some of its own
	*:'{"kind":"Status"'*) fail "create in $1: $answer" ;;
	esac
}
merge() { api PATCH "$1" application/merge-patch+json <<< "$2" > /dev/null; }
wait_for() {	# WHAT COMMAND...: for PATIENCE seconds at most
	local what=$1 end=$(($(date +%s) + ${PATIENCE:-300}))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$end" ] || fail "$what"
		sleep 0.2
	done
}

# ---- the API server and the objects of a new cluster ----------------
config=/apis/config.openshift.io/v1 mco=/apis/$P/v1
# shellcheck source=examples/demo/operator.sh
. "$here/operator.sh"
"$bin/mco-sandbox" start --port 0 --eviction v1 --write-kubeconfig "$dir/kubeconfig" \
	2> "$dir/sandbox.log" &
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$dir/tls.key" -out "$dir/tls.crt" \
	-days 2 -subj /CN=mco-server -addext subjectAltName=IP:127.0.0.1 2>/dev/null
wait_for 'the API server' test -s "$dir/kubeconfig"
url=$(sed -n 's/^ *server: //p' "$dir/kubeconfig")
install_objects "$here"/../deploy/crds/*.yaml "$here"/../deploy/crds/openshift/*.yaml
install_objects "$here/cluster.yaml"
ca kube-system root-ca ca.crt
ca $space machine-config-server-ca ca-bundle.crt
ca openshift-config initial-kube-apiserver-server-ca ca-bundle.crt
ca openshift-config-managed kube-apiserver-client-ca ca-bundle.crt
ca openshift-config-managed kube-apiserver-server-ca ca-bundle.crt
say "mco-sandbox serves $url with the CRDs and the objects of an installer"

# ---- the operator, and the controller that it deploys ---------------------------------
"$bin/mco-operator" start --kubeconfig "$dir/kubeconfig" --images-json "$here/images.json" --payload-version 4.22.0 \
	--operator-image registry.example.net/mco@sha256:5555555555555555555555555555555555555555555555555555555555555555 \
	2> "$dir/operator.log" &
kubelet_stand_in &
say 'mco-operator starts. No kubelet runs here: the demo starts the roles and reports their rollouts'
wait_for 'the Deployment of the controller' made deployments/machine-config-controller
say 'mco-operator created Deployment machine-config-controller: mco-controller starts'
"$bin/mco-controller" start --kubeconfig "$dir/kubeconfig" --payload-version 4.22.0 --templates=builtin \
	--metrics-listen-address 127.0.0.1:0 --v 2 2> "$dir/controller.log" &
target() {	# [POOL]: the rendered config of its nodes; of the workers by default
	api GET "$mco/machineconfigpools/${1:-worker}" | grep -o '"configuration":{[^}]*"name":"rendered-[^"]*"' |
		grep -o "rendered-${1:-worker}-[0-9a-f]*" | head -n 1
}
rendered() {	# and stable: every controller has written its part
	first=$(target) first_master=$(target master)
	sleep 0.3
	[ -n "$first" ] && [ -n "$first_master" ] && [ "$first $first_master" = "$(target) $(target master)" ]
}
wait_for 'the first rendered config' rendered
say "mco-controller rendered $first"

# ---- a master and five workers ---------------------------------------------------------
api GET "$mco/machineconfigs/$first" > "$dir/first-worker.json"
api GET "$mco/machineconfigs/$first_master" > "$dir/first-master.json"
image=$(grep -o '"osImageURL":"[^"]*"' "$dir/first-worker.json" | cut -d'"' -f4)
mkdir "$dir/host"
cat > "$dir/host/stand-in" <<END
#!/bin/bash
# Records the arguments of a host's program; answers as an idle host does.
PATH=/usr/bin:/bin
echo "\${0##*/} \$*" >> "\$MCO_ROOT/../calls"
case "\${0##*/} \$*" in
'rpm-ostree status'*) echo '{"deployments":[{"booted":true,"version":"1","checksum":"c","container-image-reference":"ostree-unverified-registry:$image"}]}' ;;
'rpm-ostree kargs'*) echo root=UUID=x rw ;;
'rpm-ostree --version'*) printf 'rpm-ostree:\n Version: "2024.1"\n Features:\n  - rust\n  - container\n' ;;
'skopeo --version'*) echo skopeo version 1.22.2 commit: x ;;
mokutil*) echo SecureBoot disabled ;;
'rpm -qf'*) echo "file \$2 is not owned by any package"; exit 1 ;;
'systemctl is-enabled'*)
	if compgen -G "\$MCO_ROOT/etc/systemd/system/*/\${*: -1}" > /dev/null; then echo enabled; exit 0; fi
	echo disabled; exit 1 ;;
'systemd-run'*'systemctl reboot'*) # the machine boots again at once
	echo "boot-\$RANDOM\$RANDOM" > "\$MCO_ROOT/proc/sys/kernel/random/boot_id"
	kill -KILL "\$(cat "\$MCO_ROOT/../pid")" ;;
esac
exit 0
END
chmod +x "$dir/host/stand-in"
for c in ostree rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm mokutil skopeo \
	logger chcon nice update-ca-trust nmstatectl setenforce; do
	ln -s stand-in "$dir/host/$c"
done
export MCO_HOST_PATH=$dir/host

new_root() {	# NAME: a machine's root as its image has it
	local root=$dir/$1/root
	mkdir -p "$root"/{etc/kubernetes,etc/machine-config-daemon,run/systemd/system/rpm-ostreed.service.d} \
		"$root"/{home/core,proc/sys/kernel/random,usr/lib/systemd/system,tmp,boot/loader/entries}
	: > "$root/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$root/etc/os-release"
	printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$root/etc/passwd"
	printf 'root:x:0:\ncore:x:1000:\n' > "$root/etc/group"
	echo kubeconfig > "$root/etc/kubernetes/kubeconfig"
	echo 'root=UUID=x rw' > "$root/proc/cmdline"
	echo boot-1 > "$root/proc/sys/kernel/random/boot_id"
}
installed() {	# NAME: as its installation leaves it
	local config=$first
	[ "$1" != master-0 ] || config=$first_master
	new_root "$1"
	"$bin/mco-daemon" apply "$dir/first-${1%-*}.json" --offline --root-mount "$dir/$1/root" > "$dir/$1.log" 2>&1 || return 1
	printf '{"%s/currentConfig":"%s","%s/desiredConfig":"%s","%s/state":"Done"}' $P "$config" $P "$config" $P \
		> "$dir/$1/root/etc/machine-config-daemon/node-annotations.json"
}
machine() {	# NAME: creates the Node as the kubelet does; restarts the daemon after each boot
	local child=
	trap '[ -z "$child" ] || kill -KILL $child; exit' TERM
	create /api/v1/nodes <<< "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"$1\",\"labels\":{
		\"node-role.kubernetes.io/${1%-*}\":\"\"}},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
	while [ ! -e "$dir/over" ]; do
		"$bin/mco-daemon" start --node-name "$1" --root-mount "$dir/$1/root" --kubeconfig "$dir/kubeconfig" \
			--payload-version 4.22.0 --metrics-url 127.0.0.1:0 >> "$dir/$1.log" 2>&1 &
		child=$!
		echo $child > "$dir/$1/pid"
		wait $child
		child=
	done
}
for n in $nodes; do
	mkdir "$dir/$n"
	{ installed "$n" && machine "$n"; } 2>/dev/null &
done

field() {	# an annotation of a node, its quotes unescaped
	grep -oE "\"$P/$1\":\"([^\"\\\\]|\\\\.)*\"" "$dir/$2.json" |
		sed -E 's/^"[^"]*":"//; s/"$//; s/\\(.)/\1/g'
}
look() { api GET "/api/v1/nodes/$1" > "$dir/$1.json"; }
show() {	# each node whose state has changed
	local n now
	for n in $nodes; do
		look "$n"
		now="$(field state "$n") $(field currentConfig "$n")"
		grep -q '"unschedulable":true' "$dir/$n.json" && now+=' (cordoned)'
		[ "$now" = ' ' ] || [ "$now" = "$(cat "$dir/$n/shown" 2>/dev/null)" ] && continue
		echo "$now" > "$dir/$n/shown"
		say "$n: $now"
	done
}
all_have() {	# config of the workers
	local n want
	show
	for n in $nodes; do
		want=$1
		[ "$n" != master-0 ] || want=$first_master
		[ "$(field state "$n") $(field currentConfig "$n")" = "Done $want" ] || return 1
		grep -q '"unschedulable":true' "$dir/$n.json" && return 1
	done
	return 0
}
on_target() {
	first_master=$(target master)
	all_have "$(target)"
}
wait_for 'six nodes that are done' on_target
first=$(target)

# ---- the server; then the operator is done ------------------------------------------------
wait_for 'the DaemonSet of the server' made daemonsets/machine-config-server
mkdir "$dir/token" "$dir/worker-5"
echo secret > "$dir/token/token"
cp "$dir/tls.crt" "$dir/token/ca.crt"
"$bin/mco-server" start --kubeconfig "$dir/kubeconfig" --apiserver-url "$url" --bootstrap-token-dir "$dir/token" \
	--cert "$dir/tls.crt" --key "$dir/tls.key" --bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 \
	2> "$dir/server.log" &
serves() { port=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$dir/server.log" | head -n 1); [ -n "$port" ]; }
wait_for 'mco-server' serves
say 'mco-operator created DaemonSet machine-config-server: mco-server starts'
wait_for 'ClusterOperator machine-config to be available' available
say 'ClusterOperator machine-config: Available=True Progressing=False Degraded=False'

# ---- a MachineConfig is rolled out ----------------------------------------------------
say "applying ${here##*/}/60-worker-motd.yaml"
create $mco/machineconfigs < "$here/60-worker-motd.yaml"
other() {	# with the new MachineConfig
	second=$(target)
	[ -n "$second" ] && [ "$second" != "$first" ] && api GET "$mco/machineconfigs/$second" | grep -q '"/etc/motd"'
}
wait_for 'the next rendered config' other
say "mco-controller rendered $second"
wait_for 'the rollout' all_have "$second"
for n in ${nodes#master-0 }; do
	[ "$(cat "$dir/$n/root/etc/motd")" = 'managed by mco' ] || fail "$n has no /etc/motd"
done

# ---- one node drifts -----------------------------------------------------------------------
state_of() { show; [ "$(field state "$1")" = "$2" ]; }
say 'editing /etc/motd on worker-2'
echo 'all yours' > "$dir/worker-2/root/etc/motd"
wait_for 'the drift to be seen' state_of worker-2 Degraded
say "worker-2: $(field reason worker-2)"
say 'restoring /etc/motd on worker-2'
printf 'managed by mco\n' > "$dir/worker-2/root/etc/motd"
wait_for 'worker-2 to recover' state_of worker-2 Done

# ---- another machine joins --------------------------------------------------------------
say "worker-5 boots for the first time: mco-daemon firstboot --url https://127.0.0.1:$port/config/worker"
new_root worker-5
"$bin/mco-daemon" firstboot --url "https://127.0.0.1:$port/config/worker" --ca "$dir/tls.crt" \
	--root "$dir/worker-5/root" > "$dir/worker-5.log" 2>&1 || fail 'the first boot'
machine worker-5 2>/dev/null &
nodes+=' worker-5'
wait_for 'worker-5 to join' all_have "$second"

# ---- the result ------------------------------------------------------------
pool_done() {
	api GET $mco/machineconfigpools/worker > "$dir/pool.json"
	grep -o '{[^{}]*"type":"Updated"[^{}]*}' "$dir/pool.json" | grep -q '"status":"True"' &&
		grep -q '"readyMachineCount":6' "$dir/pool.json"
}
wait_for 'the pool to be updated' pool_done
echo
printf '%-10s %-10s %-50s %s\n' NODE STATE CONFIG REBOOTS
for n in $nodes; do
	look "$n"
	printf '%-10s %-10s %-50s %s\n' "$n" "$(field state "$n")" "$(field currentConfig "$n")" \
		"$(grep -c 'systemctl reboot' "$dir/$n/calls" 2>/dev/null)"
done
echo
say 'pool worker: 6 of 6 machines updated, none degraded'
wait_for 'ClusterOperator machine-config to be available at the end' available
echo
runbook
[ -n "${KEEP-}" ] || exit 0
echo
echo "The cluster runs until Ctrl-C. Logs of all roles: $dir/*.log. In another shell:"
echo "export KUBECONFIG=$dir/kubeconfig"
wait
