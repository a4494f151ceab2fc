# Output to a terminal: control characters in names, messages and contents are
# escaped; in errors and logs always.
. test/applets/lib.sh
ctl=$BIN/mcoctl
cat > "$TMP/bad.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: "m\e]0;title\a", labels: {machineconfiguration.openshift.io/role: worker}}
spec:
  kernelArguments: ["a\e[31mb"]
  config:
    ignition: {version: 3.5.0}
    storage:
      files:
      - {path: "/etc/a\e[2Jb", contents: {source: "data:,x"}}
      - {path: /etc/foo, contents: {source: "data:,one%1B%5B31m%0Atwo%0Dhidden%0A%C2%9B2J%0A"}}
      - {path: /etc/bar, contents: {source: "data:,%E2%80%AEtxt%0A%C2%9B2J%0A"}}
Y
sed 's/one/ONE/; s/txt/TXT/; s/x"}}/y"}}/; s/31mb/31mc/' "$TMP/bad.yaml" > "$TMP/bad2.yaml"
# tty COMMAND...: its output on a terminal, with the terminal's CR LF as LF
tty() { script -qec "$(printf '%q ' "$@")" /dev/null < /dev/null | sed 's/\r$//'; }
# obeyed: counts lines of standard input that a terminal would act on, except
# for our own colours
obeyed() {
	sed 's/\x1b\[\(0\|1\|31\|32\|36\)m//g' | LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]\|\xe2\x80[\xaa-\xae]'
}
none() { grep -c $'\x1b' | sed 's/^0$/none/'; }

expect 'the terminal is one' 0 $'tty\n' '' bash -c "$(declare -f tty); tty test -t 1 && echo tty"
expect 'cat, not to a terminal: the bytes' 0 $'one\x1b[31m\ntwo\rhidden\n\xc2\x9b2J\n' '' "$ctl" cat "$TMP/bad.yaml" /etc/foo
expect 'cat, to a terminal' 0 'one\x1b[31m
two\rhidden
\u009b2J
' '' tty "$ctl" cat "$TMP/bad.yaml" /etc/foo
expect 'files: a path' 0 $'/etc/a\\x1b[2Jb\n' '' bash -c "$(declare -f tty); tty '$ctl' files '$TMP/bad.yaml' | grep -o '/etc/a[^ ]*'"
for colour in '' 1; do
	NO_COLOR=$colour tty "$ctl" diff "$TMP/bad.yaml" "$TMP/bad2.yaml" > "$TMP/shown"
	expect "diff: nothing obeyed, NO_COLOR=$colour" 1 $'0\n' '' obeyed < "$TMP/shown"
	expect "diff: all written out, NO_COLOR=$colour" 0 '\u009b
