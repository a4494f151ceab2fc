#!/bin/bash
# musl.sh DEST DEBIAN-ARCHITECTURE: unpacks Debian's musl-dev of another architecture as
# DEST. dpkg would refuse the package on a machine that has not added the architecture, so
# it comes through a private apt configuration (source.sh) and no package is installed.
set -eu
dest=$1 arch=$2
. "$(dirname "$0")/source.sh"
mkdir -p "$(dirname "$dest")" "$ARCHIVES"
exec 9>"$(dirname "$dest")/.lock"
flock 9
if [ -d "$dest" ]; then exit 0; fi

deb=$(pinned_files musl-dev | grep "_$arch\.deb\$") ||
	fail "test/tools/sources.sha256 does not pin musl-dev for $arch"
tmp=$dest.tmp.$$
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp"
if [ ! -e "$ARCHIVES/$deb" ]; then
	echo "fetching $deb"
	mkdir "$tmp/got"
	# A failed index update does not matter: the pin decides.
	apt_conf "$tmp/apt" "$arch"
	APT_CONFIG=$tmp/apt/apt.conf apt-get -qq update >/dev/null 2>&1 || true
	apt_download_deb "$tmp/apt" "$tmp/got" musl-dev
	[ -e "$tmp/got/$deb" ] ||
		fail "the mirrors have $(ls "$tmp/got"), and test/tools/sources.sha256 pins $deb;" \
		     "run make pins, review the change and commit it"
	mv "$tmp/got/$deb" "$ARCHIVES/"
fi
check_pin "$deb"
dpkg-deb -x "$ARCHIVES/$deb" "$tmp/root"
mv "$tmp/root" "$dest"
