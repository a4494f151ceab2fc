# Names, help, versions, and error messages for wrong arguments.
. test/applets/lib.sh

names='mco-controller
machine-config-controller
mco-server
machine-config-server
mco-daemon
machine-config-daemon
mco-operator
machine-config-operator
apiserver-watcher
mcoctl
kubectl-mco
oc-mco
'
unset RELEASE_VERSION
stands_for() {	# PROGRAM: its version, when the build has one
	cat <<-VERSION
	$1 v9 (abc)
	Implements:  OpenShift Machine Config Operator 4.22
	Renders as:  v9 (abc)
	Payload:     0.0.1-snapshot
	Ignition:    3.5.0 (reads 2.0 to 2.2 and 3.0 to 3.5)
	VERSION
}
expect 'the names' 0 "$names" '' "$BIN/mco" --list
for n in $names; do
	case $n in
	*controller) want=$'MachineConfigController v9-abc\n' ;; # as upstream's
	*server) want=$'MachineConfigServer v9-abc\n' ;;
	*daemon) want=$'MachineConfigDaemon v9-abc\n' ;;
	*operator) want=$'MachineConfigOperator v9-abc\n' ;;
	*watcher) want=$(stands_for apiserver-watcher)$'\n' ;;
	*) want=$(stands_for mcoctl)$'\n' ;;
	esac
	expect "$n by its link" 0 "$want" '' \
		env MCO_RAW=v9 MCO_HASH=abc "$BIN/$n" version
	case $n in
	*controller) role=mco-controller ;;
	*server) role=mco-server ;;
	*daemon) role=mco-daemon ;;
	*operator) role=mco-operator ;;
	*watcher) role=apiserver-watcher ;;
	*) role=mcoctl ;;
	esac
	expect "$n by the first word" 0 "$(stands_for $role)
" '' \
		env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco" "$n" --version
done
# The sandbox is a separate program, not part of the one that nodes run.
expect 'the sandbox' 0 "$(stands_for mco-sandbox)
" '' \
	env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco-sandbox" version
expect 'the sandbox under another name' 0 "$(stands_for mco-sandbox)
" '' \
	env MCO_RAW=v9 MCO_HASH=abc bash -c 'exec -a api-server "$0" --version' "$BIN/mco-sandbox"
expect 'no sandbox in mco' 1 '' $'Error: unknown name "mco-sandbox" for "mco"\n' "$BIN/mco" mco-sandbox
expect 'nor by its link' 1 '' $'Error: unknown name "start" for "mco"\n' \
	bash -c 'exec -a mco-sandbox "$0" start' "$BIN/mco"
expect 'the version as JSON' 0 '{
  "raw": "v9",
  "hash": "abc",
  "release": "4.22",
  "payload": "4.22.1",
  "ignition": "3.5.0"
}
' '' env MCO_RAW=v9 MCO_HASH=abc RELEASE_VERSION=4.22.1 "$BIN/mco" version --output=json
expect 'the version of mco' 0 "$(stands_for mco)
" '' env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco" --version
expect 'a format of the version' 1 '' $'Error: unknown output format "jsn" (did you mean json?): use json\nSee \'mco version --help\'.\n' \
	"$BIN/mco" version -o jsn
# A build without a version renders with the version of the objects.
if [ "$("$BIN/mcoctl" version -o json | sed -n 's/.*"raw": "\(.*\)",/\1/p')" != v4.22.0 ]; then
	expect 'no version is set' 0 $'Renders as:  the version of the objects that it reads\n' '' \
		bash -c '"$0" --version | grep ^Renders' "$BIN/mco"
fi
expect 'help NAME COMMAND' 0 "$("$BIN/mcoctl" fmt --help)
" '' "$BIN/mco" help mcoctl fmt
expect 'help of an unknown name' 1 '' $'Error: unknown name "mcoclt" for "mco" (did you mean mcoctl?)\n' "$BIN/mco" help mcoclt
expect 'an unknown name' 1 '' \
	$'Error: unknown name "mcoctrl" for "mco" (did you mean mcoctl?)\n' \
	"$BIN/mco" mcoctrl
expect 'an unknown flag of mco' 1 '' $'Error: unknown flag "--lost" for "mco" (did you mean --list?)\n' \
	"$BIN/mco" --lost
expect 'an unknown command' 1 '' \
	$'Error: unknown command "fmr" for "kubectl mco" (did you mean fmt?)\nSee \'kubectl mco --help\'.\n' \
	"$BIN/kubectl-mco" fmr
expect 'an unknown flag' 1 '' \
	$'Error: unknown flag: --outptu (did you mean --output?)\nSee \'mcoctl fmt --help\'.\n' \
	"$BIN/mcoctl" fmt --outptu=json
