# mco-daemon on a node: the scenarios that need no cluster, with stand-ins for the node's
# programs.
. test/applets/node.sh

START='rpm-ostree status --json'
REBOOT='systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Node will reboot into config %s -p Requires=ostree-finalize-staged.service -p After=ostree-finalize-staged.service /bin/sh -c systemctl reboot'
# shellcheck disable=SC2059 # the format is above
reboot() { printf "$REBOOT" "$1"; }

applied() {	# a node with this config applied, and an empty log of calls
	mc r1 "$1" "${2:-}"
	apply r1 0
	: > "$CALLS"
}

# D21: a changed file
new_node
applied "$(files "$(file /etc/foo 1)")"
mc r2 "$(files "$(file /etc/foo 2)")"
apply r2 0
same 'D21 commands' "$START
rpm-ostree kargs
rpm -qf /etc/foo
$(reboot r2)" "$(calls)"
same 'D21 contents' 2 "$(cat "$ROOT/etc/foo")"
same 'D21 kubeconfig' 600 "$(stat -c %a "$ROOT/etc/kubernetes/kubeconfig")"
same 'D21 stamp' 0 "$(stat -c %s "$ROOT/etc/machine-config-daemon/noorig/etc/foo.mcdnoorig")"
same 'D21 currentconfig' '{"kind":"MachineConfig","apiVersion":"machineconfiguration.openshift.io/v1","metadata":{"name":"r2",'"$RENDERED"'},"spec":{"osImageURL":"'$OLD'","baseOSExtensionsContainerImage":"","config":{"ignition":{"version":"3.5.0"},"storage":{"files":[{"path":"/etc/foo","contents":{"source":"data:,2"}}]}},"kernelArguments":null,"extensions":null,"fips":false,"kernelType":""}}' \
	"$(cat "$ROOT/etc/machine-config-daemon/currentconfig")"
same 'D21 journal log' 'LOG "Starting update from r1 to r2: &{osUpdate:false kargs:false fips:false passwd:false files:true units:false kernelType:false extensions:false oclEnabled:false revertFromOCL:false}"
LOG "Rebooting node"
LOG "initiating reboot: Node will reboot into config r2"
LOG "reboot successful"' "$(grep ^LOG "$CALLS")"

# a kubeconfig that is a symlink: its target in the node's root is protected
for to in ../real/kubeconfig /etc/real/kubeconfig; do
	new_node
	mkdir "$ROOT/etc/real"
	mv "$ROOT/etc/kubernetes/kubeconfig" "$ROOT/etc/real/kubeconfig"
	ln -s "$to" "$ROOT/etc/kubernetes/kubeconfig"
	before=$(tree)
	mc r1 "$(files "$(file /etc/foo 1)")"
	apply r1 0
	same "kubeconfig, $to" "600 $to" "$(stat -c %a "$ROOT/etc/real/kubeconfig") $(readlink "$ROOT/etc/kubernetes/kubeconfig")"
	"$MCO" rollback --root-mount "$ROOT" > /dev/null 2>&1
	same "kubeconfig, $to: put back" "$before" "$(tree)"
	says systemd-run 'exit 1'
	apply r1 1 'reboot command failed, something is seriously wrong'
	same "kubeconfig, $to: undone" "$before" "$(tree)"
done
new_node
mv "$ROOT/etc/kubernetes/kubeconfig" "$TMP/outside"
ln -s "$TMP/outside" "$ROOT/etc/kubernetes/kubeconfig"
before=$(tree)
apply r1 1 'Cannot stat /etc/kubernetes/kubeconfig: stat /etc/kubernetes/kubeconfig: no such file or directory'
same 'kubeconfig outside' "644 $before" "$(stat -c %a "$TMP/outside") $(tree)"

# D22, D46, D47: changes without a reboot
new_node
applied "$(files "$(file /etc/foo 1)")"
mc r2 "$(files "$(file /etc/foo 1)" "$(file /var/lib/kubelet/config.json x)")"
apply r2 0
same 'D22 no reboot' '' "$(calls | grep -E 'systemd-run|systemctl')"
mc r3 "$(files "$(file /etc/foo 1)" "$(file /var/lib/kubelet/config.json x)" \
	"$(file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt c)" \
	"$(file /etc/machine-config-daemon/no-reboot/containers-gpg.pub g)")"
