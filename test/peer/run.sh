#!/bin/bash
# run.sh OUT: builds the peers from Debian's Go packages, runs them on the
# inputs of SEED, and compares their results with ours.
set -eu -o pipefail
out=$1
mkdir -p "$out/peer"
GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$PWD/$out/peer/cache" \
	go build -o "$out/peer/peer" test/peer/main.go
"$out/peer/peer" "${SEED:-1}" "${CASES:-5000}" > "$out/peer/cases"
"$out/test/peer/peer" < "$out/peer/cases"
GO111MODULE=off GOCACHE="$PWD/$out/peer/cache" go build -o "$out/peer/x509" test/peer/x509/main.go
"$out/peer/x509" "${SEED:-1}" "${CHAINS:-2000}" > "$out/peer/chains"
X509_CASES="$out/peer/chains" "$out/test/io/test_x509_chain"
