# Sourced by the tests of mco-daemon: a scratch directory is the node's root, and stand-ins on
# MCO_HOST_PATH are its programs. Each call is a line in $CALLS; `says` sets the output and exit
# status of a program.
[ -w /dev/shm ] && export TMPDIR=/dev/shm # thousands of fsyncs
. test/applets/lib.sh
MCO=$PWD/$BIN/mco-daemon
# Only machines that may have Secure Boot are asked for it.
case $MACHINE in
x86_64 | aarch64) SB_STATE=$'mokutil --sb-state\n' ;;
*) SB_STATE='' ;;
esac
export MCO_HOST_PATH=$TMP/host CALLS=$TMP/calls SAY=$TMP/say MCO_RETRY_MS=1
mkdir -p "$MCO_HOST_PATH"
cat > "$TMP/stand-in" <<'END'
#!/bin/bash
name=${0##*/}
PATH=/usr/bin:/bin
if [ "$name" = logger ]; then
	sed 's/^machine-config-daemon\[[0-9]*\]: /LOG /' >> "$CALLS"
	echo >> "$CALLS"
	exit 0
fi
echo "$name $*" >> "$CALLS"
# the longest match of "name arg arg" wins
key="$name $*"
while [ -n "$key" ]; do
	f=$SAY/${key//[^A-Za-z0-9._-]/_}
	if [ -e "$f" ]; then . "$f"; exit; fi
	case $key in *' '*) key=${key% *} ;; *) key= ;; esac
done
exit 0
END
chmod +x "$TMP/stand-in"
for c in rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm \
	mokutil skopeo logger chcon nice update-ca-trust nmstatectl setenforce \
	journalctl ostree mount umount lsblk findmnt sync cp sh; do
	ln -s "$TMP/stand-in" "$MCO_HOST_PATH/$c"
done

says() {	# "command args" shell-text
	mkdir -p "$SAY"
	echo "$2" > "$SAY/.new" # atomic: a stand-in may read it now
	mv "$SAY/.new" "$SAY/${1//[^A-Za-z0-9._-]/_}"
}

OLD=quay.io/os@sha256:old
booted() {	# image [more JSON members of the booted deployment] [staged JSON]
	says 'rpm-ostree status' "echo '{\"deployments\":[${3:+$3,}{\"booted\":true,\"version\":\"1\",\"checksum\":\"c\",\"container-image-reference\":\"ostree-unverified-registry:$1\"${2:+,$2}}]}'"
}

new_node() {	# a node as in the scenarios
	ROOT=$TMP/root
	rm -rf "$ROOT" "$SAY"
	mkdir -p "$ROOT"/{etc/kubernetes,run/systemd/system/rpm-ostreed.service.d,home/core,proc/sys/kernel/random,usr/lib/systemd/system,tmp}
	: > "$CALLS"
	: > "$ROOT/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$ROOT/etc/os-release"
	printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$ROOT/etc/passwd"
	printf 'root:x:0:\ncore:x:1000:\n' > "$ROOT/etc/group"
	echo 'kubeconfig' > "$ROOT/etc/kubernetes/kubeconfig"
	chmod 0644 "$ROOT/etc/kubernetes/kubeconfig"
	echo 'root=UUID=x rw' > "$ROOT/proc/cmdline"
	echo 'boot-1' > "$ROOT/proc/sys/kernel/random/boot_id"
	: > "$ROOT/usr/lib/systemd/system/crio.service"
	booted "$OLD"
	says 'rpm-ostree kargs' 'echo root=UUID=x rw'
	says 'rpm-ostree --version' 'printf "rpm-ostree:\n Version: \"2024.1\"\n Features:\n  - rust\n  - container\n"'
	says 'mokutil' 'echo SecureBoot disabled'
	says 'skopeo --version' 'echo skopeo version 1.22.2 commit: x'
	says 'podman images' 'echo "[]"'
	says 'rpm -qf' 'echo "file $2 is not owned by any package"; exit 1'
	says 'getent shadow' 'echo "core:\$6\$old:1::::::"'
	says 'systemctl is-enabled' 'echo disabled; exit 1'
	says 'chpasswd' 'sed "s/^/given /" >> "$CALLS"'
}