\u202e
\x1b[2J
\x1b[31m
\x1b]0;title
' '' bash -c 'grep -o "\\\\x1b\[31m\|\\\\x1b\[2J\|\\\\u202e\|\\\\u009b\|\\\\x1b]0;title" "$0" | LC_ALL=C sort -u' "$TMP/shown"
done
expect 'diff: no colours that are not ours' 0 $'none\n' '' none < "$TMP/shown"
expect 'diff, not to a terminal: as it is' 0 $'  -a\x1b[31mb\n' '' grep -- -a <("$ctl" diff "$TMP/bad.yaml" "$TMP/bad2.yaml")
# shellcheck disable=SC2016
expect 'diff by another program' 1 $'0\n' '' obeyed < <(KUBECTL_EXTERNAL_DIFF='diff -u' tty "$ctl" diff "$TMP/bad.yaml" "$TMP/bad2.yaml")

# ---- colours: on a terminal that has them, or by --color
red() { grep -c $'\x1b\[31m' | sed 's/^[1-9].*/some/'; }
unset NO_COLOR
sed 's/%1B%5B31m//; s/\\e\[31m//; s/\\e\[2J//' "$TMP/bad.yaml" > "$TMP/plain.yaml"
sed 's/one/ONE/' "$TMP/plain.yaml" > "$TMP/plain2.yaml"
change=(diff "$TMP/plain.yaml" "$TMP/plain2.yaml")
coloured() {	# NAME WANT COMMAND...
	local name=$1 want=$2
	shift 2
	expect "$name" 0 "$want
" '' red < <("$@")
}
coloured 'a terminal' some env TERM=xterm bash -c "$(declare -f tty); tty \"\$@\"" - "$ctl" "${change[@]}"
for how in 'TERM=dumb' 'TERM=' 'NO_COLOR=1 TERM=xterm'; do
	# shellcheck disable=SC2086
	coloured "a terminal, $how" 0 env $how bash -c "$(declare -f tty); tty \"\$@\"" - "$ctl" "${change[@]}"
	# shellcheck disable=SC2086
	coloured "$how --color=always" some env $how bash -c "$(declare -f tty); tty \"\$@\"" - "$ctl" "${change[@]}" --color=always
done
coloured 'a terminal, --color=never' 0 env TERM=xterm bash -c "$(declare -f tty); tty \"\$@\"" - "$ctl" "${change[@]}" --color never
coloured 'a pipe' 0 env TERM=xterm "$ctl" "${change[@]}"
coloured 'a pipe, --color=auto' 0 env TERM=xterm "$ctl" "${change[@]}" --color=auto
coloured 'a pipe, --color=always' some "$ctl" --color=always "${change[@]}"
expect 'a manifest has none' 0 "$("$ctl" fmt examples/demo/60-worker-motd.yaml)
" '' "$ctl" fmt --color=always examples/demo/60-worker-motd.yaml
expect 'another word' 2 '' \
	$'Error: invalid argument "alway" for --color (did you mean always?): use auto, always or never\nSee \'mcoctl diff --help\'.\n' \
	"$ctl" diff --color alway a b

# ---- help: as wide as the terminal
wide() {	# COLUMNS COMMAND...: the longest line on a terminal of that width
	local columns=$1
	shift
	script -qec "stty cols $columns; $(printf '%q ' "$@")" /dev/null < /dev/null |
		sed 's/\r$//' | awk 'length > n { n = length } END { print n }'
}
unset COLUMNS
for columns in 64 76 100; do
	wide $columns "$ctl" validate --help > "$TMP/wide"
	expect "help on $columns columns" 0 "within $columns
" '' awk -v c=$columns '{ print ($1 <= c && $1 > c - 8 ? "within " c : $1) }' "$TMP/wide"
done

# ---- errors and logs: always
expect 'an error' 1 '' $'Error: m\\x1b]0;title\\x07 has no file or unit /etc/\\x1b[2J\\u202e (did you mean /etc/a\\x1b[2Jb?)\n' "$ctl" cat "$TMP/bad.yaml" $'/etc/\x1b[2J\u202e'
expect 'an unknown command' 1 '' $'Error: unknown command "\\x1b[2J" for "mcoctl"\nSee \'mcoctl --help\'.\n' "$ctl" $'\x1b[2J'
expect 'an unknown name' 1 '' $'0\n' bash -c '"$0" $'"'"'\x1b[2J'"'"' 2>&1 | grep -c $'"'"'\x1b'"'"' >&2; exit 1' "$BIN/mco"
mkdir -p "$TMP/root/etc"
"$BIN/mco-daemon" firstboot --root "$TMP/root" --timeout 10ms --url $'http://127.0.0.1:9/a\x1b[2Jb' > "$TMP/log" 2>&1
expect 'a log' 1 $'0\n' '' obeyed < "$TMP/log"
mkdir -p "$TMP/node/etc/machine-config-daemon"
printf 'ID=rhel\nVARIANT_ID=coreos\n' > "$TMP/node/etc/os-release"
"$ctl" fmt -o json "$TMP/bad.yaml" > "$TMP/bad.json"
tty "$BIN/mco-daemon" verify --offline --root-mount "$TMP/node" --against "$TMP/bad.json" > "$TMP/shown" 2>&1
expect 'verify' 1 $'0\n' '' obeyed < "$TMP/shown"
expect 'verify: a path' 0 $'/etc/a\\x1b[2Jb\n' '' bash -c 'grep "^file" "$0" | grep -o "/etc/a[^ ]*b" | head -n 1' "$TMP/shown"
finish
