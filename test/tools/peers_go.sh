#!/bin/bash
# peers_go.sh DEST: builds kube-apiserver, kube-controller-manager, kubectl and etcd into DEST/bin,
# once, from the Go modules that peers/go.mod names and peers/go.sum pins. Everything is made next to
# DEST and moved in place at the end.
set -eu
dest=$1
base=$(dirname "$dest")
mkdir -p "$base"
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^\tk8s.io\/kubernetes v//p' "$here/peers/go.mod")

exec 9>"$base/.peers.lock"
flock 9
if [ -x "$dest/bin/kube-apiserver" ]; then exit 0; fi

tmp=$dest.tmp.$$
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/bin"
minor=${version#*.}
flags='-s -w'
for at in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags+=" -X $at.gitVersion=v$version -X $at.gitMajor=${version%%.*} -X $at.gitMinor=${minor%%.*}"
done
build() {	# NAME PACKAGE
	nice go build -p 2 -trimpath -ldflags "$flags" -o "$tmp/bin/$1" "$2"
}
echo "building kube-apiserver $version (about fifteen minutes, once)"
(
	export CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false'
	cd "$here/peers"
	build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
	build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
	build kubectl k8s.io/kubernetes/cmd/kubectl
	build etcd go.etcd.io/etcd/server/v3
) >"$base/peers.log" 2>&1 || { tail -n 20 "$base/peers.log" >&2
	echo "Error: kube-apiserver does not build; the log is $base/peers.log" >&2; exit 1; }
"$tmp/bin/kube-apiserver" --version
rm -rf "$dest"
mv "$tmp" "$dest"