# mc NAME CONFIG-JSON-MEMBERS SPEC-JSON-MEMBERS: writes $TMP/NAME.json, a rendered config
RENDERED='"annotations":{"machineconfiguration.openshift.io/release-image-version":"4.22.0"}'
mc() {
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"%s",'"$RENDERED"'},"spec":{"osImageURL":"%s","config":{"ignition":{"version":"3.5.0"}%s}%s}}' \
		"$1" "${IMAGE:-$OLD}" "${2:+,$2}" "${3:+,$3}" > "$TMP/$1.json"
}
file() { printf '{"path":"%s","contents":{"source":"data:,%s"}%s}' "$1" "$2" "${3:+,$3}"; }
files() { local IFS=,; printf '"storage":{"files":[%s]}' "$*"; }
units() { local IFS=,; printf '"systemd":{"units":[%s]}' "$*"; }

calls() { sed '/^LOG/d; s|\(/tmp/nmstate-kargs\)[A-Za-z0-9]*|\10|' "$CALLS"; }

# same NAME EXPECTED ACTUAL
same() {
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); return; fi
	failed=$((failed + 1))
	echo "FAIL $1"
	diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/  /'
}

# until_ NAME SHELL-CONDITION: waits for it, with a long timeout.
until_() {
	local end=$((SECONDS + 120))
	while [ $SECONDS -lt $end ]; do
		if eval "$2"; then passed=$((passed + 1)); return; fi
		sleep 0.05
	done
	failed=$((failed + 1))
	echo "FAIL $1: never $2"
	[ ! -e "$TMP/log" ] || tail -n 15 "$TMP/log" | sed 's/^/  /'
}
# soon NAME WANT SHELL-EXPRESSION: its output becomes WANT before a timeout. For what a running
# process may not have finished yet.
soon() {
	local got end=$((SECONDS + 120))
	while [ $SECONDS -lt $end ]; do
		got=$(eval "$3")
		if [ "$got" = "$2" ]; then passed=$((passed + 1)); return; fi
		sleep 0.05
	done
	same "$1" "$2" "$got"
	[ ! -e "$TMP/log" ] || tail -n 15 "$TMP/log" | sed 's/^/  /'
}
# The programs of a killed daemon (DAEMON_OF=$TMP) may outlive it; they must not affect the next
# test.
orphans() {
	local end=$((SECONDS + 300))
	while grep -qsxzF "DAEMON_OF=$TMP" /proc/[0-9]*/environ; do
		if [ $SECONDS -ge $end ]; then
			failed=$((failed + 1))
			echo "FAIL orphans: $(grep -lsxzF "DAEMON_OF=$TMP" /proc/[0-9]*/environ | xargs)"
			return
		fi
		sleep 0.02
	done
}

# apply NAME STATUS ERROR: the MachineConfig of that name, as an update
apply() {
	"$MCO" apply "$TMP/$1.json" --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	local got=$?
	[ "$got" = "$2" ] || { failed=$((failed + 1)); echo "FAIL apply $1: exit $got"; tail -n 3 "$TMP/.err"; }
	if [ -n "${3:-}" ]; then
		same "error of apply $1" "Error: $3" "$(sed -n '/^Error: /,$p' "$TMP/.err")"
	fi
}

# The tree without the journal and /run: types, modes, owners, contents, targets.
tree() {
	(cd "$ROOT" && skip=(-path ./etc/machine-config-daemon/journal -prune -o -path ./run -prune -o)
	 find . "${skip[@]}" -printf '%y %m %U:%G %p %l\n' | sort
	 find . "${skip[@]}" -type f -print0 | sort -z | xargs -0 md5sum)
}