: > "$CALLS"
apply r3 0
same 'D46 restart wins over reload' 'update-ca-trust 
systemctl restart crio' "$(calls | grep -E 'update-ca|systemd-run|systemctl (reload|restart)')"
mc r4 "$(files "$(file /etc/foo 1)" "$(file /etc/kubernetes/kubelet-ca.crt k)" "$(file /var/lib/kubelet/config.json x)" \
	"$(file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt c)" \
	"$(file /etc/machine-config-daemon/no-reboot/containers-gpg.pub g)")"
: > "$CALLS"
apply r4 0
same 'D47 kubelet CA alone' '' "$(calls | grep -E 'update-ca|systemd-run|systemctl (reload|restart)')"

# D29: a failed reload undoes everything
new_node
applied "$(files "$(file /etc/containers/policy.json 1)")"
before=$(tree)
says 'systemctl reload crio' 'echo boom >&2; exit 1'
mc r2 "$(files "$(file /etc/containers/policy.json 2)")"
apply r2 1 'could not apply update: reloading crio configuration failed. Error: error running systemctl reload crio: boom
: exit status 1'
same 'D29 all as before' "$before" "$(tree)"

# D54: removed, restored and kept files
new_node
says 'rpm -qf /etc/owned' 'echo pkg'
says 'rpm -qf /etc/legacy' 'echo pkg'
echo shipped | tee "$ROOT/etc/owned" > "$ROOT/etc/legacy"
mkdir -p "$ROOT/usr/etc"; echo vendor > "$ROOT/usr/etc/usretc"; echo vendor > "$ROOT/etc/usretc"
applied "$(files "$(file /etc/new n)" "$(file /etc/owned o)" "$(file /etc/legacy l)" "$(file /etc/usretc u)" \
	"$(file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt c)" \
	"$(file /etc/docker/certs.d/reg/ca.crt c)" "$(file /etc/kubernetes/kubelet-ca.crt c)" \
	"$(file /etc/systemd/system/k.service.d/10.conf d)")"
says 'rpm -qf /etc/legacy' 'echo "file $2 is not owned by any package"; exit 1'
mc r2 "$(units '{"name":"k.service","dropins":[{"name":"10.conf","contents":"x"}]}')"
apply r2 0
same 'D54 commands' "$START
rpm-ostree kargs
systemctl preset k.service
rpm -qf /etc/owned
rpm -qf /etc/legacy
rpm -qf /etc/usretc
$(reboot r2)" "$(calls)"
same 'D54 tree' 'docker/certs.d/reg/ca.crt
kubernetes/kubelet-ca.crt
owned: shipped
pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt
systemd/system/k.service.d/10.conf: x
usretc: vendor' "$(cd "$ROOT/etc" && for f in docker/certs.d/reg/ca.crt kubernetes/kubelet-ca.crt legacy new owned \
	pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt systemd/system/k.service.d/10.conf usretc; do
	[ -e "$f" ] || continue
	case $f in owned | usretc | *10.conf) echo "$f: $(cat "$f")" ;; *) echo "$f" ;; esac; done)"
same 'D54 stamps' './docker/certs.d/reg/ca.crt.mcdnoorig
./kubernetes/kubelet-ca.crt.mcdnoorig
./pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt.mcdnoorig' \
	"$(cd "$ROOT/etc/machine-config-daemon/noorig/etc" && find . -type f | sort)"
same 'D54 orig' '' "$(find "$ROOT/etc/machine-config-daemon/orig" -type f)"

# D55: dropins
new_node
applied "$(units '{"name":"k.service","dropins":[{"name":"10.conf","contents":"a"},{"name":"20.conf","contents":"b"}]}')"
mc r2 "$(units '{"name":"k.service","dropins":[{"name":"10.conf","contents":""},{"name":"30.conf","contents":""}]}')"
apply r2 0
same 'D55 commands' "$START
rpm-ostree kargs
systemctl preset k.service
$(reboot r2)" "$(calls)"
same 'D55 dropins' '' "$(find "$ROOT/etc/systemd/system" -name '*.conf')"

