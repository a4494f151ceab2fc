#!/bin/bash
# Guards against accidents: `mco-daemon` commands run by hand refuse anything but a rendered
# config, and a running machine that is not a node.
. test/applets/node.sh
NOT='is not a rendered config (rendered-POOL-HASH), and a node applies complete configs'

# ---- only a rendered config is complete -------------------------------------------
new_node
mc r1 "$(files "$(file /etc/foo 1)" "$(file /etc/bar 1)" "$(file /etc/baz 1)"),$(units '{"name":"kubelet.service","contents":"k","enabled":true}' '{"name":"crio.service","dropins":[{"name":"d.conf","contents":"d"}]}')"
apply r1 0
before=$(tree)
plain() {	# NAME: a MachineConfig of one file, as a user writes it
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"%s"},"spec":{"config":{"ignition":{"version":"3.5.0"},%s}}}' \
		"$1" "$(files "$(file /etc/foo 2)")" > "$TMP/plain.json"
}
H=0123456789abcdef0123456789abcdef
for name in 50-motd r2 rendered-worker rendered-worker-0123456789 rendered-worker-${H}0 "rendered--$H" "rendered-$H" rendered-worker-${H/a/A}; do
	plain "$name"
	for flag in --dry-run --offline; do
		: > "$CALLS"
		expect "$name $flag" 1 '' "Error: $name $NOT: 2 files and 2 units of r1 would be removed; render it first (mcoctl render), or give --force
" "$MCO" apply "$TMP/plain.json" $flag --root-mount "$ROOT"
		same "$name $flag: nothing changed, nothing called" "$before" "$(tree)$(calls)"
	done
done
plain 50-motd
expect 'forced' 0 'r1 -> 50-motd
' '' bash -c "$MCO apply $TMP/plain.json --offline --force --root-mount $ROOT 2>/dev/null"
same 'forced: it is the whole config' 'no /etc/bar, no unit' "$([ -e "$ROOT/etc/bar" ] || echo -n 'no /etc/bar'), $([ -e "$ROOT/etc/systemd/system/kubelet.service" ] || echo -n 'no unit')"
G=$(echo test/golden/render/001-minimal-file/expected/machine-configs/rendered-lab-*.yaml)
R=$(basename "$G" .yaml)
expect 'rendered' 0 "50-motd -> $R
" '' bash -c "$MCO apply $G --offline --root-mount $ROOT 2>/dev/null"
before=$(tree)
plain "rendered-my-pool-$H"
expect 'the name is not its own' 1 '' "Error: give the config as it was rendered, or --force: rendered-my-pool-$H does not match the hash in its name: it was damaged or edited
" "$MCO" apply "$TMP/plain.json" --offline --root-mount "$ROOT"
same 'the name is not its own: nothing changed' "$before" "$(tree)"
new_node
plain 50-motd
expect 'none before' 1 '' "Error: 50-motd $NOT: 0 files and 0 units of mco-empty-mc would be removed; render it first (mcoctl render), or give --force
" "$MCO" apply "$TMP/plain.json" --offline --root-mount "$ROOT"

# ---- the machine itself, if it is not a node -------------------------------------------------
# The machine is a directory that the command takes for /: a mistake cannot reach the real one.
if [ "$(id -u)" != 0 ] || ldd "$MCO" 2>&1 | grep -q '=>'; then
	echo 'SKIPPED: / of a machine: it takes root and a static build'
	finish
	exit
fi
M='Error: this machine is not a node: it is not CoreOS and has no /etc/machine-config-daemon/currentconfig; give --root-mount DIR to work on another root than /, or --force
'
mc r1 "$(files "$(file /etc/foo 1)")"
machine() {	# OS-RELEASE...
	new_node
	printf '%s\n' "$@" > "$ROOT/etc/os-release"
	cp "$MCO" "$ROOT/mco-daemon"
	cp "$TMP/r1.json" "$ROOT/r1.json"
	before=$(tree)
}
on() { timeout 60 env -u MCO_HOST_PATH chroot "$ROOT" /mco-daemon "$@"; }
machine ID=debian
ln -s / "$ROOT/root-too"
before=$(tree)
for root in '' / /root-too /etc/..; do
	for flag in --dry-run --offline; do
		expect "no node: ${root:-default} $flag" 1 '' "$M" on apply /r1.json $flag ${root:+--root-mount "$root"}
		same "no node: ${root:-default} $flag: nothing changed" "$before" "$(tree)"
	done
