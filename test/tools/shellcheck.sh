#!/bin/bash
# The script shellcheck.sh runs shellcheck on every shell script of the tree, with the rules of
# .shellcheckrc; the scripts that build, install or serve as examples must also quote.
set -u
bad=0
mapfile -t scripts < <(git -c safe.directory='*' ls-files -co --exclude-standard |
	while read -r f; do
		[ -f "$f" ] || continue # removed, and not committed yet
		case $f in
		*.sh | *.lib) echo "$f" ;;
		*) head -n 1 "$f" | grep -aqE '^#!.*/(env )?(ba)?sh\b' && echo "$f" ;;
		esac
	done)
printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -n 12 shellcheck || bad=1
mapfile -t strict < <(printf '%s\n' "${scripts[@]}" | grep -E '^(test/tools|examples|\.ci)/')
shellcheck --norc --shell=bash --include=SC2086 "${strict[@]}" || bad=1
[ $bad -eq 0 ] && echo "shellcheck: ${#scripts[@]} scripts"
exit $bad
