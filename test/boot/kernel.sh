#!/bin/bash
# kernel.sh DIR: unpacks Debian's cloud kernel and its modules into DIR;
# installs nothing.
set -eu
dir=$1
[ ! -e "$dir/done" ] || exit 0
rm -rf "$dir"
mkdir -p "$dir/deb"
name=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
[ -n "$name" ] || { echo "Error: apt knows no linux-image-cloud-amd64; run: apt-get update" >&2; exit 1; }
(cd "$dir/deb" && apt-get -o APT::Sandbox::User=root download -qq "$name")
dpkg-deb -x "$dir"/deb/*.deb "$dir"
rm -rf "$dir/deb"
touch "$dir/done"