done
on apply /r1.json --offline --force > "$TMP/.out" 2>&1
same 'no node: forced' '0 1' "$? $(cat "$ROOT/etc/foo")"
mc r2 "$(files "$(file /etc/foo 2)")"; cp "$TMP/r2.json" "$ROOT/r1.json"
on apply /r1.json --offline > "$TMP/.out" 2>&1
same 'it is a node by its config' '0 2' "$? $(cat "$ROOT/etc/foo")"
mc r1 "$(files "$(file /etc/foo 1)")"
machine ID=rhel VARIANT_ID=coreos RHEL_VERSION=9.6
on apply /r1.json --offline > "$TMP/.out" 2>&1
same 'it is a node by its OS' '0 1' "$? $(cat "$ROOT/etc/foo")"

# `start` and `firstboot` change the root that they are given
kubeconfig() { printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: x\n  cluster: {server: "http://127.0.0.1:9"}\ncontexts:\n- name: c\n  context: {cluster: x, user: u}\nusers:\n- name: u\n  user: {}\n'; }
ign() { printf '{"ignition":{"version":"3.5.0"},%s}' "$(files "$(file /etc/foo 1)")"; }
machine ID=debian
kubeconfig > "$ROOT/k"
ign > "$ROOT/c.ign"
before=$(tree)
klog() { sed 's/^\([A-Z]\)[0-9: .]* [a-z_]*\.c:[0-9]*\] /\1 /'; }
for what in '--kubeconfig /k' '--once-from /c.ign' '--once-from /r1.json'; do
	on start --node-name node --root-mount / $what > "$TMP/.out" 2> "$TMP/.err"
	same "start $what" "255 F ${M#Error: }" "$? $(klog < "$TMP/.err" | grep -v ^I)
"
	same "start $what: nothing changed" "$before" "$(tree)"
done
on start --node-name node --root-mount / --once-from /c.ign --skip-reboot --force > "$TMP/.out" 2> "$TMP/.err"
same 'start: forced' 1 "$(cat "$ROOT/etc/foo")"
machine ID=debian
mkdir -p "$ROOT/etc/machine-config-daemon"
echo '{}' > "$ROOT/etc/machine-config-daemon/node-annotations.json"
ign > "$ROOT/c.ign"
on start --node-name node --root-mount / --once-from /c.ign --skip-reboot > "$TMP/.out" 2> "$TMP/.err"
same 'a node to be' 1 "$(cat "$ROOT/etc/foo")"
for os in ID=debian 'ID=rhel VARIANT_ID=coreos RHEL_VERSION=9.6'; do
	machine $os
	ign > "$ROOT/c.ign"
	ln -s / "$ROOT/root-too"
	before=$(tree)
	for root in / /root-too; do
		expect "firstboot $root" 1 '' "Error: firstboot needs the root of a system that is not running, and / is this machine's; give --root DIR, or --force
" on firstboot --root $root --config /c.ign
		same "firstboot $root: nothing changed" "$before" "$(tree)"
	done
done
on firstboot --root / --config /c.ign --force > "$TMP/.out" 2> "$TMP/.err"
same 'firstboot: forced' '0 1' "$? $(cat "$ROOT/etc/foo")"

machine ID=debian
mkdir -p "$ROOT/other/etc"
echo ID=debian > "$ROOT/other/etc/os-release"
on apply /r1.json --offline --root-mount /other > "$TMP/.out" 2>&1
same 'another root' '0 1 no' "$? $(cat "$ROOT/other/etc/foo") $([ -e "$ROOT/etc/foo" ] || echo no)"
finish