# manifests of newer releases may have flags that this release does not know
for role in controller daemon server; do
	for flag in --streams-cache --streams-cache=/x '--streams-cache /x'; do
		set -- start $flag --kubeconfig "$TMP/none"
		timeout 20 env -u NODE_NAME "$BIN/mco-$role" "$@" < /dev/null > "$TMP/log" 2>&1
		expect "mco-$role start $flag" 0 $'ignoring unknown flag --streams-cache: it may belong to a newer release\n' '' \
			grep -o 'ignoring unknown flag .*' "$TMP/log"
		expect "mco-$role start $flag goes on" 1 '' '' grep 'unknown flag: ' "$TMP/log"
	done
done
timeout 20 "$BIN/mco-controller" --streams-cache=/x start --kubeconfig "$TMP/none" > "$TMP/log" 2>&1
expect 'an unknown flag before the command' 0 $'ignoring unknown flag --streams-cache: it may belong to a newer release\n' '' \
	grep -o 'ignoring unknown flag .*' "$TMP/log"
expect 'a slip in a flag of a role' 1 '' \
	$'Error: unknown flag: --kubconfig (did you mean --kubeconfig?)\nSee \'mco-controller start --help\'.\n' \
	"$BIN/mco-controller" start --kubconfig=x
expect 'an unknown flag of bootstrap' 1 '' \
	$'Error: unknown flag: --streams-cache\nSee \'mco-controller bootstrap --help\'.\n' \
	"$BIN/mco-controller" bootstrap --streams-cache
expect 'a flag without its value' 1 '' \
	$'Error: flag needs an argument: -f\nSee \'mcoctl fmt --help\'.\n' \
	"$BIN/mcoctl" fmt -f
expect 'help of a command' 0 "$("$BIN/mcoctl" help fmt)
" '' "$BIN/mcoctl" fmt --help
expect 'a bad format' 1 '' \
	$'Error: unknown output format "toml": use json\nSee \'mcoctl version --help\'.\n' \
	"$BIN/mcoctl" version -o toml
"$BIN/mcoctl" --help > "$TMP/help"
expect 'help names every command' 0 $'  render\n  fmt\n  version\n' '' \
	sed -nE 's,^  (fmt|render|version) .*,  \1,p' "$TMP/help"

# ---- did you mean ----------------------------------------------------------------------
cat > "$TMP/set.yaml" <<'Y'
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, metadata: {name: worker}, spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}}}
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, metadata: {name: infra}, spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: infra}}}}
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: 99-worker-ntp, labels: {machineconfiguration.openshift.io/role: worker}}, spec: {config: {ignition: {version: 3.5.0}}}}
Y
set=(-f "$TMP/set.yaml")
meant() {	# NAME STATUS ERROR ARGUMENTS...
	local name=$1 status=$2 error=$3
	shift 3
	expect "$name" "$status" '' "Error: $error
" "$BIN/mcoctl" "$@"
}
meant 'a pool of render' 1 'no MachineConfigPool "wroker" among the manifests (did you mean worker?): the pools are worker, infra' render "${set[@]}" -p wroker
meant 'a pool of diff' 2 'no MachineConfigPool "wrker" among the manifests (did you mean worker?): the pools are worker, infra' diff "${set[@]}" --base "$TMP/set.yaml" -p wrker
meant 'far from any' 1 'no MachineConfigPool "gpu" among the manifests: the pools are worker, infra' render "${set[@]}" -p gpu
meant 'a config' 1 '"99-worker-npt" is neither a MachineConfigPool nor a MachineConfig among the manifests (did you mean 99-worker-ntp?)' \
	files "${set[@]}" 99-worker-npt
meant 'a config by its type' 1 'no MachineConfig "99-worker-nt" among the manifests (did you mean 99-worker-ntp?)' files "${set[@]}" mc/99-worker-nt
meant 'a type' 1 'mcpp/worker is not a file here: no resource type "mcpp" has configs (did you mean mcp?): use mcp/NAME, mc/NAME or node/NAME' files "${set[@]}" mcpp/worker
meant 'one dash' 1 "unknown shorthand flag: 't' in -to (did you mean --to?)
See 'mcoctl convert --help'." convert -to 3.5 x
meant 'one dash, with a letter that is one' 1 "unknown output format \"utput\": use yaml, json or name (did you mean --output?)
See 'mcoctl render --help'." render -output json
expect 'a word of templates' 1 '' \
	$'Error: templates: unknown word "exprot" (did you mean export?): say list, export DIR, or render -f FILE\n' \
	"$BIN/mco-controller" templates exprot x
finish
