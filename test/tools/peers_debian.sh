#!/bin/bash
# peers_debian.sh DEST: builds kube-apiserver 1.20.2 from Debian's source package and
# unpacks Debian's kubectl, once, into DEST/bin. Everything is made next to DEST
# and moved in place at the end.
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
get_sources "$tmp/go/src/k8s.io" kubernetes
# The package's copy of reflect2 reads maps in the layout of compilers before Go
# 1.18: every JSON response would panic. Debian has a version that supports both
# layouts.
vendored=$tmp/go/src/k8s.io/kubernetes/vendor/github.com/modern-go/reflect2
rm -rf "$vendored"
cp -rL "${GOCODE:-/usr/share/gocode}/src/github.com/modern-go/reflect2" "$vendored"
# With Go 1.19 this one reads an empty string as null.
sed -i 's/reflect.DeepEqual(reflect.Zero(reflect.TypeOf(data)), reflect.ValueOf(data))/!reflect.ValueOf(data).IsValid()/' \
	"$tmp/go/src/k8s.io/kubernetes/vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go"
# Unpacked, not installed: the machine may have its own kubectl.
( cd "$tmp" && apt-get -qq download kubernetes-client &&
  dpkg-deb -x kubernetes-client_*.deb client &&
  cp client/usr/bin/kubectl bin/ && rm -rf client kubernetes-client_*.deb ) ||
	fail "cannot fetch Debian's package kubernetes-client"
echo "building kube-apiserver (about ten minutes, once)"
(
	export PATH=/usr/lib/go-1.19/bin:$PATH GOPATH=$tmp/go GO111MODULE=off
	export CGO_ENABLED=0 KUBE_GIT_VERSION=v1.20.2 KUBE_GIT_COMMIT=debian
	export KUBE_GIT_TREE_STATE=clean GOCACHE=$tmp/cache GOFLAGS=-trimpath
	cd "$tmp/go/src/k8s.io/kubernetes"
	make generated_files
	v=k8s.io/kubernetes/vendor/k8s.io/component-base/version
	# Optimised for compile time, not for speed.
	go build -gcflags 'all=-N -l -dwarf=false' -ldflags "-s -w -X $v.gitVersion=v1.20.2 -X $v.gitMajor=1 \
		-X $v.gitMinor=20" -o "$tmp/bin" \
		k8s.io/kubernetes/cmd/kube-apiserver
) >"$base/peers.log" 2>&1 || { tail -n 20 "$base/peers.log" >&2
	fail "kube-apiserver does not build; the log is $base/peers.log"; }
chmod -R u+w "$tmp"
rm -rf "$tmp/go" "$tmp/cache"
"$tmp/bin/kube-apiserver" --version
rm -rf "$dest"
mv "$tmp" "$dest"
