#!/bin/bash
# mco-daemon start: images that PinnedImageSets want are pulled through the
# runtime's socket and pinned in CRI-O's config (spec 7.4). The runtime is cri.pl.
. test/applets/node.sh
. test/applets/daemon.sh
C='' CRI='' RUNTIMES=0
trap 'kill -KILL -- $SANDBOX $DAEMON $ACK ${CRI:+-$CRI} 2>/dev/null; rm -rf "$TMP"' EXIT
CONF=etc/crio/crio.conf.d/50-pinned-images
D=sha256:0123456789012345678901234567890123456789012345678901234567890123
A=quay.io/a@$D B=quay.io/b@$D X=mirrored.io/ns/x@$D

file_of() { printf %s "${1//[^A-Za-z0-9.]/_}"; }
runtime() {	# a new one, without images
	[ -z "$CRI" ] || kill -- "-$CRI"
	C=$TMP/cri$((++RUNTIMES))
	rm -rf "$ROOT/var/run/crio"
	mkdir -p "$ROOT/var/run/crio" "$C"/{images,pull,status}
	perl test/applets/cri.pl "$ROOT/var/run/crio/crio.sock" "$C" 2> "$TMP/cri.log" &
	CRI=$!
	disown
	until_ 'a runtime' '[ -S "$ROOT/var/run/crio/crio.sock" ]'
}
asked() { sort -u "$C/calls" 2>/dev/null; }
set_() {	# NAME IMAGE...: the PinnedImageSet of that name
	local name=$1 list='' i
	shift
	for i in "$@"; do list+=${list:+,}"{\"name\":\"$i\"}"; done
	if api GET $MC/pinnedimagesets/$name | grep -q '"kind": *"Status"'; then
		api POST $MC/pinnedimagesets "{\"apiVersion\":\"$K/v1\",\"kind\":\"PinnedImageSet\",\"metadata\":{\"name\":\"$name\"},\"spec\":{\"pinnedImages\":[$list]}}" > "$TMP/made"
	else
		merge $MC/pinnedimagesets/$name "{\"spec\":{\"pinnedImages\":[$list]}}" > "$TMP/made"
	fi
}
want() {	# POOL NAME...: the sets of a pool, as its controller writes them
	local pool=$1 list='' i
	shift
	for i in "$@"; do list+=${list:+,}"{\"name\":\"$i\"}"; done
	merge $MC/machineconfigpools/$pool "{\"spec\":{\"pinnedImageSets\":$([ $# = 0 ] && echo null || echo "[$list]")}}" > "$TMP/made"
}
room() {	# BYTES [READY]
	merge /api/v1/nodes/node/status "{\"status\":{\"allocatable\":{\"ephemeral-storage\":\"$1\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"${2:-True}\"},{\"type\":\"DiskPressure\",\"status\":\"False\"}]}}" > "$TMP/made"
}
sets() { api GET $MC/machineconfignodes/node | jq -c '[.status.pinnedImageSets[]?]'; }
conf() { cat "$ROOT/$CONF" 2>/dev/null; }
pinned() { printf '[crio]\n  [crio.image]\n    pinned_images = [%s]' "$1"; }
progressing() { mcn PinnedImageSetsProgressing; }
degraded_() { mcn PinnedImageSetsDegraded; }
COMPLETE='False AsExpected All pinned image sets complete'
GOOD='False AsExpected All is good'
WRONG='True PrefetchFailed One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.'
LAYERS='{"layers":[{"digest":"sha256:1","size":1000},{"digest":"sha256:2","size":24}]}'
# whole NAME: a round has completed without failure
whole() { until_ "$1 complete" '[ "$(progressing)|$(degraded_)" = "$COMPLETE|$GOOD" ]'; }

# ---- nothing is wanted -----------------------------------------------------------
new_node
on_disk
mkdir -p "$ROOT/var/lib/kubelet" "$ROOT/etc/containers"
auth() { printf %s "$1" | base64 -w0; }
printf '{"auths":{"quay.io":{"auth":"%s"},"mirror.local:5000":{"auth":"%s"}}}' "$(auth me:sEcReT)" "$(auth you:hIdDeN)" > "$ROOT/var/lib/kubelet/config.json"
printf '[[registry]]\nprefix = "mirrored.io"\nlocation = "mirrored.io"\n[[registry.mirror]]\nlocation = "mirror.local:5000/copy"\npull-from-mirror = "digest-only"\n' > "$ROOT/etc/containers/registries.conf"
says 'podman manifest' "echo '$LAYERS'"
runtime
running
room 100Gi
whole 'nothing wanted'
same 'nothing was asked' '' "$(asked)$(conf)"

