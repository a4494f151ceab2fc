#!/bin/bash
# mco-daemon: an OS image in the node's storage, and the update of the boot loader before an OS
# that it may not trust.
. test/applets/node.sh
NEW=quay.io/os@sha256:new
RUN='-p EnvironmentFile=-/etc/mco/proxy.env --collect --wait -- podman'
UPDATE="systemd-run --unit machine-config-daemon-bootupd-update $RUN run --env INVOCATION_ID=ID --privileged --pid=host --net=host --rm -v /boot:/boot:rslave -v /dev:/dev $NEW bootupctl update"
REBASE="rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:$NEW"
SUMS='sh -c find /boot/efi -type f | xargs sha256sum'
ESP=',"parttype":"c12a7328-f81f-11d2-ba4b-00a0c93ec93b","fstype":"vfat"'

old_node() {	# before 9.6, Secure Boot on, the image pulled, bootupctl failing
	new_node
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.4\n' > "$ROOT/etc/os-release"
	says mokutil 'echo SecureBoot enabled'
	says 'podman images' "echo '[{\"Id\":\"i\",\"RepoDigests\":[\"$NEW\"]}]'"
	says 'podman version' 'echo 5.0.0'
	says 'podman create' 'echo cid'
	says 'systemd-run --unit machine-config-daemon-bootupd-update' 'echo no exchange >&2; exit 1'
	says sh 'echo "$(ls $MCO_ROOT/boot/efi/EFI | xargs) sum"'
	IMAGE=$NEW mc r1 ''
}
disks() { local IFS=,; says lsblk "echo '{\"blockdevices\":[$*]}'"; }
disk() {	# NAME PARTITION-3-MEMBERS
	printf '{"name":"/dev/%s","parttype":null,"fstype":null,"children":[{"name":"/dev/%s1"%s},{"name":"/dev/%s3"%s}]}' "$1" "$1" "$ESP" "$1" "${2:-}"
}
loader() { sed -n '/^mokutil/,/rpm-ostree rebase/p' | sed 's/INVOCATION_ID=[-0-9a-f]*/INVOCATION_ID=ID/; s,/tmp/bootupd-efi-[0-9a-f]\{8\},DIR,; s/ $//'; }

# by hand: the device by its symlink, leftovers, checksums before and after
old_node
mkdir -p "$ROOT/dev/disk/by-uuid" "$ROOT/boot/efi"
ln -s ../../sda3 "$ROOT/dev/disk/by-uuid/x"
: > "$ROOT/dev/sda3"
disks "$(disk sdb)" "$(disk sda)"
says findmnt 'echo /dev/disk/by-uuid/x'
says mount 'mkdir -p $MCO_ROOT/boot/efi/EFI/{BOOT,.btmp.BOOT/x}; touch $MCO_ROOT/boot/efi/EFI/{.btmp.BOOT/x/y,.btmp.file}'
says 'podman cp' 'mkdir $MCO_ROOT${!#}/EFI'
says cp 'mkdir $MCO_ROOT/boot/efi/EFI/new'
apply r1 0
same 'by hand' "mokutil --sb-state
LOG \"runBootupdViaContainer: attempting bootloader update\"
podman images --format=json --filter reference=$NEW
LOG \"bootupctl: running update from container image\"
$UPDATE
LOG \"bootupctl update failed (error running $UPDATE: no exchange\\n: exit status 1); falling back to manual EFI copy\"
podman create --name bootupd-efi-extract $NEW
podman cp cid:/usr/lib/bootupd/updates/EFI DIR
lsblk --paths --json -o NAME,PARTTYPE,FSTYPE
findmnt -n -o SOURCE --target /boot
LOG \"bootupd fallback: copying EFI files to /dev/sda1\"
mount /dev/sda1 /boot/efi
LOG \"bootupd fallback: removing leftover /boot/efi/EFI/.btmp.BOOT\"
$SUMS
LOG \"bootupd fallback [Before /dev/sda1]:\\nBOOT sum\\n\"
cp -rp DIR/EFI /boot/efi/
$SUMS
LOG \"bootupd fallback [After /dev/sda1]:\\nBOOT new sum\\n\"
umount /boot/efi
sync
podman rm -f cid
LOG \"bootupctl: fallback EFI copy completed\"
$REBASE" "$(loader < "$CALLS")"
same 'by hand: what stays' '.btmp.file BOOT new; ' "$(ls -A "$ROOT/boot/efi/EFI" | xargs); $(ls "$ROOT/tmp")"
same 'by hand: no warning' '' "$(grep 'bootloader update failed' "$TMP/.err")"

