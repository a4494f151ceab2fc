# The man pages: a page for every name, the sections that readers look for, references that
# resolve, examples whose flags exist; mandoc and groff have nothing to report.
. test/applets/lib.sh
man=applets/man
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
plain() { sed -E 's/\\f[A-Z]//g; s/\\-/-/g; s/\\e$/\\/; s/\\\(em/--/g' "$1"; }

for name in mco mco-sandbox $("$BIN/mco" --list); do
	pages=$(cd $man && echo "$name".[0-9])
	case $name:$pages in
	*-controller:*.8 | *-daemon:*.8 | *-server:*.8 | *-operator:*.8 | *-watcher:*.8 | mco*:*.1 | kubectl-mco:*.1 | oc-mco:*.1) ok ;;
	*) bad "the page of $name is \"$pages\"" ;;
	esac
done

for page in "$man"/*; do
	name=${page##*/}
	if grep -q '^\.so ' "$page"; then # man(1) looks for it below the manual's directory
		to=$(sed -n 's/^\.so man[18]\///p' "$page")
		expect "$name: one line, to a page of its section" 0 ".so man${name##*.}/$to
" '' cat "$page"
		[ -e "$man/$to" ] && [ "${to##*.}" = "${name##*.}" ] && ok || bad "$name: no $to"
		grep -q "^$(sed 's/-/\\\\-/g' <<<"${name%.*}")[, ]\|[, ]$(sed 's/-/\\\\-/g' <<<"${name%.*}")[, ]" \
			<(sed -n '/^\.SH NAME/{n;p}' "$man/$to") && ok || bad "$to does not name ${name%.*}"
		continue
	fi
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' FILES ENVIRONMENT EXAMPLES 'SEE ALSO'; do
		grep -qx "\.SH $section" "$page" && ok || bad "$name has no $section"
	done
	grep -q '^\.SH COMMANDS$\|^\.SH OPTIONS$' "$page" && ok || bad "$name has neither COMMANDS nor OPTIONS"
	expect "$name: title and section" 0 "$(tr '[:lower:]' '[:upper:]' <<<"${name%.*}") ${name##*.}
" '' sed -n 's/^\.TH \([A-Z-]* [0-9]\) "2[0-9-]*" mco ".*"$/\1/p' "$page"
	while read -r to; do
		case $to in kubectl.1 | oc.1) continue ;; esac
		[ -e "$man/$to" ] && ok || bad "$name refers to $to"
	done < <(plain "$page" | sed -nE 's/^\.BR ([a-z-]+) \(([0-9])\).*/\1.\2/p')
	# Examples: one command per line, continued lines joined; what they are piped into is not ours.
	n=0
	while read -r line; do
		case $line in mco* | apiserver-watcher*) ;; *) continue ;; esac
		read -r -a words <<<"${line%%[|&>]*}"
		n=$((n + 1))
		"$BIN/${words[0]}" "${words[@]:1}" --help >"$TMP/out" 2>&1 && ok || { bad "$name: $line"; cat "$TMP/out"; }
	done < <(plain "$page" | sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta')
	[ "$n" -ge 1 ] && ok || bad "$name: no examples"
done
expect 'mandoc and groff' 0 '' '' bash -c 'test/tools/lint-man.sh "$0" >/dev/null' $man

# ---- make install puts every page where man(1) looks for it; -o all: it builds nothing ---
if [ "$BIN" = build ]; then
	make -s -o all install DESTDIR="$TMP/root" PREFIX=/usr >"$TMP/out" 2>&1 || { bad 'make install'; cat "$TMP/out"; }
	expect 'installed' 0 "$(ls $man)
" '' bash -c 'cd "$0/root/usr/share/man" && ls man1 man8 | grep "\.[18]$" | sort' "$TMP"
	for page in "$man"/*.8; do
		[ -e "$TMP/root/usr/share/man/man8/${page##*/}" ] && ok || bad "${page##*/} is not in man8"
	done
	if command -v man >/dev/null; then
		for name in mcoctl kubectl-mco machine-config-daemon mco-server mco; do
			MANPATH=$TMP/root/usr/share/man man "$name" 2>"$TMP/err" | grep -q '^NAME' && ok || { bad "man $name"; cat "$TMP/err"; }
		done
	fi
fi
finish