# D56: units
new_node
applied "$(units '{"name":"x.service","enabled":true,"contents":"u","dropins":[{"name":"d.conf","contents":"d"}]}')"
says 'systemctl is-enabled x.service' 'echo enabled'
mc r2 "$(units '{"name":"y.service","contents":"y","enabled":false}' '{"name":"z.service","mask":true}' \
	'{"name":"crio.service","enabled":true,"dropins":[{"name":"c.conf","contents":"c"}]}' '{"name":"q.service","enabled":true}')"
apply r2 0
same 'D56 commands' "$START
rpm-ostree kargs
systemctl is-enabled x.service
systemctl is-enabled y.service
systemctl preset z.service
systemctl enable crio.service
systemctl disable y.service
systemctl preset x.service
$(reboot r2)" "$(calls)"
same 'D56 tree' 'd crio.service.d
f crio.service.d/c.conf
d x.service.d
f y.service
l z.service -> /dev/null' "$(cd "$ROOT/etc/systemd/system" && find . -mindepth 1 -printf '%y %P%l\n' | sed 's,z.service/dev,z.service -> /dev,' | sort -k2)"

# D57, fixed: a failed enable undoes everything
new_node
applied "$(files "$(file /etc/bar 1)")"
before=$(tree)
says 'systemctl enable y.service' 'echo boom; exit 1'
mc r2 "$(files "$(file /etc/bar 2)"),$(units '{"name":"y.service","contents":"y","enabled":true}')"
apply r2 1 'error enabling units: boom'
same 'D57 all as before' "$before" "$(tree)"

# D58: owners and new directories
new_node
applied ''
mc r2 "$(files "$(file /etc/a/b/c x '"mode":384,"user":{"name":"core"},"group":{"name":"core"}')" \
	'{"path":"/etc/empty","user":{"id":5}}')"
apply r2 0
if [ "$(id -u)" = 0 ]; then
	same 'D58' '755 0:0 etc/a
755 0:0 etc/a/b
600 1000:1000 etc/a/b/c
644 5:0 etc/empty' "$(cd "$ROOT" && stat -c '%a %u:%g %n' etc/a etc/a/b etc/a/b/c etc/empty)"
fi
same 'D58 rpm not asked' '' "$(calls | grep '^rpm ')"
mc bad "$(files "$(file /etc/x x '"user":{"name":"nobody-here"}')")"
apply bad 1 'failed to retrieve file ownership for file "/etc/x": failed to retrieve UserID for username: nobody-here'

# D59: a symlink is replaced, not followed
new_node
applied ''
echo real > "$ROOT/etc/real"; ln -s real "$ROOT/etc/link"
mc r2 "$(files "$(file /etc/link x)")"
apply r2 0
same 'D59' 'x real regular file' "$(cat "$ROOT/etc/link") $(cat "$ROOT/etc/real") $(stat -c %F "$ROOT/etc/link")"

# D62, D63: all or nothing is written
new_node
applied "$(files "$(file /etc/foo 1)")"
before=$(tree)
mc bad "$(files "$(file /etc/foo 2)" '{"path":"/etc/z","contents":{"source":"https://x/y"}}')"
apply bad 1 'could not decode file "/etc/z": could not decode file content string: missing data prefix'
mc bad "$(files "$(file /etc/foo 2)" '{"path":"/etc/z","append":[{"source":"data:,x"}]}')"
apply bad 1 "can't reconcile config r1 with bad: configs r1, bad are not reconcilable: new machineconfig \"r1\" is not reconcilable against \"bad\": ignition file /etc/z includes append"
same 'D62, D63: all as before' "$before" "$(tree)"

# D64, D65, D66, D67: a mismatch on the disk stops an update
new_node
applied "$(files "$(file /etc/foo 1)")"
mc r2 "$(files "$(file /etc/foo 2)")"
chmod 0600 "$ROOT/etc/foo"
apply r2 1 'unexpected on-disk state validating against r1: mode mismatch for file: "/etc/foo"; expected: -rw-r--r--/420/0644; received: -rw-------/384/0600'
chmod 0644 "$ROOT/etc/foo"; echo drift > "$ROOT/etc/foo"
apply r2 1 'unexpected on-disk state validating against r1: content mismatch for file "/etc/foo"'
touch "$ROOT/run/machine-config-daemon-force"
apply r2 0
same 'D11 force file' 'no 2' "$([ -e "$ROOT/run/machine-config-daemon-force" ] && echo yes || echo no) $(cat "$ROOT/etc/foo")"
new_node
applied '' '"kernelArguments":["a=1","b"]'
mc r2 ''
apply r2 1 'unexpected on-disk state validating against r1: missing expected kernel arguments: [a=1 b]'
new_node
applied "$(units '{"name":"a.service","contents":"u","enabled":false}')"
says 'systemctl is-enabled a.service' 'echo enabled'
apply r1 1 'unexpected on-disk state validating against r1: unit "a.service" expected enabled=false, but systemd reports "enabled"'
new_node
applied "$(units '{"name":"a.service","contents":"u","enabled":true}')"
apply r1 0 # D66: upstream does not see it, and neither would a node that has run so for years be degraded for it

