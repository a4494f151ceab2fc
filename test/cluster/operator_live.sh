#!/bin/bash
# operator_live.sh [CASE...]: upstream's golden cases of the running operator through mco-operator and
# mco-sandbox. Each case must come to the objects that upstream wrote. Cases of one line of `chains` are one
# run of the cluster, one after the other.
. test/applets/lib.sh
. test/applets/sandbox.sh
. test/applets/operator.sh
trap 'op_end others operator sandbox_pid; rm -rf "$TMP"' EXIT

chains='001 030 031 032
001 043 044 046 047
001 070 071 072
002 003 004 005 006 007 008
009 010 011 012 013 014
022 023 024
026 027 028 029
050 051 052 053
074 075 076
080 081 082'
equal=0 objects=0 wrong=0

flags() {	# CASE: sets release, image and images.json as what.txt says
	local version='' next=''
	release=4.22.0
	op_images "$1"
	image=$(op_image)
	case $1 in
	021) version=4.21.7 ;;
	030|031|032) release=4.22.1 version=4.22.1 next=all ;;
	070) release=4.22.1 next=flag ;;
	071) release=4.22.1 version=4.22.1 next=flag ;;
	072) release=4.22.1 next=flag ;;
	esac
	if [ -n "$next" ]; then
		image=registry.example.test/mill/mco-next@sha256:b6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06bb6be68e33e36e06b
	fi
	jq -c --arg v "$version" --arg next "$next" --arg mco "$image" \
		--arg krp registry.example.test/mill/krp-next@sha256:df2e68e357a6e06bdf2e68e357a6e06bdf2e68e357a6e06bdf2e68e357a6e06b '
		(if $v != "" then .releaseVersion = $v else . end) |
		if $next == "all" then .machineConfigOperator = $mco | .kubeRbacProxy = $krp else . end' \
		"$TMP/images.json" >"$TMP/images.new"
	mv "$TMP/images.new" "$TMP/images.json"
}

# Given objects that were changed by a patch, and defaults that the API server added to them.
patched='def next($of): "registry.example.test/mill/" + $of;
	def on($kind; $name): select(.kind == $kind and .metadata.name == $name);
	if $c | test("027|028|029") then on("APIServer"; "cluster").spec.tlsSecurityProfile |= {type: "Modern"}
	elif $c | test("03[012]") then on("ConfigMap"; "machine-config-osimageurl").data |= (
		.baseOSContainerImage = next("coreos-next@sha256:5a06da19b1605b185c46c1b06c307f17c6b17eb2ac2716c296d57d2c17d41802") |
		.baseOSExtensionsContainerImage = next("coreos-ext-next@sha256:5a06da1a055df5a49f5c909f44ce4938e4b8f8e33bd3827d3a7e7d22ac2716c2"))
	elif $c == "073" then on("Infrastructure"; "cluster").status.platformStatus.vsphere.loadBalancer.type |= "OpenShiftManagedDefault"
	elif $c == "076" and .kind == "MachineConfiguration" then empty
	elif $c | test("07[456]") then on("Infrastructure"; "cluster").status.platformStatus.azure.cloudLoadBalancerConfig.dnsType |= "PlatformDefault"
	elif $c | test("08[12]") then on("ConfigMap"; "orchard-registries") |= del(.data)
	else . end'

