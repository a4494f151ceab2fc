#!/bin/bash
# mco-daemon start: files, units, the OS image, kernel and extensions in a cluster (D54 to D93);
# test_daemon.sh has the same without a cluster.
. test/applets/node.sh
. test/applets/daemon.sh
NEW=quay.io/os@sha256:new
SNO=1
core() { printf '"passwd":{"users":[{"name":"core"%s}]}' "$1"; }

# D57: a unit that cannot be enabled. Unlike upstream, everything is undone.
given "$(files "$(file /etc/bar 1)")"
says 'systemctl enable y.service' 'echo boom; exit 1'
to "$(files "$(file /etc/bar 2)"),$(units '{"name":"y.service","contents":"y","enabled":true}')"
degraded D57 'error enabling units: boom\n'
stop

# D62: remote contents
given "$(files "$(file /etc/foo 1)")"
to "$(files "$(file /etc/foo 2)" '{"path":"/etc/z","contents":{"source":"https://x/y"}}')"
degraded D62 'could not decode file \"/etc/z\": could not decode file content string: missing data prefix'
stop

# D64, D65, D67, D68, D70: a disk that does not match r1
preflight() {	# NAME TEXT
	degraded "$1" "unexpected on-disk state validating against r1: $2"
	until_ "$1 event" 'events | grep -q ^PreflightConfigDriftCheckFailed!:'
	same "$1 never Working" '' "$(grep -o 'state: Done -> Working' "$TMP/log")"
	stop
}
given "$(files "$(file /etc/foo 1)")"
chmod 0600 "$ROOT/etc/foo"
to "$(files "$(file /etc/foo 2)")"
preflight D64 'mode mismatch for file: \"/etc/foo\"; expected: -rw-r--r--/420/0644; received: -rw-------/384/0600'
new_node
says 'rpm-ostree kargs' 'echo root=UUID=x rw a=1 b'
on_disk '' '"kernelArguments":["a=1","b"]'
running
says 'rpm-ostree kargs' 'echo root=UUID=x rw'
to ''
preflight D65 'missing expected kernel arguments: [a=1 b]'
given "$(units '{"name":"a.service","contents":"u","enabled":false}')"
says 'systemctl is-enabled a.service' 'echo enabled'
to ''
preflight D67 'unit \"a.service\" expected enabled=false, but systemd reports \"enabled\"'
given "$(units '{"name":"a.service","contents":"u","enabled":true}')"
to "$(units '{"name":"a.service","contents":"u","enabled":true}')" '"kernelArguments":["x"]'
rebooted D66
stop

# D71: files of other programs
given "$(files "$(file /etc/kubernetes/kubelet-ca.crt 1)" "$(file /etc/mco/internal-registry-pull-secret.json 1)" "$(file /var/lib/kubelet/config.json 1)")"
to "$(files "$(file /etc/kubernetes/kubelet-ca.crt 2)" "$(file /etc/mco/internal-registry-pull-secret.json 1)" "$(file /var/lib/kubelet/config.json 1)")"
rebooted D71
same 'D71, D47: a reboot, and not written' KCA "$(cat "$ROOT/etc/kubernetes/kubelet-ca.crt")"
stop

# D74: the monitor
given "$(files "$(file /etc/foo 1)"),$(units '{"name":"u.service","contents":"u","dropins":[{"name":"10.conf","contents":"d"}]}')"
echo x > "$ROOT/etc/unrelated"; touch "$ROOT/etc/foo"
looks D74
same 'D74 nothing' Done "$(note state)"
rm "$ROOT/etc/systemd/system/u.service.d/10.conf"
until_ 'D74 removal' 'events | grep -qF "ConfigDriftDetected!: could not stat file \\\"/etc/systemd/system/u.service.d/10.conf\\\": lstat /etc/systemd/system/u.service.d/10.conf: no such file or directory"'
same 'D74 nothing before' 1 "$(events ConfigDriftDetected | wc -l)"
chmod 0600 "$ROOT/etc/systemd/system/u.service"
printf d > "$ROOT/etc/systemd/system/u.service.d/10.conf"
until_ 'D74 mode' 'events | grep -q "^ConfigDriftDetected!: mode mismatch for file: .*u.service"'
stop

