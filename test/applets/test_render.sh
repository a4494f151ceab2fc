# mcoctl render: upstream's golden cases through the real binary, and errors.
. test/applets/lib.sh

export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
cases=$PWD/test/golden/render bin=$PWD/$BIN
golden() {	# case: same bytes, or an error that ends in upstream's message
	local dir=$1 name=${1##*/} want
	cd "$dir" || return
	"$bin/mcoctl" render -f input >"$TMP/.out" 2>"$TMP/.err"
	if [ -f expected/error.txt ]; then
		want=$(cat expected/error.txt; echo x)
		# for manifests that do not decode, the error names file and
		# line here
		want=${want#error parsing *manifest: }
		[ "$(tail -c $((${#want} - 1)) "$TMP/.err"; echo x)" = "$want" ]
	else
		cmp -s "$TMP/.out" expected/machine-configs/*.yaml
	fi || { echo "FAIL golden $name"; return 1; }
}
for c in "$cases"/*/; do
	c=${c%/}
	case ${c##*/} in
	031-*|032-*) continue ;; # they include what templates generate: test_bootstrap.sh
	esac
	if (golden "$c"); then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
unset MCO_RAW MCO_HASH

cat > "$TMP/pool.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
spec:
  machineConfigSelector:
    matchLabels: {machineconfiguration.openshift.io/role: worker}
Y
mkdir "$TMP/dir" && cp "$TMP/pool.yaml" "$TMP/dir/" && cp examples/cluster/50-worker-chrony.yaml "$TMP/dir/"
expect 'names' 0 "$("$BIN/mcoctl" render -f "$TMP/dir" -o name)
" '' "$BIN/mcoctl" render -f "$TMP/pool.yaml" -f examples/cluster/50-worker-chrony.yaml --pool worker -o name
# the order of files never matters
expect 'any order of files' 0 "$("$BIN/mcoctl" render -f "$TMP/dir")
" '' "$BIN/mcoctl" render -f examples/cluster/50-worker-chrony.yaml "$TMP/pool.yaml"
# a list, as `oc get mc,mcp -o json` prints it
"$BIN/mcoctl" fmt -o json-compact "$TMP/dir/"* | awk 'BEGIN { printf "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[" } { printf "%s%s", (NR > 1 ? "," : ""), $0 } END { print "]}" }' > "$TMP/list.json"
expect 'a list' 0 "$("$BIN/mcoctl" render -f "$TMP/dir")
" '' "$BIN/mcoctl" render -f "$TMP/list.json"
g=$TMP/gather/quay-io-x/cluster-scoped-resources/machineconfiguration.openshift.io
mkdir -p "$g/machineconfigs" "$g/machineconfigpools"
cp examples/cluster/50-worker-chrony.yaml "$g/machineconfigs/"; cp "$TMP/pool.yaml" "$g/machineconfigpools/"
expect 'a must-gather' 0 "$("$BIN/mcoctl" render -f "$TMP/dir")
" '' "$BIN/mcoctl" render -f "$TMP/gather"
expect 'what went in' 0 "$("$BIN/mcoctl" render -f "$TMP/dir" -o name)
" "pool worker: $("$BIN/mcoctl" render -f "$TMP/dir" -o name | sed 's/.*\///') from 1 MachineConfigs:
  50-worker-chrony ($TMP/dir/50-worker-chrony.yaml)
" "$BIN/mcoctl" render -f "$TMP/dir" -o name -v

# a version in the environment that is not the cluster's
cat > "$TMP/cc.yaml" <<'Y'
apiVersion: machineconfiguration.openshift.io/v1
kind: ControllerConfig
metadata:
  name: machine-config-controller
  annotations: {machineconfiguration.openshift.io/generated-by-version: v4.22.0}
spec: {}
Y
sed 's/^metadata:/&\n  annotations: {machineconfiguration.openshift.io\/generated-by-controller-version: abc}/' \
	examples/cluster/50-worker-chrony.yaml > "$TMP/of-abc.yaml"
of_abc=(-f "$TMP/pool.yaml" -f "$TMP/cc.yaml" -f "$TMP/of-abc.yaml")
expect 'the version of the manifests' 0 "$("$BIN/mcoctl" render -f "$TMP/dir" -o name)
" '' "$BIN/mcoctl" render "${of_abc[@]}" -o name
expect 'another version' 1 '' 'warning: the manifests have version v4.22.0 (abc): set MCO_RAW and MCO_HASH to these values, or unset both
Error: pool worker: Ignoring controller config generated from v4.22.0 (my version: v9)
' env MCO_RAW=v9 "$BIN/mcoctl" render "${of_abc[@]}" -o name

expect 'no pool' 1 '' $'Error: no MachineConfigPool among the manifests\n' \
	"$BIN/mcoctl" render -f examples/cluster/50-worker-chrony.yaml
expect 'an unknown pool' 1 '' $'Error: no MachineConfigPool "infra" among the manifests: the pools are worker\n' \
	"$BIN/mcoctl" render -f "$TMP/dir" --pool infra
sed 's/nosmt/5/' examples/cluster/50-worker-chrony.yaml > "$TMP/bad.yaml"
expect 'a number for a string' 1 '' "Error: $TMP/bad.yaml:9:21: MachineConfig 50-worker-chrony: json: cannot unmarshal number into Go struct field MachineConfigSpec.spec.kernelArguments of type string
" "$BIN/mcoctl" render -f "$TMP/pool.yaml" -f "$TMP/bad.yaml"
sed 's/3.5.0/3.9.0/' examples/cluster/50-worker-chrony.yaml > "$TMP/bad.yaml"
expect 'an unknown version' 1 '' "Error: pool worker: MachineConfig 50-worker-chrony ($TMP/bad.yaml): parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5
" "$BIN/mcoctl" render -f "$TMP/pool.yaml" -f "$TMP/bad.yaml"
printf 'metadata: {}\n' > "$TMP/bad.yaml"
expect 'no kind' 1 '' "Error: $TMP/bad.yaml:1:1: no kind: there is only metadata
" "$BIN/mcoctl" render -f "$TMP/bad.yaml"
finish
