#!/bin/bash
# run.sh OUT: every benchmark beside its peer on this machine, in one run.
set -eu
out=$1
dir=$out/bench/data
mkdir -p "$dir"
/usr/bin/python3 test/bench/make_data.py 8 > "$dir/list.json"
"$out/mcoctl" fmt "$dir/list.json" > "$dir/list.yaml"
echo "JSON and YAML, MB/s, $(stat -c %s "$dir/list.json") and $(stat -c %s "$dir/list.yaml") bytes of MachineConfigs:"
join <("$out/bench/bench_data" "$dir/list.json" "$dir/list.yaml" | sort) \
     <(/usr/bin/python3 test/bench/peer_data.py "$dir/list.json" "$dir/list.yaml" | sort) |
	awk 'BEGIN { printf "  %-12s %10s %10s %8s\n", "", "mco", "python3", "ratio" }
	     { printf "  %-12s %10.1f %10.1f %7.1fx\n", $1, $2, $3, $2 / $3 }'
