# mco-daemon without a cluster: verify, status, rollback, recovery, once-from and the completion
# of a first boot.
. test/applets/node.sh

new_node
expect 'verify: nothing applied yet' 2 '' "Error: $ROOT has no config to verify: open /etc/machine-config-daemon/currentconfig: no such file or directory
" "$MCO" verify --root-mount "$ROOT"
expect 'status: nothing applied yet' 0 'current config  none yet
last update     no update to roll back
' '' "$MCO" status --root-mount "$ROOT"
expect 'rollback: nothing to go back to' 1 '' 'Error: no update to roll back: the node keeps only the state before the last one
' "$MCO" rollback --root-mount "$ROOT"

mc r1 "$(files "$(file /etc/foo 'a%0Ab%0A')" "$(file /etc/bin '%00')" "$(file /var/lib/kubelet/config.json secret)"),$(units \
	'{"name":"u.service","contents":"[Service]\n","dropins":[{"name":"d.conf","contents":"x"}]}' \
	'{"name":"m.service","contents":"m","mask":true}')"
apply r1 0
expect 'verify' 0 'as r1 says: 3 files, 2 units
' '' "$MCO" verify --root-mount "$ROOT"
expect 'status' 0 'current config  r1
contents        3 files, 2 units
last update     mco-empty-mc -> r1, complete; `rollback` undoes it
' '' "$MCO" status --root-mount "$ROOT"

printf 'a\nc\n' > "$ROOT/etc/foo"
printf '\001' > "$ROOT/etc/bin"
echo leaked > "$ROOT/var/lib/kubelet/config.json"
chmod 4600 "$ROOT/etc/systemd/system/u.service"
rm "$ROOT/etc/systemd/system/u.service.d/d.conf" "$ROOT/etc/systemd/system/m.service"
echo m > "$ROOT/etc/systemd/system/m.service"
booted quay.io/os@sha256:other
expect 'verify finds everything' 1 'KIND       WHERE                                    PROBLEM
OS image   quay.io/os@sha256:old                    expected target osImageURL "quay.io/os@sha256:old", have "quay.io/os@sha256:other"
file       /etc/foo                                 content mismatch for file "/etc/foo"
file       /etc/bin                                 content mismatch for file "/etc/bin"
file       /var/lib/kubelet/config.json             content mismatch for file "/var/lib/kubelet/config.json"
file       /etc/systemd/system/u.service.d/d.conf   could not stat file "/etc/systemd/system/u.service.d/d.conf": lstat /etc/systemd/system/u.service.d/d.conf: no such file or directory
file       /etc/systemd/system/u.service            mode mismatch for file: "/etc/systemd/system/u.service"; expected: -rw-r--r--/420/0644; received: urw-------/8388992/040000600
unit       /etc/systemd/system/m.service            state validation: invalid unit masked setting. path: "/etc/systemd/system/m.service"; expected: /dev/null; received: /etc/systemd/system/m.service

content mismatch for file "/etc/foo"
--- want/etc/foo
+++ have/etc/foo
@@ -1,2 +1,2 @@
 a
-b
+c

content mismatch for file "/etc/bin"
- 1 bytes, sha256 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d
+ 1 bytes, sha256 4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a

content mismatch for file "/var/lib/kubelet/config.json"
contents differ, but look secret: --show-secrets shows them
' '' "$MCO" verify --root-mount "$ROOT"
expect 'verify against a file' 1 'KIND   WHERE      PROBLEM
file   /etc/foo   content mismatch for file "/etc/foo"

content mismatch for file "/etc/foo"
--- want/etc/foo
+++ have/etc/foo
@@ -1,1 +1,2 @@
-z
\ No newline at end of file
+a
+c
' '' "$MCO" verify --offline --root-mount "$ROOT" --against <(mc r9 "$(files "$(file /etc/foo z)")"; cat "$TMP/r9.json")
expect 'verify as JSON' 1 '{
  "config": "r9",
  "mismatches": [
    {
      "kind": "file",
      "where": "/etc/foo",
      "problem": "content mismatch for file \"/etc/foo\""
    }
  ]
}
' '' "$MCO" verify -o json --offline --root-mount "$ROOT" --against "$TMP/r9.json"
expect 'verify without headings' 0 'file   /etc/foo   content mismatch for file "/etc/foo"
' '' sed 1q <("$MCO" verify --no-headers --offline --root-mount "$ROOT" --against "$TMP/r9.json")
expect 'verify: not a config' 2 '' 'Error: /dev/null: 0 documents where one MachineConfig is expected
' "$MCO" verify --root-mount "$ROOT" --against /dev/null

