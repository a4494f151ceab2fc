# examples/deploy/operator: the objects that upstream's release ships beside its operator. The
# sandbox accepts those of kinds that it has.
. test/applets/lib.sh
. test/applets/sandbox.sh
command -v jq > /dev/null || { echo 'no jq'; exit 1; }
ns=openshift-machine-config-operator
for f in examples/deploy/operator/*.yaml; do "$BIN/mcoctl" fmt -o json-compact "$f" || exit 1; done > "$TMP/all"

expect 'objects' 0 "Namespace openshift-machine-config-operator
Namespace openshift-openstack-infra
Namespace openshift-kni-infra
Namespace openshift-ovirt-infra
Namespace openshift-vsphere-infra
Namespace openshift-nutanix-infra
Namespace openshift-cloud-platform-infra
ServiceAccount $ns/machine-config-operator
ClusterRoleBinding custom-account-openshift-machine-config-operator
Role $ns/prometheus-k8s
RoleBinding $ns/prometheus-k8s
Role openshift-openstack-infra/host-networking-services
RoleBinding openshift-openstack-infra/host-networking-system-node
Role openshift-kni-infra/host-networking-services
RoleBinding openshift-kni-infra/host-networking-system-node
Role openshift-vsphere-infra/host-networking-services
RoleBinding openshift-vsphere-infra/host-networking-system-node
Role openshift-nutanix-infra/host-networking-services
RoleBinding openshift-nutanix-infra/host-networking-system-node
ClusterRole node-credential-providers
ClusterRoleBinding node-credential-providers-binding
ClusterRole system:openshift:machine-config-operator:cluster-reader
Service $ns/machine-config-controller
Service $ns/machine-config-daemon
Service $ns/machine-config-server
Service $ns/kube-rbac-proxy-crio
Service $ns/internal-release-image-registry
ConfigMap $ns/machine-config-operator-images
ConfigMap $ns/machine-config-osimageurl
Deployment $ns/machine-config-operator
ClusterOperator machine-config
ServiceMonitor $ns/machine-config-controller
ServiceMonitor $ns/machine-config-daemon
PrometheusRule $ns/machine-config-controller
PrometheusRule $ns/machine-config-daemon
" '' jq -r '.kind + " " + ([.metadata.namespace, .metadata.name] | map(select(.)) | join("/"))' "$TMP/all"
expect 'ports, and the Secrets of their certificates' 0 'machine-config-controller 9001 mcc-proxy-tls
machine-config-daemon 9001 proxy-tls
machine-config-server 22623,22624 
kube-rbac-proxy-crio 9637 
internal-release-image-registry 22625 
' '' jq -r 'select(.kind == "Service") | .metadata.name + " " + ([.spec.ports[].port | tostring] | join(",")) + " " +
	(.metadata.annotations["service.beta.openshift.io/serving-cert-secret-name"] // "")' "$TMP/all"
expect 'alerts and rules have the names of upstream' 0 'os_image_url_override:sum 
RuncDeprecated info
MCCDrainError warning
MCCPoolAlert warning
MCCBootImageSkewEnforcementNone info
MCDRebootError critical
MCDPivotError warning
KubeletHealthState warning
SystemMemoryExceedsReservation warning
HighOverallControlPlaneMemory warning
ExtremelyHighIndividualControlPlaneMemory critical
' '' jq -r 'select(.kind == "PrometheusRule") | .spec.groups[].rules[] | (.alert // .record) + " " + (.labels.severity // "")' "$TMP/all"
# Every metric of ours that an alert asks for is exported.
for m in $(jq -r 'select(.kind == "PrometheusRule") | .spec.groups[].rules[].expr' "$TMP/all" |
	grep -oE '\b(mcc|mcd|mco)_[a-z_]+|os_image_url_override' | sort -u); do
	if grep -rq "\"$m\"" src/role src/plan; then ok; else bad "nothing exports $m"; fi
done
expect 'images.json and the version of the operator' 0 '4.22.0 4.22.0 --payload-version=4.22.0
' '' jq -rs '[(map(select(.metadata.name == "machine-config-operator-images"))[0].data["images.json"] | fromjson.releaseVersion),
	map(select(.metadata.name == "machine-config-osimageurl"))[0].data.releaseVersion,
	map(select(.kind == "Deployment"))[0].spec.template.spec.containers[0].args[2]] | join(" ")' "$TMP/all"
expect 'images.json has the keys of the operator' 0 'baremetalRuntimeCfgImage corednsImage dockerRegistryImage haproxyImage infraImage keepalivedImage kubeRbacProxy machineConfigOperator oauthProxy releaseVersion
' '' jq -r 'select(.metadata.name == "machine-config-operator-images") | .data["images.json"] | fromjson | keys | join(" ")' "$TMP/all"

sandbox_start
applied=0
while IFS= read -r object; do
	path=$(jq -rn --argjson o "$object" '$o | (if .apiVersion | test("/") then "/apis/" else "/api/" end) + .apiVersion +
		(if .metadata.namespace then "/namespaces/" + .metadata.namespace else "" end) + "/" + (.kind | ascii_downcase) + "s/" + .metadata.name')
	case $path in *monitoring.coreos.com*) continue ;; esac
	for want in 'first' 'second'; do
		got=$(printf '%s' "$object" | curl -sS -m 60 -o "$TMP/answer" -w '%{http_code}' -X PATCH --data-binary @- \
			-H 'Content-Type: application/apply-patch+yaml' "$api$path?fieldManager=install&force=true")
		case $want$got in
		first201|*200) ok ;;
		*) bad "$want apply of $path: $got"; cat "$TMP/answer" ;;
		esac
		# applying again changes nothing
		version=$(jq -r .metadata.resourceVersion "$TMP/answer")
		[ "$want" = first ] || is "$path unchanged" "$before" "$version"
		before=$version
	done
	applied=$((applied + 1))
done < "$TMP/all"
is 'objects that the sandbox has' 31 "$applied"
finish
