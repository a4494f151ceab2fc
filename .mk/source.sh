# source.sh: sourced by the scripts that build from Debian source packages.
#
# fetch_sources DIR NAME...: fetches the packages with a private apt
# configuration (the machine's own entries turned into deb-src) and unpacks them
# in DIR, which appears whole or not at all.

fail() { echo "Error: $*" >&2; exit 1; }

fetch_sources() {
	local dest=$1 work=$1.tmp.$$ apt=$1.tmp.$$/apt f
	shift
	command -v apt-get >/dev/null 2>&1 ||
		fail "no apt-get here; unpack the Debian source packages" \
		     "$* into a folder and run make DEPS_DIR=that-folder"
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
	echo "fetching source packages: $*"
	( cd "$work" && export APT_CONFIG="$apt/apt.conf" &&
	  apt-get -qq update && apt-get -qq source --download-only "$@" ) \
		>"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2
		fail "apt-get could not fetch the source packages $*;" \
		     "unpack them into a folder and run make DEPS_DIR=that-folder"; }
	for f in "$work"/*.dsc; do
		( cd "$work" && dpkg-source --no-check -x "$f" ) >>"$work/log" 2>&1 ||
			fail "cannot unpack $(basename "$f")"
	done
	( cd "$work" && sha256sum -- *.dsc *.tar.* > ARCHIVES )
	rm -rf "$apt" "$work"/*.dsc "$work"/*.tar.*
	mv "$work" "$dest"
}
