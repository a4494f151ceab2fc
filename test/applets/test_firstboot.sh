# mco-daemon firstboot: configs applied to a new root, refusals, and fetching.
. test/applets/node.sh
. test/cluster/free_port.sh
unset MCO_HOST_PATH
R=$TMP/sysroot
fresh() {
	rm -rf "$R"; mkdir -p "$R/etc" "$R/boot/loader/entries"
	printf 'root:x:0:0:root:/root:/bin/bash\n' > "$R/etc/passwd"
	printf 'root:x:0:\n' > "$R/etc/group"
	printf 'root:*:1::::::\n' > "$R/etc/shadow"
	printf 'title x\noptions root=a quiet rw\n' > "$R/boot/loader/entries/1.conf"
}
ign() { printf '{"ignition":{"version":"3.4.0"}%s}' "${1:+,$1}" > "$TMP/c.ign"; }
boot() { timeout ${PATIENCE:-300} "$MCO" firstboot --config "$TMP/c.ign" --root "$R" > "$TMP/.out" 2> "$TMP/.err"; }
err() { sed -n '/^Error: /,$p' "$TMP/.err"; }
state() { (cd "$R" && find . -printf '%y %m %p %l\n' | sort; find . -type f -print0 | sort -z | xargs -0 md5sum); }

fresh
ign "$(files "$(file /etc/foo 1)"),\"kernelArguments\":{\"shouldExist\":[\"nosmt\",\"quiet\"],\"shouldNotExist\":[\"rw\"]},\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"]}]}"
boot
same 'applied' '0 1' "$? $(cat "$R/etc/foo")"
same 'kernel arguments' 'title x
options root=a quiet nosmt' "$(cat "$R/boot/loader/entries/1.conf")"
same 'user' 'core:x:1000:1000::/home/core:/bin/bash' "$(tail -n 1 "$R/etc/passwd")"
same 'key' k "$(cat "$R/home/core/.ssh/authorized_keys.d/ignition")"

for s in '"storage":{"disks":[{"device":"/dev/x"}]}|storage.disks' \
	'"storage":{"raid":[{"name":"r","level":"raid1","devices":["/dev/a","/dev/b"]}]}|storage.raid' \
	'"storage":{"filesystems":[{"device":"/dev/x","format":"xfs","path":"/y"}]}|storage.filesystems' \
	'"storage":{"luks":[{"name":"l","device":"/dev/x"}]}|storage.luks'; do
	fresh; before=$(state)
	ign "${s%|*}"
	boot
	same "refused: ${s#*|}" "1 Error: the config has ${s#*|}, which is not supported here: nothing has been written" "$? $(err)"
	same "nothing written: ${s#*|}" "$before" "$(state)"
done
fresh; before=$(state)
ign "$(files "{\"path\":\"/etc/z\",\"contents\":{\"source\":\"data:,x\",\"verification\":{\"hash\":\"sha256-$(printf y | sha256sum | cut -d' ' -f1)\"}}}")"
boot; status=$?
same 'a wrong sum' "1 Error: file /etc/z: its sha256 is $(printf x | sha256sum | cut -d' ' -f1), not $(printf y | sha256sum | cut -d' ' -f1)" "$status $(err)"
echo old > "$R/etc/foo"
ign "$(files "$(file /etc/foo 1)")"
boot
same 'something is there' '1 Error: error creating /etc/foo: it exists and overwrite is not true' "$? $(err)"
same 'nothing overwritten' old "$(cat "$R/etc/foo")"
fresh; before=$(state)
ign "$(files "$(file '/etc/passwd\u0000x' 1)")"; boot
same 'a NUL in a path' '1 1' "$? $(err | grep -c 'contains a NUL character')"
same 'a NUL in a path: nothing written' "$before" "$(state)"
echo '{' > "$TMP/c.ign"; boot
same 'not a config' 1 $?
expect 'neither of the two' 1 '' 'Error: give either --url URL or --config FILE
' "$MCO" firstboot --root "$R"
expect 'no server' 1 '' '' bash -c "$MCO firstboot --root $R --timeout 50ms --url http://127.0.0.1:9/config/worker 2>/dev/null"


