#!/bin/bash
# run.sh BUILD KERNEL: boots a machine (under emulation) with an initramfs of the
# static binary and busybox. It fetches its config over TLS from mco-server on
# this host, applies it to a root in memory and lists the result, which must
# equal the result of applying it on this host.
set -u
bin=$(cd "$1" && pwd) kernel=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT
bb() { busybox sh "$here/$1.sh" "$2"; }

openssl req -x509 -nodes -days 2 -subj /CN=boot -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
	-addext subjectAltName=IP:127.0.0.1,IP:10.0.2.2 -keyout "$dir/tls.key" -out "$dir/tls.crt" 2>/dev/null
"$bin/mco-server" bootstrap --server-basedir examples/server --bootstrap-kubeconfig examples/server/kubeconfig \
	--bind-address 127.0.0.1 --secure-port 0 --insecure-port 0 --cert "$dir/tls.crt" --key "$dir/tls.key" \
	2> "$dir/server.log" &
server=$!
for ((i = 0; i < 3000; i++)); do
	port=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$dir/server.log" | head -n 1)
	[ -z "$port" ] || break
	kill -0 "$server" 2>/dev/null || break
	sleep 0.1
done
if [ -z "$port" ]; then
	echo "mco-server does not start: $(tail -n 1 "$dir/server.log")"
	echo '0 passed, 1 failed'
	exit 1
fi

# ---- on the host
mkdir "$dir/here"
bb root "$dir/here"
"$bin/mco-daemon" firstboot --url "https://127.0.0.1:$port/config/master" --ca "$dir/tls.crt" --root "$dir/here" \
	2> "$dir/here.log" || { cat "$dir/here.log"; exit 1; }
bb list "$dir/here" > "$dir/here.list"

# ---- in the guest
i=$dir/initramfs
mkdir -p "$i"/{bin,dev,proc,sys,sysroot,modules}
cp "$(command -v busybox)" "$i/bin/busybox"
cp -L "$bin/mco-daemon" "$i/mco-daemon"
cp "$dir/tls.crt" "$i/ca.crt"
cp "$here/list.sh" "$here/root.sh" "$i/"
# Load modules after the modules they need, which differ between kernels. A name
# without a module is built in.
modules=
take() {	# MODULE
	local file need
	file=$(find "$kernel/lib/modules" -name "$1.ko")
	[ -n "$file" ] && [ ! -e "$i/modules/$1.ko" ] || return 0
	cp "$file" "$i/modules/"
	for need in $(tr '\0' '\n' < "$file" | sed -n 's/^depends=//p' | tr ',' ' '); do take "$need"; done
	modules+=" $1"
}
take virtio_pci
take virtio_net
cat > "$i/init" <<END
#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
for m in $modules; do /bin/busybox insmod /modules/\$m.ko; done
/bin/busybox ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
/bin/busybox mount -t tmpfs -o mode=0755 tmpfs /sysroot
export PATH=/bin
/bin/busybox --install -s /bin
sh /root.sh /sysroot
env -i /mco-daemon firstboot --url https://10.0.2.2:$port/config/master --ca /ca.crt --timeout 600s
echo "firstboot: \$?"
echo LIST
sh /list.sh /sysroot
echo END
poweroff -f
END
chmod +x "$i/init"
(cd "$i" && find . | cpio -o -H newc --quiet) | gzip -1 > "$dir/initrd"
timeout -k 5 "${PATIENCE:-900}" qemu-system-x86_64 -accel tcg -m 384 -display none -serial stdio -monitor none \
	-no-reboot -kernel "$kernel"/boot/vmlinuz-* -initrd "$dir/initrd" -append 'console=ttyS0 quiet panic=-1' \
	-netdev user,id=n,restrict=off -device virtio-net-pci,netdev=n,romfile= < /dev/null 2> "$dir/qemu.log" |
	tr -d '\r' > "$dir/console"
sed -n '/^LIST$/,/^END$/p' "$dir/console" | sed '1d;$d' > "$dir/there.list"
if [ -s "$dir/there.list" ] && diff "$dir/here.list" "$dir/there.list" > "$dir/diff"; then
	echo "$(wc -l < "$dir/here.list") files and directories equal, booted in $SECONDS s"
	echo '1 passed, 0 failed'
	exit 0
fi
cat "$dir/diff" "$dir/qemu.log" 2>/dev/null | head -n 40
tail -n 25 "$dir/console"
echo '0 passed, 1 failed'
exit 1
