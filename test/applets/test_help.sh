# The pages of --help: each equals its file in test/golden/help, fits its width, and has
# an exit status, defaults and examples that its flags accept.
. test/applets/lib.sh
golden=test/golden/help pages=$TMP/pages
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
unset COLUMNS NO_COLOR
test/applets/help-pages.sh "$BIN" "$pages" || bad 'help-pages.sh'

# ---- the pages -----------------------------------------------------------------------
for page in "$pages"/*; do
	name=${page##*/}
	if diff "$golden/$name" "$page" >"$TMP/diff" 2>&1; then ok; else
		bad "$name differs from $golden (make help-golden rewrites it)"
		cat "$TMP/diff"
	fi
done
for page in "$golden"/*.txt; do
	if [ -e "$pages/${page##*/}" ]; then ok; else bad "$page: no such command"; fi
done
expect 'no page is wider than 80 columns' 1 '' '' grep -nE '^.{81}' "$pages"/*
expect 'a command for every golden' 0 "$(ls "$pages")
" '' ls "$golden"

# ---- every command -------------------------------------------------------------------
# example_lines FILE: one command a line, continued lines joined
example_lines() {
	awk '/^Examples:/ { on = 1; next } /^Flags:/ { on = 0 } !on || /^$/ || /^ *#/ { next }
		{ sub(/^ */, ""); more = sub(/ *\\$/, " "); printf "%s%s", $0, more ? "" : "\n" }' "$1"
}
checked=0
for page in "$pages"/*-*.txt; do
	name=${page##*/} name=${name%.txt}
	grep -q '^Commands:' "$page" && continue
	for part in '^Usage:$' '^Examples:$' '^Flags:$' '^Exit status: 0 .*, [0-9]* '; do
		if grep -q "$part" "$page"; then ok; else bad "$name has no $part"; fi
	done
	while read -r line; do
		# the commands on the other side of a pipe are not ours
		command=$(grep -o '\(^\|| \)\(mco[a-z-]*\|apiserver-watcher\) [^|]*' <<<"$line" | sed 's/^| //')
		read -r -a words <<<"$command"
		expect "$name: $line" 0 "$("$BIN/${words[0]}" "${words[1]}" --help)
" '' "$BIN/${words[0]}" "${words[@]:1}" --help
		[ "$name" = "${words[0]}-${words[1]}" ] || bad "$name: an example of another command: $line"
		checked=$((checked + 1))
	done < <(example_lines "$page")
done
if [ "$checked" -ge 40 ]; then ok; else bad "only $checked examples"; fi
expect 'an example with a flag that is not there' 2 '' \
	$'Error: unknown flag: --bse (did you mean --base?)\nSee \'mcoctl diff --help\'.\n' \
	"$BIN/mcoctl" diff --bse x --help

# ---- man pages: every command, and every flag by its name or letter --------------------
for program in mcoctl mco-controller mco-server mco-daemon mco-operator apiserver-watcher mco-sandbox; do
	man=$(find applets/man -name "$program.[18]")
	sed -E 's/\\f[A-Z]//g; s/\\-/-/g; s/"//g' "$man" >"$TMP/man"
	for page in "$pages/$program"-*.txt; do
		command=${page##*/} command=${command%.txt} command=${command#"$program-"}
		if grep -qw -- "$command" "$TMP/man"; then ok; else bad "${man##*/} has no $command"; fi
		sed -n '/^Flags:/,/^$/s/^ *\(-., \)\?\(--[a-z0-9-]*\).*/\1\2/p' "$page" | tr -d ' ' >"$TMP/flags"
		while IFS=, read -r letter name; do
			if grep -q -- "${name:-$letter}\b" "$TMP/man" ||
				{ [ -n "$name" ] && grep -q -- "\(^\|[^-a-z]\)$letter\b" "$TMP/man"; }; then ok; else
				bad "${man##*/} has no ${name:-$letter} of $command"
			fi
		done <"$TMP/flags"
	done
done

# ---- width ---------------------------------------------------------------------------
# Words and examples are not broken.
long_lines() {	# COLUMNS COMMAND...
	local columns=$1
	shift
	COLUMNS=$columns "$@" --help | sed '/^Examples:/,/^Flags:/d' |
		awk -v c="$columns" 'length > c && $0 ~ /^ *[^ ]+ +[^ ]/ && !/^ *(-., )?--[a-z0-9-]+ [A-Z:|]+$/'
}
for columns in 40 59 60 72 100; do
	for command in 'mcoctl diff' 'mco-daemon start' 'mco-server start' 'mco-daemon' mcoctl; do
		# shellcheck disable=SC2086
		expect "$command in $columns columns" 0 '' '' long_lines $columns "$BIN/"$command
	done
done
expect 'lines use the width' 0 $'3\n' '' \
	bash -c 'COLUMNS=120 "$0" firstboot --help | sed -n "/^Applies files, /,/^$/p" | grep -c "^.\{100,120\}$"' "$BIN/mco-daemon"
expect 'a width that is none' 0 "$(cat "$golden/mcoctl-diff.txt")
" '' env COLUMNS=wide "$BIN/mcoctl" diff --help
expect 'the columns do not run together' 0 '  firstboot-complete-machineconfig
              apply the OS, kernel and kernel arguments of the first config
' '' grep -A1 '^  firstboot-complete' "$pages/mco-daemon.txt"

# ---- names and values ----------------------------------------------------------------
expect 'the name that it was called by' 0 $'  kubectl mco diff -f 99-worker-ntp.yaml\n' '' \
	bash -c '"$0" diff --help | grep "^  kubectl mco diff -f [^ ]*$"' "$BIN/kubectl-mco"
expect 'a format that is none' 1 '' \
	$'Error: unknown output format "nam" (did you mean name?): use yaml, json or name\nSee \'mcoctl render --help\'.\n' \
	"$BIN/mcoctl" render -o nam
expect 'a format far from any' 2 '' \
	$'Error: unknown output format "toml": use text or json\nSee \'mcoctl diff --help\'.\n' \
	"$BIN/mcoctl" diff -o toml a b
expect 'a default' 0 '(default text)
' '' grep -o '(default text)' "$pages/mcoctl-diff.txt"
expect 'options takes nothing' 1 '' $'Error: options takes no arguments, but got "x"\n' "$BIN/mcoctl" options x
finish
