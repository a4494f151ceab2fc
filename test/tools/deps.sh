#!/bin/bash
# deps.sh DEST NAME...: builds bearssl, cjson, libyaml and zlib with $CC and $OPT for
# one variant, and lays out DEST/include, DEST/lib and DEST/SHA256SUMS.
#
# The sources are the Debian source packages that test/tools/sources.sha256 pins, kept in
# $ARCHIVES; or, unchecked, the unpacked directories in $DEPS_DIR. Everything is built next to
# DEST and moved in place at the end, so an interrupted run leaves nothing half-made.
set -eu
dest=$1; shift
base=$(dirname "$dest")
mkdir -p "$base"

. "$(dirname "$0")/source.sh"
exec 9>"$base/.lock"
flock 9
if [ -f "$dest/SHA256SUMS" ]; then exit 0; fi

tmp=$dest.tmp.$$
rm -rf "$tmp"; mkdir -p "$tmp/include" "$tmp/lib" "$tmp/obj" "$tmp/src"
trap 'rm -rf "$tmp"' EXIT
if [ -n "${DEPS_DIR:-}" ]; then
	for name in "$@"; do
		version=$(pinned_version "$name")
		d=$DEPS_DIR/$name-${version%-*}
		[ -d "$d" ] || fail "no directory $d: DEPS_DIR must contain the unpacked source packages $*"
		cp -r "$d" "$tmp/src/$name"
	done
else
	get_sources "$tmp/src" "$@"
fi
jobs=$(nproc)
# The flags of our own code, without warnings: the sources are not ours to change.
opt="$OPT -g0 -w -ffunction-sections -fdata-sections -ffile-prefix-map=$tmp=deps"

compile() {	# library, include flags, sources...
	local lib=$1 inc=$2; shift 2
	mkdir -p "$tmp/obj/$lib"
	printf '%s\n' "$@" | CC="$CC" INC="$inc" OPTS="$opt" O="$tmp/obj/$lib" \
		xargs -P "$jobs" -I{} sh -c \
		'$CC $OPTS $INC -c -o "$O/$(basename {} .c).o" {}' ||
		fail "$lib does not compile with $CC"
	rm -f "$tmp/lib/lib$lib.a"
	find "$tmp/obj/$lib" -name '*.o' | LC_ALL=C sort |
		xargs "${AR:-ar}" rcsD "$tmp/lib/lib$lib.a"
}

echo "building bearssl, cjson, libyaml, zlib for $VARIANT"
b=$tmp/src/bearssl
# It reads words at any address, which x86 allows and sanitizers do not.
aligned() { case $OPT in *sanitize*) echo -DBR_LE_UNALIGNED=0 ;; esac; }
# Cryptography for speed, as DEPS_OPT has the rest for size.
fast() { case $OPT in *-Os*) echo -O2 ;; esac; }
compile bearssl "$(aligned) $(fast) -I$b/inc -I$b/src" $(find "$b/src" -name '*.c')
cp "$b"/inc/*.h "$tmp/include/"
c=$tmp/src/cjson
compile cjson "-I$c" "$c/cJSON.c"
cp "$c/cJSON.h" "$tmp/include/"
y=$tmp/src/libyaml
compile yaml "-I$y/include -I$y/src -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING=\"0.2.5\"" "$y"/src/{api,reader,scanner,parser,loader,writer,emitter,dumper}.c
cp "$y/include/yaml.h" "$tmp/include/"
z=$tmp/src/zlib
# Its tables of CRC-32 take 9 KiB of the program, and microseconds to compute.
compile z "-I$z -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -DDYNAMIC_CRC_TABLE" "$z"/{adler32,crc32,deflate,inflate,inffast,inftrees,trees,zutil}.c
cp "$z/zlib.h" "$z/zconf.h" "$tmp/include/"
cp "$tmp/src/fzy/deps/greatest/greatest.h" "$tmp/include/"
rm -rf "$tmp/obj" "$tmp/src"
( cd "$tmp" && find include lib -type f | LC_ALL=C sort | xargs sha256sum > SHA256SUMS )
rm -rf "$dest"
mv "$tmp" "$dest"