# D76: kernel arguments
new_node
says 'rpm-ostree kargs' 'echo root=UUID=x rw a=1 b'
on_disk '' '"kernelArguments":["a=1","b"]'
running
to '' '"kernelArguments":["b c"]'
rebooted D76
same 'D76 commands' "rpm-ostree kargs
rpm-ostree cleanup -p
rpm-ostree kargs --delete-if-present=a=1 --delete-if-present=b --append=b --append=c
$(reboot r2)" "$(calls)"
soon 'D76 events' 'OSUpdateStarted: Changing kernel arguments' 'events | grep -E "^(InCl|OSUpdateSt)"'
stop

# D79 is in test_daemon.sh; D80: back to the default kernel
new_node
says 'rpm-ostree status' "echo '{\"deployments\":[{\"booted\":true,\"version\":\"1\",\"checksum\":\"c\",\"container-image-reference\":\"ostree-unverified-registry:$OLD\",\"requested-base-removals\":[\"kernel\",\"kernel-core\"],\"requested-packages\":[\"kernel-rt-core\"]}]}'"
on_disk '' '"kernelType":"realtime"'
running
# D81: the kernel is the same, a file changes
mc r3 "$(files "$(file /etc/foo 1)")" '"kernelType":"realtime"'; put r3
annotate desiredConfig r3
rebooted D81
same 'D81' "rpm-ostree kargs
rpm-ostree cleanup -p
$(reboot r3)" "$(calls)"
soon 'D81 event' 'OSUpdateStarted: Updating to a target config with realtime kernel' 'events OSUpdateStarted'
stop
on_disk '' '"kernelType":"realtime"'
running
to ''
rebooted D80
same 'D80' "rpm-ostree kargs
rpm-ostree cleanup -p
rpm-ostree status --json
rpm-ostree override reset kernel kernel-core --uninstall kernel-rt-core
$(reboot r2)" "$(calls)"
stop

# D82 to D84: refusals of the OS
MCO_RETRY_MS=100000 given
if [ "$MACHINE" != aarch64 ]; then
	to '' '"kernelType":"64k-pages"'
	degraded D82 '64k-pages is only supported for aarch64 architecture'
	same 'D82' 'rpm-ostree cleanup -p
rpm-ostree status --json
rpm-ostree cleanup -p' "$(calls | sed -n '2,4p')"
fi
mc r3 '' '"extensions":["sysstat"]'; put r3; annotate desiredConfig r3
degraded D83 'no staged deployment found after applying extensions'
mc r4 '' '"extensions":["nosuch"]'; put r4; annotate desiredConfig r4
degraded D84 'invalid extensions found: [nosuch]'
stop

# D86: an image that cannot be pulled, and its metrics
given "$(files "$(file /etc/foo 1)"),$(core ',"sshAuthorizedKeys":["k1"]')"
says 'rpm-ostree rebase' 'echo nope >&2; exit 1'
IMAGE=$NEW to "$(files "$(file /etc/foo 2)"),$(core ',"sshAuthorizedKeys":["k2"]')"
degraded D86 "failed to update OS to $NEW after retries: error running rpm-ostree rebase --experimental ostree-unverified-registry:$NEW: nope\\n: exit status 1: timed out waiting for the condition"
stop
same 'D86 the disk' r1 "$("$MCO" status --root-mount "$ROOT" | sed -n 's/^current config *//p')"

