# shellcheck shell=bash
# source.sh: sourced by the scripts that fetch Debian packages, source or binary.
#
# test/tools/sources.sha256 pins each package: the SHA-256 of the .deb, or of the .dsc and
# of the archives that it names. $ARCHIVES is the directory that keeps the fetched files.
#
# Three checks stand between a mirror and the compiler:
# - apt fetches only what a Release file lists that Debian's archive key has signed;
# - every file has the pinned SHA-256, each time it is used, from the cache as well;
# - a .dsc has a valid signature by a key in debian-keyring; dpkg-source then checks the
#   archives against the hashes in it.

fail() { echo "Error: $*" >&2; exit 1; }

pins=${PINS:-$(dirname "${BASH_SOURCE[0]}")/sources.sha256}

pinned_files() { sed -n "s/^[0-9a-f]*  \($1_.*\)/\1/p" "$pins"; }	# package

# Without the epoch, as in the name of the .dsc.
pinned_version() { sed -n "s/^[0-9a-f]*  $1_\(.*\)\.dsc$/\1/p" "$pins"; }	# package

pin_of() { awk -v f="$1" '$2 == f { print $1 }' "$pins"; }	# file

# Writes a private apt configuration made of the machine's own entries: for source packages, or
# for the binary packages of another architecture. It leaves the machine's dpkg and apt alone.
apt_conf() {	# DIR [Debian architecture]
	local f type=deb-src foreign=''
	if [ -n "${2:-}" ]; then
		type=deb
		foreign="Dir::State::status \"/dev/null\"; APT::Architecture \"$2\"; APT::Architectures { \"$2\"; };"
	fi
	command -v apt-get >/dev/null 2>&1 ||
		fail "no apt-get here; put the files that test/tools/sources.sha256 names into a directory and run make ARCHIVES=DIRECTORY"
	mkdir -p "$1/parts" "$1/lists/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$f" ] && sed -n "s/^deb /$type /p" "$f" \
			> "$1/parts/$(basename "$f" .list).list"
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -f "$f" ] && sed "s/^Types:.*/Types: $type/" "$f" \
			> "$1/parts/$(basename "$f")"
	done
	cat > "$1/apt.conf" <<-CONF
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$1/parts";
	Dir::State::lists "$1/lists";
	Dir::Cache::pkgcache "";
	Dir::Cache::srcpkgcache "";
	APT::Sandbox::User "";
	APT::Get::AllowUnauthenticated "false";
	Acquire::AllowInsecureRepositories "false";
	Acquire::AllowWeakRepositories "false";
	$foreign
	CONF
}

apt_begin() {	# DIR [Debian architecture]
	apt_conf "$@"
	APT_CONFIG=$1/apt.conf apt-get -qq update >"$1/log" 2>&1 || { tail -n 5 "$1/log" >&2
		fail "apt-get update failed; without a mirror, put the files that test/tools/sources.sha256 names" \
		     "into a directory and run make ARCHIVES=DIRECTORY"; }
}

apt_versions() {	# APT-DIR package: the versions on the mirrors
	APT_CONFIG=$1/apt.conf apt-cache showsrc "$2" 2>/dev/null |
		awk -v p="$2" '$1 == "Package:" { ours = $2 == p } ours && $1 == "Version:" { print $2 }' | sort -uV
}

apt_download() {	# APT-DIR INTO package[=version]
	( cd "$2" && APT_CONFIG=$1/apt.conf apt-get -qq source --download-only "$3" ) >"$1/log" 2>&1 ||
		{ tail -n 5 "$1/log" >&2; fail "apt-get could not fetch the source package $3"; }
}

apt_download_deb() {	# APT-DIR INTO package
	( cd "$2" && APT_CONFIG=$1/apt.conf apt-get -qq download "$3" ) >"$1/log" 2>&1 ||
		{ tail -n 5 "$1/log" >&2; fail "apt-get could not fetch the package $3"; }
}

# Fetches the pinned version of each package into $ARCHIVES.
fetch_pinned() (	# package...
	tmp=$ARCHIVES/.tmp.$$
	echo "fetching source packages: $*"
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp/got"
	apt_begin "$tmp/apt"
	for name in "$@"; do
		version=
		have=$(apt_versions "$tmp/apt" "$name")
		for v in $have; do
			[ "${v#*:}" = "$(pinned_version "$name")" ] && version=$v
		done
		[ -n "$version" ] ||
			fail "the mirrors have ${name} ${have//$'\n'/, }, and test/tools/sources.sha256 pins $(pinned_version "$name");" \
			     "a newer one is probably a security update: run make pins, review the change and commit it"
		apt_download "$tmp/apt" "$tmp/got" "$name=$version"
	done
	mv "$tmp"/got/* "$ARCHIVES/"
)

check_pin() {	# file
	local want got
	[ -r "$ARCHIVES/$1" ] || fail "$ARCHIVES/$1 is missing, or cannot be read"
	want=$(pin_of "$1")
	got=$(sha256sum <"$ARCHIVES/$1" | cut -d' ' -f1)
	[ "$want" = "$got" ] ||
		fail "$ARCHIVES/$1 has SHA-256 $got, and test/tools/sources.sha256 pins $want:" \
		     "damaged, or not what was reviewed; remove the file and run make again"
}

check_pins() {	# package...
	local name f
	for name in "$@"; do
		for f in $(pinned_files "$name"); do check_pin "$f"; done
	done
}

# A signature by a Debian developer or maintainer with SHA-256 or better. dpkg-source
# itself would refuse keys whose self-signature still uses SHA-1.
check_signature() {	# .dsc
	local keys=${KEYRINGS:-/usr/share/keyrings} digest
	[ -r "$keys/debian-keyring.gpg" ] ||
		fail "no $keys/debian-keyring.gpg to check $1 with; run: sudo apt-get install -y debian-keyring"
	digest=$(gpgv --status-fd 1 --keyring "$keys/debian-keyring.gpg" --keyring "$keys/debian-maintainers.gpg" "$1" 2>/dev/null |
		awk '$2 == "VALIDSIG" { print $10 }')
	case $digest in
	8|9|10)	;;
	'')	fail "$1 has no valid signature by a key in debian-keyring" ;;
	*)	fail "$1 is signed over a weak digest (OpenPGP number $digest)" ;;
	esac
}

unpack() {	# .dsc, new directory
	local log
	check_signature "$1"
	log=$(dpkg-source -x "$1" "$2" 2>&1) || fail "cannot unpack $1: ${log##*error: }"
}

# Unpacks the pinned packages as DIR/NAME; fetches them first where they are absent.
get_sources() {	# DIR package...
	local dir=$1 name f absent=()
	shift
	mkdir -p "$ARCHIVES" "$dir"
	for name in "$@"; do
		[ -n "$(pinned_version "$name")" ] || fail "test/tools/sources.sha256 does not pin $name"
		for f in $(pinned_files "$name"); do
			if [ ! -e "$ARCHIVES/$f" ]; then absent+=("$name"); break; fi
		done
	done
	[ ${#absent[@]} -eq 0 ] || fetch_pinned "${absent[@]}" || exit 1
	check_pins "$@"
	for name in "$@"; do
		unpack "$ARCHIVES/${name}_$(pinned_version "$name").dsc" "$dir/$name"
	done
}
