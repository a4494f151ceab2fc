#!/bin/bash
# mco-daemon start --root-mount DIR: however a start ends, no mount is left in DIR, and nothing is
# mounted before everything has been found (D132).
#
# The script runs in a mount namespace of its own in which every mount is shared, as on most
# hosts: a mount that leaks from the daemon's namespace is visible here and ends with the script.
# In it /usr is read-only and the scratch directory is a tmpfs: no mistake can reach the machine.
if [ -z "${ENTER_IN:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	ENTER_IN=1 exec unshare -m --propagation private "$BASH" "$0"
fi
if [ -n "${ENTER_IN:-}" ]; then
	mount --bind /usr /usr && mount -o remount,bind,ro /usr &&
		mount -t tmpfs tmpfs /dev/shm && mount --make-rshared / || exit 1
fi
. test/applets/node.sh
unset MCO_HOST_PATH MCO_RETRY_MS KUBECONFIG
cd "$TMP" || exit 1 # tests use relative paths
DAEMON=
trap '[ -z "$DAEMON" ] || kill -KILL "$DAEMON"; cd /; mounts | grep -q . || rm -rf --one-file-system "$TMP"' EXIT

# The mounts of a process at and below a path.
mounts() { awk -v d="${2:-$TMP}/" 'index($5 "/", d) == 1 && $5 "/" != d { print $5 }' "/proc/${1:-self}/mountinfo"; }
R=$TMP/rootfs
root() {	# a minimal root of a machine
	rm -rf --one-file-system "$R"
	mkdir -p "$R"/{etc/kubernetes,proc}
	printf 'ID=debian\n' > "$R/etc/os-release"
}
kubeconfig() {	# [USER]: one that parses, of a cluster that does not answer
	printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: x\n  cluster: {server: "http://127.0.0.1:9"}\n'
	printf 'contexts:\n- name: c\n  context: {cluster: x, user: u}\nusers:\n- name: u\n  user: {%s}\n' "${1:-}"
}
kubeconfig > good
start=("$MCO" start --node-name node --metrics-url 127.0.0.1:0 --root-mount "$R")
# refused NAME LINE COMMAND...: one line of error, and the root is unchanged.
refused() {
	local name=$1 line=$2 before after
	shift 2
	before=$(find "$R" -printf '%y %m %p %T@\n' 2>/dev/null | sort)
	"$@" > .out 2> .err
	same "$name: exit status" 255 $?
	same "$name" "$line" "$(sed 's/^[A-Z][0-9: .]* [a-z_]*\.c:[0-9]*\] //' .err)"
	after=$(find "$R" -printf '%y %m %p %T@\n' 2>/dev/null | sort)
	same "$name: the root is as it was" "$before" "$after"
	same "$name: mounts" '' "$(mounts)"
}

# ---- missing files are found first ----------------------------------------------------
rm -rf --one-file-system "$R"
refused 'no root' "the node's root $R: No such file or directory" "${start[@]}" --kubeconfig good
mkdir "$R"
refused 'not a root' "$R is not the root of a machine: it has neither etc/os-release nor usr/lib/os-release" "${start[@]}" --kubeconfig good
root
refused 'no node name' 'node-name is required' env -u NODE_NAME "$MCO" start --root-mount "$R" --kubeconfig good
refused 'no kubeconfig' 'missing: No such file or directory' "${start[@]}" --kubeconfig missing
refused 'no kubeconfig, absolute' "/missing/k exists neither here nor below $R" "${start[@]}" --kubeconfig /missing/k
echo '{' > bad
refused 'a bad kubeconfig' "bad: line 2, column 1: did not find expected node content" "${start[@]}" --kubeconfig bad
kubeconfig 'tokenFile: /nowhere/token' > outside
refused 'a file that the kubeconfig names' "the kubeconfig names /nowhere/token, which is not there after the change of root to $R: embed it (kubectl config view --flatten --raw)" "${start[@]}" --kubeconfig outside
refused 'KUBECONFIG' 'no cluster: KUBECONFIG names no existing file (missing:/missing)' env KUBECONFIG=missing:/missing "${start[@]}"
refused 'no config to apply' '--once-from: missing.ign: No such file or directory' "${start[@]}" --once-from missing.ign
refused 'no map' '--desired-configmap: missing: No such file or directory' "${start[@]}" --kubeconfig good --desired-configmap missing
if [ -e /run/secrets/kubernetes.io/serviceaccount/token ]; then
	echo 'SKIPPED: "no pod": this is one'
else
	refused 'no pod' 'no cluster: give --kubeconfig, set KUBECONFIG, or run in a pod (there is no /run/secrets/kubernetes.io/serviceaccount/token)' "${start[@]}"
fi

# ---- without privileges ------------------------------------------------------------------
NEEDS="entering $R needs a mount namespace, which takes root and, in a pod, privileged: true; nothing was mounted: Operation not permitted"
if [ "$(id -u)" != 0 ]; then
	refused 'not root' "$NEEDS" "${start[@]}" --kubeconfig good
elif command -v setpriv > /dev/null; then
	refused 'no privileges' "$NEEDS" setpriv --bounding-set=-sys_admin "${start[@]}" --kubeconfig good
else
	echo 'SKIPPED: "no privileges": there is no setpriv'
fi

# ---- with them -------------------------------------------------------------------------------
if [ -z "${ENTER_IN:-}" ]; then
	echo 'SKIPPED: entering a root: it takes root and the right to make mount namespaces'
	finish
	exit
fi
if ldd "$MCO" 2>&1 | grep -q '=>'; then
	echo 'SKIPPED: entering a root: this build is not static and cannot begin in an empty root'
	finish
	exit
fi
enters() {	# PROGRAM WORDS...
	: > log
	(exec env NODE_NAME=node "$@" > log 2>&1) &
	DAEMON=$!
	disown
	until_ 'D132 begun anew' 'grep -q "Metrics on port" log || ! kill -0 $DAEMON 2>/dev/null'
	same 'D132 goes on' '' "$(kill -0 $DAEMON 2>&1 || cat log)"
}
stop() {
	kill -KILL "$DAEMON"
	timeout 60 tail --pid="$DAEMON" -f /dev/null
	DAEMON=
	same "$1: killed, no mount stays" '' "$(mounts)"
}
words() { tr '\0' ' ' < /proc/$DAEMON/cmdline; }
GIVEN=/run/machine-config-daemon-given

root
kubeconfig > "$R/kubeconfig"
enters "$MCO" start --root-mount "$R" --kubeconfig /kubeconfig --metrics-url 127.0.0.1:0 --v 2
same 'D132 words' "/run/bin/machine-config-daemon start --root-mount $R --kubeconfig /kubeconfig --metrics-url 127.0.0.1:0 --v 2 --root-mount=/ " "$(words)"
same 'D132 place' "$R $R 755 1" "$(readlink /proc/$DAEMON/root) $(readlink /proc/$DAEMON/cwd) $(stat -c %a "$R/run/bin/machine-config-daemon") $(tr '\0' '\n' < /proc/$DAEMON/environ | sed -n 's/^_MCD_DID_REEXEC=//p')"
same 'D132 its mounts' /run/machine-config-daemon-bin "$(mounts $DAEMON /run)"
same 'D132 read-only' ro "$(awk '$5 == "/run/machine-config-daemon-bin" { print $6 }' /proc/$DAEMON/mountinfo | cut -d, -f1)"
same 'D132 other processes do not see them' '' "$(mounts)"
same 'D132 the programs are out of reach' '' "$(ls -A "$R/run/machine-config-daemon-bin")"
stop D132
# arguments before the command are kept, and one that only looks like it
enters "${MCO%-daemon}" mco-daemon --v 2 --metrics-url=127.0.0.1:0 --node-name start start --root-mount "$R" --kubeconfig /kubeconfig
same 'D132 words before' "/run/bin/machine-config-daemon --v 2 --metrics-url=127.0.0.1:0 --node-name start start --root-mount $R --kubeconfig /kubeconfig --root-mount=/ " "$(words)"
until_ 'D132 understood' 'sed "0,/Invoking re-exec/d" log | grep -q "Version: "'
stop 'D132 words'

# paths are those of the caller, with the files beside a kubeconfig
mkdir -p dir "$R/home"
kubeconfig 'tokenFile: token' > dir/k
echo t > dir/token
enters "${start[@]}" --kubeconfig dir/k
same 'a relative path' "--root-mount=/ --kubeconfig=$GIVEN/0/k " "$(words | sed 's/.*\(--root-mount=\)/\1/')"
same 'a relative path: mounted' $GIVEN/0 "$(mounts $DAEMON $GIVEN)"
stop 'a relative path'
enters "${start[@]}" --kubeconfig "$TMP/dir/k"
same 'an absolute path' "--root-mount=/ --kubeconfig=$GIVEN/0/k " "$(words | sed 's/.*\(--root-mount=\)/\1/')"
stop 'an absolute path'
kubeconfig > "$R/home/k"
enters "${start[@]}" --kubeconfig rootfs/home/k
same 'a path below the root' "--root-mount=/ --kubeconfig=/home/k " "$(words | sed 's/.*\(--root-mount=\)/\1/')"
stop 'a path below the root'
enters env KUBECONFIG=missing:dir/k:rootfs/home/k "${start[@]}"
same 'KUBECONFIG' "KUBECONFIG=$GIVEN/0/k:/home/k" "$(tr '\0' '\n' < /proc/$DAEMON/environ | grep ^KUBECONFIG)"
stop 'KUBECONFIG'

# a pod: its service account, and the API server of the kubelet
mkdir -p pod/kubernetes.io/serviceaccount
touch pod/kubernetes.io/serviceaccount/{token,ca.crt}
kubeconfig > "$R/etc/kubernetes/kubeconfig"
mkdir -p "$R/var" && ln -s ../run "$R/var/run"
if [ -e /run/secrets ]; then
	echo 'SKIPPED: "a pod": this machine has a /run/secrets of its own'
else
	# /run of a pod, only for the daemon
	enters unshare -m --propagation slave sh -c 'mount -t tmpfs t /run && mkdir /run/secrets && mount --bind pod /run/secrets && exec "$@"' sh "${start[@]}"
	same 'a pod: its mounts' "/run/machine-config-daemon-bin
/run/secrets" "$(mounts $DAEMON /run | sort)"
	same 'a pod: its account' ok "$(cat /proc/$DAEMON/root/run/secrets/kubernetes.io/serviceaccount/token && echo ok)"
	stop 'a pod'
	kubeconfig 'tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token' > account
	echo t > pod/kubernetes.io/serviceaccount/token
	enters unshare -m --propagation slave sh -c 'mount -t tmpfs t /run && mkdir /run/secrets && mount --bind pod /run/secrets && exec "$@"' sh "${start[@]}" --kubeconfig account
	same 'a kubeconfig that names the account' "$GIVEN/0" "$(mounts $DAEMON $GIVEN)"
	stop 'a kubeconfig that names the account'
fi

# it fails after the mounts
root
touch "$R/run"
"${start[@]}" --kubeconfig good > .out 2> .err
same 'fails late' 255 $?
same 'fails late: mounts' '' "$(mounts)"
rm "$R/run"; mkdir "$R/run"; touch "$R/run/bin"
"${start[@]}" --kubeconfig good > .out 2> .err
same 'fails later' '255 1' "$? $(grep -c 'failed to re-exec: ' .err)"
same 'fails later: mounts' '' "$(mounts)"

# a symlink in the root leads no mount out of it
root
mkdir out; ln -s "$TMP/out" "$R/run"
"${start[@]}" --kubeconfig good > .out 2> .err & DAEMON=$!
until_ 'links: it has ended, or begun' '! kill -0 $DAEMON 2>/dev/null || [ "$(readlink /proc/$DAEMON/root)" = "$R" ]'
same 'links: nothing outside' '' "$(ls -A out)"
kill -KILL $DAEMON 2>/dev/null; wait $DAEMON 2>/dev/null
DAEMON=
same 'links: mounts' '' "$(mounts)"
finish
