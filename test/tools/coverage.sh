#!/bin/bash
# coverage.sh OUT LAYER...: line and branch coverage of each layer, from gcov.
set -eu
out=$1; shift
printf '%-10s %16s %18s\n' layer lines branches
for l in "$@"; do
	dir=$out/obj/src/$l
	[ "$l" = applets ] && dir=$out/obj/applets
	files=$(find "$dir" -name '*.gcda' 2>/dev/null) || continue
	[ -n "$files" ] || continue
	# shellcheck disable=SC2086
	gcov -n -b -s "$PWD" $files 2>/dev/null | awk -v layer="$l" -v q="'" '
		/^File/ { ours = ($0 ~ (layer == "applets" ? q "(\\./)?applets/" : q "(\\./)?src/" layer "/")) }
		ours && /^Lines executed/ { split($0, a, /[:% ]+/); n += a[5]; hit += a[3] * a[5] / 100; next }
		ours && /^Taken at least once/ { split($0, a, /[:% ]+/); bn += a[7]; bhit += a[5] * a[7] / 100 }
		END { if (n) printf "%-10s %6d of %6d %3d%% %6d of %6d %3d%%\n", layer, hit, n, 100 * hit / n, bhit, bn, bn ? 100 * bhit / bn : 0 }'
done
