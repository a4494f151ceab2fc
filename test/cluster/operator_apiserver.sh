#!/bin/bash
# operator_apiserver.sh PEERS: mco-operator on a kube-apiserver, from an empty cluster to the objects of
# upstream's first case. Then none of them is written for ten seconds: the comparison of objects holds with the
# server's defaults.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
. test/cluster/servers.sh
peers=$1 proxy='' dir=$TMP/server
mkdir "$dir"
trap 'op_end proxy others operator; stop_servers; rm -rf "$TMP"' EXIT
start_real "$peers" || exit 1
write_kubeconfig "$TMP/kubeconfig"
"$peers/kubectl" --kubeconfig "$TMP/kubeconfig" proxy --port=0 >"$TMP/proxy" 2>&1 & proxy=$!
for ((i = 0; i < 300; i++)); do
	grep -q 'Starting to serve' "$TMP/proxy" && break
	sleep 0.1
done
api=http://$(sed -n 's/Starting to serve on //p' "$TMP/proxy")
op_crds
op_namespaces
for ((i = 0; i < 100; i++)); do	# until the kinds are served
	op_get /apis/config.openshift.io/v1/proxies | grep -q '"items"' && op_get $OP_CO | grep -q NotFound && break
	sleep 0.2
done
op_input 001
op_images 001
op_file 001 controller-context >"$TMP/context"
op_file 001 expected >"$TMP/expected"
jq -c 'select(.kind == "Node" or .kind == "MachineConfig")' "$TMP/context" >"$TMP/first"
op_perl put "$TMP/first"
op_others "$TMP/context"
op_start --payload-version 4.22.0 --operator-image "$(op_image)"
OP_WITHIN=90 op_perl same "$TMP/expected" || failed=$((failed + 1))
sleep 2
op_end others
op_perl versions >"$TMP/before"
sleep "${REST:-10}"
op_perl versions >"$TMP/after"
diff "$TMP/before" "$TMP/after" || failed=$((failed + 1))
echo "kube-apiserver: $(wc -l <"$TMP/before") objects at rest, $failed failed"
[ "$failed" = 0 ] || tail -n 5 "$TMP/operator.log"
[ "$failed" = 0 ]