# D87, D88: a reboot that fails, and a rollback that fails too
new_node
says 'rpm-ostree kargs' 'echo root=UUID=x a'
on_disk "$(files "$(file /etc/foo 1)"),$(core ',"sshAuthorizedKeys":["k1"]')" '"kernelArguments":["a"]'
MCO_RETRY_MS=100000 running
says systemd-run 'exit 1'
to "$(files "$(file /etc/foo 2)"),$(core ',"sshAuthorizedKeys":["k2"]')" '"kernelArguments":["b"]'
degraded D87 'reboot command failed, something is seriously wrong'
same 'D87' '"failed to run reboot: exit status 1" Rebooting 1 k1' "$(logs | grep failed) $(note post-config-action) $(cat "$ROOT/etc/foo" "$ROOT/home/core/.ssh/authorized_keys.d/ignition" | paste -sd' ' | sed 's/^1/1 /; s/  / /')"
same 'D87 the way back' 'rpm-ostree cleanup -p
rpm-ostree kargs --delete-if-present=b --append=a
chpasswd -e
given core:$6$old' "$(calls | sed '1,/^systemd-run/d')"
soon 'D87 events (the other counts up)' 'OSUpgradeSkipped' 'events | sed "1,/^Reboot/d; s/: .*//" | grep OSUp | paste -sd" "'
metrics() { curl -sS -m 60 "http://127.0.0.1:$(sed -n 's/.*Metrics on port //p' "$TMP/log")/metrics" | grep -vE '^(#|process_)'; }
same 'D87 metric' 'mcd_reboots_failed_total 1' "$(metrics | grep '^mcd_reboots')"
soon 'metrics' 'mcd_config_drift
mcd_host_os_and_version{os="RHEL",version="1"} 1
mcd_kubelet_state 0
mcd_local_unsupported_packages{node="node"} 0
mcd_pivot_errors_total 0
mcd_state{state="Degraded",reason="reboot command failed, something is seriously wrong"}
mcd_update_state{config="MachineConfig: r1",err=""}' 'metrics | grep -v reboots | sed -E "s/^(mcd_(state|config_drift|update_state).*) [0-9]+\$/\1/"'
stop
new_node
says 'rpm-ostree kargs' 'echo root=UUID=x a'
on_disk '' '"kernelArguments":["a"]'
MCO_RETRY_MS=100000 running
says systemd-run 'exit 1'
says 'rpm-ostree kargs --delete-if-present_b' 'echo no >&2; exit 1'
says 'rpm-ostree kargs --delete-if-present=b --append=a' 'echo no >&2; exit 1'
to '' '"kernelArguments":["b"]'
degraded D88 'error rolling back changes to OS: [error running rpm-ostree kargs --delete-if-present=b --append=a: no\n: exit status 1, reboot command failed, something is seriously wrong]'
stop

