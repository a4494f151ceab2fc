#!/bin/bash
# peers.sh DEST: kube-apiserver and kubectl 1.20.2 from Debian's source package,
# built once into DEST/bin. Everything is made beside DEST and moved in place at the end.
set -eu
dest=$1
base=$(dirname "$dest")
mkdir -p "$base"
. "$(dirname "$0")/source.sh"

exec 9>"$base/.peers.lock"
flock 9
if [ -x "$dest/bin/kube-apiserver" ]; then exit 0; fi

tmp=$dest.tmp.$$
trap 'if [ -d "$tmp" ]; then chmod -R u+w "$tmp"; rm -rf "$tmp"; fi' EXIT
rm -rf "$tmp"; mkdir -p "$tmp/bin" "$tmp/go/src/k8s.io"
fetch_sources "$tmp/src" kubernetes
for d in "$tmp"/src/kubernetes-1.20*; do
	mv "$d" "$tmp/go/src/k8s.io/kubernetes"
done
echo "building kube-apiserver and kubectl (about ten minutes, once)"
(
	export PATH=/usr/lib/go-1.19/bin:$PATH GOPATH=$tmp/go GO111MODULE=off
	export CGO_ENABLED=0 KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_COMMIT=debian
	export KUBE_GIT_TREE_STATE=clean GOCACHE=$tmp/cache GOFLAGS=-trimpath
	cd "$tmp/go/src/k8s.io/kubernetes"
	make generated_files
	v=k8s.io/kubernetes/vendor/k8s.io/component-base/version
	go build -ldflags "-s -w -X $v.gitVersion=v1.20.2 -X $v.gitMajor=1 \
		-X $v.gitMinor=20" -o "$tmp/bin" \
		k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl
) >"$base/peers.log" 2>&1 || { tail -n 20 "$base/peers.log" >&2
	fail "kube-apiserver does not build; the log is $base/peers.log"; }
chmod -R u+w "$tmp"
rm -rf "$tmp/go" "$tmp/src" "$tmp/cache"
"$tmp/bin/kube-apiserver" --version
rm -rf "$dest"
mv "$tmp" "$dest"
