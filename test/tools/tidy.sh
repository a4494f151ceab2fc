#!/bin/bash
# tidy.sh CACHE FLAGS -- FILE...: runs clang-tidy on each file. A clean file is
# skipped until its preprocessed text changes: CACHE holds a mark for each text
# that passed, for this version and these rules.
set -u
cache=$1 flags=$2
shift 3
mkdir -p "$cache"
rules=$({ clang-tidy --version; cat .clang-tidy test/tools/tidy.sh; } | sha256sum)

one() {
	local mark
	# shellcheck disable=SC2086
	mark=$cache/$({ echo "$rules $1"; clang -E -P -CC $flags "$1"; } | sha256sum | cut -c1-40)
	[ -e "$mark" ] && return 0
	# shellcheck disable=SC2086
	clang-tidy --quiet --warnings-as-errors='*' "$1" -- $flags 2> >(grep -v -E \
		'warnings? (generated|treated)|^Suppressed|^Use -header' >&2) || return 1
	: > "$mark"
}
export -f one
export cache flags rules
printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'one {}' || exit 1
echo "clang-tidy: $# files"