# ---- two sets: one image exists, two are pulled, each with its credentials --------
: > "$C/images/$(file_of $A)"
set_ one $A $B
set_ two $X $B
want worker one two
until_ 'pinned' '[ "$(conf)" = "$(pinned "\"$X\", \"$A\", \"$B\"")" ]'
whole 'two sets'
soon 'what was asked' "ImageStatus $X
ImageStatus $A
ImageStatus $B
PullImage $X you hIdDeN
PullImage $B me sEcReT" asked
soon 'sizes are requested, CRI-O is reloaded' "podman manifest --log-level error inspect --authfile /var/lib/kubelet/config.json $B
podman manifest --log-level error inspect --authfile /var/lib/kubelet/config.json $X
systemctl reload crio" calls
soon 'the sets' '[{"currentGeneration":1,"desiredGeneration":1,"name":"one"},{"currentGeneration":1,"desiredGeneration":1,"name":"two"}]' sets

# ---- another generation: only new images are pulled ---------------------------------
: > "$C/calls"
: > "$CALLS"
set_ two $A
until_ 'pinned anew' '[ "$(conf)" = "$(pinned "\"$A\", \"$B\"")" ]'
until_ 'the new generation' '[ "$(sets)" = "[{\"currentGeneration\":1,\"desiredGeneration\":1,\"name\":\"one\"},{\"currentGeneration\":2,\"desiredGeneration\":2,\"name\":\"two\"}]" ]'
whole 'another generation'
soon 'nothing was pulled' "ImageStatus $A
ImageStatus $B" asked

# ---- an image that cannot be pulled ---------------------------------------------------
Z=quay.io/z@$D
echo 'reading manifest: no such image' > "$C/pull/$(file_of $Z)"
set_ two $A $Z
until_ 'it fails' '[ "$(degraded_)" = "$WRONG" ]'
until_ 'its reason' '[[ "$(sets)" == *"\"lastFailedGenerationError\":\"failed to pull image \\\"$Z\\\" (4 tries): timed out waiting for the condition: reading manifest: no such image\""* ]]'
soon 'progress is not over' "True ImagePrefetch node is prefetching images: node" progressing
soon 'the other set stands' '{"currentGeneration":1,"desiredGeneration":1,"name":"one"}' 'sets | jq -c ".[0]"'
soon 'the failed one' '{"desiredGeneration":3,"lastFailedGeneration":3}' 'sets | jq -c ".[1] | {desiredGeneration,lastFailedGeneration}"'
same 'nothing changed' "$(pinned "\"$A\", \"$B\"")" "$(conf)"
rm "$C/pull/$(file_of $Z)"
until_ 'then it can' '[ "$(conf)" = "$(pinned "\"$A\", \"$B\", \"$Z\"")" ]'
whole 'in the end'
until_ 'nothing of it is left' '[ "$(sets | jq -c ".[1]")" = "{\"currentGeneration\":3,\"desiredGeneration\":3,\"name\":\"two\"}" ]'

# ---- a full disk: no other image is tried -----------------------------------------
echo 'writing blob: no space left on device' > "$C/pull/$(file_of quay.io/full@$D)"
set_ two quay.io/full@$D
until_ 'full' '[[ "$(sets)" == *"failed to pull image \\\"quay.io/full@$D\\\" (1 tries): writing blob: no space left on device: writing blob: no space left on device"* ]]'

# ---- the sets change while an image is being pulled: the pull is cancelled --------------------------
echo wait > "$C/pull/$(file_of quay.io/slow@$D)"
set_ two quay.io/slow@$D
until_ 'being pulled' 'grep -qs "^PullImage quay.io/slow" "$C/calls"'
set_ two $A
whole 'something else'
same 'without it' "$(pinned "\"$A\", \"$B\"")" "$(conf)"