# D48: a new image needs a reboot, whatever files change
new_node
applied "$(files "$(file /etc/containers/registries.conf 'a%3D1')")"
IMAGE=quay.io/os@sha256:new mc r2 "$(files "$(file /etc/containers/registries.conf 'a%3D2')")"
apply r2 0
same 'D48' "$(reboot r2)" "$(calls | grep -E '^systemd-run|crio')"
# D60: compression
new_node
applied ''
mc r2 "$(files '{"path":"/etc/z","contents":{"compression":"gzip","source":"data:;base64,'"$(printf hello | gzip -n | base64 -w0)"'"}}')"
apply r2 0
same 'D60' hello "$(cat "$ROOT/etc/z")"
# D68 to D70: units on the disk
new_node
applied "$(units '{"name":"k.service","contents":"k","mask":true}')"
mc r2 ''
rm "$ROOT/etc/systemd/system/k.service"
apply r2 1 'unexpected on-disk state validating against r1: state validation: error while evaluation symlink for path "/etc/systemd/system/k.service": lstat /etc/systemd/system/k.service: no such file or directory'
echo k > "$ROOT/etc/systemd/system/k.service"
apply r2 1 'unexpected on-disk state validating against r1: state validation: invalid unit masked setting. path: "/etc/systemd/system/k.service"; expected: /dev/null; received: /etc/systemd/system/k.service'
new_node
applied "$(units '{"name":"k.service","mask":true}')"
rm "$ROOT/etc/systemd/system/k.service"
apply r2 0 # D69
new_node
applied "$(units '{"name":"k.service","dropins":[{"name":"e.conf","contents":""}]}')"
mkdir -p "$ROOT/etc/systemd/system/k.service.d"; : > "$ROOT/etc/systemd/system/k.service.d/e.conf"
mc r1 "$(units '{"name":"k.service","dropins":[{"name":"e.conf","contents":""}]}')"
apply r1 0 # D70: an empty file
echo x > "$ROOT/etc/systemd/system/k.service.d/e.conf"
apply r1 1 'unexpected on-disk state validating against r1: content mismatch for file "/etc/systemd/system/k.service.d/e.conf"'
# D72: Ignition of spec 2
v2() { printf '{"metadata":{"name":"%s",'"$RENDERED"'},"spec":{"osImageURL":"%s","config":{"ignition":{"version":"2.2.0"},"storage":{"files":[%s]},"systemd":{"units":[{"name":"a.service","contents":"u","enabled":false}]}}}}' "$1" "$OLD" "$2" > "$TMP/$1.json"; }
new_node
v2 r1 '{"path":"/etc/foo","filesystem":"root","mode":420,"contents":{"source":"data:,old"}},{"path":"/etc/foo","filesystem":"root","mode":420,"contents":{"source":"data:,1"}}'
apply r1 0
v2 r2 '{"path":"/etc/foo","filesystem":"root","mode":420,"contents":{"source":"data:,2"}}'
says 'systemctl is-enabled a.service' 'echo enabled' # ignored in spec 2
apply r2 0
same 'D72' 2 "$(cat "$ROOT/etc/foo")"
# D73: a file that becomes a dropin stays, one of another unit does not
new_node
applied "$(files "$(file /etc/systemd/system/kubelet.service.d/10-foo.conf 1)" "$(file /etc/systemd/system/other.service.d/10-foo.conf 1)" "$(file /etc/systemd/system/kubelet.service.d/20-foo.conf 1)")"
mc r2 "$(units '{"name":"kubelet.service","dropins":[{"name":"10-foo.conf","contents":"2"}]}')"
apply r2 0
same 'D73' 'kubelet.service.d/10-foo.conf' "$(cd "$ROOT/etc/systemd/system" && find . -type f -printf '%P\n')"

