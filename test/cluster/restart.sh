#!/bin/bash
# restart.sh BASE: kills the server that servers.sh started as BASE, restarts it and
# waits until it is ready.
pid=$(cat "$1.pid")
kill -KILL "$pid"
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
bash "$1.run" >>"$1.log" 2>&1 &
echo $! >"$1.pid"
for ((i = 0; i < 3000; i++)); do
	[ "$(curl -s -m 60 --noproxy '*' ${CA:+--cacert "$CA"} -H "Authorization: Bearer $TOKEN" "$URL/readyz")" != ok ] || exit 0
	sleep 0.1
done
echo "Error: $1 does not get ready again" >&2
exit 1
