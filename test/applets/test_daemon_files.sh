#!/bin/bash
# mco-daemon apply: failures of paths, owners, units and OS changes, with upstream's texts (E20 to
# E39).
. test/applets/node.sh
fresh() { new_node; mc r1 "$(files "$(file /etc/foo 1)")"; apply r1 0; : > "$CALLS"; }
with() {	# FILE-JSON...
	mc r2 "$(files "$(file /etc/foo 1)" "$@")"
}
unit() { mc r2 "$(files "$(file /etc/foo 1)"),$(units "$@")"; }

# E20: a file in place of a directory
fresh
: > "$ROOT/etc/pf"
with "$(file /etc/pf/x/y x)"
apply r2 1 'stat /etc/pf/x/y: not a directory'
mkdir -p "$ROOT/etc/systemd/system"
: > "$ROOT/etc/systemd/system/s.service.d"
unit '{"name":"s.service","dropins":[{"name":"a.conf","contents":"x"}]}'
apply r2 1 'daemon could not write systemd unit: failed to write systemd unit dropin "a.conf": failed to create directory "/etc/systemd/system/s.service.d": mkdir /etc/systemd/system/s.service.d: not a directory'
mkdir "$ROOT/etc/systemd/system/d.service"
unit '{"name":"d.service","contents":"x"}'
apply r2 1 'daemon could not write systemd unit: failed to write systemd unit "d.service": rename /etc/systemd/system/d.service: is a directory'
# E21: users of the OS itself are in /usr/lib
fresh
printf 'chrony:x:992:991::/:/sbin/nologin\n' > "$ROOT/usr/lib/passwd"
printf 'chrony:x:991:\nwheel:x:10:\n' > "$ROOT/usr/lib/group"
with '{"path":"/etc/c","mode":416,"user":{"name":"chrony"},"group":{"name":"wheel"},"contents":{"source":"data:,c"}}'
apply r2 0
same 'E21' '640 992:10' "$(stat -c '%a %u:%g' "$ROOT/etc/c")"
fresh
with '{"path":"/etc/c","user":{"name":"chrony"}}'
apply r2 1 'failed to retrieve file ownership for file "/etc/c": failed to retrieve UserID for username: chrony'

# E22: a mask does not make a unit to disable; an existing one is disabled
fresh
unit '{"name":"z.service","mask":true,"enabled":false}' '{"name":"crio.service","mask":true,"enabled":false}'
apply r2 0
same 'E22' 'systemctl disable crio.service' "$(calls | grep ^systemctl)"
same 'E22 masked' '/dev/null /dev/null' "$(readlink "$ROOT/etc/systemd/system/z.service") $(readlink "$ROOT/etc/systemd/system/crio.service")"
# E35: a unit file among the config's files exists
fresh
mc r2 "$(files "$(file /etc/systemd/system/f.service x)"),$(units '{"name":"f.service","enabled":true}')"
apply r2 0
same 'E35' 'systemctl enable f.service' "$(calls | grep ^systemctl)"
# E23: an instance has no file of its own
fresh
: > "$ROOT/usr/lib/systemd/system/foo@.service"
unit '{"name":"foo@1.service","enabled":true}' '{"name":"foo@.service","enabled":true}'
apply r2 0
same 'E23' 'systemctl enable foo@.service' "$(calls | grep ^systemctl)"
# E24: a dropin in a nested directory is identified by its last two names
fresh
mc r1 "$(files "$(file /etc/systemd/system/x/k.service.d/10.conf 1)")"
apply r1 0
mc r2 "$(units '{"name":"k.service","dropins":[{"name":"10.conf","contents":"2"}]}')"
apply r2 0
same 'E24' '1 2' "$(cat "$ROOT/etc/systemd/system/x/k.service.d/10.conf") $(cat "$ROOT/etc/systemd/system/k.service.d/10.conf")"

# E34: a unit that was a file, a file that was a unit: what was written stays
units_there() { (cd "$ROOT/etc/systemd/system" && find . -type f -printf '%P ' -exec cat {} \;); }
fresh
mc r1 "$(files "$(file /etc/systemd/system/k.service 1)")"
apply r1 0
: > "$CALLS"
mc r2 "$(units '{"name":"k.service","contents":"2","enabled":true}')"
apply r2 0
same 'E34 unit' 'k.service 2' "$(units_there)"
same 'E34 enabled' 'systemctl is-enabled k.service
systemctl enable k.service' "$(calls | grep ^systemctl)"
mc r3 "$(files "$(file /etc/systemd/system/k.service 3)")"
apply r3 0
same 'E34 file' 'k.service 3' "$(units_there)"
mc r4 "$(units '{"name":"k.service","dropins":[{"name":"a.conf","contents":"4"}]}')"
apply r4 0
mc r5 "$(files "$(file /etc/systemd/system/k.service.d/a.conf 5)")"
apply r5 0
same 'E34 dropin' 'k.service.d/a.conf 5' "$(units_there)"