# D49 to D52: keys and passwords
new_node
core() { printf '"passwd":{"users":[{"name":"core"%s}]}' "$1"; }
applied "$(core ',"sshAuthorizedKeys":["k1"]')"
rm -rf "$ROOT/home/core/.ssh"
mc r2 "$(core ',"sshAuthorizedKeys":["k1","k2"]')"
apply r2 0
same 'D49 commands' "$START
rpm-ostree kargs
getent shadow core
runuser -u core -- mkdir -m 0700 -p /home/core/.ssh
runuser -u core -- mkdir -m 0700 -p /home/core/.ssh/authorized_keys.d
getent shadow core
usermod -p * core" "$(calls)"
same 'D49 keys' 'k1
k2
600' "$(cat "$ROOT/home/core/.ssh/authorized_keys.d/ignition"; stat -c %a "$ROOT/home/core/.ssh/authorized_keys.d/ignition")"
mc r3 "$(core ',"sshAuthorizedKeys":["k3"],"passwordHash":"$6$h"')"
: > "$ROOT/home/core/.ssh/authorized_keys"; : > "$ROOT/home/core/.ssh/authorized_keys.d/afterburn"
: > "$CALLS"
apply r3 0
same 'D51 other keys are gone' ignition "$(find "$ROOT/home/core/.ssh" -type f -printf '%f\n')"
same 'D51 chpasswd' 'chpasswd -e
given core:$6$h' "$(calls | grep -e usermod -e chpasswd -e given)"
same 'D51 no hash is an argument' '' "$(calls | grep -F '$6$' | grep -v ^given)"
same 'no hash in the log' '' "$(grep -F '$6$' "$TMP/.err")"
: > "$CALLS"
mc r4 ''
apply r4 0
same 'D50 usermod' 'usermod -p  core
usermod -p  core' "$(calls | grep usermod)"
same 'D50 no keys' 0 "$(stat -c %s "$ROOT/home/core/.ssh/authorized_keys.d/ignition")"
new_node
echo 'root:x:0:0::/root:/bin/sh' > "$ROOT/etc/passwd"
applied ''
mc r2 "$(core ',"sshAuthorizedKeys":["k1"]')"
apply r2 0
same 'D52 no core user' ' ' "$(calls | grep -E 'usermod|runuser') $(find "$ROOT/home" -type f)"

# symlinks of core are followed only to directories of core: root writes and removes there
if [ "$(id -u)" = 0 ]; then
	for link in .ssh .ssh/authorized_keys.d; do
		new_node
		chown 1000:1000 "$ROOT/home/core"
		applied "$(core ',"sshAuthorizedKeys":["k1"]')"
		mkdir -p "$ROOT/root/.ssh/authorized_keys.d"
		echo theirs | tee "$ROOT/root/.ssh/authorized_keys" > "$ROOT/root/.ssh/authorized_keys.d/other"
		rm -rf "${ROOT:?}/home/core/$link"
		ln -s "/root/$link" "$ROOT/home/core/$link"
		chown -hR 1000:1000 "$ROOT/home/core"
		before=$(tree)
		mc r2 "$(core ',"sshAuthorizedKeys":["k2"]')"
		: > "$CALLS"
		apply r2 1 "/home/core/$link is a symlink to /root/$link, which belongs to another user: SSH keys are not written there; remove the symlink"
		same "a link of core's: $link" "$before" "$(tree)"
		same "a link of core's, no command: $link" '' "$(calls | grep runuser)"
	done
	new_node
	applied "$(core ',"sshAuthorizedKeys":["k1"]')"
	mv "$ROOT/home/core/.ssh" "$ROOT/home/core/keys"
	ln -s keys "$ROOT/home/core/.ssh"
	chown -hR 1000:1000 "$ROOT/home/core"
	mc r2 "$(core ',"sshAuthorizedKeys":["k2"]')"
	apply r2 0
	same "a link of core's to its own" k2 "$(cat "$ROOT/home/core/keys/authorized_keys.d/ignition")"
	# and files through the symlink of any user
	new_node
	applied "$(files "$(file /etc/foo 1)")"
	mkdir -p "$ROOT/var/tmp"; ln -s /etc "$ROOT/var/tmp/x"; chown -h 1000 "$ROOT/var/tmp/x"
	mc r2 "$(files "$(file /etc/foo 1)" "$(file /var/tmp/x/shadow 1)" "$(file /var/tmp/x/new/shadow 1)")"
	before=$(tree)
	apply r2 1
	same "a file through a user's link" 1 "$(grep -c "^Error: .*/var/tmp/x/.*: a symlink in it leads to a directory of another user: not followed" "$TMP/.err")"
	same "a file through a user's link: nothing written" "$before" "$(tree)"