# ---- attributes of existing files that the config does not set stay ------------------
fresh
mkdir -m 0750 "$R/etc/d"; printf 'old\n' > "$R/etc/hosts"; chmod 0640 "$R/etc/hosts"
ign '"storage":{"directories":[{"path":"/etc/d"}],"files":[{"path":"/etc/hosts","append":[{"source":"data:,new%0A"}]}]}'
boot
same 'kept' '0 750 640 old
new' "$? $(stat -c %a "$R/etc/d") $(stat -c %a "$R/etc/hosts") $(cat "$R/etc/hosts")"

# ---- links, units: as Ignition does -----------------------------------------------------
fresh
mkdir -p "$R/srv/real"; ln -s real "$R/srv/also"; before=$(state)
ign "$(files "$(file /srv/real/x 1)" "$(file /srv/also/x 2)")"; boot
same 'two files that a symlink makes one' '1 Error: /srv/real/x and /srv/also/x are both /srv/real/x on this root: nothing has been written' "$? $(err)"
same 'two files that are one: nothing written' "$before" "$(state)"
ign '"storage":{"files":[{"path":"/srv/a/b/c","contents":{"source":"data:,x"}}],"links":[{"path":"/hard","target":"/srv/a/b/c","hard":true}]}'
boot
same 'a hard link to a deeper file' '0 2' "$? $(stat -c %h "$R/hard")"
ign '"storage":{"links":[{"path":"/hard","target":"/srv/a/b/c","hard":true}]}'
boot
same 'a hard link that exists' '0 2' "$? $(stat -c %h "$R/hard")"
echo > "$R/other"
ign '"storage":{"links":[{"path":"/other","target":"/srv/a/b/c","hard":true}]}'
boot
same 'another file in its place' '1 Error: error creating /other: it exists and overwrite is not true' "$? $(err)"
fresh
W=$R/etc/systemd/system/multi-user.target.wants
mkdir -p "$W"; printf '[Install]\nWantedBy=multi-user.target\n' > "$R/etc/systemd/system/off.service"
ln -s ../off.service "$W/off.service"; ln -s ../kept.service "$W/kept.service"
ign '"systemd":{"units":[{"name":"e@b.service","enabled":true},{"name":"off.service","enabled":false},{"name":"e@a.service","enabled":true},{"name":"e@c.service","enabled":false},{"name":"d.service","dropins":[{"name":"1.conf","contents":""}]}]}'
boot
same 'one preset line for the instances of a template' '0 enable e@.service b a
disable off.service
disable e@.service c' "$? $(cat "$R/etc/systemd/system-preset/20-ignition.preset")"
same 'the links of a disabled unit go' kept.service "$(ls "$W")"
same 'an empty dropin' 0 "$(stat -c %s "$R/etc/systemd/system/d.service.d/1.conf")"

# ---- remote contents: good and bad replies of servers -------------------
D=$TMP/canned
mkdir "$D"
perl test/applets/canned.pl "$D" & CANNED=$!
SERVER=
trap 'kill $CANNED $SERVER 2>/dev/null; rm -rf "$TMP"' EXIT
for _ in {1..2400}; do [ -s "$D/port" ] && break; sleep 0.05; done
U=http://127.0.0.1:$(cat "$D/port")
export NO_PROXY='*'
answer() {	# NAME STATUS [HEADERS], body on standard input
	cat > "$D/.body"
	{ printf 'HTTP/1.1 %s\r\n%bContent-Length: %d\r\nConnection: close\r\n\r\n' "$2" "${3:-}" "$(stat -c %s "$D/.body")"; cat "$D/.body"; } > "$D/$1"
}
fetch() { timeout ${PATIENCE:-300} "$MCO" firstboot --url "$1" --root "$R" "${@:2}" > "$TMP/.out" 2> "$TMP/.err"; }
tries() { grep -c 'attempt #' "$TMP/.err"; }

