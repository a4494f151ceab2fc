#!/bin/bash
# run.sh OUT: builds the peer from Debian's Go packages, has it say what it makes
# of SEED's inputs, and compares.
set -eu -o pipefail
out=$1
mkdir -p "$out/peer"
GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$PWD/$out/peer/cache" \
	go build -o "$out/peer/peer" test/peer/main.go
"$out/peer/peer" "${SEED:-1}" "${CASES:-5000}" > "$out/peer/cases"
"$out/test/peer/peer" < "$out/peer/cases"
