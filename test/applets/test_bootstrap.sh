# mco-controller bootstrap: upstream's golden cases through the real binary, and
# wrong arguments.
. test/applets/lib.sh

golden=$PWD/test/golden bin=$PWD/$BIN
fatal() { # the text of a fatal log line, with its header
	sed -n '/^F[0-9]\{4\} /,$p' "$1" | sed '1s/^[^]]*\] //'
}
bootstrap() { # in the directory of a case: secret templates
	rm -rf "$TMP/out"
	"$bin/mco-controller" bootstrap --manifest-dir input --dest-dir "$TMP/out" \
		--pull-secret "$1" --templates "$2" --payload-version 4.22.0 \
		>"$TMP/.out" 2>"$TMP/.err"
}
failure() { # the expected message: status, message, nothing written
	[ "$2" = 255 ] && fatal "$TMP/.err" | cmp -s - <(printf '%s' "$1") && [ ! -e "$TMP/out" ]
}
controllers() {
	cd "$1" || return
	bootstrap input/pull-secret.yaml ../../templates-controllers
	local rc=$?
	if [ -f expected/error.txt ]; then
		failure "$(cat expected/error.txt)"$'\n' $rc
	else
		[ $rc = 0 ] && diff -r "$TMP/out" expected >"$TMP/.diff" 2>&1
	fi
}
render() {
	cd "$1" || return
	bootstrap ../../pull-secret.yaml ../../templates-mini
	local rc=$?
	if [ -f expected/error.txt ]; then
		[ $rc = 255 ] && [ ! -e "$TMP/out" ] && fatal "$TMP/.err" |
			cmp -s - <(printf "error running MCC[BOOTSTRAP]: "; cat expected/error.txt)
	else
		[ $rc = 0 ] && diff -r "$TMP/out/machine-configs" expected/machine-configs >"$TMP/.diff" 2>&1 &&
			{ [ ! -d expected/machine-pools ] || diff -r "$TMP/out/machine-pools" expected/machine-pools >"$TMP/.diff" 2>&1; }
	fi
}
export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
for set in controllers render; do
	n=0 ok=0
	for c in "$golden/$set"/*/; do
		n=$((n + 1))
		if ($set "${c%/}"); then
			ok=$((ok + 1))
		else
			echo "FAIL golden $set/$(basename "$c")"
			[ -n "${SHOW:-}" ] && { fatal "$TMP/.err"; head -20 "$TMP/.diff" 2>/dev/null; }
		fi
		rm -f "$TMP/.diff"
	done
	echo "$set: $ok of $n golden cases"
	passed=$((passed + ok)) failed=$((failed + n - ok))
done
export MCO_HASH=abc

# A fatal error is reported only in the log, and nothing is written.
refused() { # name, message, arguments...
	local name=$1 want=$2
	shift 2
	rm -rf "$TMP/out"
	"$BIN/mco-controller" bootstrap "$@" >"$TMP/.out" 2>"$TMP/.err"
	if failure "$want"$'\n' $? && [ ! -s "$TMP/.out" ]; then passed=$((passed + 1)); else
		failed=$((failed + 1)); echo "FAIL $name"; cat "$TMP/.err"
	fi
}
ex=examples/bootstrap
all=(--templates=builtin --manifest-dir $ex --pull-secret $ex/pull-secret.yaml --dest-dir "$TMP/out" --payload-version 4.22.0)
refused 'no directories' '--dest-dir or --manifest-dir not set' --dest-dir "$TMP/out"
refused 'no such directory' "error running MCC[BOOTSTRAP]: failed to read dir \"$TMP/none\": open $TMP/none: no such file or directory" \
	"${all[@]}" --manifest-dir "$TMP/none"
refused 'no such secret' "error running MCC[BOOTSTRAP]: open $TMP/none: no such file or directory" "${all[@]}" --pull-secret "$TMP/none"
refused 'another release' 'error running MCC[BOOTSTRAP]: error creating feature gates handler: unable to determine features: missing desired version "4.23.0" in featuregates.config.openshift.io/cluster' \
	"${all[@]}" --payload-version 4.23.0
RELEASE_VERSION=4.24.0 refused 'the release from the environment' 'error running MCC[BOOTSTRAP]: error creating feature gates handler: unable to determine features: missing desired version "4.24.0" in featuregates.config.openshift.io/cluster' \
	"${all[@]:0:7}"
rm -rf "$TMP/out"
"$BIN/mco-controller" --payload-version 4.25.0 --vmodule=a=1 --log_flush_frequency 5s bootstrap "${all[@]:0:7}" >"$TMP/.out" 2>"$TMP/.err"
if failure 'error running MCC[BOOTSTRAP]: error creating feature gates handler: unable to determine features: missing desired version "4.25.0" in featuregates.config.openshift.io/cluster'$'\n' $?; then
	passed=$((passed + 1)); else failed=$((failed + 1)); echo 'FAIL flags before the command'; cat "$TMP/.err"; fi
expect 'a flag no command has' 1 '' "Error: unknown flag: --payload
See 'mco-controller bootstrap --help'.
" "$BIN/mco-controller" bootstrap --payload 1
# The built-in templates are used only when named, and only on platforms that
# they support.
refused 'no templates' "error running MCC[BOOTSTRAP]: there are no templates in /etc/mcc/templates: mount those of upstream's image there, name another directory with --templates=DIR, or give --templates=builtin for the built-in ones (platforms None and BareMetal)" \
	"${all[@]:1}"
cp -r $ex "$TMP/aws"
sed -i 's/platformStatus: {type: None}/platformStatus: {type: AWS}/' "$TMP/aws"/*
refused 'AWS by the built-in templates' "error running MCC[BOOTSTRAP]: the builtin templates support the platforms None, BareMetal, not AWS: give upstream's templates with --templates=DIR" \
	"${all[@]}" --manifest-dir "$TMP/aws"
touch "$TMP/file"
"$BIN/mco-controller" bootstrap "${all[@]}" --dest-dir "$TMP/file/x" >"$TMP/.out" 2>"$TMP/.err"
if [ $? = 255 ] && [ "$(fatal "$TMP/.err")" = "error running MCC[BOOTSTRAP]: mkdir $TMP/file: not a directory" ]; then
	passed=$((passed + 1)); else failed=$((failed + 1)); echo 'FAIL a file instead of a directory'; cat "$TMP/.err"; fi

# The example: three pools, modes by the umask, and a second run changes nothing.
(umask 022; "$BIN/mco-controller" bootstrap "${all[@]}" 2>/dev/null)
expect 'the example' 0 'controller-config 744
controller-config/machine-config-controller.yaml 644
machine-configs 744
machine-configs/rendered-infra-.yaml 644
machine-configs/rendered-master-.yaml 644
machine-configs/rendered-worker-.yaml 644
machine-pools 744
machine-pools/infra.yaml 644
machine-pools/master.yaml 644
machine-pools/worker.yaml 644
' '' bash -c "cd '$TMP/out' && find . -mindepth 1 -printf '%P %m\n' | sed 's/-[0-9a-f]\{32\}/-/' | LC_ALL=C sort"
cp -r "$TMP/out" "$TMP/first"
# One file cannot be moved into place: the files before it are complete, and no other file
# is left.
mkdir -p "$TMP/blocked/controller-config/machine-config-controller.yaml/x"
"$BIN/mco-controller" bootstrap "${all[@]}" --dest-dir "$TMP/blocked" >"$TMP/.out" 2>"$TMP/.err"
if [ $? = 255 ] && [ "$(fatal "$TMP/.err")" = "error running MCC[BOOTSTRAP]: rename $TMP/blocked/controller-config/machine-config-controller.yaml: is a directory" ] &&
   [ -z "$(find "$TMP/blocked" -name '.bootstrap*')" ]; then
	passed=$((passed + 1)); else failed=$((failed + 1)); echo 'FAIL a directory instead of a file'; cat "$TMP/.err"; fi
# A write fails, here at 8 KiB of a file: everything stays unchanged.
cp -r "$TMP/first" "$TMP/full"
sed -i 's/^kind:/# old\n&/' "$TMP/full"/*/*
cp -r "$TMP/full" "$TMP/was"
(trap '' XFSZ; ulimit -f 8; exec "$BIN/mco-controller" bootstrap "${all[@]}" --dest-dir "$TMP/full") >"$TMP/.out" 2>"$TMP/.err"
if [ $? = 255 ] && fatal "$TMP/.err" | grep -q "MCC.BOOTSTRAP.: write $TMP/full/.bootstrap-[A-Za-z0-9]*/[0-9]*: File too large$" &&
   diff -r "$TMP/was" "$TMP/full"; then
	passed=$((passed + 1)); else failed=$((failed + 1)); echo 'FAIL a full disk'; cat "$TMP/.err"; fi