ign "$(files "$(file /etc/foo 1)")"
answer ok '200 OK' < "$TMP/c.ign"
fresh; fetch "$U/ok"
same 'fetched' '0 1' "$? $(cat "$R/etc/foo")"
same 'says what it can read' 'Accept: application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1' "$(grep -i '^accept:' "$D/ok.request" | tr -d '\r')"
answer late.1 '503 Busy' < /dev/null; answer late '200 OK' < "$TMP/c.ign"
fresh; fetch "$U/late"
same 'a server that is not ready' '0 1 2' "$? $(cat "$R/etc/foo") $(tries)"
answer short.1 '200 OK' < "$TMP/c.ign"; truncate -s -5 "$D/short.1"; answer short '200 OK' < "$TMP/c.ign"
fresh; fetch "$U/short"
same 'a body cut short' '0 1 2' "$? $(cat "$R/etc/foo") $(tries)"
same 'logged on the console' 1 "$(grep -c '^W.*/short: ' "$TMP/.err")"
gzip -nc "$TMP/c.ign" | answer packed '200 OK' 'Content-Encoding: gzip\r\n'
fresh; fetch "$U/packed"
same 'a packed answer' '0 1' "$? $(cat "$R/etc/foo")"
head -c 70000000 /dev/zero | answer huge '200 OK'
fresh; before=$(state); fetch "$U/huge"
same 'a huge body' '1 1' "$? $(tries)"
same 'a huge body: reported' 1 "$(err | grep -c "/huge: .*67108864")"
answer no '403 Forbidden' < /dev/null
fetch "$U/no"
same 'a refusal' "1 Error: $U/no: the server responded with status 403" "$? $(err)"
fetch ftp://x/y
same 'no such scheme' '1 Error: GET: URL is neither http:// nor https://' "$? $(err)"
answer gone '500 Broken' < /dev/null
fetch "$U/gone" --timeout 5s
same 'broken for good' "1 Error: $U/gone: the server responded with status 500" "$? $(err)"
same 'nothing written' "$before" "$(state)"
kill -STOP $CANNED # the kernel accepts connections, and nothing answers
fetch "$U/silent" --timeout 1s
same 'no response in that time' '1 1' "$? $(err | grep -c 'took longer than [0-9]* ms$')"
kill -CONT $CANNED
answer one '302 Found' 'Location: /two\r\n' < /dev/null
answer two '307 Temporary' "Location: $U/ok\r\n" < /dev/null
fresh; fetch "$U/one"
same 'redirects' '0 1' "$? $(cat "$R/etc/foo")"
answer round '302 Found' 'Location: /round\r\n' < /dev/null
fetch "$U/round" --timeout 1s
same 'redirects without end' "1 Error: $U/round: the server responded with status 302" "$? $(err)"
same 'not followed without end, but tried again' yes "$([ "$(tries)" -gt 11 ] && [ "$(tries)" -lt 120 ] && echo yes)"

# ---- invalid replies: retried, with the reason logged --------------------------------------
spoiled() {	# NAME PATTERN, the bytes of the first reply on standard input
	cat > "$D/$1.1"; answer "$1" '200 OK' < "$TMP/c.ign"
	fresh; fetch "$U/$1"
	same "$1" '0 1 2' "$? $(cat "$R/etc/foo") $(tries)"
	same "$1: reason is logged" 1 "$(grep -c "^W.*$2.*: trying again in 100 ms$" "$TMP/.err")"
}
ign "$(files "$(file /etc/foo 1)")"
printf 'garbage\r\n\r\n' | spoiled garbage 'GET .*/garbage: '
printf 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n' | spoiled syntax 'GET .*/syntax: '
{ printf 'HTTP/1.1 200 OK\r\nX: '; head -c 100000 /dev/zero | tr '\0' x; } | spoiled endless-head 'GET .*/endless-head: '
printf '' | spoiled nothing 'GET .*/nothing: '
printf 'HTTP/1.1 301 Moved\r\nLocation: ftp://x/\r\nContent-Length: 0\r\n\r\n' | spoiled elsewhere '/elsewhere: the server responded with status 301'
printf 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd' | spoiled unpacked '/unpacked: gzip: invalid header'
gzip -nc "$TMP/c.ign" | head -c 40 | answer begun '200 OK' 'Content-Encoding: gzip\r\n'
spoiled half '/half: unexpected EOF' < "$D/begun"
for status in 400 401 403 404 410 451; do
	answer no "$status No" < /dev/null
	fetch "$U/no"
	same "a refusal: $status" "1 1 Error: $U/no: the server responded with status $status" "$? $(tries) $(err)"
done
echo '{"ignition":{"version":"9.9.9"}}' | answer no '200 OK'
fetch "$U/no"
same 'a config that is none' '1 1' "$? $(tries)"

