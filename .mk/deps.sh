#!/bin/bash
# deps.sh DEST NAME=VERSION...: builds bearssl, cjson, libyaml and zlib with $CC
# for one variant, and lays out DEST/include, DEST/lib and DEST/SHA256SUMS.
#
# The sources are Debian source packages, or the unpacked folders in $DEPS_DIR.
# Everything is built beside DEST and moved in place at the end, so an interrupted run leaves nothing half-made.
set -eu
dest=$1; shift
here=$(cd "$(dirname "$0")" && pwd)
base=$(dirname "$dest")
mkdir -p "$base"

. "$(dirname "$0")/source.sh"
exec 9>"$base/.lock"
flock 9
if [ -f "$dest/SHA256SUMS" ]; then exit 0; fi

[ -n "${DEPS_DIR:-}" ] || [ -d "$base/src" ] || fetch_sources "$base/src" "${@%%=*}"
src=${DEPS_DIR:-$base/src}
declare -A dir
for p in "$@"; do
	name=${p%%=*} version=${p#*=}
	for d in "$src/$name-$version"*; do dir[$name]=$d; done
	[ -d "${dir[$name]}" ] ||
		fail "no folder $name-$version* in $src: found" \
		     "$(cd "$src" && echo "$name"*)"
done

tmp=$dest.tmp.$$
rm -rf "$tmp"; mkdir -p "$tmp/include" "$tmp/lib" "$tmp/obj"
trap 'rm -rf "$tmp"' EXIT
jobs=$(nproc)
# Warnings are ours to give on our own code only; frame and section flags match it.
opt="${OPT/-fstack-protector-strong/} -g0 -w -ffunction-sections -fdata-sections -ffile-prefix-map=$base=deps -ffile-prefix-map=$tmp=deps"

# Only what carries the load of a TLS connection is worth its size: hashes,
# P-256, X25519, RSA, and the ciphers of processors with AES instructions.
# The Makefile's SMALL is for all others.
quick='/(aes_x86ni|ghash_pclmul|chacha20_sse2|poly1305_ctmulq|sha2small|md5|ec_p256_m31|ec_c25519_m31|ec_all|i31_|i62_|rsa_i62)'


compile() {	# library, include flags, sources...
	local lib=$1 inc=$2; shift 2
	mkdir -p "$tmp/obj/$lib"
	printf '%s\n' "$@" | CC="$CC" INC="$inc" OPTS="$opt" O="$tmp/obj/$lib" \
		xargs -P "$jobs" -I{} sh -c \
		'$CC $OPTS $INC -c -o "$O/$(basename {} .c).o" {}' ||
		fail "$lib does not compile with $CC"
	rm -f "$tmp/lib/lib$lib.a"
	find "$tmp/obj/$lib" -name '*.o' | LC_ALL=C sort |
		xargs ar rcsD "$tmp/lib/lib$lib.a"
}

echo "building bearssl, cjson, libyaml, zlib for $VARIANT"
b=${dir[bearssl]}
# It reads words at any address, which x86 allows and sanitizers do not.
aligned() { case $OPT in *sanitize*) echo -DBR_LE_UNALIGNED=0 ;; esac; }
all=$(find "$b/src" -name '*.c' | LC_ALL=C sort)
compile bearssl "$(aligned) -I$b/inc -I$b/src" $(grep -E "$quick" <<<"$all")
compile bearssl "$SMALL $(aligned) -I$b/inc -I$b/src" $(grep -vE "$quick" <<<"$all")
cp "$b"/inc/*.h "$tmp/include/"
c=${dir[cjson]}
compile cjson "$SMALL -I$c" "$c/cJSON.c"
cp "$c/cJSON.h" "$tmp/include/"
y=${dir[libyaml]}
# In every variant, so that what is tested is what is shipped.
mkdir "$tmp/yaml"
for f in api reader scanner parser loader writer emitter dumper; do
	sed '0,/^YAML_DECLARE/s//#include "yaml_small.h"\n&/' "$y/src/$f.c" > "$tmp/yaml/$f.c"
done
compile yaml "$SMALL -I$y/include -I$y/src -I$here -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING=\"0.2.5\"" "$tmp"/yaml/*.c
cp "$y/include/yaml.h" "$tmp/include/"
z=${dir[zlib]}
# Tables are made when first used: 2 KB, and no threads.
compile z "$SMALL -DDYNAMIC_CRC_TABLE -DBUILDFIXED -I$z -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1" "$z"/{adler32,crc32,deflate,inflate,inffast,inftrees,trees,zutil}.c
cp "$z/zlib.h" "$z/zconf.h" "$tmp/include/"
cp "${dir[fzy]}/deps/greatest/greatest.h" "$tmp/include/"
rm -rf "$tmp/obj" "$tmp/yaml"
( cd "$tmp" && find include lib -type f | LC_ALL=C sort | xargs sha256sum > SHA256SUMS )
rm -rf "$dest"
mv "$tmp" "$dest"
