#!/bin/bash
# daemon.sh OUT: mco-daemon start on a scratch root of 200 files, with stand-ins
# for the host's commands, on mco-sandbox. Ends every process that it starts.
set -eu
bin=$(cd "$1" && pwd)
P=machineconfiguration.openshift.io
dir=$(mktemp -d) sandbox='' daemon=''
# shellcheck disable=SC2086
trap 'kill -KILL $sandbox $daemon 2>/dev/null; wait 2>/dev/null; rm -rf "$dir"' EXIT
export MCO_HOST_PATH=$dir/host

api() {	# METHOD PATH TYPE, body on standard input
	curl -sS -m 300 -X "$1" -H "Content-Type: $3" --data-binary @- "$url$2" > "$dir/answer"
}
create() { api POST "$1" application/json; }
wait_for() {	# command...
	local i
	for ((i = 0; i < 6000; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "daemon.sh: not in time: $*" >&2
	tail -n 20 "$dir/log" >&2
	exit 1
}
node() { curl -sS -m 300 "$url/api/v1/nodes/node" > "$dir/node"; }
is_done() { node && grep -q "\"$P/state\": *\"Done\"" "$dir/node"; }
asks() { node && grep -q "\"$P/desiredDrain\": *\"uncordon-r\"" "$dir/node"; }

mkdir "$dir/host"
cat > "$dir/host/stand-in" <<'END'
#!/bin/bash
PATH=/usr/bin:/bin
case "${0##*/} $*" in
'rpm-ostree status'*) echo '{"deployments":[{"booted":true,"version":"1","checksum":"c","container-image-reference":"ostree-unverified-registry:i"}]}' ;;
'rpm-ostree kargs'*) echo root=UUID=x rw ;;
'rpm-ostree --version'*) printf 'rpm-ostree:\n Version: "2024.1"\n Features:\n  - rust\n  - container\n' ;;
'skopeo --version'*) echo skopeo version 1.22.2 commit: x ;;
mokutil*) echo SecureBoot disabled ;;
'systemctl is-enabled'*) echo disabled; exit 1 ;;
esac
END
chmod +x "$dir/host/stand-in"
for c in rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm mokutil skopeo \
	logger chcon nice update-ca-trust nmstatectl setenforce journalctl; do
	ln -s stand-in "$dir/host/$c"
done
root=$dir/root
mkdir -p "$root"/{etc/kubernetes,etc/machine-config-daemon,run/systemd/system/rpm-ostreed.service.d} \
	"$root"/{home/core,proc/sys/kernel/random,usr/lib/systemd/system,tmp}
: > "$root/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$root/etc/os-release"
printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\ncore:x:1000:\n' > "$root/etc/group"
echo kubeconfig > "$root/etc/kubernetes/kubeconfig"
echo 'root=UUID=x rw' > "$root/proc/cmdline"
echo boot-1 > "$root/proc/sys/kernel/random/boot_id"
{
	printf '{"apiVersion":"%s/v1","kind":"MachineConfig","metadata":{"name":"r"},"spec":{"osImageURL":"i","config":{
		"ignition":{"version":"3.4.0"},"storage":{"files":[' $P
	for ((i = 0; i < 200; i++)); do
		printf '%s{"path":"/etc/bench/f%d","contents":{"source":"data:,%0400d"}}' "${sep:-}" $i $i
		sep=,
	done
	printf ']}}}}'
} > "$dir/r.json"
"$bin/mco-daemon" apply "$dir/r.json" --offline --force --root-mount "$root" > "$dir/log" 2>&1
printf '{"%s/currentConfig":"r","%s/desiredConfig":"r","%s/state":"Done"}' $P $P $P \
	> "$root/etc/machine-config-daemon/node-annotations.json"

"$bin/mco-sandbox" start --port 0 --write-kubeconfig "$dir/kubeconfig" 2> "$dir/sandbox.log" & sandbox=$!
wait_for test -s "$dir/kubeconfig"
url=$(sed -n 's/^ *server: //p' "$dir/kubeconfig")
create /apis/$P/v1/machineconfigs < "$dir/r.json"
create /apis/operator.openshift.io/v1/machineconfigurations <<< \
	'{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{}}'
api PATCH /apis/operator.openshift.io/v1/machineconfigurations/cluster/status application/merge-patch+json \
	<<< '{"status":{"observedGeneration":1}}'
create /apis/$P/v1/controllerconfigs <<< "{\"apiVersion\":\"$P/v1\",\"kind\":\"ControllerConfig\",
	\"metadata\":{\"name\":\"machine-config-controller\"},\"spec\":{\"kubeAPIServerServingCAData\":\"S0NB\"}}"
create /api/v1/nodes <<< '{"apiVersion":"v1","kind":"Node","metadata":{"name":"node"}}'
create /apis/config.openshift.io/v1/featuregates <<< \
	'{"apiVersion":"config.openshift.io/v1","kind":"FeatureGate","metadata":{"name":"cluster"},"spec":{}}'
api PATCH /apis/config.openshift.io/v1/featuregates/cluster/status application/merge-patch+json \
	<<< '{"status":{"featureGates":[{"version":"4.22.0","enabled":[],"disabled":[]}]}}'
start=("$bin/mco-daemon" start --node-name node --root-mount "$root" --kubeconfig "$dir/kubeconfig" --payload-version 4.22.0 --metrics-url 127.0.0.1:0)
"${start[@]}" >> "$dir/log" 2>&1 & daemon=$!
wait_for asks
api PATCH /api/v1/nodes/node application/merge-patch+json \
	<<< "{\"metadata\":{\"annotations\":{\"$P/lastAppliedDrain\":\"uncordon-r\"}}}"
wait_for is_done
kill -TERM $daemon
wait $daemon || true
daemon=''
if ! figures=$("$bin/bench/bench_daemon" "$dir/kubeconfig" node "$root/etc/bench/f7" "${start[@]}" 2>> "$dir/log"); then
	tail -n 5 "$dir/log" >&2
	exit 1
fi
# shellcheck disable=SC2086
printf '  mco-daemon start           %9s ms until it watches, %s MiB at rest; drift reported in %s ms, then %s MiB\n' $figures