# ---- large contents go to the disk, not into memory ----------------------------------------
bounded() {	# MEGABYTES COMMAND...: with this limit of address space
	(ulimit -v $(($1 * 1024)); exec "${@:2}")
}
if bounded 48 "$MCO" version > /dev/null 2>&1; then
	head -c 100000000 /dev/zero | tee >(sha256sum | cut -d' ' -f1 > "$TMP/sum") | gzip -n9 > "$TMP/big.gz"
	packed=$(base64 -w 0 < "$TMP/big.gz")
	until [ -s "$TMP/sum" ]; do sleep 0.05; done
	check="\"verification\":{\"hash\":\"sha256-$(cat "$TMP/sum")\"}"
	answer big '200 OK' < "$TMP/big.gz"
	head -c 100000000 /dev/zero | answer plain '200 OK'
	answer big-encoded '200 OK' 'Content-Encoding: gzip\r\n' < "$TMP/big.gz"
	for how in "data:;base64,$packed gzip" "$U/big gzip" "$U/plain" "$U/big-encoded"; do
		ign "$(files "{\"path\":\"/etc/big\",\"contents\":{\"source\":\"${how% *}\",$check$([ "$how" = "${how% *}" ] || echo ',"compression":"gzip"')}}")"
		fresh; before=$(ls -A "$R/etc")
		bounded 48 timeout ${PATIENCE:-300} "$MCO" firstboot --config "$TMP/c.ign" --root "$R" > "$TMP/.out" 2> "$TMP/.err"
		status=$?
		same "a large file: ${how:0:30}" "0 $(cat "$TMP/sum")" "$status $(sha256sum < "$R/etc/big" | cut -d' ' -f1)"
		same "no other file: ${how:0:30}" "$(printf '%s\nbig' "$before" | sort)" "$(ls -A "$R/etc" | grep -v '^machine-config-daemon$')"
	done
	rm "$D/plain"
	# gzip of gzip: 300 MB in a few hundred bytes
	head -c 300000000 /dev/zero | gzip -n9 > "$TMP/bomb.gz"
	for how in "data:;base64,$(base64 -w 0 < "$TMP/bomb.gz")" "$U/bomb"; do
		answer bomb '200 OK' < "$TMP/bomb.gz"
		ign "$(files "$(file /etc/foo 1)" "{\"path\":\"/etc/bomb\",\"contents\":{\"source\":\"$how\",\"compression\":\"gzip\"}}")"
		fresh; before=$(state)
		bounded 48 timeout ${PATIENCE:-300} "$MCO" firstboot --config "$TMP/c.ign" --root "$R" > "$TMP/.out" 2> "$TMP/.err"
		same "a bomb: ${how:0:30}" '1 1' "$? $(err | grep -c '^Error: file /etc/bomb: .*unpacks to more than 268435456 bytes$')"
		same "a bomb, nothing written: ${how:0:30}" "$before" "$(state)"
	done
	answer bomb-config '200 OK' 'Content-Encoding: gzip\r\n' < "$TMP/bomb.gz"
	fetch "$U/bomb-config"
	same 'a bomb for a config' "1 1 Error: $U/bomb-config: larger than 67108864 bytes" "$? $(tries) $(err)"
	rm "$TMP/bomb.gz" "$TMP/big.gz" "$R/etc/big" 2>/dev/null
	# a disk that is too small for both the contents and the file
	if [ "$(id -u)" = 0 ] && mkdir -p "$TMP/small" && mount -t tmpfs -o size=150m none "$TMP/small" 2>/dev/null; then
		was=$R R=$TMP/small/root
		ign "$(files "{\"path\":\"/etc/big\",\"contents\":{\"source\":\"data:;base64,$packed\",\"compression\":\"gzip\"}}")"
		fresh; before=$(state); boot
		same 'a small disk' '1 1' "$? $(err | grep -c '^Error: file /etc/big: the contents of the config.s files need more than 7[0-9]* bytes, half of the free disk space: nothing has been written$')"
		same 'a small disk: nothing written' "$before" "$(state)"
		R=$was
		umount "$TMP/small"
	fi
fi

