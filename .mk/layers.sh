#!/bin/bash
# layers.sh LIBPURE MAP LAYER...: a file includes headers of its own layer and of those
# before it; libraries are seen where the design says; the pure half makes no
# system calls; the program with this linker map contains nothing of the sandbox.
set -u
lib=$1 map=$2; shift 2
layers=("$@") bad=0
rank() {
	local i
	for i in "${!layers[@]}"; do [ "${layers[i]}" = "$1" ] && echo "$i" && return; done
	echo -1
}

for f in include/*/*.h src/*/*.[ch]; do
	[ -e "$f" ] || continue
	own=$(echo "$f" | cut -d/ -f2)
	while read -r inc; do
		r=$(rank "${inc%%/*}")
		if [ "$r" -gt "$(rank "$own")" ]; then
			echo "$f: layer $own includes $inc from below it" >&2; bad=1
		fi
	done < <(sed -n 's/^#include "\([a-z]*\/[a-z0-9_]*\.h\)".*/\1/p' "$f")
done

only() {	# header, the files that may include it
	local hdr=$1 f; shift
	for f in $(grep -l "^#include <$hdr" -r include src applets); do
		case " $* " in *" $f "*) ;; *)
			echo "$f: includes <$hdr>, which only $* may" >&2; bad=1 ;;
		esac
	done
}
only cJSON.h src/data/json.c
only yaml.h src/data/yml.c
only zlib.h src/data/flate.c
only bearssl src/base/hash.c src/io/tls*.[ch]

# The sandbox is a program of its own.
for f in $(grep -l '^#include "sandbox/' -r include src applets); do
	case $f in */sandbox/*|applets/mco_sandbox.c) ;; *)
		echo "$f: includes the sandbox, which only applets/mco_sandbox.c may" >&2; bad=1 ;;
	esac
done
if grep -q -e libsandbox -e mco_sandbox "$map"; then
	echo "$map: mco-sandbox is linked in" >&2
	bad=1
fi

# What the pure half may ask of libc is memory, strings and numbers.
calls='open|openat|read|write|close|socket|connect|poll|fork|execve|time|clock_gettime|gettimeofday|fopen|fprintf|printf|puts|getenv|rand|nanosleep|stat|fstat|lstat|unlink|rename|exit|syscall'
found=$(nm -A --undefined-only "$lib" 2>/dev/null | grep -E " U ($calls)\$")
if [ -n "$found" ]; then
	echo "the pure half makes system calls:" >&2
	echo "$found" >&2
	bad=1
fi
# The clone stands alone: nothing that builds or tests it reads beside it.
if grep -rnE '[.][.]/shared' Makefile .mk .ci src applets include test examples >&2; then
	echo "the tree reads files outside of it" >&2
	bad=1
fi
[ $bad -eq 0 ] && echo "layers: in order"
exit $bad
