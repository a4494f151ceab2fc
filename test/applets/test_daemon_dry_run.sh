#!/bin/bash
# --dry-run of `mco-daemon apply` and `rollback` shows exactly what the command then does: the
# same paths, contents and programs. Each case is shown, run and compared, in both directions.
. test/applets/node.sh
CA=/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt
W=etc/systemd/system/multi-user.target.wants

# The files on the disk, without the daemon's own state, its symlink to credentials, and the keys
# of core, which are shown as a user's: "TYPE MODE OWNER PATH SUM-OR-TARGET".
disk() {	# ROOT
	(cd "$1" && find . \( -path ./etc/machine-config-daemon -o -path ./run/ostree -o -path ./home/core/.ssh \) -prune -o -type f -printf '%y %m %U:%G %p ' -exec sh -c 'md5sum < "$1"' _ {} \; -o -type l -printf '%y - - %p %l\n' | sed 's/  -$//' | sort -k4)
}
# The differences between two of them: "PATH added".
differ() {
	join -a1 -a2 -e- -o '0 1.2 2.2' -t$'\t' <(sed 's/^\(\S* \S* \S*\) \.\(\S*\) \(.*\)/\2\t\1 \3/' <<< "$1" | grep .) <(sed 's/^\(\S* \S* \S*\) \.\(\S*\) \(.*\)/\2\t\1 \3/' <<< "$2" | grep .) |
		awk -F'\t' '$2 != $3 { print $1, $2 == "-" ? "added" : $3 == "-" ? "removed" : "changed" }'
}
# Programs that only query, and those that are shown as kernel arguments, OS and users.
asks='^(systemctl is-enabled|rpm -qf|rpm-ostree|getent|mokutil|skopeo|podman|chcon|runuser|chpasswd|given)'
did() { calls | grep -vE "$asks" | sed 's/ *$//; s/^systemd-run --unit machine-config-daemon-reboot.*/REBOOT/' | uniq; }
said() { sed -n '/^\(commands\|then\):/,$ s/^  //p' <<< "$1" | grep -vE '^(no drain|nothing is|skipped|rpm-ostree)|, by links$' | sed 's/: .*//' | uniq; }

# as_shown NAME COMMAND...: shows, then runs.
as_shown() {
	local name=$1 shown before after
	shift
	before=$(disk "$ROOT")
	rm -rf "$TMP/copy"; cp -a "$ROOT" "$TMP/copy"
	: > "$CALLS"
	shown=$("$MCO" "$@" --dry-run --show-secrets --root-mount "$ROOT" 2> "$TMP/.err")
	same "$name: shown" '0 ' "$? $(cat "$TMP/.err")"
	same "$name: showing changes nothing" "$(tree)" "$(ROOT=$TMP/copy tree)"
	same "$name: showing only asks" '' "$(calls | grep -vE "$asks"; calls | grep -E '^(rpm-ostree (kargs --|rebase|cleanup|override|install)|chpasswd)')"
	: > "$CALLS"
	"$MCO" "$@" --root-mount "$ROOT" > "$TMP/.out" 2> "$TMP/.err"
	same "$name: done" 0 $?
	after=$(disk "$ROOT")
	same "$name: paths" "$(differ "$before" "$after")" "$(grep -E '^(file|link|path) ' <<< "$shown" | sed '/\/home\/core\/.ssh/d; s/^[a-z]* //; s/[()]//g' | sort)"
	sed -n 's/^  \([-+@ \\]\)/\1/p' <<< "$shown" | grep -vE '^[-+] (mode|owner|target): ' |
		awk '/^--- / { skip = /(kernelArguments|sshAuthorizedKeys)$/ } !skip' > "$TMP/patch"
	# patch handles neither empty files nor symlinks
	for f in $(sed -n 's/^file \(.*\) (removed)$/\1/p' <<< "$shown"); do [ -s "$TMP/copy$f" ] || rm "$TMP/copy$f"; done
	for f in $(grep -E '^(file|link) ' <<< "$shown" | cut -d' ' -f2); do [ ! -L "$TMP/copy$f" ] || rm "$TMP/copy$f"; done
	[ ! -s "$TMP/patch" ] || patch -s -p1 -E -d "$TMP/copy" < "$TMP/patch" > "$TMP/.out" 2>&1 || same "$name: the diff" '' "$(cat "$TMP/.out" "$TMP/patch")"
	same "$name: contents" "$(sed -n '/etc.bin/d; s/^f \S* \S* //p' <<< "$after")" "$(disk "$TMP/copy" | sed -n '/etc.bin/d; s/^f \S* \S* //p')"
	same "$name: programs" "$(did)" "$(said "$shown")"
	same "$name: kernel arguments" "$(calls | grep -cE '^rpm-ostree kargs --')" "$(grep -cE '^kernelArguments|kernel-args asks$' <<< "$shown")"
	SHOWN=$shown
}
# there_and_back NAME CONFIG [FLAGS...]
there_and_back() {
	local name=$1 config=$2 at
	shift 2
	at=$(disk "$ROOT")
	as_shown "$name" apply "$TMP/$config.json" "$@"
	THERE=$SHOWN
	as_shown "$name, back" rollback $([[ " $* " != *" --offline "* ]] || echo --offline)
	same "$name, back: all as before" "$at" "$(disk "$ROOT")"
}

