#!/bin/bash
# peers.sh CACHE [VERSION]: builds the peers of make test-cluster once, below CACHE, and prints their
# directory. VERSION is the Kubernetes release: that of peers/go.mod, from Go modules; or 1.20.2,
# from Debian 12's source package. The default is the former where it is built, or where Go and the
# modules are available; else it is the latter, and a message says so. $PACKAGES are the Debian
# packages of 1.20.2, as need.sh takes them.
set -eu
cache=$1 version=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
newest=$(sed -n 's/^\tk8s.io\/kubernetes v//p' "$here/peers/go.mod")
# Increase the number behind the version when the script builds them differently.
modern=$cache/peers-$newest.1 debian=$cache/peers-1.20.2.3

modules() {	# Go is new enough, or fetches a toolchain that is, and finds the modules
	local log
	command -v go >/dev/null || { echo "there is no Go toolchain"; return 1; }
	log=$(cd "$here/peers" && timeout 300 go mod download k8s.io/kubernetes 2>&1) ||
		{ echo "${log##*$'\n'}"; return 1; }
}
if [ -z "$version" ]; then
	version=$newest
	if [ ! -x "$modern/bin/kube-apiserver" ] && ! why=$(modules); then
		version=1.20.2
		echo "kube-apiserver $newest cannot be built here ($why): using $version" >&2
	fi
fi
case $version in
"$newest") [ -x "$modern/bin/kube-apiserver" ] || "$here/peers_go.sh" "$modern" >&2
	echo "$modern" ;;
1.20.2)	read -ra packages <<<"${PACKAGES:-}"
	"$here/need.sh" '' "${packages[@]}" >&2
	[ -x "$debian/bin/kube-apiserver" ] || "$here/peers_debian.sh" "$debian" >&2
	echo "$debian" ;;
*)	echo "Error: no peers of version $version; there are $newest and 1.20.2" >&2
	exit 1 ;;
esac