# ---- start --once-from: the same, in one attempt ------------------------------------------------
once() { NODE_NAME=node MCO_HOST_PATH=$TMP/host "$MCO" start --root-mount "$ROOT" --once-from "$@" > "$TMP/.out" 2> "$TMP/.err"; }
fatal() { tail -n 1 "$TMP/.err" | sed 's/^F.*\] //'; }
new_node
once "$U/one"
same 'once-from' "0 1 systemd-run --unit machine-config-daemon-reboot --description machine-config-daemon: runOnceFromIgnition complete" "$? $(cat "$ROOT/etc/foo") $(calls | tail -n 1 | sed 's/ -p .*//')"
new_node
before=$(tree)
once "$U/gone"
same 'once-from: broken' "255 1 $U/gone: the server responded with status 500" "$? $(tries) $(fatal)"
once "http://me:secret@${U#http://}/short.none"
same 'once-from: no answer' "255 1 0" "$? $(tries) $(grep -c secret "$TMP/.err")"
once "$U/huge"
same 'once-from: a huge body' '255 1' "$? $(fatal | grep -c "/huge: .*67108864")"
echo '{}' | answer empty '200 OK'
once "$U/empty"
same 'once-from: neither' "255 unable to decipher onceFrom config type: Object 'Kind' is missing in '{}'" "$? $(fatal)"
mc r1 "$(files "$(file /etc/foo 1)")"
answer mc '200 OK' < "$TMP/r1.json"
once "$U/mc"
same 'once-from: a MachineConfig' '255 running in onceFrom mode with a remote MachineConfig without a cluster' "$? $(fatal)"
same 'once-from: nothing written' "$before" "$(tree)"

# ---- configs that refer to configs --------------------------------------------------------------
printf 'far away\n' | tee "$TMP/far" | answer far '200 OK'
sum=sha256-$(sha256sum < "$TMP/far" | cut -d' ' -f1)
gzip -nc "$TMP/far" | answer farz '200 OK'
ign "$(files "{\"path\":\"/etc/far\",\"contents\":{\"source\":\"$U/far\",\"verification\":{\"hash\":\"$sum\"},\"httpHeaders\":[{\"name\":\"X-Key\",\"value\":\"k1\"}]},\"append\":[{\"source\":\"$U/farz\",\"compression\":\"gzip\",\"verification\":{\"hash\":\"$sum\"}}]}")"
fresh; boot
same 'contents elsewhere' '0 far away
far away' "$? $(cat "$R/etc/far")"
same 'its headers' 'X-Key: k1' "$(grep X-Key "$D/far.request" | tr -d '\r')"
ign "$(files "{\"path\":\"/etc/far\",\"contents\":{\"source\":\"$U/far\",\"httpHeaders\":[{\"name\":\"accept\",\"value\":\"text/x\"}]}}")"
fresh; boot
same 'its own Accept' '0 accept: text/x' "$? $(grep -i '^accept:' "$D/far.request" | tr -d '\r')"
ign "$(files "$(file /etc/foo 1)" "{\"path\":\"/etc/z\",\"contents\":{\"source\":\"$U/far\",\"verification\":{\"hash\":\"sha256-$(printf y | sha256sum | cut -d' ' -f1)\"}}}")"
fresh; before=$(state); boot; status=$?
same 'contents that are others' "1 Error: file /etc/z: its sha256 is ${sum#*-}, not $(printf y | sha256sum | cut -d' ' -f1)" "$status $(err)"
same 'nothing written' "$before" "$(state)"
printf '{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"%s/ok"}]}},%s}' "$U" "$(files "$(file /etc/foo 2)" "$(file /etc/bar 3)")" | answer pointer '200 OK'
ign "$(files "$(file /etc/foo 1)")" ; answer ok '200 OK' < "$TMP/c.ign"
fresh; fetch "$U/pointer"
same 'merged' '0 1 3' "$? $(cat "$R/etc/foo" "$R/etc/bar" | tr -d '\n' | sed 's/./& /' )"
printf '{"ignition":{"version":"3.4.0","config":{"replace":{"source":"%s/ok"}}},%s}' "$U" "$(files "$(file /etc/bar 3)")" > "$TMP/c.ign"
fresh; boot
same 'replaced' '0 1 no' "$? $(cat "$R/etc/foo") $([ -e "$R/etc/bar" ] || echo no)"
printf '{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"%s/loop"}]}}}' "$U" | tee "$TMP/c.ign" | answer loop '200 OK'
fresh; boot
same 'configs in a circle' '1 1' "$? $(err | grep -c 'configs refer to configs more than 10 deep$')"
printf '{"ignition":{"version":"3.4.0"},"storage":{"luks":[{"name":"l","device":"/dev/x"}]}}' | answer luks '200 OK'
printf '{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"%s/luks"}]}},%s}' "$U" "$(files "$(file /etc/foo 1)")" > "$TMP/c.ign"
fresh; before=$(state); boot
same 'refused: of a config elsewhere' '1 Error: the config has storage.luks, which is not supported here: nothing has been written' "$? $(err)"
same 'nothing written' "$before" "$(state)"
printf 'in the way' > "$R/etc/bar"; before=$(state)
ign "$(files "$(file /etc/foo 1)" "$(file /etc/bar 2)")"; boot
same 'something is in the way' '1 Error: error creating /etc/bar: it exists and overwrite is not true' "$? $(err)"
same 'nothing written before that' "$before" "$(state)"