new_node
mkdir -p "$ROOT/$W" "$ROOT/etc/"{crio,containers}
printf 'one\ntwo\nthree\n' > "$ROOT/etc/foo"
printf 'shipped\n' > "$ROOT/etc/shipped"
says 'rpm -qf /etc/shipped' 'echo package'
echo x > "$ROOT/etc/link-to"; ln -s link-to "$ROOT/etc/link"
f() { file "$1" "$2" '"mode":420'; }
base=("$(f /etc/foo one%0Atwo%0A3%0A)" "$(f /etc/shipped mine%0A)" "$(f /etc/same same%0A)" "$(f /etc/key k%0A)" "$(f /etc/link l%0A)" "$(f $CA ca%0A)")
u=('{"name":"u.service","contents":"u\n","enabled":true,"dropins":[{"name":"d.conf","contents":"d\n"}]}' '{"name":"v.service","contents":"v\n"}' '{"name":"w.service","contents":"w\n","enabled":false}' '{"name":"crio.service","enabled":true}')
mc r1 "$(files "${base[@]}"),$(units "${u[@]}")"
there_and_back 'the first config' r1
"$MCO" apply "$TMP/r1.json" --root-mount "$ROOT" > /dev/null 2>&1
says 'systemctl is-enabled u.service' 'echo enabled; exit 0'

mc r2 "$(files "${base[@]}"),$(units "${u[@]}")"
there_and_back 'nothing' r2
same 'nothing: shown' 'r1 -> r2
nothing changes on the disk
then:
  nothing is reloaded or rebooted: nothing: no service reads this path' "$THERE"

mc r2 "$(files "${base[@]/\%0A3/%0Adrei}"),$(units "${u[@]}")"
there_and_back 'a file' r2
same 'a file: shown' 'r1 -> r2
file /etc/foo (changed)
  --- a/etc/foo
  +++ b/etc/foo
  @@ -1,3 +1,3 @@
   one
   two
  -3
  +drei
then:
  no drain: pods that run here are not moved; drain the node first
  REBOOT: file /etc/foo: a change of this path needs a reboot' "$THERE"
same 'a file, back: shown' 'r2 -> r1
file /etc/foo (changed)
  --- a/etc/foo
  +++ b/etc/foo
  @@ -1,3 +1,3 @@
   one
   two
  -drei
  +3
then:
  no drain: pods that run here are not moved; drain the node first
  REBOOT: as after the update to r2' "$SHOWN"
: > "$CALLS"
same 'a file, no reboot' 'then:
  no drain: pods that run here are not moved; drain the node first
  skipped (--skip-reboot): REBOOT: file /etc/foo: a change of this path needs a reboot' "$("$MCO" apply "$TMP/r2.json" --dry-run --skip-reboot --root-mount "$ROOT" | sed -n '/^then/,$p')"

mc r2 "$(files "${base[0]}" "${base[@]:2}" "$(f /etc/new n%0A)" "$(file /etc/bin '%00%01' '"mode":256,"user":{"id":3},"group":{"name":"core"}')"),$(units "${u[@]}")"
there_and_back 'files added and removed; what the OS shipped comes back' r2
Z=$(printf 'packed\n' | gzip -n | base64 -w0)
mc r2 "$(files "${base[@]}" "{\"path\":\"/etc/packed\",\"contents\":{\"compression\":\"gzip\",\"source\":\"data:;base64,$Z\"}}"),$(units "${u[@]}")"
there_and_back 'a compressed file' r2
# large files are shown by checksum: 3 MB, compressed and plain, and replacing other 3 MB
large() { head -c 3000000 /dev/zero | tr '\0' "$1"; }
Z=$(large a | gzip -n | base64 -w0)
large b > "$ROOT/etc/large"; large a > "$ROOT/etc/large-too"
mc r2 "$(files "${base[@]}" "{\"path\":\"/etc/large\",\"mode\":420,\"contents\":{\"compression\":\"gzip\",\"source\":\"data:;base64,$Z\"}}" "{\"path\":\"/etc/large-too\",\"mode\":420,\"contents\":{\"compression\":\"gzip\",\"source\":\"data:;base64,$Z\"}}"),$(units "${u[@]}")"
same 'large: shown' "r1 -> r2
file /etc/large (changed)
  --- a/etc/large
  +++ b/etc/large
  @@ -1,1 +1,1 @@
  -3000000 bytes, sha256 $(large b | sha256sum | cut -c1-64)
  +3000000 bytes, sha256 $(large a | sha256sum | cut -c1-64)" "$("$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT" | sed '/^then/,$d')"
