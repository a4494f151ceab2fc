# mcoctl on a cluster: the examples give the same output from a sandbox as from
# files.
. test/applets/lib.sh
. test/applets/sandbox.sh
ctl=$BIN/mcoctl base=examples/cluster
v1=/apis/machineconfiguration.openshift.io/v1
unset KUBECONFIG
export HOME=$TMP

sandbox_start
sandbox_load $base/*.yaml
export KUBECONFIG=$TMP/kubeconfig

# ---- as a dump ------------------------------------------------------------------------
names=$("$ctl" render -f $base -o name -p infra -p worker)
expect 'render, in the order of names' 0 "$names
" '' "$ctl" render -o name < /dev/null
expect 'render one pool' 0 "$("$ctl" render -f $base -p worker)
" '' sed 's/uid: .*/uid: ""/' <("$ctl" render -p worker < /dev/null)
sed -s '$a---' $base/*.yaml > "$TMP/all.yaml"
expect 'manifests piped in count with -f - only' 0 "$names
" '' "$ctl" render -o name < $base/pools.yaml
expect 'and then the cluster is not asked' 0 "$names
" '' env KUBECONFIG=/nowhere "$ctl" render -o name -p infra -p worker -f - < "$TMP/all.yaml"
expect 'cat' 0 "$("$ctl" cat -f $base worker:/etc/chrony.conf)
" '' "$ctl" cat worker:/etc/chrony.conf
expect 'files' 0 "$("$ctl" files -f $base worker)
" '' "$ctl" files worker
expect 'blame' 0 "$("$ctl" blame --no-headers -f $base infra:/etc/chrony.conf | sed 's,examples/[^ ]*,cluster,')
" '' "$ctl" blame --no-headers infra:/etc/chrony.conf
expect 'what a change does' 1 "$("$ctl" diff -p worker -f examples/new-time-source.yaml --base $base)
" '' "$ctl" diff -p worker -f examples/new-time-source.yaml
expect 'a file is a file' 0 '' '' "$ctl" diff $base $base

# ---- names ------------------------------------------------------------------------------
for n in a b; do
	"$ctl" render -f $base -p worker | sed -e "s/name: rendered-worker-.*/name: rendered-$n/" \
		-e '/^  ownerReferences:/,/ uid:/d' > "$TMP/$n.yaml"
done
sed -i 's/- nosmt/- quiet/' "$TMP/b.yaml"
sandbox_load "$TMP/a.yaml" "$TMP/b.yaml"
diff_ab='rendered-a -> rendered-b
kernelArguments
  --- a/kernelArguments
  +++ b/kernelArguments
  @@ -1,2 +1,2 @@
  -nosmt
  +quiet
   mitigations=auto

each node: drain and reboot
  Reboot: kernelArguments: new kernel arguments need a reboot
assumed: no MachineConfiguration: node disruption policies are the defaults
'
expect 'two configs of the cluster' 1 "$diff_ab" '' "$ctl" diff rendered-a rendered-b
expect 'one of them a file' 1 "$diff_ab" '' "$ctl" diff rendered-a "$TMP/b.yaml"
expect 'the same' 0 '' '' "$ctl" diff rendered-a "$TMP/a.yaml"
expect 'a directory is not a config' 2 '' "Error: $base: expected one MachineConfig to compare with
" "$ctl" diff rendered-a $base
expect 'no such name' 2 '' 'Error: "rendered-c" is neither a MachineConfigPool nor a MachineConfig in the cluster (did you mean rendered-a?)
' "$ctl" diff rendered-a rendered-c
is 'a change is seen' 200 "$(sandbox_patch $v1/machineconfigs/rendered-b '{"spec":{"kernelArguments":["nosmt","mitigations=auto"]}}')"
expect 'at once' 0 '' '' "$ctl" diff rendered-a rendered-b
for ((i = 0; i < 130; i++)); do
	curl -sS -m 60 -o /dev/null -H 'Content-Type: application/json' "$api$v1/machineconfigs" -d \
		"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\",\"kind\":\"MachineConfig\",\"metadata\":{\"name\":\"zz-$i\",\"labels\":{\"machineconfiguration.openshift.io/role\":\"none\"}},\"spec\":{\"config\":{\"ignition\":{\"version\":\"3.5.0\"}}}}"
done
expect 'more than a page' 0 '' '' "$ctl" diff zz-99 zz-129