# a RAID: each disk; a failure ends the copy, but not the OS update
old_node
M=',"fstype":"linux_raid_member","children":[{"name":"/dev/md0"}]'
disks "$(disk sda "$M")" "$(disk sdb "$M")" "$(disk sdc)"
says findmnt 'echo /dev/md0'
apply r1 0
same 'RAID' "mount /dev/sda1 /boot/efi
umount /boot/efi
mount /dev/sdb1 /boot/efi
umount /boot/efi
sync
podman rm -f cid" "$(calls | grep -E '^(u?mount|sync|podman rm)' | sed 's/ $//')"
warning() { sed -n 's/.*bootloader update failed: //p' "$TMP/.err" | sed 's,/tmp/bootupd-efi-[0-9a-f]\{8\},DIR,'; }
fails() {	# NAME WARNING COMMANDS-AFTER-CREATE
	: > "$CALLS"
	rm -rf "$ROOT/etc/machine-config-daemon"
	apply r1 0
	same "$1" "$2" "$(warning)"
	same "$1: commands" "$3${3:+
}podman rm -f cid
$REBASE" "$(calls | loader | sed '1,/^podman create/d')"
	same "$1: nothing left" '' "$(ls "$ROOT/tmp")"
}
FOUND='podman cp cid:/usr/lib/bootupd/updates/EFI DIR
lsblk --paths --json -o NAME,PARTTYPE,FSTYPE
findmnt -n -o SOURCE --target /boot'
WHY='bootupctl fallback EFI copy: copying EFI to /dev/sda1:'
says umount 'echo busy >&2; exit 32'
fails 'umount fails' "$WHY unmounting /boot/efi: error running umount /boot/efi: busy" "$FOUND
mount /dev/sda1 /boot/efi
$SUMS
cp -rp DIR/EFI /boot/efi/
$SUMS
umount /boot/efi"
says cp 'echo full >&2; exit 1'
fails 'cp fails' "$WHY copying EFI files: error running cp -rp DIR/EFI /boot/efi/: full" "$FOUND
mount /dev/sda1 /boot/efi
$SUMS
cp -rp DIR/EFI /boot/efi/
umount /boot/efi"
says mount 'echo gone >&2; exit 1'
fails 'mount fails' "$WHY mounting /dev/sda1: error running mount /dev/sda1 /boot/efi: gone" "$FOUND
mount /dev/sda1 /boot/efi"
disks
fails 'no disk' 'bootupctl fallback EFI copy: no EFI System Partition found' "$FOUND"
says lsblk 'head -c 2000000 /dev/zero | tr "\0" "["'
fails 'hostile lsblk' 'bootupctl fallback EFI copy: parsing lsblk output: 2000000 bytes of JSON, more than the limit of 1048576' "$FOUND"
says 'podman cp' 'exit 125'
fails 'no such files' 'bootupctl fallback EFI copy: extracting EFI files from container: error running podman cp cid:/usr/lib/bootupd/updates/EFI DIR: exit status 125' "${FOUND%%
*}"

# a real mount that cannot be unmounted: the daemon sees it, and it ends with the daemon
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	old_node
	mkdir -p "$ROOT/boot/efi"
	disks "$(disk sda)"
	says findmnt 'echo /dev/sda3'
	says mount '/bin/mount -t tmpfs none $MCO_ROOT/boot/efi && mkdir -p $MCO_ROOT/boot/efi/EFI/.btmp.BOOT'
	says umount 'echo busy >&2; exit 32'
	apply r1 0
	same 'a mount that stays: seen' 1 "$(grep -c 'removing leftover /boot/efi/EFI/.btmp.BOOT' "$CALLS")"
	same 'a mount that stays: not on the host' 0 "$(grep -c " $ROOT/boot/efi " /proc/mounts)"
	umount "$ROOT/boot/efi" 2>/dev/null
