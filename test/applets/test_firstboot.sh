# mco-daemon firstboot: configs applied to a new root, refusals, and fetching.
. test/applets/node.sh
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
boot() { "$MCO" firstboot --config "$TMP/c.ign" --root "$R" > "$TMP/.out" 2> "$TMP/.err"; }
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
	same "refused: ${s#*|}" "1 Error: the config has ${s#*|}, which is not done here: nothing has been written" "$? $(err)"
	same "nothing written: ${s#*|}" "$before" "$(state)"
done
fresh; before=$(state)
ign "$(files "$(file /etc/foo 1)" '{"path":"/etc/z","contents":{"source":"https://x.example/y"}}')"
boot
same 'contents elsewhere' '1 Error: file /etc/z: its contents are at https://x.example/y: only data: URLs are read here' "$? $(err)"
same 'nothing written' "$before" "$(state)"
ign "$(files "{\"path\":\"/etc/z\",\"contents\":{\"source\":\"data:,x\",\"verification\":{\"hash\":\"sha256-$(printf y | sha256sum | cut -d' ' -f1)\"}}}")"
boot; status=$?
same 'a wrong sum' "1 Error: file /etc/z: its sha256 is $(printf x | sha256sum | cut -d' ' -f1), not $(printf y | sha256sum | cut -d' ' -f1)" "$status $(err)"
echo old > "$R/etc/foo"
ign "$(files "$(file /etc/foo 1)")"
boot
same 'something is there' '1 Error: error creating /etc/foo: something is there and overwrite is not true' "$? $(err)"
same 'nothing overwritten' old "$(cat "$R/etc/foo")"
echo '{' > "$TMP/c.ign"; boot
same 'not a config' 1 $?
expect 'neither of the two' 1 '' 'Error: give either --url URL or --config FILE
' "$MCO" firstboot --root "$R"
expect 'nobody there' 1 '' '' bash -c "$MCO firstboot --root $R --timeout 50ms --url http://127.0.0.1:9/config/worker 2>/dev/null"

finish
