# root.sh DIR: creates a new root before its first boot.
mkdir -p "$1/etc" "$1/boot/loader/entries"
printf 'root:x:0:0:root:/root:/bin/bash\n' > "$1/etc/passwd"
printf 'root:x:0:\n' > "$1/etc/group"
printf 'root:*:1::::::\n' > "$1/etc/shadow"
printf 'title x\noptions root=a quiet rw\n' > "$1/boot/loader/entries/1.conf"