# rollback: contents, modes, owners, links, units, kernel arguments
new_node
echo 'mine' > "$ROOT/etc/foo"; chmod 0640 "$ROOT/etc/foo"
ln -s foo "$ROOT/etc/link"
mkdir -p "$ROOT/etc/systemd/system/multi-user.target.wants"
ln -s /usr/lib/systemd/system/crio.service "$ROOT/etc/systemd/system/multi-user.target.wants/crio.service"
before=$(tree)
says 'systemctl enable u.service' 'ln -s /etc/systemd/system/u.service "$MCO_ROOT/etc/systemd/system/multi-user.target.wants/u.service"; rm "$MCO_ROOT/etc/systemd/system/multi-user.target.wants/crio.service"'
mc r1 "$(files "$(file /etc/foo new)" "$(file /etc/link new)"),$(units '{"name":"u.service","contents":"u","enabled":true}')" '"kernelArguments":["a"]'
apply r1 0
: > "$CALLS"
expect 'rollback' 0 'back to mco-empty-mc
' '' bash -c "$MCO rollback --root-mount $ROOT 2>/dev/null"
same 'rollback: all as before' "$before" "$(tree)"
same 'rollback: kernel arguments' 'rpm-ostree cleanup -p
rpm-ostree kargs --delete-if-present=a
systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Node will reboot into config mco-empty-mc -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot' "$(calls)"

# kernel arguments of the tuning file, after the boot with them; not one that existed before
for cmdline in 'root=UUID=x rw' 'root=UUID=x nosmt rw'; do
	new_node
	echo "$cmdline" > "$ROOT/proc/cmdline"
	mc r1 "$(files "$(file /etc/foo 1)")"; apply r1 0
	mc r2 "$(files "$(file /etc/foo 2)" "$(file /etc/pivot/kernel-args ADD%20nosmt%0A)")"; apply r2 0
	echo 'root=UUID=x rw nosmt' > "$ROOT/proc/cmdline"
	echo boot-2 > "$ROOT/proc/sys/kernel/random/boot_id"
	: > "$CALLS"
	expect 'rollback: tuned' 0 'back to r1
' '' bash -c "$MCO rollback --skip-reboot --root-mount $ROOT 2>/dev/null"
	want='rpm-ostree cleanup -p'
	[[ $cmdline == *nosmt* ]] || want+=$'\nrpm-ostree kargs --delete-if-present=nosmt'
	same "rollback: tuned, from $cmdline" "$want" "$(calls | grep ^rpm-ostree)"
done

