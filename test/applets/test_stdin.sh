# mcoctl reads standard input only for "-": a shell loop keeps its lines, and an open
# pipe blocks no command.
. test/applets/lib.sh
ctl=$BIN/mcoctl base=examples/cluster
unset KUBECONFIG
export HOME=$TMP
sed -s '$a---' $base/*.yaml > "$TMP/all.yaml"
"$ctl" render -p worker -f $base > "$TMP/rendered.yaml"

none='Error: no manifests given: use -f FILE, -f DIRECTORY or -f - for standard input
'
cluster='Error: no cluster: give --kubeconfig or --server, or set KUBECONFIG; or give manifests with -f PATH (- is standard input)
'
both='Error: give two configs to compare (diff A B), or new manifests (diff -f NEW [--base DUMP])
'
# The output of each verb without arguments, whatever standard input is.
nothing() {	# HOW; standard input is passed on
	expect "validate, $1" 2 '' "$none" timeout 20 "$ctl" validate
	expect "hash, $1" 2 '' "$none" timeout 20 "$ctl" hash
	expect "render, $1" 1 '' "$cluster" timeout 20 "$ctl" render
	expect "files, $1" 1 '' "Error: worker is not a file here: ${cluster#Error: }" timeout 20 "$ctl" files worker
	expect "cat, $1" 1 '' "Error: worker is not a file here: ${cluster#Error: }" timeout 20 "$ctl" cat worker:/etc/x
	expect "blame, $1" 1 '' "Error: worker is not a file here: ${cluster#Error: }" timeout 20 "$ctl" blame worker:/etc/x
	expect "diff, $1" 2 '' "$both" timeout 20 "$ctl" diff
	expect "diff without a base, $1" 2 '' 'Error: no cluster: give --kubeconfig or --server, or set KUBECONFIG; or give --base PATH
' timeout 20 "$ctl" diff -f $base
	expect "fmt, $1" 1 '' 'Error: no manifests given: use -f FILE or -f - for standard input
' timeout 20 "$ctl" fmt
	expect "convert, $1" 1 '' 'Error: no configs given: use -f FILE or -f - for standard input
' timeout 20 "$ctl" convert
}
nothing 'no input' < /dev/null
nothing 'unused manifests on standard input' < "$TMP/all.yaml"
mkfifo "$TMP/open"
exec 9<> "$TMP/open"
nothing 'a pipe that stays open' <&9
exec 9>&-

loop() {
	printf 'one\ntwo\nthree\n' | while read -r line; do
		echo "$line"
		"$ctl" "$@" > /dev/null 2>&1 || true
	done
}
for verb in render validate hash fmt 'files worker' 'cat worker:/etc/x' 'blame worker:/etc/x' diff 'diff a b' convert; do
	# shellcheck disable=SC2086
	expect "a loop around $verb" 0 $'one\ntwo\nthree\n' '' loop $verb
done

# ---- with "-"
expect 'render -f -' 0 "$("$ctl" render -o name -f $base)
" '' "$ctl" render -o name -p worker -p infra -f - < "$TMP/all.yaml"
expect 'validate -f -' 0 $'5 objects, 2 MachineConfigs: valid\n' '' "$ctl" validate -f - < "$TMP/all.yaml"
# shellcheck disable=SC2094 # both only read it
expect 'hash -f -' 0 "$("$ctl" hash -f "$TMP/rendered.yaml")
" '' "$ctl" hash -f - < "$TMP/rendered.yaml"
expect 'files -f -' 0 "$("$ctl" files -f $base infra)
" '' "$ctl" files -f - infra < "$TMP/all.yaml"
expect 'cat -f -' 0 $'pool ntp.example.net iburst\n' '' "$ctl" cat -f - worker:/etc/chrony.conf < "$TMP/all.yaml"
expect 'diff -f -' 0 '' '' "$ctl" diff -f - --base $base < "$TMP/all.yaml"
expect 'diff --base -' 0 '' '' "$ctl" diff -f $base --base - < "$TMP/all.yaml"
expect 'fmt -f -' 0 $'a: 1\n' '' "$ctl" fmt -f - <<< '{"a":1}'
expect 'convert -f -' 0 $'{"ignition":{"version":"3.5.0"}}\n' '' "$ctl" convert -o json-compact -f - <<< '{"ignition":{"version":"3.1.0"}}'
expect 'fmt -' 0 $'a: 1\n' '' "$ctl" fmt - <<< '{"a":1}'
finish