# ---- mco-server, with TLS --------------------------------------------------------------------
cert() {	# NAME SAN
	openssl req -x509 -nodes -days 2 -subj "/CN=$1" -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
		-addext "subjectAltName=$2" -keyout "$TMP/$1.key" -out "$TMP/$1.crt" 2>/dev/null
}
cert good IP:127.0.0.1; cert other IP:127.0.0.1; cert name DNS:example.test
cat > "$TMP/ca.cnf" <<-END
	[ca]
	default_ca = d
	[d]
	database = $TMP/ca.db
	serial = $TMP/ca.serial
	new_certs_dir = $TMP
	default_md = sha256
	policy = p
	copy_extensions = copy
	[p]
	commonName = supplied
END
: > "$TMP/ca.db"; echo 01 > "$TMP/ca.serial"
openssl req -new -nodes -subj /CN=expired -newkey ec -pkeyopt ec_paramgen_curve:P-256 -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$TMP/expired.key" -out "$TMP/expired.csr" 2>/dev/null
openssl ca -batch -selfsign -config "$TMP/ca.cnf" -in "$TMP/expired.csr" -keyfile "$TMP/expired.key" -out "$TMP/expired.crt" \
	-startdate 20200101000000Z -enddate 20200102000000Z -notext 2>/dev/null
serve() {	# CERTIFICATE [PORT]
	[ -z "$SERVER" ] || { kill $SERVER; wait $SERVER; }
	: > "$TMP/server.log" # do not match lines of the previous server
	"$PWD/$BIN/mco-server" bootstrap --server-basedir examples/server --bootstrap-kubeconfig examples/server/kubeconfig --bind-address 127.0.0.1 \
		--secure-port "${2:-0}" --insecure-port 0 --cert "$TMP/$1.crt" --key "$TMP/$1.key" 2> "$TMP/server.log" &
	SERVER=$!
	for _ in {1..2400}; do grep -q 'Launching server' "$TMP/server.log" && break; sleep 0.05; done
	PORT=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$TMP/server.log" | head -n 1)
}
serve good
fresh; rm -rf "${R:?}/boot"; fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/good.crt"
same 'mco-server: applied' '0 yes' "$? $([ -s "$R/etc/machine-config-daemon/node-annotations.json" ] && [ -s "$R/etc/ignition-machine-config-encapsulated.json" ] && echo yes)"
state > "$TMP/served"
fresh; before=$(state)
refused() {	# NAME PATTERN
	same "$1" '1 1' "$? $(err | grep -c "$2")"
	same "$1: nothing written" "$before" "$(state)"
}
fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/other.crt" --timeout 5s
refused 'another authority' 'not signed by an authority that is trusted\|unknown authority\|not trusted'
fetch "https://127.0.0.1:$PORT/config/master" --timeout 5s
refused 'no authority' 'authorit'
fetch "https://127.0.0.1:$PORT/config/nothing" --ca "$TMP/good.crt" --timeout 5s
refused 'no such pool' '/config/nothing: the server responded with status'
new_node
SSL_CERT_FILE=$TMP/other.crt once "https://127.0.0.1:$PORT/config/master"
same 'once-from: another authority' '255 no' "$? $([ -e "$ROOT/etc/ignition-machine-config-encapsulated.json" ] || echo no)"
SSL_CERT_FILE=$TMP/good.crt once "https://127.0.0.1:$PORT/config/master"
same 'once-from: https' '0 yes' "$? $([ -s "$ROOT/etc/machine-config-daemon/node-annotations.json" ] && echo yes)"
serve name
fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/name.crt" --timeout 5s
refused 'the wrong name' 127.0.0.1
serve expired
fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/expired.crt" --timeout 5s
refused 'expired' expired
# untrusted at first, then trusted: the clock was not set, or another server had the address
openssl req -new -nodes -subj /CN=early -newkey ec -pkeyopt ec_paramgen_curve:P-256 -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$TMP/early.key" -out "$TMP/early.csr" 2>/dev/null
openssl ca -batch -selfsign -config "$TMP/ca.cnf" -in "$TMP/early.csr" -keyfile "$TMP/early.key" -out "$TMP/early.crt" \
	-startdate 20900101000000Z -enddate 20910101000000Z -notext 2>/dev/null
