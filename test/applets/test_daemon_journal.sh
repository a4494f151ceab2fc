#!/bin/bash
# A damaged journal, and the remedy in mco-daemon(1).
. test/applets/node.sh

damage() { printf '\000' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
kept='; nothing was changed and the journal is kept: see DAMAGED JOURNAL in mco-daemon(1)'

# an update that was cut short
new_node; J=$ROOT/etc/machine-config-daemon/journal
mc r1 "$(files "$(file /etc/foo 1)" "$(file /etc/old 1)")"
apply r1 0
says 'systemctl preset u.service' 'kill -KILL $PPID'
mc r2 "$(files "$(file /etc/foo 2)"),$(units '{"name":"u.service","contents":"u"}')"
apply r2 137 2>/dev/null
mixed=$(tree)
damage "$J/active" 100
expect 'recover' 1 '' "Error: the update journal /etc/machine-config-daemon/journal/active is damaged: it does not match its checksum$kept
" "$MCO" recover --root-mount "$ROOT"
says 'systemctl preset u.service' 'exit 0'
apply r2 1 "the update journal /etc/machine-config-daemon/journal/active is damaged: it does not match its checksum$kept"
same 'nothing changed' "$mixed" "$(tree)"
same 'kept' 'active pre.1' "$(cd "$J" && echo a* pre.1)"
mv "$J" "$TMP/journal"
mkdir -p "$ROOT/run"
touch "$ROOT/run/machine-config-daemon-force"
apply r2 0
expect 'the documented repair' 0 'as r2 says: 1 files, 1 units
' '' "$MCO" verify --root-mount "$ROOT"
same 'the documented repair: no old file' '2' "$(cd "$ROOT/etc" && cat foo; ls old 2>/dev/null)"

# a kept file
new_node; J=$ROOT/etc/machine-config-daemon/journal
mc r1 "$(files "$(file /etc/foo 1111)")"; apply r1 0
mc r2 "$(files "$(file /etc/foo 2222)")"; apply r2 0
after=$(tree)
n=$(cd "$J" && grep -l 1111 pre.*/[0-9]* | head -n 1)
damage "$J/$n" 2
expect 'rollback' 1 '' "Error: the update journal /etc/machine-config-daemon/journal is damaged: /etc/machine-config-daemon/journal/$n, the kept copy of /etc/foo, does not match its checksum$kept
" "$MCO" rollback --root-mount "$ROOT"
same 'rollback: nothing changed' "$after" "$(tree)"
damage "$J/last" 200
bad="the update journal /etc/machine-config-daemon/journal/last is damaged: it does not match its checksum$kept"
expect 'rollback: last' 1 '' "Error: $bad
" "$MCO" rollback --root-mount "$ROOT"
expect 'status' 0 "current config  r2
contents        1 files, 0 units
last update     $bad
" '' "$MCO" status --root-mount "$ROOT"
expect 'recover: it holds' 0 'nothing to recover
' '' bash -c "$MCO recover --root-mount $ROOT 2>/dev/null"
same 'recover: it holds' "$after" "$(tree)"
apply r1 0
same 'back without' 1111 "$(cat "$ROOT/etc/foo")"

finish
