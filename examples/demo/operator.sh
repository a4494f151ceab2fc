# Sourced by run.sh: the objects of a new cluster, mco-operator, and the roles that it deploys.
#
# The operator only writes objects. In a cluster, controllers and kubelets start the pods of its
# Deployments and DaemonSets; here none run. Instead the demo starts each role as a process when the
# operator has created its workload, and kubelet_stand_in reports the rollout as complete.
space=openshift-machine-config-operator
apps=/apis/apps/v1/namespaces/$space

path_of() {	# KIND NAMESPACE: where objects of that kind are
	case $1 in
	Namespace) echo /api/v1/namespaces ;;
	ConfigMap | Secret) echo "/api/v1/namespaces/$2/${1,,}s" ;;
	CustomResourceDefinition) echo /apis/apiextensions.k8s.io/v1/customresourcedefinitions ;;
	DNS) echo "$config/dnses" ;;
	Proxy) echo "$config/proxies" ;;
	*) echo "$config/${1,,}s" ;;
	esac
}
install_objects() {	# FILE...: creates each document, and sets its status
	local doc kind name in path
	rm -rf "$dir/docs"
	mkdir "$dir/docs"
	awk -v d="$dir/docs" 'FNR == 1 || /^---/ { n++ } !/^---/ { print > sprintf("%s/%02d", d, n) }' "$@"
	for doc in "$dir"/docs/*; do
		kind=$(sed -n 's/^kind: //p' "$doc")
		name=$(sed -n 's/^metadata: {name: \([^,}]*\).*/\1/p' "$doc")
		in=$(sed -n 's/^metadata: .*namespace: \([^,}]*\).*/\1/p' "$doc")
		path=$(path_of "$kind" "$in")
		create "$path" < "$doc"
		if [ "$kind" != CustomResourceDefinition ] && grep -q '^status:' "$doc"; then
			merge "$path/$name/status" "$("$bin/mcoctl" fmt -o json-compact "$doc")"
		fi
	done
}
ca() {	# NAMESPACE NAME KEY: a ConfigMap with the CA of the demo
	{
		printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata:\n  %s: |\n' "$2" "$3"
		sed 's/^/    /' "$dir/tls.crt"
	} | create "/api/v1/namespaces/$1/configmaps"
}

generation() { api GET "$apps/$1" | grep -o '"generation":[0-9]*' | head -n 1 | cut -d: -f2; }
made() { [ -n "$(generation "$1")" ]; }
daemons() { find "$dir" -mindepth 2 -maxdepth 2 -name pid | wc -l; }
kubelet_stand_in() {	# until the end: each workload has the pods that it wants
	local w g n
	declare -A told=()
	while [ ! -e "$dir/over" ]; do
		for w in daemonsets/machine-config-{daemon,server} deployments/machine-config-controller; do
			g=$(generation "$w") n=1
			[ "$w" != daemonsets/machine-config-daemon ] || n=$(daemons)
			[ -n "$g" ] && [ "${told[$w]-}" != "$g $n" ] || continue
			case $w in
			daemonsets/*) merge "$apps/$w/status" "{\"status\":{\"observedGeneration\":$g,\"numberMisscheduled\":0,
				\"currentNumberScheduled\":$n,\"desiredNumberScheduled\":$n,\"updatedNumberScheduled\":$n,
				\"numberReady\":$n,\"numberAvailable\":$n}}" ;;
			*) merge "$apps/$w/status" "{\"status\":{\"observedGeneration\":$g,\"replicas\":1,
				\"updatedReplicas\":1,\"readyReplicas\":1,\"availableReplicas\":1}}" ;;
			esac
			told[$w]="$g $n"
		done
		sleep 0.3
	done
}

condition() {	# TYPE: its status in the ClusterOperator, from $dir/co.json
	grep -o "\"status\":\"[A-Za-z]*\",\"type\":\"$1\"" "$dir/co.json" | cut -d'"' -f4
}
conditions() {
	api GET "$config/clusteroperators/machine-config" > "$dir/co.json"
	echo "$(condition Available) $(condition Progressing) $(condition Degraded)"
}
available() { [ "$(conditions)" = 'True False False' ]; }

k() {	# [FILTER] for the output; then the arguments of kubectl
	local filter=$1
	shift
	echo "\$ kubectl $*${filter:+ | $filter}"
	HOME=$dir kubectl --kubeconfig "$dir/kubeconfig" "$@" > "$dir/answer" 2>&1 < /dev/null || {
		cat "$dir/answer"
		fail "kubectl $*"
	}
	${filter:-cat} < "$dir/answer" || fail "the output of kubectl $*"
}
runbook() {	# the first commands of a runbook; without kubectl a table with the same columns
	local row='%-16s %-9s %-11s %-13s %s\n'
	if command -v kubectl > /dev/null; then
		k '' get co machine-config
		k 'grep -A2 Extension:' describe co machine-config
		k '' get mcp
		k '' -n $space get daemonsets,deployments
		say 'There are no pods and no logs of pods, because no kubelet runs here:'
		k '' -n $space get pods -l k8s-app=machine-config-daemon
		k '' -n $space logs -l k8s-app=machine-config-controller
		return
	fi
	# shellcheck disable=SC2059
	printf "$row" NAME VERSION AVAILABLE PROGRESSING DEGRADED
	# shellcheck disable=SC2046,SC2059
	printf "$row" machine-config "$(grep -o '"name":"operator","version":"[^"]*"' "$dir/co.json" | cut -d'"' -f8)" \
		$(conditions)
}
