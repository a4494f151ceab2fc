# Sourced by run.sh in each worker: a node's root, the calls of a command, and the checks after a
# fault at each of them.
MCO=$OUT/mco-daemon
INJECT=$OUT/test/node-cut/inject
mkdir -p "$TMP/host"
for c in rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm mokutil skopeo \
	chcon nice update-ca-trust nmstatectl journalctl ostree sync; do
	ln -s "$OUT/test/node-cut/host" "$TMP/host/$c"
done
export MCO_HOST_PATH=$TMP/host MCO_RETRY_MS=1
W=$TMP/root # the root under test
cut=0 made=0 passed=0 failed=0

bad() {	# NAME WHAT: fails, with the last output of the command
	failed=$((failed + 1))
	[ $failed -le 20 ] || return
	echo "FAIL $1: $2"
	[ ! -s "$TMP/said" ] || tail -n 3 "$TMP/said" | sed 's/^/  /'
}
ok() { passed=$((passed + 1)); }

# ---- the node -------------------------------------------------------------------
OLD=quay.io/os@sha256:old NEW=quay.io/os@sha256:new
boots() {	# ROOT N: boots the staged OS
	[ ! -e "$1/sysroot/staged" ] || mv "$1/sysroot/staged" "$1/sysroot/booted"
	sed -n 2p "$1/sysroot/booted" > "$1/proc/cmdline"
	echo "boot-$2" > "$1/proc/sys/kernel/random/boot_id"
	rm -rf "$1/run"
	mkdir -p "$1/run/systemd/system"
}
# A power cut before a staged OS is finalized: it was only in /run.
loses() {	# ROOT
	rm -f "$1/sysroot/staged"
	boots "$1" lost
}
# A fresh copy of a root. With APART=1, /var and /boot are file systems of their own.
fresh_root() {	# FROM
	if [ -z "${APART:-}" ]; then
		rm -rf "$W"
		cp -a "$1" "$W"
		return
	fi
	mkdir -p "$W/var" "$W/boot"
	mountpoint -q "$W/var" || mount -t tmpfs -o mode=755 none "$W/var"
	mountpoint -q "$W/boot" || mount -t tmpfs -o mode=755 none "$W/boot"
	find "$W" -mindepth 1 -xdev ! -path "$W/var" ! -path "$W/boot" -delete
	find "$W/var" "$W/boot" -mindepth 1 -delete
	cp -a "$1/." "$W/"
}
bare() {	# ROOT
	mkdir -p "$1"/{etc/kubernetes,etc/systemd/system,etc/containers,etc/mco,proc/sys/kernel/random,usr/lib/systemd/system,usr/lib/systemd/system-preset,sysroot,tmp,var/home/core}
	ln -s var/home "$1/home"
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$1/etc/os-release"
	printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$1/etc/passwd"
	printf 'root:x:0:\ncore:x:1000:\n' > "$1/etc/group"
	printf 'root:*:1::::::\ncore:$6$none:1::::::\n' > "$1/etc/shadow"
	chmod 0640 "$1/etc/shadow"
	[ "$(id -u)" != 0 ] || chown 1000:1000 "$1/var/home/core"
	echo 'kubeconfig' > "$1/etc/kubernetes/kubeconfig"
	echo 'of the OS' > "$1/etc/shipped.conf"
	echo 'of the OS, too' > "$1/etc/shipped-too.conf"
	printf '[Install]\nWantedBy=multi-user.target\n' > "$1/usr/lib/systemd/system/crio.service"
	echo 'disable *' > "$1/usr/lib/systemd/system-preset/99-default-disable.preset"
	cp "$1/usr/lib/systemd/system/crio.service" "$1/usr/lib/systemd/system/m.service"
	printf '%s\nroot=UUID=x rw\n\n' $OLD > "$1/sysroot/booted"
	boots "$1" 0
}

# Types, modes, owners, contents, targets; without the journal and what does not survive a power
# cut.
tree() {	# ROOT
	(cd "$1" && skip=(-path ./etc/machine-config-daemon/journal -prune -o -path ./run -prune -o)
	 find . "${skip[@]}" -printf '%y %m %U:%G %p %l\n' | sort
	 find . "${skip[@]}" -type f -print0 | sort -z | xargs -0 md5sum)
}
# Files in the journal that should not be there after an update.
leftovers() {
	local j=$W/etc/machine-config-daemon/journal f
	[ ! -d "$j" ] || (cd "$j" && for f in * .[!.]*; do
		case $f in
		last|'*'|'.[!.]*') ;;
		pre.*) grep -qs "\"pre\":\"$f\"" last || echo "$f" ;;
		*) echo "$f" ;;
		esac
	done)
}

