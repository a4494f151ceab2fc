#!/bin/bash
# mco-daemon start on a host with bootc and without rpm-ostree.
. test/applets/node.sh
. test/applets/daemon.sh
NEW=quay.io/os@sha256:new
rm "$MCO_HOST_PATH/rpm-ostree"
ln -s "$TMP/stand-in" "$MCO_HOST_PATH/bootc"
runs() {	# IMAGE: the booted one; another one is staged if $TMP/staged exists
	rm -f "$TMP/staged"
	says 'bootc status' "[ -e '$TMP/staged' ] && s={} || s=null
		echo '{\"status\":{\"booted\":{\"image\":{\"image\":{\"image\":\"$1\"},\"version\":\"1\"}},\"staged\":'\$s'}}'"
	says 'bootc switch' "touch '$TMP/staged'"
}
os_calls() { calls | grep -E '^(bootc|rpm-ostree|systemd-run)'; }
bootc_node() {	# SPEC-MEMBERS
	new_node
	runs $OLD
	on_disk "$(files "$(file /etc/foo 1)")" "${1:-}"
	SNO=1 running
}

# switches to another image, with the cluster's credentials
bootc_node
IMAGE=$NEW to "$(files "$(file /etc/foo 2)")"
rebooted 'switch'
same 'switch' "bootc status --json
bootc switch $NEW
$(reboot r2)" "$(os_calls | sed '1,/^bootc status/{/^bootc status/!d}' | uniq)"
same 'credentials' /etc/mco/internal-registry-pull-secret.json "$(readlink "$ROOT/etc/ostree/auth.json")"
stop
runs $NEW
start
until_note 'the new one' currentConfig r2
until_note 'the new one' state Done
stop

# an image that cannot be pulled: no leftovers
bootc_node
says 'bootc switch' 'echo no such image >&2; exit 1'
IMAGE=$NEW to "$(files "$(file /etc/foo 2)")"
until_note 'not pulled' state Degraded
soon 'not pulled' 1 'cat "$ROOT/etc/foo"' # it retries forever
until_ 'why' '[[ "$(note reason)" == *"bootc switch '"$NEW"'"*"no such image"* ]]'
stop

# a reboot that fails: the image is unstaged
bootc_node
says systemd-run 'exit 1'
IMAGE=$NEW to "$(files "$(file /etc/foo 2)")"
until_note 'no reboot' state Degraded
same 'no reboot' "bootc switch $NEW
bootc switch $OLD" "$(os_calls | grep switch | head -n 2)"
stop

# changes that only rpm-ostree can make are refused first: no drain, no write
for spec in '"kernelArguments":["a"]' '"kernelType":"realtime"' '"extensions":["usbguard"]'; do
	new_node
	runs $OLD
	on_disk "$(files "$(file /etc/foo 1)")"
	running
	before=$(tree; stat -c '%i %z' "$ROOT/etc/foo")
	to "$(files "$(file /etc/foo 2)")" "$spec"
	degraded "$spec" 'kernel arguments, kernel types and extensions are part of the image of a host without rpm-ostree: they must be built into it'
	until_ "$spec: reported" 'events | grep -q "^RemoveSigterm"'
	stop
	same "$spec: no drain" "uncordon-r1 " "$(note desiredDrain) $(events Cordon; events Drain)"
	same "$spec: nothing written" "$before" "$(tree; stat -c '%i %z' "$ROOT/etc/foo")"
	same "$spec: nothing staged" '' "$(calls | grep -E '^(rpm|bootc switch)')"
done
# also without a cluster
new_node
runs $OLD
mc r0 "$(files "$(file /etc/foo 1)")"
apply r0 0
before=$(tree; stat -c '%i %z' "$ROOT/etc/foo")
mc r1 "$(files "$(file /etc/foo 2)")" '"kernelArguments":["a"]'
apply r1 1 'kernel arguments, kernel types and extensions are part of the image of a host without rpm-ostree: they must be built into it'
same 'apply: nothing written' "$before" "$(tree; stat -c '%i %z' "$ROOT/etc/foo")"

finish
