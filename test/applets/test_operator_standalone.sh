# mco-operator start --standalone: a cluster with the kinds of Kubernetes and our CRDs only goes from
# empty to healthy, with mco-controller and its built-in templates beside it. This script plays the
# controllers of DaemonSets and Deployments, and the daemons.
. test/applets/lib.sh
. test/applets/sandbox.sh
command -v jq >/dev/null || { echo 'no jq'; exit 1; }
operator='' controller='' others=''
end() {	# PID VARIABLE...: ends processes of the test
	local name
	for name; do
		[ -z "${!name}" ] || { kill "${!name}" && wait "${!name}"; } 2>/dev/null
		printf -v "$name" ''
	done
}
trap 'end others operator controller sandbox_pid; rm -rf "$TMP"' EXIT
export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
ns=openshift-machine-config-operator core=/api/v1 apps=/apis/apps/v1/namespaces/$ns
mc=/apis/machineconfiguration.openshift.io/v1
image=registry.example.test/mco@sha256:1111111111111111111111111111111111111111111111111111111111111111

get() { curl -sS -m 60 --noproxy '*' "$api$1"; }
create() {	# PATH: the object on standard input
	local got
	got=$(curl -sS -m 60 --noproxy '*' -o "$TMP/created" -w '%{http_code}' -H 'Content-Type: application/yaml' --data-binary @- "$api$1")
	[ "$got" = 201 ] || { bad "create in $1: $got"; cat "$TMP/created"; }
}
map() {	# NAMESPACE NAME KEY TEXT
	jq -n --arg n "$2" --arg k "$3" --arg t "$4" '{metadata: {name: $n}, data: {($k): $t}}' | create "$core/namespaces/$1/configmaps"
}
within() {	# SECONDS COMMAND...: repeats it until it succeeds
	local i n=$(($1 * 10))
	shift
	for ((i = 0; i < n; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
health() {	# TYPE: "status reason: message" in the operator's Deployment
	get "$apps/deployments/machine-config-operator" |
		jq -r --arg t "MachineConfig$1" '.status.conditions[]? | select(.type == $t) | .status + " " + .reason + ": " + .message'
}
shows() { [ "$(health "$1")" = "$2" ]; }	# TYPE TEXT
operate() {	# FLAGS...: sets operator
	"$BIN/mco-operator" start --standalone --payload-version 4.22.0 --kubeconfig "$TMP/kubeconfig" "$@" 2>>"$TMP/operator.log" &
	operator=$!
}

# ---- the flags ---------------------------------------------------------------------------
: >"$TMP/empty"
refused() {	# NAME TEXT FLAGS...
	"$BIN/mco-operator" start --kubeconfig "$TMP/none" "${@:3}" 2>"$TMP/err"
	is "$1: status" 255 $?
	is "$1" "$2" "$(tail -n 1 "$TMP/err" | sed 's/^F[^]]*\] //')"
}
refused 'no image' 'give either --images-json or --image' --standalone
refused 'two images' 'give either --images-json or --image' --standalone --image a --images-json b
refused 'OpenShift needs images.json' '--images-json cannot be empty'
refused 'a flag of another mode' '--image, --api-server-url, --service-network, --cluster-dns, --base-domain, --root-ca and --platform need --standalone' \
	--images-json b --base-domain example.test
refused 'a URL without a scheme' '--api-server-url: URL is neither http:// nor https://' --standalone --image a --api-server-url 10.0.0.1:6443
refused 'not an address' '--cluster-dns: dns is not an IP address' --standalone --image a --cluster-dns dns
refused 'no file' "--root-ca: open $TMP/none: No such file or directory" --standalone --image a --root-ca "$TMP/none"
refused 'no certificate' "--root-ca: $TMP/empty has no certificate" --standalone --image a --root-ca "$TMP/empty"
"$BIN/mco-operator" start --standalone --image a --platform aws 2>"$TMP/err" && bad 'another platform'
is 'another platform' 1 "$(grep -c 'platform' "$TMP/err")"

# ---- a plain cluster ---------------------------------------------------------------------
sandbox_start --plain
is 'no kind of OpenShift' 404 "$(curl -sS -m 60 -o "$TMP/answer" -w '%{http_code}' "$api/apis/config.openshift.io/v1/featuregates")"
for f in examples/deploy/crds/*.yaml; do create /apis/apiextensions.k8s.io/v1/customresourcedefinitions <"$f"; done
for n in $ns kube-system kube-public; do
	curl -sS -m 60 -o "$TMP/answer" -H 'Content-Type: application/json' -d "{\"metadata\":{\"name\":\"$n\"}}" "$api$core/namespaces"
done
node() {	# NAME LABEL
	jq -n --arg n "$1" --arg l "$2" '{metadata: {name: $n, labels: {"kubernetes.io/os": "linux", ($l): ""}}}' | create $core/nodes
	jq -n '{status: {conditions: [{type: "Ready", status: "True"}], nodeInfo: {osImage: "Plain Linux"}}}' >"$TMP/ready"
	curl -sS -m 60 -o "$TMP/answer" -X PATCH -H 'Content-Type: application/merge-patch+json' --data-binary @"$TMP/ready" "$api$core/nodes/$1/status"
}
node cp-0 node-role.kubernetes.io/control-plane
node cp-1 node-role.kubernetes.io/master
node worker-0 node-role.kubernetes.io/worker
"$BIN/mcoctl" fmt -o json-compact -f examples/deploy/standalone/operator.yaml >"$TMP/deploy"
is 'the objects that are applied by hand' 'Namespace ServiceAccount ClusterRoleBinding Deployment' "$(jq -rs 'map(.kind) | join(" ")' "$TMP/deploy")"
jq -c 'select(.kind == "Deployment")' "$TMP/deploy" | create "$apps/deployments"
jq -r 'select(.kind == "Deployment") | .spec.template.spec.containers[0].args[]' "$TMP/deploy" >"$TMP/args"
mapfile -t args <"$TMP/args"
"$BIN/mco-operator" "${args[@]}" --help >"$TMP/help" 2>&1 && ok || bad "the arguments of the Deployment: $(cat "$TMP/help")"
cat >"$TMP/theirs" <<'END'
{"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True",
"reason":"MinimumReplicasAvailable","message":"up","lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z"}]}}
END
curl -sS -m 60 -o "$TMP/answer" -X PATCH -H 'Content-Type: application/merge-patch+json' --data-binary @"$TMP/theirs" \
	"$api$apps/deployments/machine-config-operator/status"

# ---- each fact that is missing is one error ----------------------------------------------
operate --image "$image"
within 60 shows Degraded "True RenderConfigFailed: Unable to apply 4.22.0: could not get MCSC CA bundle: the CA of the cluster is unknown: there is neither ConfigMap $ns/kube-root-ca.crt nor kube-public/cluster-info; give --root-ca" ||
	bad "no CA: $(health Degraded)"
is 'not available' 'False Deploying: ' "$(health Available)"
is 'progressing' 'True Deploying: Unable to apply 4.22.0' "$(health Progressing)"
map $ns kube-root-ca.crt ca.crt 'the CA'
within 60 shows Degraded "True RenderConfigFailed: Unable to apply 4.22.0: the service network is unknown: there is neither ServiceCIDR kubernetes nor Service kube-system/kube-dns; give --service-network" ||
	bad "no network: $(health Degraded)"
jq -n '{metadata: {name: "kube-dns"}, spec: {clusterIP: "10.43.0.10", clusterIPs: ["10.43.0.10"], ports: [{port: 53, protocol: "UDP"}]}}' |
	create $core/namespaces/kube-system/services

# ---- to health ---------------------------------------------------------------------------
"$BIN/mco-controller" start --standalone --kubeconfig "$TMP/kubeconfig" --payload-version 4.22.0 \
	--resourcelock-namespace $ns --metrics-listen-address 127.0.0.1:0 2>"$TMP/controller.log" &
controller=$!
patch() {	# PATH JSON
	curl -sS -m 60 --noproxy '*' -o /dev/null -X PATCH -H 'Content-Type: application/merge-patch+json' -d "$2" "$api$1"
}
play() {	# the controllers of workloads, and the daemons
	local name path key=machineconfiguration.openshift.io/ pool config
	while sleep 0.3; do
		get "$apps/daemonsets" | jq -r '.items[]? | select(.status.observedGeneration != .metadata.generation) |
			[.metadata.name, ({status: {observedGeneration: .metadata.generation, desiredNumberScheduled: 3, currentNumberScheduled: 3,
			updatedNumberScheduled: 3, numberReady: 3, numberAvailable: 3, numberMisscheduled: 0}} | tojson)] | join("\t")' |
			while IFS=$'\t' read -r name path; do patch "$apps/daemonsets/$name/status" "$path"; done
		get "$apps/deployments" | jq -r '.items[]? | select(.status.observedGeneration != .metadata.generation) |
			[.metadata.name, ({status: {observedGeneration: .metadata.generation, replicas: 1, updatedReplicas: 1,
			readyReplicas: 1, availableReplicas: 1}} | tojson)] | join("\t")' |
			while IFS=$'\t' read -r name path; do patch "$apps/deployments/$name/status" "$path"; done
		# a daemon starts with the config of its pool, and then follows the desired one
		for name in cp-1:master worker-0:worker; do
			pool=${name#*:} name=${name%:*}
			config=$(get "$core/nodes/$name" | jq -r --arg k $key '.metadata.annotations // {} |
				if .[$k + "desiredConfig"] == null then "new" elif .[$k + "desiredConfig"] != .[$k + "currentConfig"] or
				.[$k + "state"] != "Done" then .[$k + "desiredConfig"] else "" end')
			[ "$config" != new ] || config=$(get "$mc/machineconfigpools/$pool" | jq -r '.spec.configuration.name // ""')
			[ -z "$config" ] || patch "$core/nodes/$name" "{\"metadata\":{\"annotations\":{\"${key}currentConfig\":\"$config\",
				\"${key}desiredConfig\":\"$config\",\"${key}state\":\"Done\",\"${key}reason\":\"\",
				\"${key}desiredDrain\":\"uncordon-$config\",\"${key}lastAppliedDrain\":\"uncordon-$config\"}}}"
		done
	done
}
play >"$TMP/others" 2>&1 &
others=$!
within 60 shows Available 'True AsExpected: Cluster has deployed 4.22.0' ||
	bad "not healthy: $(health Progressing); $(health Degraded); $(tail -n 3 "$TMP/operator.log"); $(tail -n 5 "$TMP/controller.log")"
within 10 shows Progressing 'False AsExpected: Cluster version is 4.22.0' || bad "still progressing: $(health Progressing)"
is 'not degraded' 'False AsExpected: ' "$(health Degraded)"
is 'the condition of the Deployment controller stays' 'True MinimumReplicasAvailable up 2026-01-01T00:00:00Z' \
	"$(get "$apps/deployments/machine-config-operator" | jq -r '.status.conditions[] | select(.type == "Available") | [.status, .reason, .message, .lastTransitionTime] | join(" ")')"
is 'the ControllerConfig' "none 10.43.0.10 IPv4 $api $api HighlyAvailable the CA null $image" \
	"$(get $mc/controllerconfigs/machine-config-controller | jq -r '.spec | [.platform, .clusterDNSIP, .ipFamilies, .infra.status.apiServerInternalURI,
	.infra.status.apiServerURL, .infra.status.controlPlaneTopology, (.rootCAData | @base64d), (.pullSecret | tostring), .images.machineConfigOperator] | join(" ")')"
is 'pools' 'master 1 worker 1' "$(get $mc/machineconfigpools | jq -r '[.items[] | .metadata.name, (.status.machineCount | tostring)] | join(" ")')"
is 'MachineConfigNodes' 'cp-0:not-yet-set cp-1:master worker-0:worker' "$(get $mc/machineconfignodes | jq -r '[.items[] | .metadata.name + ":" + .spec.pool.name] | join(" ")')"
is 'workloads, without a server that has no certificate' 'machine-config-daemon machine-config-controller machine-config-operator' \
	"$( (get "$apps/daemonsets"; get "$apps/deployments") | jq -rs '[.[].items[].metadata.name] | join(" ")')"
is 'the controller knows that it is not OpenShift' 1 "$(get "$apps/deployments/machine-config-controller" | grep -c -- '--standalone')"
is 'no user data without machines' 0 "$(get $core/namespaces/openshift-machine-api/secrets | jq '.items | length')"

# ---- at rest -----------------------------------------------------------------------------
versions() {	# of all objects that the operator writes or reads
	local p
	for p in $core/namespaces/$ns/{configmaps,secrets,serviceaccounts,events} "$apps"/{daemonsets,deployments} $core/nodes \
		/apis/rbac.authorization.k8s.io/v1/{clusterroles,clusterrolebindings,roles,rolebindings} \
		$mc/{machineconfigpools,controllerconfigs,machineconfignodes,machineconfigs} \
		/apis/operator.openshift.io/v1/machineconfigurations; do
		get "$p" | jq -r '.items[] | .metadata.name + " " + .metadata.resourceVersion'
	done
}
settled() { versions >"$TMP/then"; sleep 2; versions >"$TMP/now"; cmp -s "$TMP/then" "$TMP/now"; }
within 60 settled || bad 'it does not come to rest'
sleep 5
versions >"$TMP/now"
is 'no write at rest' '' "$(diff "$TMP/then" "$TMP/now")"

# ---- a change is undone, and the facts are followed ------------------------------------------
has_server() { get "$apps/daemonsets" | grep -q '"machine-config-server"'; }
has_server && bad 'a server without a certificate'
echo '{metadata: {name: machine-config-server-tls}, type: kubernetes.io/tls, data: {tls.crt: "YQ==", tls.key: "YQ=="}}' |
	create $core/namespaces/$ns/secrets
within 60 has_server || bad 'a server with a certificate'
curl -sS -m 60 -o "$TMP/answer" -X DELETE "$api$apps/daemonsets/machine-config-server"
within 60 has_server || bad 'a deleted DaemonSet comes back'
sed 's/^ *//' >"$TMP/cidr.yaml" <<'END'
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: servicecidrs.networking.k8s.io,
annotations: {api-approved.kubernetes.io: unapproved}}, spec: {group: networking.k8s.io, scope: Cluster,
names: {plural: servicecidrs, singular: servicecidr, kind: ServiceCIDR}, versions: [{name: v1, served: true, storage: true,
schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}
END
create /apis/apiextensions.k8s.io/v1/customresourcedefinitions <"$TMP/cidr.yaml"
echo '{apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: kubernetes}, spec: {cidrs: [10.43.0.0/16, "fd43::/112"]}}' |
	create /apis/networking.k8s.io/v1/servicecidrs
families() { get $mc/controllerconfigs/machine-config-controller | jq -e '.spec.ipFamilies == "DualStack"' >/dev/null; }
end operator # the new kind would be found within a minute
operate --image "$image" --api-server-url https://api.example.test:6443
within 60 families || bad 'the networks of ServiceCIDR kubernetes'
is 'the address of the DNS stays' 10.43.0.10 "$(get $mc/controllerconfigs/machine-config-controller | jq -r .spec.clusterDNSIP)"
is 'the URL of the flag' https://api.example.test:6443 "$(get $mc/controllerconfigs/machine-config-controller | jq -r .spec.infra.status.apiServerInternalURI)"

# ---- the ClusterOperator, where its kind is installed ------------------------------------------
create /apis/apiextensions.k8s.io/v1/customresourcedefinitions <examples/deploy/crds/openshift/clusteroperators.yaml
end operator
operate --image "$image"
co() { get /apis/config.openshift.io/v1/clusteroperators/machine-config | jq -r '[.status.conditions?[]? | .type + "=" + .status] | sort | join(" ")'; }
is_healthy() { [ "$(co)" = 'Available=True Degraded=False EvaluationConditionsDetected=False Progressing=False Upgradeable=True' ]; }
within 60 is_healthy || bad "ClusterOperator: $(co)"
curl -sS -m 60 -o "$TMP/answer" -X DELETE "$api$apps/deployments/machine-config-operator"
within 60 settled || bad 'without its Deployment it does not come to rest'
is_healthy && ok || bad "without its Deployment: $(co)"
kill "$operator"
wait "$operator"
is 'SIGTERM' 0 $?
operator=''
finish
