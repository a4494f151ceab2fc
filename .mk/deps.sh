#!/bin/bash
# deps.sh DEST NAME=VERSION...: builds bearssl, cjson, libyaml and zlib with $CC
# for one variant, and lays out DEST/include, DEST/lib and DEST/SHA256SUMS.
#
# The sources are Debian source packages, fetched with a private apt
# configuration (the machine's own entries turned into deb-src), or the
# unpacked folders in $DEPS_DIR. Everything is built beside DEST and moved in
# place at the end, so an interrupted run leaves nothing half-made.
set -eu
dest=$1; shift
base=$(dirname "$dest")
mkdir -p "$base"

fail() { echo "Error: $*" >&2; exit 1; }

exec 9>"$base/.lock"
flock 9
if [ -f "$dest/SHA256SUMS" ]; then exit 0; fi

fetch_sources() {
	local work=$base/src.tmp.$$ apt=$base/src.tmp.$$/apt f
	command -v apt-get >/dev/null 2>&1 ||
		fail "no apt-get here; unpack the Debian source packages" \
		     "${*%%=*} into a folder and run make DEPS_DIR=that-folder"
	rm -rf "$work"; mkdir -p "$apt/parts" "$apt/lists/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$f" ] && sed -n 's/^deb /deb-src /p' "$f" \
			> "$apt/parts/$(basename "$f" .list).list"
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -f "$f" ] && sed 's/^Types:.*/Types: deb-src/' "$f" \
			> "$apt/parts/$(basename "$f")"
	done
	cat > "$apt/apt.conf" <<-CONF
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$apt/parts";
	Dir::State::lists "$apt/lists";
	Dir::Cache::pkgcache "";
	Dir::Cache::srcpkgcache "";
	APT::Sandbox::User "";
	CONF
	echo "fetching source packages: ${*%%=*}"
	( cd "$work" && export APT_CONFIG="$apt/apt.conf" &&
	  apt-get -qq update && apt-get -qq source --download-only "${@%%=*}" ) \
		>"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2
		fail "apt-get could not fetch the source packages ${*%%=*};" \
		     "unpack them into a folder and run make DEPS_DIR=that-folder"; }
	for f in "$work"/*.dsc; do
		( cd "$work" && dpkg-source --no-check -x "$f" ) >>"$work/log" 2>&1 ||
			fail "cannot unpack $(basename "$f")"
	done
	( cd "$work" && sha256sum -- *.dsc *.tar.* > ARCHIVES )
	rm -rf "$apt" "$work"/*.dsc "$work"/*.tar.*
	mv "$work" "$base/src"
}

[ -n "${DEPS_DIR:-}" ] || [ -d "$base/src" ] || fetch_sources "$@"
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
opt="${OPT/-fstack-protector-strong/} -g0 -w -ffunction-sections -fdata-sections -ffile-prefix-map=$base=deps"

# Only BearSSL's arithmetic is worth its size.
small() { [ "$VARIANT" != musl ] || echo -Os; }

compile() {	# library, include flags, sources...
	local lib=$1 inc=$2; shift 2
	mkdir -p "$tmp/obj/$lib"
	printf '%s\n' "$@" | CC="$CC" INC="$inc" OPTS="$opt" O="$tmp/obj/$lib" \
		xargs -P "$jobs" -I{} sh -c \
		'$CC $OPTS $INC -c -o "$O/$(basename {} .c).o" {}' ||
		fail "$lib does not compile with $CC"
	find "$tmp/obj/$lib" -name '*.o' | LC_ALL=C sort |
		xargs ar rcsD "$tmp/lib/lib$lib.a"
}

echo "building bearssl, cjson, libyaml, zlib for $VARIANT"
b=${dir[bearssl]}
compile bearssl "-I$b/inc -I$b/src" $(find "$b/src" -name '*.c' | LC_ALL=C sort)
cp "$b"/inc/*.h "$tmp/include/"
c=${dir[cjson]}
compile cjson "$(small) -I$c" "$c/cJSON.c"
cp "$c/cJSON.h" "$tmp/include/"
y=${dir[libyaml]}
compile yaml "$(small) -I$y/include -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING=\"0.2.5\"" "$y"/src/{api,reader,scanner,parser,loader,writer,emitter,dumper}.c
cp "$y/include/yaml.h" "$tmp/include/"
z=${dir[zlib]}
compile z "$(small) -DDYNAMIC_CRC_TABLE -I$z -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1" "$z"/{adler32,crc32,deflate,inflate,inffast,inftrees,trees,zutil}.c
cp "$z/zlib.h" "$z/zconf.h" "$tmp/include/"
cp "${dir[fzy]}/deps/greatest/greatest.h" "$tmp/include/"
rm -rf "$tmp/obj"
( cd "$tmp" && find include lib -type f | LC_ALL=C sort | xargs sha256sum > SHA256SUMS )
rm -rf "$dest"
mv "$tmp" "$dest"
