#!/bin/bash
# run.sh OUT HOSTED SKEW.SO: compares the root that mco-daemon makes with those of systemctl
# --root and Debian's Ignition: the same links, the same trees; pins images with containerd; waits
# for a controller that does not answer.
set -u
out=$PWD/$1
tmp=$(mktemp -d)
chmod 0755 "$tmp" # Ignition writes keys as the users who own them
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
unset MCO_HOST_PATH

same() {	# name, file, file
	if cmp -s "$2" "$3"; then passed=$((passed + 1)); return; fi
	failed=$((failed + 1))
	echo "FAIL $1"
	diff "$2" "$3" | sed 's/^/  /'
}

# ---- units: links as systemctl --root makes them --------------------------------
units() {	# writes unit files and presets below $1
	local u=$1/etc/systemd/system l=$1/usr/lib/systemd/system
	mkdir -p "$u/dropin.service.d" "$l" "$1/etc/systemd/system-preset" "$1/usr/lib/systemd/system-preset"
	unit() { printf '[Unit]\nDescription=x\n[Service]\nExecStart=/bin/true\n%s\n' "$2" > "$1"; }
	unit "$u/plain.service" $'[Install]\nWantedBy=multi-user.target'
	unit "$u/many.service" $'[Install]\nWantedBy=multi-user.target graphical.target\nRequiredBy=x.target\nAlias=alias.service other.service'
	unit "$u/also.service" $'[Install]\nWantedBy=multi-user.target\nAlso=plain.service'
	unit "$u/static.service" ''
	unit "$u/tmpl@.service" $'[Install]\nWantedBy=multi-user.target\nDefaultInstance=one'
	unit "$u/bare@.service" $'[Install]\nWantedBy=multi-user.target'
	unit "$u/spec@.service" $'[Install]\nWantedBy=%i.target'
	unit "$u/dropin.service" ''
	printf '[Install]\nWantedBy=multi-user.target\n' > "$u/dropin.service.d/10.conf"
	unit "$l/vendor.service" $'[Install]\nWantedBy=multi-user.target'
	unit "$l/off.service" $'[Install]\nWantedBy=multi-user.target'
	unit "$u/cont.service" $'[Install]\nWantedBy=a.target \\\n  b.target'
	unit "$u/comment.service" $'[Install]\n# WantedBy=no.target\n; WantedBy=no.target\nWantedBy=c.target\nWantedBy=\nWantedBy=d.target'
	printf 'disable off.service\n' > "$1/usr/lib/systemd/system-preset/50-x.preset"
	printf 'enable off.service\nenable vendor.service\n' > "$1/usr/lib/systemd/system-preset/60-y.preset"
	printf 'disable pl*.service\n' > "$1/etc/systemd/system-preset/10-z.preset"
}
links() { (cd "$1" && find etc/systemd/system -type l -printf '%p -> %l\n' | sort); }
mc() {	# name, units as JSON
	printf '{"metadata":{"name":"%s"},"spec":{"config":{"ignition":{"version":"3.4.0"},"systemd":{"units":[%s]}}}}' "$1" "$2" > "$tmp/$1.json"
}
theirs() { systemctl --root "$tmp/theirs" "$@" > "$tmp/said" 2>&1; }
ours() { "$out/mco-daemon" apply "$tmp/$1.json" --offline --force --root-mount "$tmp/ours" > "$tmp/said" 2>&1 || cat "$tmp/said"; }

for u in plain many also static tmpl@ bare@ tmpl@two spec@foo dropin vendor cont comment; do
	rm -rf "$tmp/ours" "$tmp/theirs"
	units "$tmp/ours"; units "$tmp/theirs"
	theirs enable "$u.service"
	mc on "{\"name\":\"$u.service\",\"enabled\":true}"
	ours on
	same "enable $u.service" <(links "$tmp/theirs") <(links "$tmp/ours")
	theirs disable "$u.service"
	mc off "{\"name\":\"$u.service\",\"enabled\":false}"
	ours off
	same "disable $u.service" <(links "$tmp/theirs") <(links "$tmp/ours")
