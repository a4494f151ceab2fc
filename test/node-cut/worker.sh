#!/bin/bash
# One worker's share of the calls that run.sh divides: TMP, OUT, WORKER of WORKERS.
set -u
trap 'kill $(jobs -p) 2>/dev/null' EXIT
. test/node-cut/lib.sh

bare "$TMP/bare"
cp -a "$TMP/bare" "$TMP/first"
apply r1 "$TMP/first"
cp -a "$TMP/first" "$TMP/before"
boots "$TMP/before" 1
cp -a "$TMP/before" "$TMP/after"
apply r2 "$TMP/after"
for t in bare first before after; do tree "$TMP/$t" > "$TMP/$t.tree"; done
update=("$MCO" apply "$TMP/r2.json" --root-mount "$W")
back=("$MCO" rollback --root-mount "$W")
recovery=("$MCO" recover --root-mount "$W")
between=("$TMP/before" "$TMP/before.tree" "$TMP/after.tree" a)

all_of update 'cut eio enospc full' "${between[@]}" "${update[@]}"
STRIDE=4 all_of 'update, disk gone' dead "${between[@]}" "${update[@]}"
all_of 'first update' 'cut full' "$TMP/bare" "$TMP/bare.tree" "$TMP/first.tree" a "$MCO" apply "$TMP/r1.json" --root-mount "$W"
all_of rollback 'cut eio full' "$TMP/after" "$TMP/before.tree" "$TMP/after.tree" b "${back[@]}"

# The boot after the cut has lost the staged OS. An update that was cut is undone; a complete one
# keeps its files, and verify reports the OS.
cp -a "$TMP/after" "$TMP/unstaged"
rm -f "$TMP/unstaged/sysroot/staged"
tree "$TMP/unstaged" > "$TMP/unstaged.tree"
all_of 'staged OS lost' lost "$TMP/before" "$TMP/before.tree" "$TMP/unstaged.tree" a "${update[@]}"

# Several file systems, in a mount namespace of our own (see run.sh).
if [ -n "${MOUNTS:-}" ]; then
	for t in before after; do mkdir -p "$TMP/$t/boot"; tree "$TMP/$t" > "$TMP/$t.tree"; done
	rm -rf "$W"
	APART=1 all_of 'several file systems' 'cut full' "${between[@]}" "${update[@]}"
	APART=1 all_of 'several file systems' cut "$TMP/after" "$TMP/before.tree" "$TMP/after.tree" b "${back[@]}"
	umount "$W/var" "$W/boot"
fi

# After the reboot: the new OS runs, and the old one is staged.
mc r3 $NEW "$(files "$(file /etc/changed three)" "$(file /etc/pivot/kernel-args ADD%20nosmt%0A)"),$(core '"k3"' '$6$three')" '"kernelArguments":["c"]'
cp -a "$TMP/before" "$TMP/rebooted"
apply r3 "$TMP/rebooted"
boots "$TMP/rebooted" 2
cp -a "$TMP/rebooted" "$TMP/back"
run 0 "$MCO" rollback --root-mount "$TMP/back"
for t in rebooted back; do tree "$TMP/$t" > "$TMP/$t.tree"; done
rm -rf "$W"
cp -a "$TMP/back" "$W"
boots "$W" 1
[ "$(is "$TMP/before.tree" "$TMP/before.tree")" = b ] && ok || mix 'back after a reboot' 'another tree' "$TMP/before.tree" "$TMP/rebooted.tree"
all_of 'rollback after a reboot' 'cut eio' "$TMP/rebooted" "$TMP/back.tree" "$TMP/rebooted.tree" b "${back[@]}"

# The recovery from a cut is cut, too.
for first in 60 190 310; do
	rm -rf "$W" "$TMP/mid"
	cp -a "$TMP/before" "$W"
	"$INJECT" cut $first "$W" "$TMP/place" "${update[@]}" > /dev/null 2>&1
	[ $? = 42 ] || bad "recovery, cut at $first" 'that is not reached'
	mv "$W" "$TMP/mid"
	all_of recovery 'cut eio' "$TMP/mid" "$TMP/before.tree" "$TMP/before.tree" b "${recovery[@]}"
done

bare "$TMP/blank"
mkdir -p "$TMP/blank/boot/loader/entries" "$TMP/blank/etc/skel" "$TMP/blank/etc/machine-config-daemon"
echo '{}' > "$TMP/blank/etc/machine-config-daemon/node-annotations.json" # so that the directory stays
printf 'title x\noptions root=UUID=x rw\n' > "$TMP/blank/boot/loader/entries/x.conf"
echo skel > "$TMP/blank/etc/skel/.profile"
printf 'core:!::\n' > "$TMP/blank/etc/gshadow"
cat > "$TMP/ignition.json" <<-'X'
	{"ignition":{"version":"3.4.0"},"kernelArguments":{"shouldExist":["nosmt"]},
	"storage":{"directories":[{"path":"/srv/d","mode":448,"user":{"id":7}}],
	"files":[{"path":"/srv/d/new","mode":384,"contents":{"source":"data:,new"}},
	{"path":"/etc/shipped.conf","overwrite":true,"contents":{"source":"data:,ours"}},
	{"path":"/etc/deep/er/still","user":{"name":"u"},"contents":{"source":"data:,x"}},
	{"path":"/etc/kubernetes/kubeconfig","append":[{"source":"data:,more"}]}],
	"links":[{"path":"/srv/soft","target":"d"},{"path":"/srv/hard","target":"/etc/shipped.conf","hard":true}]},
	"passwd":{"groups":[{"name":"g"}],"users":[{"name":"u","groups":["g"],"passwordHash":"$6$u","sshAuthorizedKeys":["k"]},
	{"name":"core","sshAuthorizedKeys":["k1"]}]},
	"systemd":{"units":[{"name":"n.service","enabled":true,"contents":"[Install]\nWantedBy=x.target\n",
	"dropins":[{"name":"10.conf","contents":"[Unit]\n"}]},{"name":"m.service","mask":true}]}}
X
firstboot=("$MCO" firstboot --config "$TMP/ignition.json" --root "$W")
rm -rf "$W"
cp -a "$TMP/blank" "$W"
run 0 "${firstboot[@]}"
tree "$W" > "$TMP/ignited.tree"
tree "$TMP/blank" > "$TMP/blank.tree"
all_of_boot cut eio enospc full

. test/node-cut/daemon.sh

echo "$passed $failed $cut $made" > "$TMP/sum"