at=$(disk "$ROOT")
apply r2 0
same 'large, back: shown' '/etc/large' "$("$MCO" rollback --dry-run --root-mount "$ROOT" | sed -n 's/^file \(.*\) (changed)/\1/p')"
"$MCO" rollback --root-mount "$ROOT" > /dev/null 2>&1
same 'large, back: all as before' "$at" "$(disk "$ROOT")"
rm "$ROOT"/etc/large*
mc r2 "$(files "${base[@]:0:3}" "$(file /etc/key k%0A '"mode":384,"user":{"name":"core"}')" "${base[@]:4}"),$(units "${u[@]}")"
there_and_back 'mode and owner' r2
mc r2 "$(files "${base[@]}" "$(f /etc/containers/registries.conf 'unqualified-search-registries%20=%20%5B%22a%22%5D%0A')"),$(units "${u[@]}")"
there_and_back 'a reload' r2
same 'a reload: follows' '  systemctl reload crio: file /etc/containers/registries.conf: CRI-O rereads this path on reload' "$(grep '^  systemctl reload' <<< "$THERE")"
mc r2 "$(files "${base[@]:0:5}" "$(f $CA other%0A)"),$(units "${u[@]}")"
there_and_back 'a restart' r2
mc r2 "$(files "${base[@]}" "$(f /var/lib/kubelet/config.json '%7B%7D%0A')"),$(units "${u[@]}")"
there_and_back 'no action' r2
mc r2 "$(files "${base[@]}"),$(units "${u[0]/u\\n/changed\\n}" "${u[@]:1}")"
there_and_back 'a unit that is enabled' r2
mc r2 "$(files "${base[@]}"),$(units "${u[0]/'"enabled":true,'/}" '{"name":"v.service","mask":true}' '{"name":"w.service","contents":"w\n","enabled":true}' '{"name":"n.service","contents":"n\n","enabled":false}' '{"name":"none.service","enabled":true}')"
there_and_back 'units masked, enabled, disabled, removed' r2
mc r2 "$(files "${base[@]}"),$(units '{"name":"u.service","contents":"u\n","enabled":true,"dropins":[{"name":"d.conf","contents":""},{"name":"e.conf","contents":"e\n"}]}')"
there_and_back 'dropins; units removed' r2
mc r2 "$(files "${base[@]}"),$(units "${u[@]}")" '"kernelArguments":["a=1","b"]'
there_and_back 'kernel arguments' r2
same 'kernel arguments: shown' 'r1 -> r2
kernelArguments
  --- a/kernelArguments
  +++ b/kernelArguments
  @@ -0,0 +1,2 @@
  +a=1
  +b' "$(sed '/^then/,$d' <<< "$THERE")"
mc r2 "$(files "${base[@]}"),$(units "${u[@]}"),\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"ssh-rsa x\"],\"passwordHash\":\"\$6\$new\"}]}"
there_and_back 'users' r2
same 'users: shown' 'user core (added)
  passwordHash differs
  --- a/sshAuthorizedKeys
  +++ b/sshAuthorizedKeys
  @@ -0,0 +1,1 @@
  +ssh-rsa x' "$(sed -n '/^user/,/^[ct]/p' <<< "$THERE" | grep -v '^[ct]')"
mc r2 "$(files "${base[@]/\%0A3/%0Adrei}" "$(f /etc/pivot/kernel-args ADD%20nosmt%0A)"),$(units "${u[@]}")"
there_and_back 'kernel tuning' r2
same 'kernel tuning: shown' '  rpm-ostree kargs, as /etc/pivot/kernel-args asks' "$(grep 'kernel-args asks' <<< "$THERE")"

# links that systemctl made
says 'systemctl enable l.service' 'ln -s /etc/systemd/system/l.service "$MCO_ROOT/etc/systemd/system/multi-user.target.wants/l.service"; rm -f "$MCO_ROOT/etc/systemd/system/multi-user.target.wants/old.service"'
ln -s /usr/lib/systemd/system/old.service "$ROOT/$W/old.service"
at=$(disk "$ROOT")
mc r2 "$(files "${base[@]}"),$(units "${u[@]:0:3}" '{"name":"l.service","contents":"l\n","enabled":true}')"
says 'systemctl enable u.service l.service' '. "$SAY/systemctl_enable_l.service"'
apply r2 0
as_shown 'links, back' rollback
same 'links, back: shown' "link /$W/l.service (removed)
link /$W/old.service (added)
  + target: /usr/lib/systemd/system/old.service" "$(grep -A1 '^link' <<< "$SHOWN" | grep -v -e ^then)"