done
for u in plain many vendor off; do
	rm -rf "$tmp/ours" "$tmp/theirs"
	units "$tmp/ours"; units "$tmp/theirs"
	theirs enable "$u.service"
	mc on "{\"name\":\"$u.service\",\"enabled\":true}"; ours on
	theirs preset "$u.service"
	mc pre "{\"name\":\"$u.service\"}"; ours pre
	same "preset $u.service" <(links "$tmp/theirs") <(links "$tmp/ours")
done
# systemd's own check of the units we wrote
rm -rf "$tmp/ours"; units "$tmp/ours"
for t in sysinit basic shutdown multi-user; do
	printf '[Unit]\nDescription=x\n' > "$tmp/ours/usr/lib/systemd/system/$t.target"
done
mkdir -p "$tmp/ours/bin"; printf '#!/bin/sh\n' > "$tmp/ours/bin/true"; chmod +x "$tmp/ours/bin/true"
mc v '{"name":"v.service","enabled":true,"contents":"[Unit]\nDescription=v\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"}'
ours v
if systemctl --root "$tmp/ours" is-enabled v.service | grep -qx enabled &&
   systemd-analyze verify --root "$tmp/ours" --man=no v.service > "$tmp/said" 2>&1; then
	passed=$((passed + 1))
else
	failed=$((failed + 1)); echo "FAIL systemd-analyze verify"; sed 's/^/  /' "$tmp/said"
fi

# ---- first boot: trees as Ignition makes them -------------------------------------
# Ignition labels the files that it writes, for a system with SELinux
mkdir "$tmp/bin" && printf '#!/bin/sh\n' > "$tmp/bin/setfiles" && chmod +x "$tmp/bin/setfiles"
PATH=$tmp/bin:$PATH
ignition=/usr/lib/dracut/modules.d/30ignition/ignition
root() {	# an empty root with the files both need
	mkdir -p "$1"/{etc,home,bin,sbin,usr/sbin,usr/bin,var,tmp}
	printf 'root:x:0:0:root:/root:/bin/bash\n' > "$1/etc/passwd"
	printf 'root:*:1::::::\n' > "$1/etc/shadow"; chmod 0640 "$1/etc/shadow"
	printf 'root:x:0:\nwheel:x:10:\n' > "$1/etc/group"
	printf 'root:*::\nwheel:::\n' > "$1/etc/gshadow"; chmod 0640 "$1/etc/gshadow"
	echo there > "$1/etc/there"
	# the settings of CoreOS
	printf 'USERGROUPS_ENAB yes\nHOME_MODE 0700\nUID_MIN 1000\nSYS_UID_MIN 201\nGID_MIN 1000\nSYS_GID_MIN 201\nPASS_MAX_DAYS 99999\nPASS_MIN_DAYS 0\nPASS_WARN_AGE 7\n' > "$1/etc/login.defs"
	mkdir -p "$1/etc/selinux"
	printf 'SELINUX=disabled\nSELINUXTYPE=none\n' > "$1/etc/selinux/config"
}
# useradd leaves a lock and backups behind; the order of Ignition's presets changes from run to
# run
tree() { (cd "$1" && rm -f etc/.ignition-result.json etc/.pwd.lock etc/{passwd,shadow,group,gshadow}- &&
	p=etc/systemd/system-preset/20-ignition.preset && { [ ! -e $p ] || sort -o $p $p; }
	find . -printf '%y %m %U:%G %p %l\n' | sort
	find . -type f -print0 | sort -z | xargs -0 md5sum); }
config() { printf '{"ignition":{"version":"3.3.0"},%s}' "$2" > "$tmp/$1.ign"; }
d() { printf 'data:,%s' "$1"; }