# files edited since the update: the old contents of a file that the update did not change are
# only in the config
new_node
U=etc/systemd/system
r1="$(file /etc/foo 1)" same_="$(file /etc/bar 1) $(file /etc/baz 1)"
u=$(units '{"name":"u.service","contents":"u","dropins":[{"name":"d.conf","contents":"d"}]}' '{"name":"w.service","contents":"w"}')
mc r1 "$(files "$r1" $same_),$u"
apply r1 0
before=$(tree)
mc r2 "$(files "$(file /etc/foo 2)" $same_),$u"
apply r2 0
echo mine > "$ROOT/etc/bar"
echo mine > "$ROOT/etc/foo"
chmod 0600 "$ROOT/etc/baz"
echo mine > "$ROOT/$U/u.service.d/d.conf"
edited=$(cd "$ROOT" && cat etc/bar $U/u.service.d/d.conf)
: > "$CALLS"
expect 'rollback: edits' 0 'back to r1
restored: content mismatch for file "/etc/bar"
restored: content mismatch for file "/etc/systemd/system/u.service.d/d.conf"
' '' bash -c "$MCO rollback --skip-reboot --root-mount $ROOT 2>/dev/null"
same 'rollback: edits are gone' "$before" "$(tree)"
same 'rollback: others are left alone' 'u.service' "$(grep -o '[uw]\.service' "$CALLS" | sort -u)"
expect 'rollback: edits, verified' 0 'as r1 says: 3 files, 2 units
' '' "$MCO" verify --root-mount "$ROOT"
expect 'rollback: edits, again' 0 'back to r1
' '' bash -c "$MCO rollback --skip-reboot --root-mount $ROOT 2>/dev/null"
same 'rollback: edits are back' "$edited" "$(cd "$ROOT" && cat etc/bar $U/u.service.d/d.conf)"
"$MCO" apply "$TMP/r2.json" --force --root-mount "$ROOT" > /dev/null 2>&1
echo mine > "$ROOT/etc/bar"
says 'rpm -qf' 'echo broken; exit 3'
: > "$CALLS"
expect 'rollback: edits that stay' 1 'Error: rolled back, but edited files were not restored: command "rpm -qf /etc/bar" returned with unexpected error: broken
: exit status 3
' '' bash -c "$MCO rollback --root-mount $ROOT 2>&1 >/dev/null | sed -n '/^Error/,\$p'; exit \${PIPESTATUS[0]}"
same 'rollback: reboots all the same' '1 mine reboot into config r1' "$(cat "$ROOT/etc/foo" <(echo) "$ROOT/etc/bar" | xargs) $(calls | grep -o 'reboot into config r1')"

# a killed daemon: the next start undoes the update
new_node
mc r1 "$(files "$(file /etc/foo 1)")"
apply r1 0
before=$(tree)
says 'systemctl preset u.service' 'kill -KILL $PPID'
mc r2 "$(files "$(file /etc/foo 2)"),$(units '{"name":"u.service","contents":"u"}')"
apply r2 137
same 'killed in the middle' 2 "$(cat "$ROOT/etc/foo")"
expect 'status after a kill' 0 'current config  r1
contents        1 files, 0 units
last update     r1 -> r2, interrupted: `recover` undoes it
' '' "$MCO" status --root-mount "$ROOT"
expect 'recover' 0 'the update from r1 to r2 was interrupted: undone
' '' bash -c "$MCO recover --root-mount $ROOT 2>/dev/null"
same 'recover: all as before' "$before" "$(tree)"
expect 'recover again' 0 'nothing to recover
' '' bash -c "$MCO recover --root-mount $ROOT 2>/dev/null"

# killed after the update is complete but before the reload: the next start reloads
says 'systemctl restart crio' 'kill -KILL $PPID'
CA=/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt
mc r3 "$(files "$(file /etc/foo 1)" "$(file $CA c)")"
apply r3 137
expect 'status: still to do' 0 'current config  r3
contents        2 files, 0 units
last update     r1 -> r3, complete; `rollback` undoes it
still to do     Restart crio
' '' "$MCO" status --root-mount "$ROOT"
says 'systemctl restart crio' 'exit 0'
: > "$CALLS"
expect 'recover: completes' 0 'the update to r3 is complete; its remaining steps are done now
' '' bash -c "$MCO recover --root-mount $ROOT 2>/dev/null"
same 'recover: restarts' 'update-ca-trust 
systemctl restart crio' "$(calls)"

echo '{"pre":' > "$ROOT/etc/machine-config-daemon/journal/active"
expect 'a damaged journal is left alone' 1 '' 'Error: the update journal /etc/machine-config-daemon/journal/active is damaged: it has no checksum; nothing was changed and the journal is kept: see DAMAGED JOURNAL in mco-daemon(1)
' "$MCO" recover --root-mount "$ROOT"