fi

# D76 to D78: kernel arguments
new_node
applied '' '"kernelArguments":["a=1","b"]'
says 'rpm-ostree kargs' 'echo root=UUID=x a=1 b'
mc r2 '' '"kernelArguments":["b c"]'
apply r2 0
same 'D76 commands' "$START
rpm-ostree kargs
rpm-ostree cleanup -p
rpm-ostree kargs --delete-if-present=a=1 --delete-if-present=b --append=b --append=c
$(reboot r2)" "$(calls)"

# D77, D78: an argument is one argument, however it is quoted
new_node
applied '' '"kernelArguments":["foo","bar=1 hello=world","baz"]'
says 'rpm-ostree kargs' 'echo root=UUID=x foo bar=1 hello=world baz'
mc r2 '' '"kernelArguments":["foo","bar=1","hello=world"]'
apply r2 0
same 'D77' 'rpm-ostree kargs --delete-if-present=foo --delete-if-present=bar=1 --delete-if-present=hello=world --delete-if-present=baz --append=foo --append=bar=1 --append=hello=world' "$(calls | grep -e --append)"

# D79, D80: kernel, image and extensions
new_node
booted "$OLD" '' '{"staged":true,"requested-packages":["usbguard"]}'
applied '' '"kernelType":"realtime","extensions":["usbguard"],"baseOSExtensionsContainerImage":"quay.io/ext"'
booted "$OLD" '"requested-base-removals":["kernel","kernel-core"],"requested-packages":["kernel-rt-core","usbguard","hotfix"]' \
	'{"staged":true,"requested-packages":["usbguard","sysstat"]}'
says 'podman images' 'echo "[]"'
says 'podman create' 'echo cid'
IMAGE=quay.io/os@sha256:new mc r2 '' '"kernelType":"realtime","extensions":["usbguard","sysstat"],"baseOSExtensionsContainerImage":"quay.io/ext"'
: > "$CALLS"
apply r2 0
same 'D79 commands' "$START
rpm-ostree kargs
podman images --format=json --filter reference=quay.io/ext
nice -- ionice -c 3 podman pull -q quay.io/ext
podman create --net=none --annotation=org.openshift.machineconfigoperator.pivot=true --name NAME quay.io/ext
nice -- ionice -c 3 podman cp cid:/ DIR
chcon -R -t var_run_t DIR
podman kill NAME
podman rm -f NAME
rpm-ostree cleanup -p
rpm-ostree status --json
rpm-ostree override reset kernel kernel-core --uninstall kernel-rt-core
${SB_STATE}rpm-ostree --version
rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/os@sha256:new
rpm-ostree override remove kernel kernel-core kernel-modules kernel-modules-core kernel-modules-extra --install kernel-rt-core --install kernel-rt-modules --install kernel-rt-modules-extra
rpm-ostree status --json
rpm-ostree update --install sysstat
rpm-ostree status --json
$(reboot r2)" "$(calls | sed 's/ostree-container-pivot-[-0-9a-f]*/NAME/; s,/run/mco-extensions/os-extensions-content-[0-9a-f]*,DIR,')"
same 'D79 nothing is left' '' "$(find "$ROOT/run/mco-extensions" "$ROOT/etc/yum.repos.d" -mindepth 1)"

# D82, D83, D84: failures of the OS
new_node
applied ''
before=$(tree)
mc r2 '' '"kernelType":"64k-pages"'
[ "$MACHINE" = aarch64 ] || apply r2 1 '64k-pages is only supported for aarch64 architecture'
mc r2 '' '"extensions":["sysstat"]'
apply r2 1 'no staged deployment found after applying extensions'
mc r2 '' '"extensions":["nosuch"]'
apply r2 1 'invalid extensions found: [nosuch]'
same 'D82, D83, D84: all as before' "$before" "$(tree)"

