# The sources of the libraries: anything but the pinned and signed source package is
# refused, with a one-line error that says what to do.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # the same for each variant
[ -z "${DEPS_DIR:-}" ] || { echo "0 passed, 0 failed"; exit 0; } # nothing was fetched
kept=${ARCHIVES:-${CACHE:-$HOME/.cache/mco}/sources}
export PINS=$TMP/pins ARCHIVES=$TMP/archives
dsc=cjson_1.7.15-1+deb12u4.dsc orig=cjson_1.7.15.orig.tar.gz
pins=test/tools/sources.sha256

get() { rm -rf "$TMP/src"; bash -euc '. test/tools/source.sh; get_sources "$0" cjson' "$TMP/src"; }
anew() {	# restores the pins, and the archives as fetched
	rm -rf "$ARCHIVES"
	cp "$pins" "$PINS"
	mkdir -p "$ARCHIVES"
	cp "$kept"/cjson_* "$ARCHIVES"
}
repin() {	# file: pins its current hash
	sed -i "s/^[0-9a-f]*  $1$/$(sha256sum <"$ARCHIVES/$1" | cut -d' ' -f1)  $1/" "$PINS"
}
[ -e "$kept/$dsc" ] || ARCHIVES=$kept PINS=$pins bash -euc '. test/tools/source.sh; get_sources "$0" cjson' "$TMP/first"
pin() { awk -v f="$1" '$2 == f { print $1 }' "$pins"; }

anew
expect 'the pinned package' 0 '' '' get
expect 'is unpacked' 0 '' '' [ -f "$TMP/src/cjson/cJSON.c" -a -f "$TMP/src/cjson/debian/changelog" ]

# ---- pins ---------------------------------------------------------------------
anew
sed -i "s/^..\(.*  $orig\)$/00\1/" "$PINS"
bad=00$(pin $orig | cut -c3-)
expect 'a wrong pin' 1 '' "Error: $ARCHIVES/$orig has SHA-256 $(pin $orig), and test/tools/sources.sha256 pins $bad: damaged, or not what was reviewed; remove the file and run make again
" get
anew
echo >>"$ARCHIVES/$orig"
expect 'an archive that was tampered with' 1 '' "Error: $ARCHIVES/$orig has SHA-256 $(sha256sum <"$ARCHIVES/$orig" | cut -d' ' -f1), and test/tools/sources.sha256 pins $(pin $orig): damaged, or not what was reviewed; remove the file and run make again
" get
expect 'nothing is unpacked' 1 '' '' [ -e "$TMP/src/cjson" ]
sed -i '/cjson/d' "$PINS"
expect 'a package without a pin' 1 '' 'Error: test/tools/sources.sha256 does not pin cjson
' get

# ---- signatures ---------------------------------------------------------------
# The pins match: only the signature is wrong.
anew
sed -i 's/^Format: /Format:  /' "$ARCHIVES/$dsc"
repin $dsc
expect 'a .dsc that was changed after it was signed' 1 '' \
	"Error: $ARCHIVES/$dsc has no valid signature by a key in debian-keyring
" get
anew
sed -i '/BEGIN PGP SIGNATURE/,$d; /BEGIN PGP SIGNED/,/^$/d' "$ARCHIVES/$dsc"
repin $dsc
expect 'a .dsc without a signature' 1 '' \
	"Error: $ARCHIVES/$dsc has no valid signature by a key in debian-keyring
" get
anew
echo >>"$ARCHIVES/$orig"
repin $orig
expect 'an archive that is not the signed one' 1 '' "Error: cannot unpack $ARCHIVES/$dsc: file $ARCHIVES/$orig has size $(stat -c %s "$ARCHIVES/$orig") instead of expected $(stat -c %s "$kept/$orig")
" get
anew
expect 'no keys' 1 '' "Error: no /none/debian-keyring.gpg to check $ARCHIVES/$dsc with; run: sudo apt-get install -y debian-keyring
" env KEYRINGS=/none bash -euc '. test/tools/source.sh; get_sources "$0" cjson' "$TMP/src2"

# ---- mirrors ------------------------------------------------------------------
mkdir "$TMP/bin"
with() { PATH=$TMP/bin:$PATH get; }
stub() { printf '#!/bin/bash\n%s\n' "$2" >"$TMP/bin/$1"; chmod +x "$TMP/bin/$1"; }
anew
rm "$ARCHIVES/$dsc"
stub apt-get 'exit 0'
stub apt-cache 'printf "Package: cjson\nVersion: 1.7.15-1+deb12u9\nPackage-List:\n"'
expect 'the mirrors have a newer one' 1 $'fetching source packages: cjson\n' \
	"Error: the mirrors have cjson 1.7.15-1+deb12u9, and test/tools/sources.sha256 pins 1.7.15-1+deb12u4; a newer one is probably a security update: run make pins, review the change and commit it
" with
stub apt-get 'echo "E: no route" >&2; exit 100'
expect 'no mirror' 1 $'fetching source packages: cjson\n' \
	"E: no route
Error: apt-get update failed; without a mirror, put the files that test/tools/sources.sha256 names into a directory and run make ARCHIVES=DIRECTORY
" with
expect 'nothing is left behind' 0 "$(cd "$kept" && ls cjson_* | grep -v dsc)"$'\n' '' ls -A "$ARCHIVES"

# ---- packages of the machine --------------------------------------------------
stub id 'echo 1000'
expect 'a package that is missing' 1 '' 'Error: missing no-such-package (not root); run: sudo apt-get install -y no-such-package
' env PATH="$TMP/bin:$PATH" test/tools/need.sh '' no-such-package:no-such-command

# ---- the cache ----------------------------------------------------------------
libraries() { make -pn PINS="$1" clean 2>/dev/null | sed -n 's/^DEPS := //p'; }
before=$(libraries "$pins")
expect 'the libraries are kept' 0 '' '' [ -n "$before" ]
anew
sed -i 's/kubernetes_1/kubernetes_2/' "$PINS"
expect 'another pin of something else: the same libraries' 0 "$before"$'\n' '' libraries "$PINS"
sed -i "s/^..\(.*  $dsc\)$/00\1/" "$PINS"
expect 'another pin: other libraries' 1 '' '' [ "$(libraries "$PINS")" = "$before" ]
finish