config files '"storage":{"directories":[{"path":"/var/d","mode":448},{"path":"/var/d/e","user":{"id":7},"group":{"id":8}}],
 "files":[{"path":"/etc/plain","contents":{"source":"'$(d hello)'"}},
  {"path":"/etc/mode","mode":384,"contents":{"source":"'$(d x)'"}},
  {"path":"/etc/deep/er/file","contents":{"source":"'$(d deep)'"},"user":{"id":3},"group":{"id":4}},
  {"path":"/etc/empty"},
  {"path":"/etc/there","overwrite":true,"contents":{"source":"'$(d new)'"}},
  {"path":"/etc/gz","contents":{"compression":"gzip","source":"data:;base64,'$(printf zipped | gzip -n | base64 -w0)'"}},
  {"path":"/etc/sum","contents":{"source":"'$(d x)'","verification":{"hash":"sha512-'$(printf x | sha512sum | cut -d' ' -f1)'"}}},
  {"path":"/etc/appended","append":[{"source":"'$(d a)'"},{"source":"'$(d b)'"}]}],
 "links":[{"path":"/etc/soft","target":"plain"},{"path":"/etc/abs","target":"/etc/plain"},{"path":"/etc/hard","target":"/etc/plain","hard":true}]}'
config units '"systemd":{"units":[{"name":"a.service","enabled":true,"contents":"[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"},
 {"name":"b.service","enabled":false,"dropins":[{"name":"10.conf","contents":"[Unit]\n"}]},
 {"name":"m.service","mask":true}]}'
config append '"storage":{"files":[{"path":"/etc/there","append":[{"source":"'$(d more)'"}]}]}'
config users '"passwd":{"groups":[{"name":"g1","gid":1500},{"name":"sys","system":true}],
 "users":[{"name":"alice","passwordHash":"$6$h","uid":1600,"groups":["wheel","g1"],"gecos":"Alice","shell":"/bin/sh","sshAuthorizedKeys":["k1","k2"]},
  {"name":"bob","primaryGroup":"g1","homeDir":"/var/bob","shell":"/bin/sh"},
  {"name":"daemon1","system":true,"noCreateHome":true,"shell":"/sbin/nologin"},
  {"name":"root","sshAuthorizedKeys":["r"]}]}'
for c in files units append users; do
	rm -rf "$tmp/ours" "$tmp/theirs"
	root "$tmp/ours"; root "$tmp/theirs"
	theirs_ok=true
	for stage in fetch files; do
		IGNITION_CONFIG_FILE=$tmp/$c.ign "$ignition" --root "$tmp/theirs" --platform file \
			--stage $stage --config-cache "$tmp/$c.cache" --log-to-stdout \
			> "$tmp/said" 2>&1 || theirs_ok=false
	done
	$theirs_ok ||
		{ failed=$((failed + 1)); echo "FAIL ignition itself, $c"; tail -n 5 "$tmp/said"; continue; }
	"$out/mco-daemon" firstboot --config "$tmp/$c.ign" --root "$tmp/ours" > "$tmp/said" 2>&1 ||
		{ failed=$((failed + 1)); echo "FAIL firstboot, $c"; tail -n 3 "$tmp/said"; continue; }
	tree "$tmp/theirs" > "$tmp/want"; tree "$tmp/ours" > "$tmp/have"
	[ $c != users ] || for f in passwd shadow group gshadow; do
		same "ignition and firstboot, /etc/$f" "$tmp/theirs/etc/$f" "$tmp/ours/etc/$f"
	done
	same "ignition and firstboot, $c" "$tmp/want" "$tmp/have"
done

# ---- images pinned, with containerd as the runtime; hours that pass ---------------
count() {	# the counts in the output of a script
	sed '$d' "$1"
	read -r p f < <(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$1")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}
MCO_DIR=$1 bash test/node-peer/containerd.sh > "$tmp/pinned"
count "$tmp/pinned"
MCO_DIR=$2 bash test/node-peer/waits.sh "$3" > "$tmp/waits"
count "$tmp/waits"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
