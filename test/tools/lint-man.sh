#!/bin/bash
# lint-man.sh DIR: checks every man page in DIR with mandoc and groff, as far as they are
# installed. Prints what they report and exits with 1 if that is anything.
set -u
dir=$1 tree=$(mktemp -d) n=0 tools=''
trap 'rm -rf "$tree"' EXIT
for page in "$dir"/*.[0-9]; do
	mkdir -p "$tree/man${page##*.}"
	cp "$page" "$tree/man${page##*.}"
done
cd "$tree" || exit
command -v mandoc >/dev/null && tools+=' mandoc'
command -v groff >/dev/null && tools+=' groff'
report=$(for page in man*/*; do
	# mandoc prefers links to .so, which an archive of sources keeps better
	case $tools in *mandoc*) mandoc -T lint -W warning "$page" | grep -v 'WARNING: \.so is fragile' ;; esac
	case $tools in *groff*) groff -s -man -Tutf8 -ww -z "$page" 2>&1 ;; esac
done)
[ -z "$report" ] || { echo "$report" >&2; exit 1; }
for page in man*/*; do n=$((n + 1)); done
echo "man pages: $n checked by${tools:- no tool: neither mandoc nor groff is installed}"
