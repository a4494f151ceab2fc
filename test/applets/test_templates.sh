# mco-controller templates: the built-in tree, and other trees.
. test/applets/lib.sh
controller=$BIN/mco-controller
cc() {	# PLATFORM [STATUS]: a ControllerConfig
	cat <<-END
	apiVersion: machineconfiguration.openshift.io/v1
	kind: ControllerConfig
	metadata:
	  name: machine-config-controller
	  uid: u-1
	spec:
	  clusterDNSIP: 172.30.0.10
	  cloudProviderConfig: ""
	  ipFamilies: IPv4
	  networkType: OVNKubernetes
	  additionalTrustBundle: b25lCnR3bwo=
	  proxy: {httpProxy: http://proxy.test:3128, noProxy: .test}
	  dns: {spec: {baseDomain: c.test}}
	  images:
	    machineConfigOperator: img.test/mco
	    infraImageKey: img.test/pause
	    kubeRbacProxyImage: img.test/rbac
	    baremetalRuntimeCfgImage: img.test/runtimecfg
	    corednsImage: img.test/coredns
	    keepalivedImage: img.test/keepalived
	    haproxyImage: img.test/haproxy
	  infra:
	    status:
	      apiServerInternalURI: https://api-int.c.test:6443
	      controlPlaneTopology: $2
	      platformStatus: $1
	END
}
cc '{type: None}' HighlyAvailable > "$TMP/none.yaml"
cc '{type: BareMetal, baremetal: {apiServerInternalIPs: [192.0.2.1, "2001:db8::1"], ingressIPs: [192.0.2.2]}}' \
	HighlyAvailableArbiter > "$TMP/metal.yaml"

# The list equals the sources, and export writes the same files.
(cd src/plan/template/tree && find -L . -type f | sed 's|^\./||' | LC_ALL=C sort) > "$TMP/want"
expect 'list' 0 "$(cat "$TMP/want")"$'\n' '' "$controller" templates list
expect 'export' 0 '' '' "$controller" templates export "$TMP/new/tree"
diff -r src/plan/template/tree "$TMP/new/tree" && passed=$((passed + 1)) || failed=$((failed + 1))
expect 'export replaces nothing' 1 '' "Error: $TMP/new/tree is not empty: give a new directory
" "$controller" templates export "$TMP/new/tree"
expect 'list of a tree given' 0 "$(cat "$TMP/want")"$'\n' '' sh -c \
	"$controller templates list --templates $TMP/new/tree/ | LC_ALL=C sort"
expect 'no such tree' 1 '' "Error: failed to read dir \"$TMP/none\": open $TMP/none: No such file or directory
" "$controller" templates list --templates "$TMP/none"
expect 'no verb' 1 '' $'Error: say list, export DIR, or render -f FILE\n' "$controller" templates

# The rendered MachineConfigs.
expect 'names' 0 '00-master
00-worker
01-master-container-runtime
01-master-kubelet
01-worker-container-runtime
01-worker-kubelet
' '' "$controller" templates render -f "$TMP/none.yaml" -o name
expect 'no ControllerConfig' 1 '' $'Error: no ControllerConfig among the manifests: give one with -f\n' \
	"$controller" templates render -f examples/new-time-source.yaml
expect 'a pull secret that is none' 1 '' $'Error: couldn\'t compact pullsecret: invalid character \'s\' looking for beginning of value\n' \
	"$controller" templates render -f "$TMP/none.yaml" --pull-secret <(echo 'secret')
for c in none metal; do
	"$controller" templates render -f "$TMP/$c.yaml" > "$TMP/$c.out" && passed=$((passed + 1)) || failed=$((failed + 1))
	"$controller" templates render -f "$TMP/$c.yaml" --templates "$TMP/new/tree" > "$TMP/$c.given"
	cmp "$TMP/$c.out" "$TMP/$c.given" && passed=$((passed + 1)) || failed=$((failed + 1))
	expect "$c is valid" 0 "$(grep -c ^kind: "$TMP/$c.out") objects, $(grep -c ^kind: "$TMP/$c.out") MachineConfigs: valid
" '' "$BIN/mcoctl" validate -f "$TMP/$c.out"
	grep -q '%3Cno%20value%3E\|<no value>' "$TMP/$c.out" && { failed=$((failed + 1)); echo "FAIL $c: a value is missing"; }
done
expect 'the built-in tree by its name' 0 "$(cat "$TMP/none.out")
" '' "$controller" templates render -f "$TMP/none.yaml" --templates=builtin
for platform in AWS Azure GCP KubeVirt VSphere External; do
	cc "{type: $platform}" HighlyAvailable > "$TMP/other.yaml"
	expect "$platform is not for the built-in tree" 1 '' "Error: the builtin templates support the platforms None, BareMetal, not $platform: give upstream's templates with --templates=DIR
" "$controller" templates render -f "$TMP/other.yaml"
done

# Scripts are bash, manifests are YAML, the kubelet has its role.
roles='machineconfiguration.openshift.io/role'
for role in master worker arbiter; do
	{ cat "$TMP/metal.out"; printf '%s\n' --- 'apiVersion: machineconfiguration.openshift.io/v1' \
		'kind: MachineConfigPool' "metadata: {name: $role}" \
		"spec: {machineConfigSelector: {matchLabels: {$roles: $role}}}"; } > "$TMP/$role.yaml"
	"$BIN/mcoctl" files -f "$TMP/$role.yaml" "$role" > "$TMP/$role.files"
	for f in $(grep -o '/[^ ]*\(\.sh\|\.sh\.tmpl\)\b' "$TMP/$role.files"); do
		"$BIN/mcoctl" cat -f "$TMP/$role.yaml" "$role:$f" | sed 's/{{[^}]*}}/1/g' | bash -n &&
			passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL $role $f is no bash"; }
	done
	for f in $(grep -o '/etc/kubernetes/manifests/[^ ]*' "$TMP/$role.files") /etc/kubernetes/kubelet.conf; do
		"$BIN/mcoctl" cat -f "$TMP/$role.yaml" "$role:$f" | "$BIN/mcoctl" fmt - >"$TMP/fmt" 2>&1 &&
			passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL $role $f"; cat "$TMP/fmt"; }
	done
done
expect 'pods of a master' 0 '/etc/kubernetes/manifests/coredns.yaml
/etc/kubernetes/manifests/criometricsproxy.yaml
/etc/kubernetes/manifests/haproxy.yaml
/etc/kubernetes/manifests/keepalived.yaml
' '' sh -c "grep -o '/etc/kubernetes/manifests/[^ ]*' $TMP/master.files | sort"
expect 'pods of an arbiter' 0 '/etc/kubernetes/manifests/coredns.yaml
/etc/kubernetes/manifests/criometricsproxy.yaml
' '' sh -c "grep -o '/etc/kubernetes/manifests/[^ ]*' $TMP/arbiter.files | sort"

# The scripts work, here in a directory instead of /etc and /run.
mkdir -p "$TMP/root/etc" "$TMP/root/run/NetworkManager"
script() {	# PATH: with other paths and stand-ins for the programs it runs
	"$BIN/mcoctl" cat -f "$TMP/master.yaml" "master:$1" |
		sed "s|/etc/|$TMP/root/etc/|g; s|/run/|$TMP/root/run/|g; s/mv -Z/mv/; s/^own=.*/own=192.0.2.9/; s/nmcli .*/:/"
}
script /usr/local/sbin/node-sizing.sh > "$TMP/sizing.sh"
expect 'sizes as given' 0 $'SYSTEM_RESERVED_MEMORY=2Gi\nSYSTEM_RESERVED_CPU=500m\nSYSTEM_RESERVED_ES=3Gi\n' '' \
	bash -c "bash $TMP/sizing.sh false 2Gi '' 3Gi && cat $TMP/root/etc/node-sizing.env"
expect 'sizes by the machine' 0 $'SYSTEM_RESERVED_MEMORY=7Gi\nSYSTEM_RESERVED_CPU=816m\nSYSTEM_RESERVED_ES=1Gi\n' '' \
	bash -c "getconf() { echo 64; }; export -f getconf; sed 's|/proc/meminfo|<(echo MemTotal: 115343360 kB)|' $TMP/sizing.sh > $TMP/auto.sh
		bash $TMP/auto.sh true 1Gi 500m 1Gi && cat $TMP/root/etc/node-sizing.env"
printf '%s\n' '# NetworkManager' 'search lan c.test' 'nameserver 192.0.2.53' 'nameserver 192.0.2.54' \
	'nameserver 192.0.2.55' 'options edns0' > "$TMP/root/run/NetworkManager/resolv.conf"
script /usr/local/bin/node-resolver.sh > "$TMP/resolver.sh"
expect "the node's own name server first" 0 '# made by node-resolver.sh
search c.test lan
nameserver 192.0.2.9
nameserver 192.0.2.53
nameserver 192.0.2.54
options edns0
' '' bash -c "bash $TMP/resolver.sh && bash $TMP/resolver.sh && cat $TMP/root/etc/resolv.conf && ls $TMP/root/run/node-resolver-done > /dev/null"
finish