# ---- RenderDegraded ----------------------------------------------------------------------
is 'the last config' 200 "$(sandbox_patch $v1/machineconfigpools/worker '{"spec":{"configuration":{"name":"rendered-a","source":[{"name":"50-worker-chrony"}]}}}')"
printf 'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata:\n  name: 60-bad\n  labels: {machineconfiguration.openshift.io/role: worker}\nspec: {extensions: [nosuch], config: {ignition: {version: 3.5.0}}}\n' > "$TMP/bad.yaml"
sandbox_load "$TMP/bad.yaml"
degraded='warning: pool worker: MachineConfig 60-bad (cluster): invalid extensions found: [nosuch]
warning: pool worker cannot be rendered: this is rendered-a, its last config
'
expect 'cat' 0 $'pool ntp.example.net iburst\n' "$degraded" "$ctl" cat worker:/etc/chrony.conf
expect 'files' 0 $'/etc/chrony.conf 50-worker-chrony\n' "$degraded" bash -c '"$0" files worker > "$1/out"; awk "/^.etc.chrony/ { print \$1, \$4 }" "$1/out"' "$ctl" "$TMP"
expect 'blame' 0 $'/etc/chrony.conf   50-worker-chrony   -   cluster   overwrite,contents,mode\n' "$degraded" \
	"$ctl" blame --no-headers worker:/etc/chrony.conf
curl -sS -m 60 -o /dev/null -X DELETE "$api$v1/machineconfigs/60-bad"

# ---- which cluster ----------------------------------------------------------------------
unset KUBECONFIG
expect 'flags' 0 "$names
" '' "$ctl" render -o name --server "$api" --request-timeout 30s
expect 'a password is not printed' 2 '' "Error: $api/nowhere has no machineconfigpools: is it an OpenShift cluster?
" "$ctl" diff a b --server "http://me:secret@${api#http://}/nowhere"
expect 'no cluster' 1 '' 'Error: worker is not a file here: no cluster: give --kubeconfig or --server, or set KUBECONFIG; or give manifests with -f PATH (- is standard input)
' "$ctl" files worker
expect 'a duration that is none' 1 '' 'Error: --request-timeout: invalid duration soon: use a value like 10s
' "$ctl" render --server "$api" --request-timeout soon
kill "$sandbox_pid" && wait "$sandbox_pid"
sandbox_pid=''
"$ctl" render --server "$api" 2> "$TMP/.err"
is 'no server' 1 $?
is 'in one line' "Error: listing machineconfigpools: GET $api$v1/machineconfigpools: connect to 127.0.0.1 port ${api##*:}: Connection refused" \
	"$(cat "$TMP/.err")"

# ---- missing permissions -----------------------------------------------------------------
echo right > "$TMP/tokens"
rm "$TMP/kubeconfig"
sandbox_start --tokens "$TMP/tokens"
expect 'not let in' 1 '' "Error: $api: listing machineconfigpools: the server has asked for the client to provide credentials (Unauthorized)
" "$ctl" render --server "$api" --token wrong
expect 'let in' 1 '' "Error: no MachineConfigPool in the cluster
" "$ctl" render --kubeconfig "$TMP/kubeconfig"
kill "$sandbox_pid" && wait "$sandbox_pid"
rm "$TMP/kubeconfig"
sandbox_start --fault-forbid kubeletconfigs --fault-forbid images
sandbox_load $base/*.yaml
expect 'kinds that may not be seen are left out' 0 "$names
" 'warning: skipped: kubeletconfigs: forbidden: injected
warning: skipped: images: forbidden: injected
' "$ctl" render -o name --kubeconfig "$TMP/kubeconfig"
left='["skipped: kubeletconfigs: forbidden: injected","skipped: images: forbidden: injected"]'
expect 'which diff -o json lists' 0 "$left
" '' bash -c '"$0" diff -o json "$@" 2> /dev/null | jq -c .warnings' "$ctl" -f $base/50-worker-chrony.yaml --kubeconfig "$TMP/kubeconfig"
expect 'and by validate' 0 "$left
" '' bash -c '"$0" validate -o json "$@" 2> /dev/null | jq -c .notes' "$ctl" -f $base/50-worker-chrony.yaml --kubeconfig "$TMP/kubeconfig"
kill "$sandbox_pid" && wait "$sandbox_pid"
rm "$TMP/kubeconfig"
sandbox_start --fault-forbid machineconfigs
expect 'but not all' 1 '' "Error: $api: listing machineconfigs: forbidden: injected
" "$ctl" render --kubeconfig "$TMP/kubeconfig"
finish
