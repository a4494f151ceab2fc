#!/bin/bash
# layers.sh LIBPURE MAP LAYER...: checks the layout of the tree.
#
# - A file includes headers of its own layer and of the layers before it in the list.
# - A header in src/ is private: only its own layer (and the tests) include it.
# - A header in include/ is public: another layer includes it, or a public header does.
# - Only applets include the role layer.
# - Each third-party header is included by the files named below and no others.
# - Two files of one program do not share a name.
# - Groups, paths, namespaces and keys of the API are spelled in mc/api.h alone.
# - The pure half makes no system calls.
# - Only src/io/clock.c asks the kernel for the time (tests may).
# - The program with this linker map contains nothing of the sandbox.
set -u
lib=$1 map=$2; shift 2
layers=("$@") bad=0
fault() { echo "$1" >&2; bad=1; }
declare -A rank
for i in "${!layers[@]}"; do rank[${layers[i]}]=$i; done

layer_of() {	# file -> own
	case $1 in
	src/* | include/*) own=${1#*/} own=${own%%/*} ;;
	*) own=${1%%/*} ;;
	esac
}

mapfile -t sources < <(find src include applets -name '*.[ch]' -o -name '*.def' | sort)
declare -A public
while IFS=: read -r file line; do
	inc=${line#*\"} inc=${inc%%\"*}
	case $inc in */*) ;; *) continue ;; esac
	layer=${inc%%/*}
	[ -n "${rank[$layer]:-}" ] || continue
	layer_of "$file"
	if [ "$own" != applets ]; then
		[ "${rank[$layer]}" -le "${rank[$own]}" ] ||
			fault "$file: layer $own includes $inc from below it"
		[ "$layer" != role ] || [ "$own" = role ] ||
			fault "$file: includes $inc, which only applets may"
	fi
	if [ "$own" != "$layer" ]; then
		public[$inc]=1
		[ -e "include/$inc" ] || fault "$file: includes $inc, which is private to $layer"
	fi
done < <(grep -nH '^#include "' "${sources[@]}" | sed 's/:[0-9]*:/:/')

# A header of its own layer that a public header includes is public, too.
more=1
while [ $more = 1 ]; do
	more=0
	for h in "${!public[@]}"; do
		[ -e "include/$h" ] || continue
		while read -r inc; do
			[ -z "${public[$inc]:-}" ] && [ -e "include/$inc" ] && public[$inc]=1 more=1
		done < <(sed -n 's/^#include "\([^"]*\)".*/\1/p' "include/$h")
	done
done
for h in include/*/*; do
	[ -n "${public[${h#include/}]:-}" ] ||
		fault "$h: no other layer includes it; it belongs in src/${h#include/}"
done

only() {	# header, the files that may include it
	local hdr=$1 f; shift
	for f in $(grep -l "^#include <$hdr" -r include src applets); do
		case " $* " in *" $f "*) ;; *) fault "$f: includes <$hdr>, which only $* may" ;; esac
	done
}
only cJSON.h src/data/json/json.c
only yaml.h src/data/yml/yml.c
only zlib.h src/data/flate.c
only bearssl src/base/hash.c src/io/tls*.[ch]

# The sandbox is a program of its own.
for f in $(grep -l '^#include "sandbox/' -r include src applets); do
	case $f in */sandbox/* | applets/mco_sandbox.c) ;; *)
		fault "$f: includes the sandbox, which only applets/mco_sandbox.c may" ;;
	esac
done
if grep -q -e libsandbox -e mco_sandbox "$map"; then fault "$map: mco-sandbox is linked in"; fi

names() { find "$@" -name '*.c' -printf '%f\n' | sort | uniq -d; }
for n in $(names src applets -path src/sandbox -prune -o) $(names src/sandbox); do
	fault "$n: $(find src applets -name "$n" -printf "%p ")have one name"
done

# The sandbox has built-in kinds of its own; comments give examples.
spelled='".*((machineconfiguration|config|operator|image|route|release)[.]openshift[.]io'
spelled+='|kubernetes[.]io/(os|arch|zone|master|worker|control|docker|config)|/api/v1|/apis/[a-z]'
spelled+='|openshift-(machine-config-op|config-m|image-r|kube-api)|fieldManager=)'
spelled+='|"(openshift-config|kube-system|machine-config-(controller|operator|server))"'
while IFS= read -r found; do
	fault "$found: mc/api.h has a name for this"
done < <(find src include applets -name '*.[ch]' ! -path '*/sandbox/*' ! -name mco_sandbox.c \
		! -path include/mc/api.h -exec sed -s -e 's@/[*].*[*]/@@' -e 's@^[[:space:]]*/\{0,1\}[*].*@@' \
		-e '/"/{F;=;p}' -e d {} + | paste -d: - - - | grep -E "$spelled")

# The pure half may use memory, string and number functions of libc.
calls='open|openat|read|write|close|socket|connect|poll|fork|execve|time|clock_gettime|gettimeofday|fopen|fprintf|printf|puts|getenv|rand|nanosleep|stat|fstat|lstat|unlink|rename|exit|syscall'
found=$(nm -A --undefined-only "$lib" 2>/dev/null | grep -E " U ($calls)\$")
[ -z "$found" ] || fault "the pure half makes system calls:
$found"
calls='clock_gettime|gettimeofday|time|nanosleep|usleep|sleep'
for f in $(grep -lE "(^|[^_a-z.>])($calls)\(" -r --include='*.[ch]' include src applets); do
	[ "$f" = src/io/clock.c ] || fault "$f: calls a clock of libc; use io/clock.h"
done
# The clone is self-contained: building and testing read nothing outside it.
if grep -rnE '[.][.]/shared' Makefile .ci src applets include test examples >&2; then
	fault 'the tree reads files outside of it'
fi
[ $bad -eq 0 ] && echo "layers: in order"
exit $bad
