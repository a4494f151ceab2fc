#!/bin/bash
# containerd.sh: mco-daemon pins images with Debian's containerd as the runtime, which really
# pulls, from a registry on this machine. MCO_DIR has the programs. The daemon, its node and its
# cluster are those of test/applets.
. test/applets/node.sh
. test/applets/daemon.sh
RUNTIME='' REGISTRY=''
trap 'kill -KILL $SANDBOX $DAEMON $ACK $REGISTRY $RUNTIME 2>/dev/null; rm -rf "$TMP"' EXIT
end() {
	for p in $DAEMON $REGISTRY $RUNTIME; do kill "$p" 2>/dev/null; tail --pid="$p" -f /dev/null; done
	DAEMON='' REGISTRY='' RUNTIME=''
	finish
}

new_node
on_disk
S=$ROOT/var/run/crio/crio.sock
mkdir -p "${S%/*}" "$ROOT/var/lib/kubelet" "$TMP/blobs"
cat > "$TMP/containerd.toml" <<END
version = 2
root = "$TMP/containerd"
state = "$TMP/containerd.state"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "$S"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "$TMP/cni"
  conf_dir = "$TMP/cni"
END
containerd --config "$TMP/containerd.toml" > "$TMP/containerd.log" 2>&1 &
RUNTIME=$!
disown
up() { ctr -a "$S" plugins ls 2>/dev/null | grep -q 'v1 *cri .* ok'; }
while ! up && [ $SECONDS -lt 300 ] && kill -0 $RUNTIME 2>/dev/null; do sleep 0.1; done
if ! up; then
	why=$(tail -n 1 "$TMP/containerd.log")
	# the error in an unprivileged container; any other one is a failure
	if kill -0 $RUNTIME 2>/dev/null || ! grep -qiE 'not permitted|permission denied|not supported|not implemented|read-only' <<< "$why"; then
		failed=$((failed + 1))
		echo "FAIL containerd does not get ready: $why"
	else
		echo "containerd does not run here: $why" >&2
	fi
	end
	exit
fi

# ---- an image: one layer with one file ---------------------------------------------
sum() { sha256sum "$1" | cut -c1-64; }
blob() { local s; s=$(sum "$1"); cp "$1" "$TMP/blobs/$s"; echo "$s $(stat -c %s "$1")"; }
mkdir "$TMP/layer"
echo hello > "$TMP/layer/hello"
tar -C "$TMP/layer" -cf "$TMP/layer.tar" hello
read -r L LN < <(blob "$TMP/layer.tar")
printf '{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$L" > "$TMP/config.json"
read -r CF CN < <(blob "$TMP/config.json")
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:%s","size":%d}]}' "$CF" "$CN" "$L" "$LN" > "$TMP/manifest.json"
read -r M _ < <(blob "$TMP/manifest.json")
perl test/node-peer/registry.pl "$TMP/blobs" &
REGISTRY=$!
disown
until_ 'a registry' '[ -s "$TMP/blobs/port" ]'
R=localhost:$(cat "$TMP/blobs/port")
T=$R/tiny@sha256:$M
says 'podman manifest' "cat '$TMP/manifest.json'"

# ---- the daemon ------------------------------------------------------------------------
printf '{"auths":{"%s":{"auth":"%s"}}}' "$R" "$(printf me:secret | base64)" > "$ROOT/var/lib/kubelet/config.json"
want() {	# IMAGE...
	local list='' i
	for i in "$@"; do list+=${list:+,}"{\"name\":\"$i\"}"; done
	api DELETE $MC/pinnedimagesets/s > /dev/null
	api POST $MC/pinnedimagesets "{\"apiVersion\":\"$K/v1\",\"kind\":\"PinnedImageSet\",\"metadata\":{\"name\":\"s\"},\"spec\":{\"pinnedImages\":[$list]}}" > "$TMP/made"
	merge $MC/machineconfigpools/worker '{"spec":{"pinnedImageSets":[{"name":"s"}]}}' > "$TMP/made"
}
why() { api GET $MC/machineconfignodes/node | jq -r '.status.pinnedImageSets[0].lastFailedGenerationError'; }
there() { ctr -a "$S" -n k8s.io images ls -q | grep -x "$1"; }
WELL='False AsExpected All pinned image sets complete'
running
merge /api/v1/nodes/node/status '{"status":{"allocatable":{"ephemeral-storage":"100Gi"},"conditions":[{"type":"Ready","status":"True"}]}}' > "$TMP/made"
same 'it is not there yet' '' "$(there "$T")"
want "$T"
until_ 'pulled, with our credentials' '[ "$(there "$T")" = "$T" ]'
until_ 'pinned' 'grep -qxF "    pinned_images = [\"$T\"]" "$ROOT/etc/crio/crio.conf.d/50-pinned-images"'
until_ 'reported' '[ "$(mcn PinnedImageSetsProgressing)" = "$WELL" ]'

# ---- what cannot be pulled fails with the runtime's own words ----------------------------
N=$R/tiny@sha256:${M//[0-9]/0}
want "$T" "$N"
until_ 'not there' '[[ "$(why)" == "failed to pull image \"$N\" (4 tries): timed out waiting for the condition: "*"failed to resolve reference \"$N\": $N: not found" ]]'
printf '{"auths":{}}' > "$ROOT/var/lib/kubelet/config.json"
until_ 'without credentials' '[[ "$(why)" == *"401 Unauthorized" ]]'
X=127.0.0.1:9/x@sha256:$M
want "$X"
until_ 'no server' '[[ "$(why)" == "failed to pull image \"$X\" (4 tries): "*"dial tcp 127.0.0.1:9: connect: connection refused" ]]'

# ---- an image that came another way is found -----------------------------------------------
I=example.com/tiny@sha256:$M
ctr -a "$S" -n k8s.io images tag "$T" "$I" > /dev/null
want "$I"
until_ 'found' 'grep -qxF "    pinned_images = [\"$I\"]" "$ROOT/etc/crio/crio.conf.d/50-pinned-images"'
until_ 'all is well again' '[ "$(mcn PinnedImageSetsProgressing)" = "$WELL" ]'
end
