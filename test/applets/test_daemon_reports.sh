#!/bin/bash
# mco-daemon start: the MachineConfigNode with the gates ImageModeStatusReporting and
# IrreconcilableMachineConfig (spec 7.7, 7.8).
. test/applets/node.sh
. test/applets/daemon.sh
NEW=quay.io/os@sha256:new
EXT=quay.io/ext@sha256:e
SNO=1
is() { soon "$1" "$3" "mcn $2"; }	# NAME CONDITION WANT

# ---- image mode: only files --------------------------------------------------------------
gates ImageModeStatusReporting
given "$(files "$(file /etc/foo 1)")"
is 'phases' ImagePulledFromRegistry 'False NotYetOccurred This node has not yet entered the ImagePulledFromRegistry phase'
is 'phases: none for both' AppliedFilesAndOS ''
to "$(files "$(file /etc/foo 2)")"
rebooted files
is 'files: phase' UpdateExecuted 'True AppliedFiles Updated the Files on disk as a part of the in progress phase'
is 'files' AppliedFiles 'True UpdateExecutedAppliedFiles Applied files. SSH Keys did need an update'
is 'files: not the OS' AppliedOSImage 'False NotYetOccurred This node has not yet entered the AppliedOSImage phase'
stop

# ---- only the OS; an image that is pulled --------------------------------------------------------
given "$(files "$(file /etc/foo 1)")"
IMAGE=$NEW to "$(files "$(file /etc/foo 1)")"
rebooted OS
is 'OS: phase' UpdateExecuted 'True AppliedOSImage Updated the OS on disk as a part of the in progress phase'
is 'OS' AppliedOSImage 'True UpdateExecutedAppliedOSImage Applied new OS config to node.'
is 'OS: pulled' ImagePulledFromRegistry "True ImagePulledFromRegistry Successfully pulled OS image $NEW from registry"
is 'OS: no files' AppliedFiles 'False NotYetOccurred This node has not yet entered the AppliedFiles phase'
stop

# ---- an image that cannot be pulled; no immediate retry --------------------------------------------------------------------
MCO_RETRY_MS=500 given "$(files "$(file /etc/foo 1)")"
says "rpm-ostree rebase --experimental ostree-unverified-registry:$NEW" 'echo no >&2; exit 1'
IMAGE=$NEW to "$(files "$(file /etc/foo 2)")"
why="failed to update OS to $NEW after retries: error running rpm-ostree rebase --experimental ostree-unverified-registry:$NEW: no\\n: exit status 1: timed out waiting for the condition"
degraded 'no image' "$why"
is 'no image: not pulled' ImagePulledFromRegistry "False ImagePulledFromRegistry Failed to pull OS image $NEW from registry: $why"
is 'no image: phase' UpdateExecuted 'Unknown AppliedOSImage Error the OS on disk as a part of the in progress phase'
is 'no image: OS' AppliedOSImage "Unknown UpdateExecutedAppliedOSImage Update failed applying new OS config to node: $why"
is 'no image: files' AppliedFiles 'Unknown UpdateExecutedAppliedFiles Applying files to node.'
stop

# ---- files that cannot be written; keys ----------------------------------------------------------
MCO_RETRY_MS=500 given "$(files "$(file /etc/foo 1)")"
to "$(files "$(file /etc/foo 2)" '{"path":"/etc/z","contents":{"source":"https://x/y"}}')"
why='could not decode file \"/etc/z\": could not decode file content string: missing data prefix'
degraded 'no file' "$why"
is 'no file: phase' UpdateExecuted 'Unknown AppliedFiles Error updating the Files on disk as a part of the in progress phase'
is 'no file' AppliedFiles "Unknown UpdateExecutedAppliedFiles Update failed applying files to node: $why"
stop

# ---- extensions -----------------------------------------------------------------------------------
given '' "\"baseOSExtensionsContainerImage\":\"$EXT\""
says 'nice -- ionice -c 3 podman pull' 'echo no; exit 1'
says 'podman images' 'echo []'
to '' "\"baseOSExtensionsContainerImage\":\"$EXT\",\"extensions\":[\"usbguard\"]"
until_note 'no extensions' state Degraded
soon 'no extensions: not pulled' "False ImagePulledFromRegistry Failed to pull extensions image $EXT from registry: error pulling extensions image $EXT: failed to run command nice (6 tries)" \
	'mcn ImagePulledFromRegistry | sed "s/ tries).*/ tries)/"'
says 'nice -- ionice -c 3 podman pull' 'exit 0'
says 'podman create' 'echo cid'
booted $OLD '' '{"staged":true,"version":"1","requested-packages":["usbguard"]}'
until_ 'extensions come' 'grep -q "reboot successful" "$CALLS"'
is 'extensions: pulled' ImagePulledFromRegistry "True ImagePulledFromRegistry Successfully pulled extensions image $EXT from registry"
stop

# ---- images built in the cluster: past states name them ------------------------------------------
past() {	# NAME SPEC-IMAGE STATUS-IMAGE WANT
	merge $MC/machineconfignodes/node "{\"spec\":{\"configImage\":$2}}" > /dev/null
	merge $MC/machineconfignodes/node/status "{\"status\":{\"configImage\":$3,\"conditions\":[{\"type\":\"Drained\",\"status\":\"Unknown\",\"reason\":\"x\",\"message\":\"m\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}" > /dev/null
	annotate post-config-action Rebooting
	is "$1" Drained "False x Action during update to $4: m"
	is "$1: all" RebootedNode "False RebootedNode Action during update to $4: Node has rebooted"
}
A=quay.io/a@sha256:$(printf 'a%.0s' {1..64}) B=quay.io/b@sha256:$(printf 'b%.0s' {1..64})
given ''
past 'to an image' "{\"desiredImage\":\"$A\"}" "{\"currentImage\":\"$B\"}" "$A"
past 'away from images' null "{\"currentImage\":\"$B\"}" 'disable image mode'
past 'the same image' "{\"desiredImage\":\"$A\"}" "{\"currentImage\":\"$A\"}" r1
stop

# ---- what the node was installed with ----------------------------------------------------------------
gates IrreconcilableMachineConfig
disks() { printf '"storage":{"disks":[{"device":"%s","wipeTable":true}]}' "$1"; }
installed=$ROOT/etc/mcs-machine-config-content.json
changes() { api GET $MC/machineconfignodes/node | tr -d '\n' | grep -oE '"irreconcilableChanges": ?\[[^]]*(\[0\][^]]*)*\]' | sed 's/: /:/g; s/, /,/g'; }
new_node
mc r1 "$(disks /dev/sdb)"
put r1
mkdir -p "$ROOT/etc/machine-config-daemon"
cp "$TMP/r1.json" "$ROOT/etc/machine-config-daemon/currentconfig"
mc m "$(disks /dev/sda)"
cp "$TMP/m.json" "$installed"
running
soon 'another disk' '"irreconcilableChanges":[{"diff":"- \"/dev/sda\"\n+ \"/dev/sdb\"\n","fieldPath":"spec.config.storage.disks[0].device"}]' changes
is 'beside the rest' Updated 'True Updated Node node Updated'
cp "$TMP/r1.json" "$installed"
stop
forget
start
until_ 'as installed: up' 'events | grep -q "against r1"'
soon 'as installed' '' changes
rm "$installed"
stop
start
until_ 'not known' 'grep -q "Error updating MCN with the irreconcilable report error generating the irreconcilable differences list of changes. cannot locate and read the install-time configuration" "$TMP/log"'
stop
finish