"$BIN/mco-controller" bootstrap "${all[@]}" 2>/dev/null
expect 'the same again' 0 '' '' diff -r "$TMP/first" "$TMP/out"
expect "upstream's name" 0 '' '' bash -c "exec -a machine-config-controller '$BIN/mco' bootstrap ${all[*]} 2>/dev/null"

# mcoctl shows the effect of changing such objects.
expect 'a preview of mirrors' 1 'pool master: each node: no drain, no reboot (number of nodes unknown, 1 at a time)
pool worker: each node: no drain, no reboot (number of nodes unknown, 1 at a time)
pool infra: each node: no drain, no reboot (number of nodes unknown, 1 at a time)
  Special crio: file /etc/containers/registries.conf: policy for /etc/containers/registries.conf
' '' bash -c "set -o pipefail; '$BIN/mcoctl' diff -f examples/new-mirrors.yaml --base $ex | sed -n '/each node/,\$p' | grep -v '^assumed'"
g=$TMP/gather/img/cluster-scoped-resources
mkdir -p "$g/machineconfiguration.openshift.io" "$g/config.openshift.io"
cp $ex/00* $ex/1* $ex/20* "$g/machineconfiguration.openshift.io/"
cp $ex/01* $ex/21* "$g/config.openshift.io/"
expect 'the same from a must-gather' 0 '' '' diff <("$BIN/mcoctl" diff -f examples/new-mirrors.yaml --base $ex) \
	<("$BIN/mcoctl" diff -f examples/new-mirrors.yaml --base "$TMP/gather")