given_gone() { curl -sS -m 60 --noproxy '*' -o "$TMP/put" -X DELETE "$api$1"; }
given_also() {
	jq -c . <<<"$1" >"$TMP/also"
	op_perl put "$TMP/also"
}
given() {	# CASE [later]: the objects from outside, and what the others had written before
	op_file "$1" input | jq -c --arg c "$1" "$patched" >"$TMP/all"
	# upstream's runs left this map alone
	if [ -n "${2:-}" ]; then
		jq -c 'select(.metadata.name != "coreos-bootimages")' "$TMP/all" >"$TMP/input"
	else
		mv "$TMP/all" "$TMP/input"
	fi
	op_perl put "$TMP/input"
	case $1 in	# what was deleted or patched, as what.txt says
	004) given_gone /api/v1/nodes/grove-o0 ;;
	014) given_also '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":
		{"bootImageSkewEnforcement":{"mode":"Manual","manual":{"mode":"OCPVersion","ocpVersion":"4.10.3"}}}}' ;;
	029) given_gone /apis/machineconfiguration.openshift.io/v1/machineosconfigs/worker ;;
	075) given_also '{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":
		{"managedBootImages":{"machineManagers":[]}}}' ;;
	053) given_also '{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"worker","labels":
		{"mine":"yes","machineconfiguration.openshift.io/mco-built-in":null}}}'
		given_gone "/api/v1/namespaces/$OP_NS/serviceaccounts/node-bootstrapper"
		given_gone /api/v1/namespaces/openshift-machine-api/secrets/worker-user-data-managed ;;
	esac
	# the gates of a release that the case does not list are those of the one before
	jq -c --arg v "$release" 'select(.kind == "FeatureGate") | .status.featureGates |=
		if any(.version == $v) then . else . + [.[0] | .version = $v] end' "$TMP/input" >"$TMP/gates"
	op_perl put "$TMP/gates"
	# the CRD of ControllerConfigs has the fields of all feature sets, with their defaults
	op_file "$1" expected | jq -c '(select(.kind == "ControllerConfig") | .spec.infra.status.platformStatus.aws | select(. != null)) |=
		. + {cloudLoadBalancerConfig: {dnsType: "PlatformDefault"}, ipFamily: "IPv4"}' >"$TMP/expected"
	{
		# a message "y" is a boolean in YAML 1.1
		op_file "$1" controller-context | jq -c 'walk(if type == "object" and .message == true then .message = "y" else . end)'
		jq -c 'select(.kind == "MachineConfiguration" or .kind == "MachineConfigNode")' "$TMP/expected"
	} >"$TMP/context"
	: >"$TMP/workloads"
	[ ! -e "$(echo "$OP_CASES/$1"*/workloads.yaml)" ] || op_file "$1" workloads >"$TMP/workloads"
	# the operator makes the MachineConfig of a pre-built image itself
	jq -c 'select(.kind == "Node" or .kind == "MachineConfig") | select(.metadata.name | startswith("10-prebuiltimage") | not)' \
		"$TMP/context" >"$TMP/first"
	op_perl put "$TMP/first"
}

run() {	# CASE [later]: in the cluster that is there; sets wrong when it differs
	local was=$release/$image
	flags "$1"
	op_end others
	[ "$was" = "$release/$image" ] || op_end operator
	given "$1" "${2:-}"
	op_others "$TMP/context"
	case $1 in
	040|041|045) export MCO_CLOCK_SCALE=300 ;;	# waits of 10 minutes
	050) export MCO_CLOCK_SCALE=20 ;;	# 052 waits for a minute until the CA is stable
	*) unset MCO_CLOCK_SCALE ;;
	esac
	[ -n "$operator" ] || op_start --payload-version "$release" --operator-image "$image"
	if [ "$1" = 050 ]; then
		sleep 2
		op_docs examples/deploy/crds/controllerconfigs.yaml >"$TMP/crds"
		op_perl put "$TMP/crds"
	fi
	if OP_WITHIN=${OP_WITHIN:-20} op_perl same "$TMP/expected" "$TMP/workloads" >"$TMP/same"; then
		equal=$((equal + 1))
		objects=$((objects + $(sed 's/ .*//' "$TMP/same")))
	else
		wrong=$((wrong + 1))
		echo "FAIL case $1"
		cut -c1-1000 "$TMP/same"
		tail -n 3 "$TMP/operator.log" | cut -c1-500
	fi
	! grep . "$TMP/others" || wrong=$((wrong + 1))
}

chain() {	# CASE...: in a new cluster
	local c later=''
	op_end others operator sandbox_pid
	: >"$TMP/operator.log"
	release='' image=''
	sandbox_start
	if [ "$1" = 050 ]; then op_crds controllerconfigs; else op_crds; fi
	op_namespaces
	for c; do
		run "$c" "$later"
		later=later
	done
}

chain_of() { printf '%s\n' "$chains" | sed -n "s/\(.*\b$1\b\).*/\1/p" | head -n 1; }

if [ $# -gt 0 ]; then
	for c; do
		read -ra list <<<"$(chain_of "$c")"
		[ ${#list[@]} -gt 0 ] || list=("$c")
		chain "${list[@]}"
	done
else
	while read -ra list; do chain "${list[@]}"; done <<<"$chains"
	for c in "$OP_CASES"/*; do
		c=${c##*/} c=${c%%-*}
		[ -n "$(chain_of "$c")" ] || chain "$c"
	done
fi
echo "operator: $equal cases equal upstream's, $objects objects; $wrong differ"
[ "$wrong" = 0 ]