# D89, D90: to images built in the cluster, and back
given
OCL=quay.io/ocl@sha256:x
mc r2 ''; put r2
annotate desiredImage $OCL
rebooted D89
same 'D89 flags' '"Starting update from r1 to r1: &{osUpdate:true kargs:false fips:false passwd:false files:false units:false kernelType:false extensions:false oclEnabled:true revertFromOCL:false}"' "$(logs | grep Starting)"
same 'D89 commands' "rpm-ostree kargs
rpm-ostree cleanup -p
mokutil --sb-state
rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:$OCL
$(reboot r1)" "$(calls)"
same 'D89 disk' "$OLD $OCL" "$(grep -oE '"osImageURL":"[^"]*"' "$ROOT/etc/machine-config-daemon/currentconfig" | sed 's/.*:"//; s/"//' | head -c 21) $(cat "$ROOT/etc/machine-config-daemon/currentimage")"
stop
booted $OCL
start
until_ 'D89 done' '[ "$(note currentImage)$(note state)" = '$OCL'Done ]'
until_ 'D18 rest' '[[ "$(mcn Updated)" == True* ]]'
: > "$CALLS"
looks D18
same 'D18, D14' '' "$(calls)"
annotate state ''
finished D16 r1
same 'D16' "rpm-ostree kargs
rpm-ostree cleanup -p
$JOURNAL" "$(calls)"
: > "$CALLS"
annotate desiredImage - desiredConfig r2
rebooted D90
same 'D90 commands' "rpm-ostree kargs
systemctl is-enabled machine-config-daemon-revert.service
systemctl enable machine-config-daemon-revert.service
rpm-ostree cleanup -p
mokutil --sb-state
rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:$OLD
$(reboot r2)" "$(calls)"
same 'D90 flags' 'oclEnabled:true revertFromOCL:true' "$(logs | grep -o 'oclEnabled.*true')"
same 'D90 files' "r2
$(sha256sum < "$ROOT/etc/machine-config-daemon/currentconfig")
0" "$(grep -oE '"name":"[^"]*"' "$ROOT/etc/mco/machineconfig-revert.json" | head -n 1 | sed 's/.*:"//; s/"//')
$(sha256sum < "$ROOT/etc/mco/machineconfig-revert.json")
$(stat -c %s "$ROOT/etc/machine-config-daemon/currentimage")"
same 'D90 unit' '[Unit]
Description=Machine Config Daemon Revert
# Make sure it runs only on OSTree booted system
ConditionPathExists=/run/ostree-booted
# Removal of this file signals firstboot completion
ConditionPathExists=/etc/mco/machineconfig-revert.json
After=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
# Disable existing repos (if any) so that OS extensions would use embedded RPMs only
ExecStartPre=-/usr/bin/sh -c "sed -i '"'s/enabled=1/enabled=0/'"' /etc/yum.repos.d/*.repo"
# Run this via podman because we want to use the nmstatectl binary in our container
ExecStart=/usr/bin/podman run --authfile=/var/lib/kubelet/config.json --rm --privileged --net=host -v /:/rootfs  --entrypoint machine-config-daemon '"'quay.io/mco@sha256:m'"' firstboot-complete-machineconfig --persist-nics --machineconfig-file /etc/mco/machineconfig-revert.json
ExecStart=/usr/bin/podman run --authfile=/var/lib/kubelet/config.json --rm --privileged --pid=host --net=host -v /:/rootfs  --entrypoint machine-config-daemon '"'quay.io/mco@sha256:m'"' firstboot-complete-machineconfig --machineconfig-file /etc/mco/machineconfig-revert.json
ExecStartPost=rm /etc/mco/machineconfig-revert.json
[Install]
RequiredBy=multi-user.target' "$(cat "$ROOT/etc/systemd/system/machine-config-daemon-revert.service")"
stop

# D17: the image on the disk counts
given
stop
printf quay.io/ocl@sha256:disk > "$ROOT/etc/machine-config-daemon/currentimage"
booted quay.io/ocl@sha256:disk
node "${R1[@]}" controlPlaneTopology SingleReplica currentImage $OCL desiredImage $OCL
start
rebooted D17
same 'D17' "\"Disk currentImage \\\"quay.io/ocl@sha256:disk\\\" overrides node's currentImage annotation \\\"$OCL\\\"\"
rpm-ostree rebase --experimental ostree-unverified-registry:$OCL" "$(logs | grep Disk; calls | grep rebase)"
stop

# D91: the boot loader, before 9.6
new_node
printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.4\n' > "$ROOT/etc/os-release"
says mokutil 'echo SecureBoot enabled'
says 'podman images' 'echo "[]"'
says 'podman version' 'echo 5.0.0'
on_disk
running
IMAGE=$NEW to ''
rebooted D91
RUN='-p EnvironmentFile=-/etc/mco/proxy.env --collect --wait -- podman'
same 'D91' "mokutil --sb-state
podman images --format=json --filter reference=$NEW
podman version -f {{.APIVersion}}
systemd-run --unit machine-config-daemon-bootupd $RUN pull --authfile /etc/mco/internal-registry-pull-secret.json $NEW
systemd-run --unit machine-config-daemon-bootupd-update $RUN run --env INVOCATION_ID=ID --privileged --pid=host --net=host --rm -v /boot:/boot:rslave -v /dev:/dev $NEW bootupctl update
rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:$NEW" "$(calls | sed -n '/^mokutil/,/rebase/p' | sed 's/INVOCATION_ID=[-0-9a-f]*/INVOCATION_ID=ID/')"
stop

finish