sed 's/maxPods: 500/maxPods: 250/' $ex/20-kubelet.yaml > "$TMP/kubelet.yaml"
expect 'a preview of the kubelet' 1 '  -maxPods: 500
  +maxPods: 250
pool worker: each node: drain and reboot (number of nodes unknown, 1 at a time)
' '' bash -c "set -o pipefail; '$BIN/mcoctl' diff -f '$TMP/kubelet.yaml' --base $ex -p worker | grep -E 'maxPods|each node'"
sed 's/maxPods: 500/clusterDomain: x/' $ex/20-kubelet.yaml > "$TMP/kubelet.yaml"
expect 'a KubeletConfig that is refused' 1 "refused: KubeletConfig roomy-workers ($TMP/kubelet.yaml): KubeletConfiguration: clusterDomain is not allowed to be set, but contains: x
" '' bash -c 'set -o pipefail; "$0" diff -f "$1" --base "$2" | grep ^refused' "$BIN/mcoctl" "$TMP/kubelet.yaml" $ex

# mcoctl validate has the rules for them.
cat > "$TMP/objects.yaml" <<'Y'
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata: {name: m}
spec: {imageTagMirrors: [{source: Bad Source, mirrors: [a.example]}]}
Y
expect 'mirrors that are not sound' 1 'error: registries: could not update registries config with new changes: invalid format for source "Bad Source"
1 error
' '' "$BIN/mcoctl" validate -f "$TMP/objects.yaml"
# Upstream's workers gave both the same suffix.
for k in one two; do
	cat <<Y
---
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {name: $k, annotations: {machineconfiguration.openshift.io/mc-name-suffix: '1'}}
spec: {machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ''}}, kubeletConfig: {maxPods: 3}}
Y
done > "$TMP/objects.yaml"
cp test/golden/controllers/001-baseline/input/worker.pool.yaml "$TMP/pool.yaml"
expect 'configs that share a MachineConfig' 0 "$TMP/objects.yaml:9:23: warning: KubeletConfig two: metadata.annotations: KubeletConfig one and two share MachineConfig 99-worker-generated-kubelet-1, which contains only the settings of one of them: edit the other one, and it gets its own MachineConfig
" '' bash -c "set -o pipefail; '$BIN/mcoctl' validate -f '$TMP/objects.yaml' -f '$TMP/pool.yaml' | grep share"
expect 'objects that are sound' 0 '1 object, 0 MachineConfigs: valid
' '' "$BIN/mcoctl" validate -f $ex/21-mirrors.yaml
finish
