#!/bin/bash
# controller.sh BUILD: mco-controller start on the API server at $URL, with agents
# in place of the nodes' daemons: what admins do to a cluster, step by step, and
# the exact text of its objects afterwards. Ends with "N passed, N failed".
#  URL=… CA=ca.crt TOKEN=t KUBECONFIG=file test/cluster/controller.sh build
#
# The server must be fresh, with no controllers. ONLY='10 20' runs only these
# parts after the first.
set -u
BIN=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. "$here/controller.lib"

for part in "$here"/controller.d/*.sh; do
	n=${part##*/} n=${n%%-*}
	case " 00 99 ${ONLY:-$n} " in *" $n "*) ;; *) continue ;; esac
	began=$SECONDS
	# shellcheck disable=SC1090 # one of many
	. "$part"
	[ -z "${TIMES:-}" ] || echo "# $((SECONDS - began)) s  ${part##*/}"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
