#!/bin/bash
# help-pages.sh BIN DIR: writes every help page of the programs in BIN into DIR, one file per
# page, 80 columns wide. test_help.sh compares them with test/golden/help; `make help-golden`
# rewrites those.
set -eu
bin=$1 dir=$2
unset COLUMNS
# No page may depend on this machine.
export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
commands_of() { sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' "$1"; }

mkdir -p "$dir"
"$bin/mco" --help >"$dir/mco.txt"
for program in $("$bin/mco" --list | grep -v '^machine-config-\|^kubectl-\|^oc-') mco-sandbox; do
	"$bin/$program" --help >"$dir/$program.txt"
	for command in $(commands_of "$dir/$program.txt"); do
		"$bin/$program" "$command" --help >"$dir/$program-$command.txt"
	done
done
"$bin/mcoctl" options >"$dir/options.txt"
