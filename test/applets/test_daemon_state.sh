#!/bin/bash
# The daemon's own state: no config writes it.
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
	local plain="Error: $2
" wrapped="Error: can't reconcile config r1 with r2: ${3-configs r1, r2 are not reconcilable: new machineconfig \"r1\" is not reconcilable against \"r2\": }$2
"
	mc r2 "$(files "$(file /etc/foo 2)" "$(file "$1" x)")"
	expect "$1, dry run" 1 '' "$plain" "$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT"
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
# not by other ways to the same place
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
# a config of before that has one: the file goes with the config, the state does not
mc r2 "$(files "$(file /etc/foo 2)")"
printf '%s' "$(sed 's|/etc/foo|/etc/machine-config-daemon/currentimage|' "$TMP/r2.json" | sed 's/"r2"/"r1"/')" > "$ROOT$D/currentconfig"
"$MCO" apply "$TMP/r2.json" --force --root-mount "$ROOT" > /dev/null 2>&1
same 'one of before' "0 2 $D/currentimage" "$? $(cat "$ROOT/etc/foo") $(cd "$ROOT" && ls -d .$D/currentimage | cut -c2-)"

# ---- in a cluster: before the node is drained ---------------------------------------
given "$(files "$(file /etc/foo 1)")"
to "$(files "$(file /etc/foo 2)" "$(file $D/journal/last x)")"
degraded 'in a cluster' "can't reconcile config r1 with r2: configs r1, r2 are not reconcilable: new machineconfig \\\"r1\\\" is not reconcilable against \\\"r2\\\": $D/journal/last is the daemon's own state: no MachineConfig may write it" Unreconcilable
same 'in a cluster: not drained' '1 ' "$(cat "$ROOT/etc/foo") $(note desiredDrain | grep drain-r2)"
stop
finish