# offline: links as systemctl --root makes them
new_node
mc r1 "$(units '{"name":"u.service","enabled":true,"contents":"[Install]\nWantedBy=multi-user.target\nAlias=v.service\n"}')"
expect 'offline' 0 'mco-empty-mc -> r1
' '' bash -c "$MCO apply $TMP/r1.json --offline --root-mount $ROOT 2>/dev/null"
same 'offline: no commands' '' "$(calls)"
same 'offline: links' 'multi-user.target.wants/u.service -> /etc/systemd/system/u.service
v.service -> /etc/systemd/system/u.service' "$(cd "$ROOT/etc/systemd/system" && find . -type l -printf '%P -> %l\n' | sort)"
expect 'offline: back' 0 'back to mco-empty-mc
' '' bash -c "$MCO rollback --offline --root-mount $ROOT 2>/dev/null"
same 'offline: nothing left' '' "$(find "$ROOT/etc/systemd" 2>/dev/null)"

# hostile paths and symlinks stay below the root
new_node
mkdir -p "$TMP/outside"
ln -s "$TMP/outside" "$ROOT/etc/out"; ln -s ../../../../../../../.. "$ROOT/etc/up"
mc r1 "$(files "$(file "/etc/out/x" 1)" "$(file "/etc/up$TMP/outside/y" 1)")"
"$MCO" apply "$TMP/r1.json" --root-mount "$ROOT" > /dev/null 2>&1
same 'links do not lead out' '' "$(ls "$TMP/outside")"
mc r1 "$(files "$(file /etc/../../x 1)")"
apply r1 1 "$TMP/r1.json"': parsing new Ignition config from machineconfig "r1" failed: failed to parse Ignition config: parsing Ignition config spec v3 failed with error: config is not valid
Report: error at $.storage.files.0.path, line 1 col 61: path is not fully simplified'
mc r1 "$(units '{"name":"a.service","contents":"u","dropins":[{"name":"../../x.conf","contents":"x"}]}')"
apply r1 1 '"../../x.conf" is not the name of a dropin'

# D128 to D131: once-from
new_node
once() { NODE_NAME=node "$MCO" start --root-mount "$ROOT" --once-from "$@" > "$TMP/.out" 2> "$TMP/.err"; }
echo x > "$ROOT/etc/ignition-machine-config-encapsulated.json"
printf '{"ignition":{"version":"3.2.0"},%s,%s}' "$(files "$(file /etc/o 1 '"mode":384')")" \
	"$(units '{"name":"o.service","contents":"o","enabled":true}')" > "$TMP/x.ign"
once "$TMP/x.ign"
same 'D128 status' 0 $?
same 'D128 commands' 'rpm-ostree status --json
systemctl is-enabled o.service
systemctl enable o.service
LOG "initiating reboot: runOnceFromIgnition complete"
systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: runOnceFromIgnition complete -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot
LOG "reboot successful"' "$(cat "$CALLS")"
same 'D128 files' '600 etc/o
644 etc/machine-config-daemon/noorig/etc/o.mcdnoorig
644 etc/systemd/system/o.service' "$(cd "$ROOT" && stat -c '%a %n' etc/o etc/machine-config-daemon/noorig/etc/o.mcdnoorig etc/systemd/system/o.service)"
same 'D128 no state' 'no no' "$([ -e "$ROOT/etc/machine-config-daemon/currentconfig" ] && echo yes || echo no) $([ -e "$ROOT/etc/ignition-machine-config-encapsulated.json" ] && echo yes || echo no)"
: > "$CALLS"
(unset NODE_NAME; "$MCO" start --root-mount "$ROOT" --once-from "$TMP/x.ign" > /dev/null 2> "$TMP/.err")
same 'D129' '255 node-name is required ' "$? $(sed 's/.*] //' "$TMP/.err") $(cat "$CALLS")"
new_node
mc r1 "$(files "$(file /etc/foo 1)")" '"kernelArguments":["a"]'
once "$TMP/r1.json" --skip-reboot
DIFF() {	# NAME...: what differs
	local n o=
	for n in osUpdate kargs fips passwd files units kernelType extensions oclEnabled revertFromOCL; do
		case " $* " in *" $n "*) o+=" $n:true" ;; *) o+=" $n:false" ;; esac
	done
	echo "&{${o# }}"
}
same 'D130' "0 rpm-ostree status --json
LOG \"Starting update from mco-empty-mc to r1: $(DIFF osUpdate kargs files)\"
rpm-ostree cleanup -p
LOG \"Running rpm-ostree [kargs --append=a]\"
rpm-ostree kargs --append=a
LOG \"Rebooting node\"" "$? $(cat "$CALLS")"
same 'D130 state' r1 "$("$MCO" status --root-mount "$ROOT" | sed -n 's/^current config *//p')"
echo '{}' > "$TMP/x"
: > "$CALLS"
once "$TMP/x"
same 'D131' "255 unable to decipher onceFrom config type: Object 'Kind' is missing in '{}' rpm-ostree status --json" "$? $(tail -n 1 "$TMP/.err" | sed 's/.*] //') $(cat "$CALLS")"
# Without policies, the actions that avoid a reboot have texts of their own.
alone() {	# NAME FILE STATUS EXPECTED
	new_node
	mc r0
	apply r0 0
	says 'systemctl restart crio' "[ $3 = 0 ] || echo no >&2; exit $3"
	: > "$CALLS"
	mc r1 "$(files "$(file "$2" 1)")"
	apply r1 "$3"
	same "$1" "$4" "$(sed '1,/^LOG "Starting/d; s/ $//' "$CALLS")"
}
NOREBOOT='Desired config r1 has been applied, skipping reboot'
alone 'no reboot: none' /var/lib/kubelet/config.json 0 'LOG "Node has Desired Config r1, skipping reboot"'
alone 'no reboot: reload' /etc/containers/policy.json 0 "systemctl reload crio
LOG \"crio config reloaded successfully! $NOREBOOT\""
alone 'no reboot: restart' $CA 0 "update-ca-trust
systemctl restart crio
LOG \"crio config restarted successfully! $NOREBOOT\""
alone 'no reboot: no restart' $CA 1 "update-ca-trust
systemctl restart crio"
same 'no reboot: why' 'Error: could not apply update: reloading crio configuration failed. Error: error running systemctl restart crio: no
: exit status 1' "$(sed -n '/^Error/,$p' "$TMP/.err")"