# ---- a removed image is pulled again ------------------------------------------
rm "$C/images/$(file_of $B)"
: > "$C/calls"
set_ two $A $Z
until_ 'back' '[ -e "$C/images/$(file_of $B)" ]'
whole 'back again'
until_ 'it was noticed' 'grep -q "failed to pull image: image removed during sync: $B" "$TMP/log"'

# ---- too large, not ready, unknown to podman; each with its reason ----------------------------
reason() { until_ "$1" '[[ "$(sets)" == *"\"lastFailedGenerationError\":\"'"${2//\"/\\\\\\\"}"'\""* ]]'; }
# Pulled images stay, whatever happens later.
logged() { WANT=$2; until_ "$1" 'grep -qF "Pinning images: $WANT" "$TMP/log"'; until_ "$1: degraded" '[ "$(degraded_)" = "$WRONG" ]'; }
room 17Gi
says 'podman manifest' "echo '{\"layers\":[{\"digest\":\"sha256:big\",\"size\":536870912}]}'"
set_ two quay.io/big@$D
reason 'too large' 'storage available is less than minimum required'
room 1Gi
reason 'too small' 'storage available is less than minimum required capacity: 1073741824, required: 17179869184'
room 100Gi False
reason 'not ready' 'node node is reporting NotReady=False'
room 100Gi
says 'podman manifest' 'echo "Error: no such manifest"; exit 125'
set_ two quay.io/odd@$D
reason 'unknown' "failed to execute podman manifest inspect for \"quay.io/odd@$D\": exit status 125: Error: no such manifest"
says 'podman manifest' "echo '$LAYERS'"
says 'systemctl reload crio' 'exit 1'
logged 'CRI-O does not take it' 'could not apply update: reloading crio configuration failed. Error: error running systemctl reload crio: : exit status 1'
says 'systemctl reload crio' 'exit 0'
until_ 'it does' '[ "$(conf)" = "$(pinned "\"$A\", \"$B\", \"quay.io/odd@$D\"")" ]'
whole 'and all is well'

# ---- the runtime stops and starts again -----------------------------------------------------
kill -- "-$CRI"; CRI=
set_ two $A
logged 'no runtime' "failed to get image status for \"$A\": rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix $ROOT/var/run/crio/crio.sock: connect: connection refused\""
runtime
whole 'a new runtime'
soon 'all pulled again' "$(printf '%s\n' "$(file_of $A)" "$(file_of $B)")" 'ls "$C/images"'

# ---- a missing set ------------------------------------------------------------------
want worker one three
logged 'no such set' 'failed to get PinnedImageSet "three": pinnedimageset.machineconfiguration.openshift.io "three" not found'
set_ three $A
whole 'now it is'

# ---- no sets any more: the file is removed; no secret was logged ------------------------------
: > "$CALLS"
want worker
until_ 'unpinned' '[ ! -e "$ROOT/$CONF" ]'
whole 'unpinned'
soon 'CRI-O is reloaded' 'systemctl reload crio' calls
soon 'no sets' '[]' sets
stop TERM
api GET $MC/machineconfignodes/node > "$TMP/told"
events >> "$TMP/told"
same 'no secret is logged or reported' '' "$(grep -hoE 'sEcReT|hIdDeN' "$TMP/log" "$TMP/told" "$CALLS")"
same 'the runtime heard nothing odd' '' "$(cat "$TMP/cri.log")"

# ---- a master pulls one image at a time ------------------------------------------------------------
api DELETE /api/v1/nodes/node > /dev/null
pool master node-role.kubernetes.io/master
LABELS='"node-role.kubernetes.io/master":""'
runtime
set_ many quay.io/1@$D quay.io/2@$D quay.io/3@$D
for i in 1 2 3; do echo wait > "$C/pull/$(file_of quay.io/$i@$D)"; done
want master many
on_disk
running
room 100Gi
for i in 1 2 3; do
	until_ "pull $i" 'grep -qs "^PullImage quay.io/$i@" "$C/calls"'
	rm "$C/pull/$(file_of quay.io/$i@$D)"
	until_ "image $i" '[ -e "$C/images/$(file_of quay.io/$i@$D)" ]'
done
whole 'a master'
same 'none before the one before it' "$(for i in 1 2 3; do echo "PullImage quay.io/$i@$D"; echo "Pulled quay.io/$i@$D"; done)" \
	"$(grep ^Pull "$C/calls" | cut -d' ' -f1,2)"
finish