same 'links, back: all as before' "$at" "$(disk "$ROOT")"

# edited files: refused, forced, and restored by the rollback
mc r2 "$(files "${base[@]/\%0A3/%0Adrei}"),$(units "${u[@]}")"
echo mine > "$ROOT/etc/same"
expect 'edited: refused' 1 '' 'Error: unexpected on-disk state validating against r1: content mismatch for file "/etc/same"
' "$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT"
as_shown 'edited: forced' apply "$TMP/r2.json" --force
as_shown 'edited: forced, back' rollback
echo same > "$ROOT/etc/same"
"$MCO" apply "$TMP/r2.json" --root-mount "$ROOT" > /dev/null 2>&1
echo mine > "$ROOT/etc/same"; echo mine > "$ROOT/etc/foo"; echo mine > "$ROOT/etc/systemd/system/u.service.d/d.conf"; chmod 0600 "$ROOT/etc/key"
as_shown 'edited: back' rollback
same 'edited: restored' 'restore: /etc/same was edited
restore: /etc/systemd/system/u.service.d/d.conf was edited' "$(grep ^restore <<< "$SHOWN")"
: > "$ROOT/run/machine-config-daemon-force"
as_shown 'the force file' apply "$TMP/r2.json"
as_shown 'the force file, back' rollback

# offline, and cut short
says 'systemctl is-enabled u.service' 'echo disabled; exit 1'
new_node
mc r1 "$(files "${base[@]}"),$(units "${u[@]}")" '"kernelArguments":["a"]'
there_and_back 'offline' r1 --offline
same 'offline: follows' 'then:
  skipped (--offline): REBOOT: osImageURL: a new OS image needs a reboot
  skipped (--offline): REBOOT: kernelArguments: new kernel arguments need a reboot' "$(sed -n '/^then/,$p' <<< "$THERE")"
same 'offline, back: follows' 'then:
  skipped (--offline): REBOOT: as after the update to r1' "$(sed -n '/^then/,$p' <<< "$SHOWN")"
new_node
mc r1 "$(files "$(file /etc/foo 1)")"; apply r1 0
mc r2 "$(files "$(file /etc/foo 2)"),$(units '{"name":"u.service","contents":"u"}')"
says 'systemctl preset u.service' 'kill -KILL $PPID'
apply r2 137 2> /dev/null
expect 'cut short' 1 '' 'Error: the update from r1 to r2 was interrupted: run `recover` first
' "$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT"

# secrets
new_node
S=mArKeR
mc r1 "$(files "$(file /etc/a.conf "password%20=%20${S}1%0Aport%20=%201%0A")" "$(file /etc/only-root ${S}2 '"mode":384')" "$(file /var/lib/kubelet/config.json ${S}3)"),\"passwd\":{\"users\":[{\"name\":\"core\",\"passwordHash\":\"\$6\$${S}4\"}]}"
apply r1 0
mc r2 "$(files "$(file /etc/a.conf "password%20=%20${S}5%0Aport%20=%202%0A")" "$(file /etc/only-root ${S}6 '"mode":384')" "$(file /var/lib/kubelet/config.json ${S}7)"),\"passwd\":{\"users\":[{\"name\":\"core\",\"passwordHash\":\"\$6\$${S}8\"}]}"
out=$("$MCO" apply "$TMP/r2.json" --dry-run --root-mount "$ROOT" 2>&1)
same 'no secret is shown' 0 "$(grep -c $S <<< "$out")"
same 'what is none is shown' '  -port = 1
  +port = 2' "$(grep port <<< "$out")"
same 'but if asked for' "${S}1
${S}5" "$("$MCO" apply "$TMP/r2.json" --dry-run --show-secrets --root-mount "$ROOT" 2>&1 | grep -o "${S}[15]")"
apply r2 0
out=$("$MCO" rollback --dry-run --root-mount "$ROOT" 2>&1)
same 'no secret is shown, going back' '0 1' "$(grep -c $S <<< "$out") $(grep -c '^  +port = 1' <<< "$out")"
new_node
expect 'nothing to go back from' 1 '' 'Error: no update to roll back: the node keeps only the state before the last one
' "$MCO" rollback --dry-run --root-mount "$ROOT"
finish