# D122 to D127: the completion of a first boot
new_node
complete() { timeout 300 "$MCO" firstboot-complete-machineconfig --root-mount "$ROOT" "$@" > "$TMP/.out" 2> "$TMP/.err"; }
# A command that does not end by itself, until a line is in a file.
until_said() {
	"$MCO" firstboot-complete-machineconfig --root-mount "$ROOT" > /dev/null 2> "$TMP/.err" &
	local pid=$! i
	for ((i = 0; i < 1200; i++)); do
		grep -q "$1" "$2" && break
		sleep 0.1
	done
	kill $pid
	wait $pid 2>/dev/null
}
E=etc/ignition-machine-config-encapsulated.json
mc rendered-worker-1 '' '"kernelArguments":["nosmt"]'
cp "$TMP/rendered-worker-1.json" "$ROOT/$E"
rm "$ROOT/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
complete
same 'D122 status' 0 $?
DONE='systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Completing firstboot provisioning to rendered-worker-1 -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot'
same 'D122 commands' "systemctl daemon-reload
rpm-ostree status --json
rpm-ostree --version
skopeo --version
rpm-ostree kargs
LOG \"Changes detected from mco-empty-mc to rendered-worker-1: $(DIFF kargs)\"
LOG \"Starting update from mco-empty-mc to rendered-worker-1: $(DIFF kargs)\"
rpm-ostree cleanup -p
LOG \"Running rpm-ostree [kargs --append=nosmt]\"
rpm-ostree kargs --append=nosmt
LOG \"Rebooting node\"
LOG \"initiating reboot: Completing firstboot provisioning to rendered-worker-1\"
$DONE
LOG \"reboot successful\"" "$(cat "$CALLS")"
same 'D122 files' "yes no 600" "$([ -e "$ROOT/$E.bak" ] && echo yes) $([ -e "$ROOT/$E" ] || echo no) $(stat -c %a "$ROOT/etc/kubernetes/kubeconfig")"
new_node
mc rendered-worker-1 ''
cp "$TMP/rendered-worker-1.json" "$ROOT/$E"
complete
same 'D123' '0 rpm-ostree status --json
rpm-ostree --version
skopeo --version
rpm-ostree kargs
LOG "No changes from mco-empty-mc to rendered-worker-1"
LOG "skipping reboot since no changes were detected from mco-empty-mc to rendered-worker-1"' "$? $(cat "$CALLS")"
same 'D123 files' 'no no no' "$(for f in "$E" "$E.bak" etc/machine-config-daemon/currentconfig; do [ -e "$ROOT/$f" ] || echo no; done | xargs)"
new_node
says 'rpm-ostree --version' 'printf "rpm-ostree:\n Features:\n  - rust\n"'
says 'podman version' 'echo 4.2.0'
cp "$TMP/rendered-worker-1.json" "$ROOT/$E"
until_said 'extra reboot for in-place update.*systemctl reboot' "$CALLS"
RUN='systemd-run --unit machine-config-daemon-update-rpmostree-via-container -p EnvironmentFile=-/etc/mco/proxy.env --collect --wait -- podman'
same 'D125' "rpm-ostree status --json
rpm-ostree --version
LOG \"rpm-ostree or skopeo is not new enough for new-format image; forcing an update via container and queuing immediate reboot\"
podman version -f {{.APIVersion}}
$RUN pull --authfile /var/lib/kubelet/config.json --signature-policy /etc/machine-config-daemon/policy-for-old-podman.json $OLD
$RUN run --env-file /etc/mco/proxy.env --privileged --pid=host --net=host --rm -v /:/run/host $OLD rpm-ostree ex deploy-from-self /run/host
systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: extra reboot for in-place update -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot" "$(cat "$CALLS")"
# D124: everything at once
new_node
mkdir -p "$ROOT/var/lib/kubelet"; echo '{}' > "$ROOT/var/lib/kubelet/config.json"
booted "$OLD" '"requested-base-removals":["kernel"],"requested-packages":["kernel-rt-core"]' '{"staged":true,"requested-packages":["usbguard"]}'
says 'podman images' 'echo "[]"'
says 'podman create' 'echo cid'
IMAGE=quay.io/os@sha256:new mc rendered-worker-1 '' '"kernelType":"realtime","extensions":["usbguard"],"baseOSExtensionsContainerImage":"quay.io/ext","kernelArguments":["a=1 b=2","c"]'
cp "$TMP/rendered-worker-1.json" "$ROOT/$E"
complete
same 'D124' "rpm-ostree status --json
rpm-ostree --version
skopeo --version
rpm-ostree kargs
LOG \"Changes detected from mco-empty-mc to rendered-worker-1: $(DIFF osUpdate kargs kernelType extensions)\"
LOG \"Starting update from mco-empty-mc to rendered-worker-1: $(DIFF osUpdate kargs kernelType extensions)\"
podman images --format=json --filter reference=quay.io/ext
nice -- ionice -c 3 podman pull -q --authfile /var/lib/kubelet/config.json quay.io/ext
podman create --net=none --annotation=org.openshift.machineconfigoperator.pivot=true --name NAME quay.io/ext
nice -- ionice -c 3 podman cp cid:/ DIR
chcon -R -t var_run_t DIR
podman kill NAME
podman rm -f NAME
rpm-ostree cleanup -p
rpm-ostree status --json
rpm-ostree override reset kernel --uninstall kernel-rt-core
mokutil --sb-state
LOG \"runBootloaderUpdate: Secure Boot not enabled, bootloader update not required\"
rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/os@sha256:new
LOG \"Running rpm-ostree [kargs --append=a=1 --append=b=2 --append=c]\"
rpm-ostree kargs --append=a=1 --append=b=2 --append=c
LOG \"Initiating switch to kernel realtime\"
rpm-ostree override remove kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --install kernel-rt-core --install kernel-rt-modules --install kernel-rt-modules-extra
rpm-ostree status --json
LOG \"Applying extensions : [\\\"update\\\" \\\"--install\\\" \\\"usbguard\\\"]\"
rpm-ostree update --install usbguard
rpm-ostree status --json
LOG \"Rebooting node\"
LOG \"initiating reboot: Completing firstboot provisioning to rendered-worker-1\"
$DONE
LOG \"reboot successful\"" "$(sed 's/ostree-container-pivot-[-0-9a-f]*/NAME/; s,/run/mco-extensions/os-extensions-content-[0-9a-f]*,DIR,' "$CALLS")"
new_node
until_said 'Sleeping 1 minute' "$TMP/.err"
same 'D126 calls' 'rpm-ostree status --json' "$(sort -u "$CALLS")"
same 'D126' 'error: open /etc/ignition-machine-config-encapsulated.json: no such file or directory
Sleeping 1 minute for retry' "$(sed 's/.*] //' "$TMP/.err" | grep -A1 '^error' | head -n 2)"
new_node
says 'nmstatectl' 'printf "ifname=eth0:x ifname=eth1:y" > "${!#}"'
complete --persist-nics
same 'D127, D109' "nmstatectl persist-nic-names --root $ROOT --kargs-out /tmp/nmstate-kargs0
rpm-ostree kargs --append ifname=eth0:x --append ifname=eth1:y" "$(sed 's|\(/tmp/nmstate-kargs\)[A-Za-z0-9]*|\10|' "$CALLS")"