# E25: a staged deployment that cannot be removed: no second attempt
fresh
says 'rpm-ostree cleanup' 'echo busy >&2; exit 5'
mc r2 "$(files "$(file /etc/foo 2)")" '"kernelArguments":["a"]'
apply r2 1 'failed to remove pending deployment: error running rpm-ostree cleanup -p: busy
: exit status 5'
same 'E25' 'rpm-ostree cleanup -p' "$(calls | grep cleanup)"
same 'E25 disk' 1 "$(cat "$ROOT/etc/foo")"
# E26: extensions are not available
layered() { mc r2 "$(files "$(file /etc/foo 1)")" '"extensions":["usbguard"],"baseOSExtensionsContainerImage":"quay.io/ext@sha256:e"'; }
fresh
says 'podman images' 'echo []'
says 'podman create' 'echo cid'
says 'nice -- ionice -c 3 podman pull' 'echo out; exit 5'
layered
apply r2 1 'error pulling extensions image quay.io/ext@sha256:e: failed to run command nice (6 tries): [timed out waiting for the condition, running nice -- ionice -c 3 podman pull -q quay.io/ext@sha256:e failed: out
: exit status 5]'
same 'E26 six' 6 "$(calls | grep -c 'podman pull')"
same 'E26 nothing is left' '' "$(ls "$ROOT/run/mco-extensions")"
same 'E26 not staged' '' "$(calls | grep cleanup)"
says 'nice -- ionice -c 3 podman pull' ''
says chcon 'echo no >&2; exit 1'
apply r2 1
same 'E27' 'Error: changing selinux context on path /run/mco-extensions/os-extensions-content-X: error running chcon -R -t var_run_t /run/mco-extensions/os-extensions-content-X: no
: exit status 1' "$(sed -n '/^Error: /,$p' "$TMP/.err" | sed 's/content-[0-9a-f]*/content-X/g')"
says chcon ''
: > "$CALLS"
booted "$OLD" '"requested-packages":[]' '{"staged":true,"requested-packages":["usbguard"]}'
apply r2 0
same 'E28' 'rpm-ostree update --install usbguard' "$(calls | grep 'rpm-ostree update')"

# E31: the last extension is removed: nothing else has to be staged
mc r3 "$(files "$(file /etc/foo 1)")"
: > "$CALLS"
booted "$OLD" '"requested-packages":["usbguard","hotfix"]'
apply r3 0
same 'E31' 'rpm-ostree status --json
rpm-ostree update --uninstall usbguard' "$(calls | sed -n '/cleanup -p/,$p' | grep -E 'status|update')"

# E32: a password that could not be set is not restored
core() { printf '"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["%s"]%s}]}' "$1" "${2:-}"; }
new_node
mc r1 "$(core k1)"
apply r1 0
: > "$CALLS"
says chpasswd 'sed "s/^/given /" >> "$CALLS"; echo locked; exit 1'
mc r2 "$(core k2 ',"passwordHash":"$6$z"')"
apply r2 1 'Failed to reset password for core: locked
:exit status 1'
same 'E32' 'chpasswd -e
given core:$6$z' "$(calls | grep -e usermod -e chpasswd -e given)"
same 'E32 keys' k1 "$(cat "$ROOT/home/core/.ssh/authorized_keys.d/ignition")"
# E33: a password that was set is restored, even if that fails
says chpasswd 'case $(cat) in core:?6?old) echo locked; exit 1;; esac'
says 'rpm-ostree cleanup' 'echo busy >&2; exit 5'
mc r2 "$(core k2 ',"passwordHash":"$6$z"')" '"kernelArguments":["a"]'
apply r2 1 'error rolling back password hash updates: [Failed to reset password for core: locked
:exit status 1, failed to remove pending deployment: error running rpm-ostree cleanup -p: busy
: exit status 5]'

# E29: the tuning file: additions, then deletions; how each fails
fresh
mkdir -p "$ROOT/etc/pivot"
printf 'DELETE nosmt\nADD quiet\nnonsense\nADD nosmt\n' > "$ROOT/etc/pivot/kernel-args"
with
apply r2 0
same 'E29' 'rpm-ostree kargs --append=nosmt' "$(calls | grep -e =nosmt -e quiet)"
fresh
mkdir -p "$ROOT/etc/pivot"
printf 'ID=fedora\nVARIANT_ID=coreos\nVERSION_ID=40\n' > "$ROOT/etc/os-release"
echo 'root=UUID=x rw old' > "$ROOT/proc/cmdline"
printf 'DELETE old\nADD new\n' > "$ROOT/etc/pivot/kernel-args"
with
apply r2 0
same 'E30' 'rpm-ostree kargs --append=new
rpm-ostree kargs --delete=old' "$(calls | grep 'kargs --')"
says 'rpm-ostree kargs --append=new' 'echo no; exit 1'
with "$(file /etc/b b)"
apply r2 1 'failed adding karg: exit status 1'
same 'E30 undone' '' "$(ls "$ROOT/etc" | grep '^b$')"
finish
