#!/bin/bash
# mco-daemon start --desired-configmap: a node of a hosted cluster (D42 to D45 as its
# drains show them, D133).
. test/applets/node.sh
. test/applets/daemon.sh
DIR=$TMP/desired
mkdir -p "$DIR"
wanted() {	# HASH CONFIG-MEMBERS: the contents of the directory
	mc "r-$1" "$2"
	printf '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/mcs-machine-config-content.json","contents":{"source":"data:;base64,%s"}}]}}' \
		"$(base64 -w0 "$TMP/r-$1.json")" | ${3:-cat} > "$DIR/config"
	printf %s "$1" > "$DIR/hash"
}
served() {	# CONFIG-MEMBERS: the config that the machine was installed with
	new_node
	mc r-h1 "$1"
	apply r-h1 0
	rm -r "$ROOT/etc/machine-config-daemon"
	cp "$TMP/r-h1.json" "$ROOT/etc/mcs-machine-config-content.json"
	: > "$CALLS"
}
hosted() { node currentConfig h1 desiredConfig h2 state Done; start --desired-configmap "$DIR"; }

# D133
served "$(files "$(file /etc/foo 1)")"
wanted h2 "$(files "$(file /etc/foo 2)")" 'gzip -n'
touch "$TMP/deaf"
hosted
until_note 'D133 asks' desiredDrain drain-h2
same 'D133 sync 1' 'state=Working
reason=
currentConfig=h1' "$(notes state reason currentConfig)"
same 'D133 waits' '1 ' "$(cat "$ROOT/etc/foo") $(calls)"
rm "$TMP/deaf"
annotate lastAppliedDrain drain-h2
until_ 'D133 reboots' 'grep -q "reboot successful" "$CALLS"'
same 'D133 sync 2' "rpm -qf /etc/foo
runuser -u core -- mkdir -m 0700 -p /home/core/.ssh
runuser -u core -- mkdir -m 0700 -p /home/core/.ssh/authorized_keys.d
$(reboot r-h2)" "$(calls)"
same 'D133 disk' '2 0' "$(cat "$ROOT/etc/foo") $(stat -c %s "$ROOT/home/core/.ssh/authorized_keys.d/ignition")"
same 'D133 state' "$(sha256sum < "$TMP/r-h2.json")" "$(sha256sum < "$ROOT/etc/mcd-currentconfig.json")"
same 'D133 no password' '' "$(calls | grep usermod)"
stop
: > "$CALLS"
start --desired-configmap "$DIR"
until_ 'D133 done' '[ "$(note currentConfig)$(note state)$(note desiredDrain)" = h2Doneuncordon-h2 ]'
same 'D133 compared' 'rpm-ostree status --json
rpm-ostree kargs' "$(calls)"
stop

# crio: only unsafe changes need a drain (D42 to D45)
REG=/etc/containers/registries.conf
reg() { printf '{"path":"%s","contents":{"source":"data:;base64,%s"}}' $REG "$(base64 -w0 <<< "$1")"; }
MIRROR='[[registry]]
prefix = "p"
location = "l"
[[registry.mirror]]
location = "m"
pull-from-mirror = "digest-only"'
goes() {	# NAME WANT OLD NEW
	served "$(files "$(reg "$3")")"
	wanted h2 "$(files "$(reg "$4")")" "${5:-}"
	hosted
	until_ "$1 done" '[ "$(note currentConfig)$(note state)" = h2Done ]'
	same "$1" "$2 systemctl reload crio" "$(grep -q 'Done -> Working' "$TMP/log" && echo drain || echo none) $(calls | grep crio)"
	stop
}
packed() { gzip -n | base64 -w0; }
goes D42 none 'unqualified-search-registries = ["a"]' 'unqualified-search-registries = ["a","b"]' packed
goes D43 none '' "$MIRROR"
goes D45 drain "$MIRROR" "${MIRROR/\"m\"/\"n\"}"
goes D45 drain "$MIRROR" ''

# an impossible update is reported, and the process ends
served "$(files "$(file /etc/foo 1)")"
wanted h2 '"storage":{"disks":[{"device":"/dev/x"}]}'
hosted
degraded unreconcilable 'the update is not reconcilable: configs r-h1, r-h2 are not reconcilable: new machineconfig \"r-h1\" is not reconcilable against \"r-h2\": ignition disks section contains changes'
until_ 'it ends' '! kill -0 "$DAEMON" 2>/dev/null'
until_ 'it says why' 'grep -q "^F.*Error handling node sync: the update" "$TMP/log"'
rm "$ROOT/etc/mcs-machine-config-content.json"
start --desired-configmap "$DIR"
degraded nothing 'cannot find any existing configuration on disk: open /etc/mcs-machine-config-content.json: no such file or directory'
# E42: an unreadable config is reported and ends the process
told() {	# NAME REASON
	hosted
	degraded "$1" "$2"
	timeout 120 tail --pid="$DAEMON" -f /dev/null
}
served "$(files "$(file /etc/foo 1)")"
rm -f "$DIR"/*
told E42 "failed to load desiredConfig: open $DIR/config: no such file or directory"
wanted h2 "$(files "$(file /etc/foo 2)")" 'gzip -n'
rm "$DIR/hash"
told 'E42 hash' "failed to load desiredConfig hash: open $DIR/hash: no such file or directory"
# E43: gzip in base64; plain, after an empty line
wanted h2 "$(files "$(file /etc/foo 1)")"
gzip -n < "$DIR/config" | base64 -w0 > "$DIR/packed"
printf '\n%s' "$(cat "$DIR/config")" > "$DIR/plain"
for form in packed plain; do
	mv "$DIR/$form" "$DIR/config"
	hosted
	until_ "E43 $form" '[ "$(note currentConfig)$(note state)" = h2Done ]'
	stop
done
finish