fi

# the service of OS 9.6; a pull without credentials that fails
new_node
says mokutil 'exit 1'
says 'podman images' 'echo broken >&2; exit 1'
says 'systemctl start bootloader-update.service' 'echo failed >&2; exit 1'
says 'systemd-run --unit machine-config-daemon-bootupd' 'echo denied >&2; exit 1'
IMAGE=$NEW mc r1 ''
apply r1 0
PULL="systemd-run --unit machine-config-daemon-bootupd $RUN pull $NEW"
IMAGES="podman images --format=json --filter reference=$NEW"
same 'fallbacks' "mokutil --sb-state
LOG \"isSecureBootEnabled: mokutil failed, assuming Secure Boot may be enabled: error running mokutil --sb-state: exit status 1\\n\"
LOG \"runBootloaderUpdate: RHEL 9.6+ detected, attempting node-level bootloader update via bootloader-update.service\"
systemctl start bootloader-update.service
LOG \"runBootloaderUpdate: bootloader-update.service failed with error: error running systemctl start bootloader-update.service: failed\\n: exit status 1, falling back to container-based update\"
LOG \"runBootupdViaContainer: attempting bootloader update\"
$IMAGES
LOG \"runBootupdViaContainer: could not check local podman storage, will attempt pull: error running $IMAGES: exit status 1\\nbroken\\n\"
podman version -f {{.APIVersion}}
$PULL
$REBASE" "$(loader < "$CALLS")"
same 'fallbacks: warning' "pulling image for bootupctl: error running $PULL: denied" "$(warning)"
says 'systemctl start bootloader-update.service' 'exit 0'
rm -rf "$ROOT/etc/machine-config-daemon"; : > "$CALLS"
apply r1 0
same 'by the service' "mokutil --sb-state
systemctl start bootloader-update.service
LOG \"runBootloaderUpdate: node-level bootloader-update.service succeeded\"
$REBASE" "$(loader < "$CALLS" | grep -v -e 9.6+ -e isSecure)"

# ---- from the node's own storage -------------------------------------------------
. test/applets/daemon.sh
SNO=1
DROPIN=run/systemd/system/rpm-ostreed.service.d/temporal-policy-binding.conf
POLICY=run/tmp-rpm-ostree-policy.json
RELOAD='systemctl daemon-reload
systemctl try-restart rpm-ostreed'
LOCAL="rpm-ostree rebase --experimental ostree-unverified-image:containers-storage:$NEW"
merge $MC/machineconfigpools/worker '{"spec":{"pinnedImageSets":[{"name":"p"}]}}' > /dev/null
pinned() {	# the node has the image, and a policy
	new_node
	says 'podman images' "echo '[{\"Id\":\"i1\",\"RepoDigests\":[\"q/x\",\"$NEW\"]}]'"
	says 'podman system info' "echo '{\"store\":{\"graphDriverName\":\"overlay\",\"graphRoot\":\"/var/lib/containers/storage\"}}'"
	mkdir -p "$ROOT/etc/containers"
	echo '{"default":[{"type":"reject"}],"transports":{"docker":{"q":[{"type":"insecureAcceptAnything"}]}}}' > "$ROOT/etc/containers/policy.json"
	on_disk
	running
}
os() { calls | sed -n "/^rpm-ostree --version/,/${1:-zzz}/p"; }

# the policy that rpm-ostreed sees meanwhile, and that it is removed
pinned
says 'rpm-ostree rebase' "cd \$MCO_ROOT; cat $DROPIN; echo; cat $POLICY; stat -c %a $DROPIN $POLICY; } > $TMP/seen; { :"
sed -i '1s/^/{ /; $s/$/; }/' "$SAY/rpm-ostree_rebase"
IMAGE=$NEW to ''
rebooted local
same 'local' "rpm-ostree --version
podman images --format=json --filter reference=$NEW
podman system info --format=json
$RELOAD
$LOCAL
$RELOAD
$(reboot r2)" "$(os)"
same 'local: seen' "[Service]
BindReadOnlyPaths=/run/tmp-rpm-ostree-policy.json:/etc/containers/policy.json
{
  \"default\": [
    {
      \"type\": \"reject\"
    }
  ],
  \"transports\": {
    \"containers-storage\": {
      \"[overlay@/var/lib/containers/storage]$NEW@i1\": [
        {
          \"type\": \"insecureAcceptAnything\"
        }
      ]
    },
    \"docker\": {
      \"q\": [
        {
          \"type\": \"insecureAcceptAnything\"
        }
      ]
    }
  }
}644
644" "$(cat "$TMP/seen")"
gone() { same "$1: nothing stays" 'no no' "$(for f in $DROPIN $POLICY; do [ -e "$ROOT/$f" ] && echo yes || echo no; done | xargs)"; }
gone local
stop