# ---- compressed contents are decompressed while they are written -----------------------------------
packed() { printf '{"path":"%s","contents":{"compression":"gzip","source":"data:;base64,%s"}}' "$1" "$(gzip -n9 | base64 -w 0)"; }
new_node
mc z1 "$(files "$(printf 'a\nb\n' | packed /etc/foo)" "$(head -c 100000000 /dev/zero | packed /etc/big)")"
apply z1 0
same 'packed' '100000000
a
b' "$(stat -c %s "$ROOT/etc/big"; cat "$ROOT/etc/foo")"
expect 'packed: verified' 0 'as z1 says: 2 files, 0 units
' '' "$MCO" verify --root-mount "$ROOT"
if (ulimit -v 49152; "$MCO" version > /dev/null 2>&1); then
	expect 'packed: memory of verify' 0 'as z1 says: 2 files, 0 units
' '' bash -c 'ulimit -v 49152; exec "$0" verify --root-mount "$1"' "$MCO" "$ROOT"
	rm "$ROOT/etc/big"
	bash -c 'ulimit -v 49152; exec "$0" apply --force "$1" --root-mount "$2"' "$MCO" "$TMP/z1.json" "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	same 'packed: memory of apply' '0 100000000' "$? $(stat -c %s "$ROOT/etc/big")"
