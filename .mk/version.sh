#!/bin/bash
# version.sh HEADER RAW HASH: writes the version header when it would change.
set -eu
text=$(printf '#define MCO_BUILD_RAW "%s"\n#define MCO_BUILD_HASH "%s"' "$2" "$3")
[ -f "$1" ] && [ "$(cat "$1")" = "$text" ] && exit 0
mkdir -p "$(dirname "$1")"
printf '%s\n' "$text" > "$1.$$" && mv "$1.$$" "$1"