# ---- configs --------------------------------------------------------------------
mc() {	# NAME IMAGE CONFIG-MEMBERS SPEC-MEMBERS: writes $TMP/NAME.json
	printf '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{"name":"%s","annotations":{"machineconfiguration.openshift.io/release-image-version":"4.22.0"}},"spec":{"osImageURL":"%s","config":{"ignition":{"version":"3.5.0"}%s}%s}}' \
		"$1" "$2" "${3:+,$3}" "${4:+,$4}" > "$TMP/$1.json"
}
file() { printf '{"path":"%s","contents":{"source":"data:,%s"}%s}' "$1" "$2" "${3:+,$3}"; }
files() { local IFS=,; printf '"storage":{"files":[%s]}' "$*"; }
unit() { printf '{"name":"%s"%s%s}' "$1" "${2:+,\"contents\":\"[Install]\\n$2\\n\"}" "${3:+,$3}"; }
units() { local IFS=,; printf '"systemd":{"units":[%s]}' "$*"; }
core() { printf '"passwd":{"users":[{"name":"core","sshAuthorizedKeys":[%s],"passwordHash":"%s"}]}' "$1" "$2"; }
long() { head -c "$2" /dev/zero | tr '\0' "$1"; }

mc r1 $OLD "$(files "$(file /etc/same same)" "$(file /etc/changed "$(long a 20000)")" \
	"$(file /etc/mode m '"mode":420')" "$(file /etc/gone/deep/er bye '"mode":384')" \
	"$(file /etc/shipped-too.conf ours)" "$(file /home/core/file h)" "$(file /etc/owned o '"user":{"id":7}')"),$(
	units "$(unit a.service WantedBy=multi-user.target '"enabled":true')" \
	"$(unit b.service '' '"dropins":[{"name":"10.conf","contents":"x"},{"name":"20.conf","contents":"y"}]')" \
	"$(unit old.service 'RequiredBy=x.target\nAlias=alias.service' '"enabled":true')" \
	"$(unit u.service '' '"mask":true')"),$(core '"k1"' '$6$old')" '"kernelArguments":["a","quiet"]'
mc r2 $NEW "$(files "$(file /etc/same same)" "$(file /etc/changed "$(long b 30000)")" \
	"$(file /etc/mode m '"mode":384')" "$(file /etc/new/dir/file new '"user":{"id":7},"group":{"id":8}')" \
	"$(file /etc/shipped.conf ours)" "$(file /home/core/file h2)" "$(file /etc/owned o '"user":{"id":8}')" \
	"$(file /etc/empty '')" "$(file /etc/pivot/kernel-args ADD%20nosmt%0A)"),$(
	units "$(unit a.service WantedBy=other.target '"enabled":false')" \
	"$(unit b.service '' '"dropins":[{"name":"10.conf","contents":""},{"name":"30.conf","contents":"z"}]')" \
	"$(unit m.service '' '"mask":true')" \
	"$(unit new.service 'WantedBy=multi-user.target new.target\nAlias=alias.service' '"enabled":true')" \
	"$(unit crio.service '' '"enabled":true')" \
	"$(unit u.service WantedBy=multi-user.target '"mask":false')"),$(core '"k1","k2"' '$6$new')" \
	"\"kernelArguments\":[\"b\",\"quiet\"],\"extensions\":[\"usbguard\"],\"baseOSExtensionsContainerImage\":\"quay.io/ext@sha256:e\""

run() {	# STATUS COMMAND...: checks the exit status
	local want=$1 got
	shift
	"$@" > "$TMP/out" 2> "$TMP/said"
	got=$?
	[ $got = "$want" ] || bad "$*" "exit $got"
}
apply() { run 0 "$MCO" apply "$TMP/$1.json" --root-mount "$2"; }

# ---- every place ----------------------------------------------------------------
is() {	# BEFORE AFTER: prints b or a, whichever the tree is, or ?
	tree "$W" > "$TMP/is"
	if cmp -s "$TMP/is" "$1"; then echo b; elif cmp -s "$TMP/is" "$2"; then echo a; else echo '?'; fi
}
mix() {	# NAME WHAT BEFORE AFTER
	bad "$1" "$2"
	[ $failed -le 20 ] || return
	diff "$TMP/is" "$3" | head -n 6 | sed 's/^/  before: /'
	diff "$TMP/is" "$4" | head -n 6 | sed 's/^/  after:  /'
}
# Recovers a node as the next start does.
recover() {
	"$MCO" recover --root-mount "$W" > "$TMP/out" 2> "$TMP/said" || { bad "$1" 'recovery fails'; return 1; }
}
asked() { grep -q "$1" "$W/run/asked" 2>/dev/null; }

