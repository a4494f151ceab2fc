#!/bin/bash
# version.sh HEADER RAW HASH GIVEN: writes the version header when it would change.
# GIVEN: 1 when the caller set the version, 0 when it comes from git.
set -eu
text=$(printf '#define MCO_BUILD_RAW "%s"\n#define MCO_BUILD_HASH "%s"\n#define MCO_BUILD_GIVEN %s' "$2" "$3" "$4")
[ -f "$1" ] && [ "$(cat "$1")" = "$text" ] && exit 0
mkdir -p "$(dirname "$1")"
printf '%s\n' "$text" > "$1.$$" && mv "$1.$$" "$1"