# D86: an image that cannot be pulled
new_node
applied "$(files "$(file /etc/foo 1)")"
before=$(tree)
says 'rpm-ostree rebase' 'echo nope >&2; exit 1'
IMAGE=quay.io/os@sha256:new mc r2 "$(files "$(file /etc/foo 2)")"
apply r2 1 'failed to update OS to quay.io/os@sha256:new after retries: error running rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/os@sha256:new: nope
: exit status 1: timed out waiting for the condition'
same 'D86 three tries' 3 "$(calls | grep -c rebase)"
same 'D86 all as before' "$before" "$(tree)"

# D87: a reboot that fails; what was staged is unstaged
new_node
applied "$(files "$(file /etc/foo 1)"),$(core ',"sshAuthorizedKeys":["k1"]')" '"kernelArguments":["a"]'
says 'rpm-ostree kargs' 'echo root=UUID=x a'
before=$(tree)
says 'systemd-run' 'exit 1'
mc r2 "$(files "$(file /etc/foo 2)"),$(core ',"sshAuthorizedKeys":["k2"]')" '"kernelArguments":["b"]'
: > "$CALLS"
apply r2 1 'reboot command failed, something is seriously wrong'
same 'D87 the way back' 'rpm-ostree cleanup -p
rpm-ostree kargs --delete-if-present=b --append=a
chpasswd -e
given core:$6$old' "$(calls | sed '1,/^systemd-run/d')"
same 'D87 all as before' "$before" "$(tree)"

# D92: not CoreOS: no rpm-ostree
new_node
printf 'ID=rhel\nVERSION_ID=8.9\n' > "$ROOT/etc/os-release"
applied "$(files "$(file /etc/foo 1)")" '"kernelArguments":["a"]'
mc r2 "$(files "$(file /etc/foo 2)")" '"kernelArguments":["b"]'
apply r2 0
same 'D92' 'rpm -qf /etc/foo
systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: Node will reboot into config r2 /bin/sh -c systemctl reboot' "$(calls)"

# D93: the new image is booted already
new_node
applied ''
booted quay.io/os@sha256:new
IMAGE=quay.io/os@sha256:new mc r2 ''
"$MCO" apply "$TMP/r2.json" --force --root-mount "$ROOT" > /dev/null 2>&1
same 'D93' "$START
rpm-ostree cleanup -p
$(reboot r2)" "$(calls)"

# Tuning file
new_node
mkdir -p "$ROOT/etc/pivot"; printf 'ADD nosmt\nADD other\nDELETE nosmt\n' > "$ROOT/etc/pivot/kernel-args"
mc r1 ''
apply r1 0
same '9.6' 'rpm-ostree kargs --append=nosmt' "$(calls | grep -e --append)"

# G: not reconcilable
new_node
applied "$(files "$(file /etc/foo 1)")"
G="can't reconcile config r1 with r2: configs r1, r2 are not reconcilable: new machineconfig \"r1\" is not reconcilable against \"r2\": "
g() { mc r2 "$1" "${3:-}"; apply r2 1 "$G$2"; }
g '"storage":{"disks":[{"device":"/dev/x"}]}' 'ignition disks section contains changes'
g '"storage":{"directories":[{"path":"/d"}]}' 'ignition directories section contains changes'
g "$(files "$(file /run/machine-config-daemon-force x)")" 'cannot create /run/machine-config-daemon-force via Ignition'
g '"passwd":{"users":[{"name":"bob"}]}' 'invalid passwd change(s): ignition passwd user section contains unsupported changes: non-core user'
g '"kernelArguments":{"shouldExist":["a"]}' 'ignition kargs section contains changes'
g '' 'detected change to FIPS flag; refusing to modify FIPS on a running cluster' '"fips":true'
mkdir -p "$ROOT/proc/sys/crypto"; echo 1 > "$ROOT/proc/sys/crypto/fips_enabled"
mc r2 "$(files "$(file /etc/foo 2)")"
apply r2 1 "can't reconcile config r1 with r2: detected change to FIPS flag; refusing to modify FIPS on a running cluster"

finish
