# Names, help, versions, and what is said of mistakes.
. test/applets/lib.sh

names='mco-controller
machine-config-controller
mco-server
machine-config-server
mco-daemon
machine-config-daemon
mcoctl
kubectl-mco
oc-mco
'
expect 'the names' 0 "$names" '' "$BIN/mco" --list
for n in $names; do
	case $n in
	*controller) want=$'MachineConfigController v9-abc\n' ;; # as upstream's
	*server) want=$'MachineConfigServer v9-abc\n' ;;
	*daemon) want=$'MachineConfigDaemon v9-abc\n' ;;
	*) want=$'v9\nabc\n' ;;
	esac
	expect "$n by its link" 0 "$want" '' \
		env MCO_RAW=v9 MCO_HASH=abc "$BIN/$n" version
	expect "$n by the first word" 0 $'v9\nabc\n' '' \
		env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco" "$n" --version
done
# The sandbox is a program of its own, and not in the one that nodes run.
expect 'the sandbox' 0 $'v9\nabc\n' '' \
	env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco-sandbox" version
expect 'the sandbox under another name' 0 $'v9\nabc\n' '' \
	env MCO_RAW=v9 MCO_HASH=abc bash -c 'exec -a api-server "$0" --version' "$BIN/mco-sandbox"
expect 'no sandbox in mco' 1 '' $'Error: unknown name "mco-sandbox" for "mco"\n' "$BIN/mco" mco-sandbox
expect 'nor by its link' 1 '' $'Error: unknown name "start" for "mco"\n' \
	bash -c 'exec -a mco-sandbox "$0" start' "$BIN/mco"
expect 'the version as JSON' 0 $'{\n  "raw": "v9",\n  "hash": "abc"\n}\n' '' \
	env MCO_RAW=v9 MCO_HASH=abc "$BIN/mco" version -o json
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
# manifests of newer releases may have flags that are not known here
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
finish