fi
printf x | dd of="$ROOT/etc/big" bs=1 seek=99999999 conv=notrunc 2>/dev/null
printf 'a\nc\n' > "$ROOT/etc/foo"
expect 'packed: what differs' 1 'KIND   WHERE      PROBLEM
file   /etc/foo   content mismatch for file "/etc/foo"
file   /etc/big   content mismatch for file "/etc/big"

content mismatch for file "/etc/foo"
--- want/etc/foo
+++ have/etc/foo
@@ -1,2 +1,2 @@
 a
-b
+c
' '' "$MCO" verify --root-mount "$ROOT"
before=$(tree)
mc z2 "$(files "$(file /etc/foo 1)" "$(head -c 300000000 /dev/zero | packed /etc/bomb)")"
"$MCO" apply --force "$TMP/z2.json" --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
same 'a bomb' '1 Error: could not decode file "/etc/bomb": unpacks to more than 268435456 bytes' "$? $(grep '^Error' "$TMP/.err")"
same 'a bomb: nothing written' "$before" "$(tree)"
rm -f "$ROOT/etc/big"
new_node
cp -a "$ROOT/etc" "$TMP/etc"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=150m none "$ROOT/etc" 2>/dev/null; then
	cp -a "$TMP/etc/." "$ROOT/etc"
	mc z3 "$(files "$(head -c 100000000 /dev/zero | packed /etc/a)" "$(head -c 100000000 /dev/zero | packed /etc/b)")"
	"$MCO" apply --force "$TMP/z3.json" --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	same 'a small disk' '1 1' "$? $(grep -c '^Error: the packed files of the config need 200000000 bytes, and 1[0-9]* are free on the disk: nothing has been written$' "$TMP/.err")"
	umount "$ROOT/etc"
fi

finish