# A fault at one call of an atomic command. True when there are more calls.
one() {	# NAME MODE N FROM BEFORE AFTER GOAL COMMAND...: GOAL is b or a
	local name="$1 $2 $3" mode=$2 n=$3 from=$4 before=$5 after=$6 goal=$7 rc was now want
	shift 7
	fresh_root "$from"
	"$INJECT" "${mode/lost/cut}" "$n" "$W" "$TMP/place" "$@" > "$TMP/out" 2> "$TMP/said"
	rc=$?
	[ $rc -lt 64 ] || {
		[ $rc = 64 ] || bad "$name" "without a fault it ends with $rc"
		return 1
	}
	name="$name ($(cat "$TMP/place"))"
	case $mode in cut|lost) cut=$((cut + 1)) ;; *) made=$((made + 1)) ;; esac
	case $rc in
	0)	was=$(is "$before" "$after")
		[ "$was" = "$goal" ] || { mix "$name" 'it says that it is done' "$before" "$after"; return 0; } ;;
	1)	[ "$(grep -c '^Error: ' "$TMP/said")" = 1 ] || { bad "$name" 'no clear error'; return 0; } ;;
	42)	;;
	*)	bad "$name" "exit $rc"; return 0 ;;
	esac
	if [ "$mode" = lost ]; then
		was=$(cat "$W/proc/sys/kernel/random/boot_id")
		loses "$W"
	fi
	recover "$name" || return 0
	[ "$mode" != lost ] || echo "$was" > "$W/proc/sys/kernel/random/boot_id"
	now=$(is "$before" "$after")
	[ "$now" != '?' ] || { mix "$name" "a mix after $rc" "$before" "$after"; return 0; }
	# a reported success is never undone, and nothing is left incomplete
	[ $rc != 0 ] || [ "$now" = "$goal" ] || { bad "$name" 'recovery undoes it'; return 0; }
	# (a dead disk keeps what could not be undone)
	[ $rc != 1 ] || [ "$now" = b ] || [ "$goal" = b ] || [ "$mode" = dead ] || { bad "$name" 'it fails, and is done'; return 0; }
	[ "$now$goal" != aa ] || [ "$mode" = lost ] || asked reboot || { bad "$name" 'done, and no reboot'; return 0; }
	[ -z "$(leftovers)" ] || { bad "$name" "left in the journal: $(leftovers)"; return 0; }
	# and the command succeeds from there
	if [ "$mode" != lost ] && [ $((n % 16)) = 0 ] && [ "$goal" = a ]; then
		if [ "$now" = b ]; then want=a; else want=b; set -- "$MCO" rollback --root-mount "$W"; fi
		"$@" > "$TMP/out" 2> "$TMP/said"
		now=$(is "$before" "$after")
		[ "$now" = $want ] || { mix "$name" 'not so the next time' "$before" "$after"; return 0; }
	fi
	ok
}
all_of() {	# NAME MODES FROM BEFORE AFTER GOAL COMMAND...: this worker's share of the calls
	local name=$1 modes=$2 mode n start=$SECONDS had=$((cut + made))
	shift 2
	for mode in $modes; do
		n=$((1 + WORKER))
		while one "$name" "$mode" $n "$@"; do n=$((n + WORKERS * ${STRIDE:-1})); done
	done
	echo "$name: $((cut + made - had)) places, $((SECONDS - start)) s" >> "$TMP/told"
}

# ---- first boots ----------------------------------------------------------------
# After a cut or failure it runs again, with the same tree as without a fault.
boot_one() {	# MODE N
	local name="first boot $1 $2" mode=$1 n=$2 rc
	rm -rf "$W"
	cp -a "$TMP/blank" "$W"
	"$INJECT" "$mode" "$n" "$W" "$TMP/place" "${firstboot[@]}" > "$TMP/out" 2> "$TMP/said"
	rc=$?
	[ $rc -lt 64 ] || {
		[ $rc = 64 ] || bad "$name" "without a fault it ends with $rc"
		return 1
	}
	name="$name ($(cat "$TMP/place"))"
	if [ "$mode" = cut ]; then cut=$((cut + 1)); else made=$((made + 1)); fi
	case $rc in
	0|42)	;;
	1)	[ "$(grep -c '^Error: ' "$TMP/said")" = 1 ] || { bad "$name" 'no clear error'; return 0; } ;;
	*)	bad "$name" "exit $rc"; return 0 ;;
	esac
	if [ "$(is "$TMP/ignited.tree" "$TMP/ignited.tree")" != b ]; then
		[ $rc != 0 ] || { mix "$name" 'it says that it is done' "$TMP/blank.tree" "$TMP/ignited.tree"; return 0; }
		"${firstboot[@]}" > "$TMP/out" 2> "$TMP/said" || { bad "$name" 'not the second time'; return 0; }
		[ "$(is "$TMP/ignited.tree" "$TMP/ignited.tree")" = b ] || { mix "$name" 'another tree' "$TMP/blank.tree" "$TMP/ignited.tree"; return 0; }
	fi
	ok
}
all_of_boot() {	# MODES
	local mode n start=$SECONDS had=$((cut + made))
	for mode; do
		n=$((1 + WORKER))
		while boot_one "$mode" $n; do n=$((n + WORKERS)); done
	done
	echo "first boot: $((cut + made - had)) places, $((SECONDS - start)) s" >> "$TMP/told"
}