cat "$TMP/good.crt" "$TMP/early.crt" "$TMP/name.crt" > "$TMP/some.crt"
for first in 'early not yet valid' 'name 127.0.0.1' 'other authorit'; do
	serve ${first%% *} "$(free_port)"
	fresh; rm -rf "${R:?}/boot"
	rm -f "$TMP/.err" # of the previous run
	fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/some.crt" & FETCH=$!
	for _ in {1..2400}; do [ "$(tries 2>/dev/null)" -ge 3 ] 2>/dev/null && break; sleep 0.05; done
	serve good "$PORT"
	wait $FETCH
	same "first ${first%% *}, then good" "0 $(cat "$TMP/served")" "$? $(state)"
	same "first ${first%% *}: reason is logged" yes "$(grep -q "^W.*${first#* }.*: trying again in 100 ms$" "$TMP/.err" && echo yes)"
done
# the pointer config of machines: the server and its CA
serve good
printf '{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"https://127.0.0.1:%s/config/master"}]},"security":{"tls":{"certificateAuthorities":[{"source":"data:;base64,%s"}]}}}}' \
	"$PORT" "$(base64 -w 0 "$TMP/good.crt")" > "$TMP/c.ign"
fresh; rm -rf "${R:?}/boot"; boot
same 'by a pointer' "0 $(cat "$TMP/served")" "$? $(state)"
# a server that is not up yet: logged, and retried
kill $SERVER; wait $SERVER 2>/dev/null; SERVER=
PORT=$(free_port)
fresh; rm -rf "${R:?}/boot"; fetch "https://127.0.0.1:$PORT/config/master" --ca "$TMP/good.crt" & FETCH=$!
for _ in {1..2400}; do grep -q 'Connection refused' "$TMP/.err" 2>/dev/null && break; sleep 0.05; done
serve good "$PORT"
wait $FETCH
same 'not up yet' "0 $(cat "$TMP/served")" "$? $(state)"

# ---- as in an initramfs: an empty environment, killed at any moment ------------------------------
alone() { env -i timeout -s KILL "${1:-300}" "$MCO" firstboot --url "https://127.0.0.1:$PORT/config/master" --ca "$TMP/good.crt" --root "$R" 2> "$TMP/.err"; }
fresh; rm -rf "${R:?}/boot"; alone
same 'without environment' "0 $(cat "$TMP/served")" "$? $(state)"
for t in 0.02 0.05 0.08 0.12; do
	fresh; rm -rf "${R:?}/boot"
	alone $t; alone
	same "killed after $t s, and again" "0 $(cat "$TMP/served")" "$? $(state)"
done
# A root with only the binary: no /dev, /proc, /tmp, resolv.conf.
C=$TMP/initramfs
mkdir -p "$C"
cp -L "$MCO" "$C/mco-daemon"; cp "$TMP/good.crt" "$C/ca.crt"
if [ "$(id -u)" = 0 ] && chroot "$C" /mco-daemon version > /dev/null 2>&1; then
	R=$C/sysroot; fresh; rm -rf "${R:?}/boot"
	env -i "$(command -v chroot)" "$C" /mco-daemon firstboot --url "https://127.0.0.1:$PORT/config/master" --ca /ca.crt 2> "$TMP/.err"
	same 'as /init' "0 $(cat "$TMP/served")" "$? $(state)"
	same 'as /init: nothing left beside it' 'ca.crt mco-daemon sysroot ' "$(ls "$C" | tr '\n' ' ')"
fi
finish
