#!/bin/bash
# The daemon's own state: no config can write it, and a damaged one is not used.
. test/applets/node.sh
. test/applets/daemon.sh
D=/etc/machine-config-daemon

# ---- by hand ---------------------------------------------------------------------
new_node
mc r1 "$(files "$(file /etc/foo 1)" "$(file $D/no-reboot/containers-gpg.pub k)" "$(file $D/policy-for-old-podman.json p)" \
	"$(file $D/generate_podman_policy_args.sh s)" "$(file $D/journalist j)" "$(file $D-not/currentconfig n)")"
apply r1 0
same 'its directory has files of configs' 'k' "$(cat "$ROOT$D/no-reboot/containers-gpg.pub")"
before=$(tree)
refused() {	# PATH REASON
	local wrapped="Error: can't reconcile config r1 with r2: ${3-configs r1, r2 are not reconcilable: new machineconfig \"r1\" is not reconcilable against \"r2\": }$2
"
	mc r2 "$(files "$(file /etc/foo 2)" "$(file "$1" x)")"
	expect "$1, dry run" 1 '' "$wrapped" "$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT"
	"$MCO" apply "$TMP/r2.json" --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	same "$1" "$wrapped" "$(grep '^Error' "$TMP/.err")
"
	same "$1: nothing changed" "$before" "$(tree)"
}
for f in journal journal/active journal/pre.0/1 currentconfig currentimage orig/etc/foo.mcdorig noorig/x \
	node-annotations.json node-annotation.json.bak bootstrapconfigdiff; do
	refused $D/$f "$D/$f is the daemon's own state: no MachineConfig may write it"
done
refused $D "$D is the daemon's own state: no MachineConfig may write it"
refused /etc/mcd-currentconfig.json "/etc/mcd-currentconfig.json is the daemon's own state: no MachineConfig may write it"
# not by another path to the same file
ln -s machine-config-daemon "$ROOT/etc/link"
ln -s ../../../../etc/none/../machine-config-daemon/new/../journal "$ROOT/etc/dangling"
mkdir "$ROOT/var"
ln -s /etc "$ROOT/var/etc"
before=$(tree)
leads() { refused "$1" "$1 leads to $2, which is the daemon's own state: no MachineConfig may write it" ''; }
leads /etc/link/currentconfig $D/currentconfig
leads /etc/link/journal/pre.0/2 $D/journal/pre.0/2
leads /var/etc/link/currentimage $D/currentimage
leads /etc/dangling/active $D/journal/active
mc r2 "$(files "$(file $D/x/../currentconfig x)")"
expect 'dots' 1 '' "Error: $TMP/r2.json: parsing new Ignition config from machineconfig \"r2\" failed: failed to parse Ignition config: parsing Ignition config spec v3 failed with error: config is not valid
Report: error at \$.storage.files.0.path, line 1 col 61: path is not fully simplified
" "$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT"
# an old config with such a file: the file is removed with the config, the state stays
mc r2 "$(files "$(file /etc/foo 2)")"
printf '%s' "$(sed 's|/etc/foo|/etc/machine-config-daemon/currentimage|' "$TMP/r2.json" | sed 's/"r2"/"r1"/')" > "$ROOT$D/currentconfig"
"$MCO" apply "$TMP/r2.json" --force --root-mount "$ROOT" > /dev/null 2>&1
same 'one of before' "0 2 $D/currentimage" "$? $(cat "$ROOT/etc/foo") $(cd "$ROOT" && ls -d .$D/currentimage | cut -c2-)"

# ---- once-from: the first annotations only ---------------------------------------------
once() {	# PATH: an Ignition config with that file
	printf '{"ignition":{"version":"3.2.0"},%s}' "$(files "$(file "$1" x)")" > "$TMP/x.ign"
	NODE_NAME=node "$MCO" start --root-mount "$ROOT" --once-from "$TMP/x.ign" > "$TMP/.out" 2> "$TMP/.err"
}
new_node
once $D/currentconfig
same 'once-from: other state' '255 no' "$? $([ -e "$ROOT$D/currentconfig" ] && echo yes || echo no)"
once $D/node-annotations.json
same 'once-from: first annotations' '0 x' "$? $(cat "$ROOT$D/node-annotations.json")"

# ---- in a cluster: before the node is drained ---------------------------------------
given "$(files "$(file /etc/foo 1)")"
to "$(files "$(file /etc/foo 2)" "$(file $D/journal/last x)")"
degraded 'in a cluster' "can't reconcile config r1 with r2: configs r1, r2 are not reconcilable: new machineconfig \\\"r1\\\" is not reconcilable against \\\"r2\\\": $D/journal/last is the daemon's own state: no MachineConfig may write it" Unreconcilable
same 'in a cluster: not drained' '1 ' "$(cat "$ROOT/etc/foo") $(note desiredDrain | grep drain-r2)"
stop

# ---- a currentconfig whose contents do not match its name ------------------------------------
# as upstream rendered it and its daemon keeps it
golden=$(echo test/golden/render/001-minimal-file/expected/machine-configs/rendered-lab-*.yaml)
R=$(basename "$golden" .yaml)
text="$D/currentconfig: $R does not match the hash in its name: it was damaged or edited; replace it with the cluster's MachineConfig of that name, or create /run/machine-config-daemon-force to go on with it"
new_node
"$MCO" apply "$golden" --offline --root-mount "$ROOT" > /dev/null 2> "$TMP/.err"
same 'rendered by upstream' "0 current config  $R" "$? $("$MCO" status --root-mount "$ROOT" | head -n 1)"
cp "$ROOT$D/currentconfig" "$TMP/kept"
sed -i 's/"fips":false/"fips":true/' "$ROOT$D/currentconfig"
before=$(tree)
mc r2 "$(files "$(file /etc/foo 2)")"
for c in status verify "apply $TMP/r2.json --offline" "apply $TMP/r2.json --offline --force --dry-run"; do
	"$MCO" $c --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	same "damaged: ${c%% *}" "$text" "$(grep -o "$D/currentconfig: .*" "$TMP/.err")"
done
same 'damaged: nothing changed' "$before" "$(tree)"
mkdir -p "$ROOT/run"
touch "$ROOT/run/machine-config-daemon-force"
"$MCO" status --root-mount "$ROOT" > "$TMP/.out" 2> /dev/null
same 'damaged, forced' "0 current config  $R" "$? $(head -n 1 "$TMP/.out")"

# in a cluster: Degraded, until it is replaced by the cluster's config
new_node
"$MCO" apply "$golden" --offline --root-mount "$ROOT" > /dev/null 2>&1
sed -i 's/"fips":false/"fips":true/' "$ROOT$D/currentconfig"
jq -c ".metadata = {name: .metadata.name}" "$TMP/kept" > "$TMP/$R.json"
put "$R"
booted "$(sed -n 's/^  osImageURL: //p' "$golden")"
node currentConfig "$R" desiredConfig "$R" state Done desiredDrain "uncordon-$R" lastAppliedDrain "uncordon-$R"
start
degraded 'in a cluster, damaged' "$text"
cp "$TMP/kept" "$ROOT$D/currentconfig"
soon 'in a cluster, mended' Done 'note state'
stop
finish
