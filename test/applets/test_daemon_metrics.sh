#!/bin/bash
# mco-daemon start: /metrics and /healthz on --metrics-url.
. test/applets/node.sh
. test/applets/daemon.sh
at() { echo "http://127.0.0.1:$(sed -n 's/.*Metrics on port //p' "$TMP/log")"; }
answer_to() { curl -s --noproxy '*' -m 60 -o "$TMP/body" -w '%{http_code} %{content_type}' "$(at)$1"; }
metric() { curl -s --noproxy '*' -m 60 "$(at)/metrics" | grep "^$1[ {]"; }

given "$(files "$(file /etc/foo a)")"
same 'healthz' '200 text/plain; charset=utf-8 ok' "$(answer_to /healthz) $(cat "$TMP/body")"
same 'another path' '404 text/plain; charset=utf-8' "$(answer_to /nothing)"
same 'metrics' '200 text/plain; version=0.0.4; charset=utf-8' "$(answer_to /metrics)"
same 'their names and types' 'mcd_config_drift gauge
mcd_host_os_and_version gauge
mcd_kubelet_state gauge
mcd_local_unsupported_packages gauge
mcd_pivot_errors_total gauge
mcd_reboots_failed_total counter
mcd_state gauge
mcd_update_state gauge' "$(sed -n 's/^# TYPE \(mcd_.*\)/\1/p' "$TMP/body")"
same 'each has a help and a value' '' "$(grep -oE '^mcd_[a-z_]+' "$TMP/body" | sort -u | comm -3 - <(sed -nE 's/^# HELP (mcd_[a-z_]+) ..*/\1/p' "$TMP/body" | sort))"
same 'of the process' 'process_cpu_seconds_total
process_max_fds
process_open_fds
process_resident_memory_bytes
process_start_time_seconds' "$(grep -oE '^process_(cpu_seconds_total|max_fds|open_fds|resident_memory_bytes|start_time_seconds)' "$TMP/body" | sort)"
same 'no drift' 'mcd_config_drift 0' "$(metric mcd_config_drift)"
same 'its state' 'mcd_state{state="Done",reason=""}' "$(metric mcd_state | sed 's/ [0-9]*$//')"
same 'its update' 'mcd_update_state{config="MachineConfig: r1",err=""}' "$(metric mcd_update_state | sed 's/ [0-9]*$//')"

# ---- a reason with quotes and lines is one label ----
echo drifted > "$ROOT/etc/foo"
until_note 'it drifts' state Degraded
# the reason of the monitor, or of the next attempt
soon 'with its reason' 'mcd_state{state="Degraded",reason="content mismatch for file \"/etc/foo\""}' "metric mcd_state | sed 's/ [0-9]*\$//; s/unexpected on-disk state validating against r1: //'"
until_ 'since when' '[ $(($(date +%s) - $(metric mcd_config_drift | cut -d" " -f2))) -lt 3600 ]'
# silent clients do not block others
exec 8<>"/dev/tcp/127.0.0.1/$(at | sed 's/.*://')"
same 'beside a silent client' '200 text/plain; charset=utf-8' "$(answer_to /healthz)"
exec 8>&-
stop

# ---- a port that is in use: reported, and the daemon goes on ----
port=${URL##*:} # the API server's
new_node
on_disk "$(files "$(file /etc/foo a)")"
node "${R1[@]}" state Working
start --metrics-url "127.0.0.1:$port"
until_note 'it works without' state Done
# glibc says "already in use"
same 'and says why' "metrics listener exited with error: listen tcp 127.0.0.1:$port: bind: Address in use" \
	"$(sed -nE 's/already //; s/^E[^]]*\] (metrics .*)/\1/p' "$TMP/log")"
stop
finish