# a failure: the policy is removed all the same, without a retry
MCO_RETRY_MS=100000 pinned
says 'rpm-ostree rebase' 'echo nope >&2; exit 1'
IMAGE=$NEW to ''
degraded 'local fails' "failed to update OS from local storage: $NEW: error running $LOCAL: nope\\n: exit status 1"
same 'local fails' "$RELOAD
$LOCAL
$RELOAD
rpm-ostree cleanup -p" "$(os | sed '1,3d')"
gone 'local fails'
stop

# killed in between: the undo starts with the drop-in
pinned
says 'rpm-ostree rebase' 'kill -KILL $PPID'
stop
MCO_RETRY_MS=100000 running
IMAGE=$NEW to ''
degraded 'killed' 'the job was interrupted: signal: killed'
same 'killed: still there' 2 "$(ls "$ROOT/$DROPIN" "$ROOT/$POLICY" | wc -l)"
stop
: > "$CALLS"
"$MCO" recover --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
same 'killed: recover' '0 the update from r1 to r2 was interrupted: undone' "$? $(cat "$TMP/.out")"
same 'killed: commands' "$RELOAD
rpm-ostree status --json" "$(calls | head -n 3)"
gone killed

# killed before there is a journal: the next start removes it
mkdir -p "$ROOT/${DROPIN%/*}"; : > "$ROOT/$DROPIN"; : > "$ROOT/$POLICY"
: > "$CALLS"
says 'rpm-ostree rebase' 'exit 0'
node "${R1[@]}" controlPlaneTopology SingleReplica
# with all flags of upstream's manifests and of users, and a port that is in use
start -v=4 --vmodule=x=1 --log-flush-frequency=5s --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 \
	--kubelet-healthz-endpoint=http://localhost:1/healthz --metrics-url "127.0.0.1:${URL##*:}"
until_ 'start after a kill' 'events | grep -q "against r1"'
same 'start after a kill' "$RELOAD" "$(calls | head -n 2)"
gone 'start after a kill'
same 'no port for metrics' 1 "$(grep -c '^E.*metrics listener exited with error: .*in use' "$TMP/log")"
to "$(files "$(file /etc/v 1)")"
rebooted 'start -v=4'
same 'start -v=4' 1 "$(grep -c '\] write file /etc/v: added' "$TMP/log")"
stop
same 'payload-version everywhere' "$("$MCO" version)" "$("$MCO" --payload-version=4.22.0 version; "$MCO" firstboot-complete-machineconfig --payload-version=1 --help > /dev/null || echo no)"

# no image of that name; no policy to change
pinned
says 'podman images' 'echo "[{\"Id\":\"i1\",\"RepoDigests\":[\"q/x\"]}]"'
IMAGE=$NEW to ''
rebooted 'another name'
same 'another name' "rpm-ostree --version
podman images --format=json --filter reference=$NEW
rpm-ostree rebase --experimental ostree-unverified-registry:$NEW" "$(os rebase)"
stop
pinned
rm "$ROOT/etc/containers/policy.json"
IMAGE=$NEW to ''
rebooted 'no policy'
same 'no policy' "podman images --format=json --filter reference=$NEW
podman system info --format=json
$LOCAL" "$(os rebase | sed 1d)"
stop
MCO_RETRY_MS=100000 pinned
says 'podman images' 'echo "{"'
IMAGE=$NEW to ''
degraded 'podman babbles' 'failed to decode podman image ls output: line 1, column 2: unexpected end of JSON input'
stop

finish
