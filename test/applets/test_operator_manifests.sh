# mco-operator manifests: list, export and render the objects that the operator applies.
. test/applets/lib.sh
. test/applets/sandbox.sh
command -v jq > /dev/null || { echo 'no jq'; exit 1; }
manifests=("$BIN/mco-operator" manifests)
files='machine-config-controller.yaml
machine-config-daemon.yaml
machine-config-server.yaml
machine-os-builder.yaml
'

expect 'list: objects by kind' 0 '7 ClusterRole
7 ClusterRoleBinding
2 ConfigMap
2 DaemonSet
2 Deployment
5 Role
12 RoleBinding
1 Secret
6 ServiceAccount
8 ValidatingAdmissionPolicy
8 ValidatingAdmissionPolicyBinding
' '' sh -c '"$@" list | awk "NR > 1 { n[\$2]++ } END { for (k in n) print n[k], k }" | sort -k 2' - "${manifests[@]}"
expect 'list: gates' 0 'OSStreams
ManagedBootImagesCPMS
NoRegistryClusterInstall
' '' sh -c '"$@" list | awk "\$2 == \"ValidatingAdmissionPolicy\" && NF == 4 { print \$4 }" | uniq' - "${manifests[@]}"

say='Error: manifests: say list, export DIR, or render
'
expect 'no argument' 1 '' "$say" "${manifests[@]}"
expect 'another word' 1 '' "$say" "${manifests[@]}" print
expect 'export without a directory' 1 '' "$say" "${manifests[@]}" export

expect 'export' 0 '' '' "${manifests[@]}" export "$TMP/new/dir"
expect 'export: the files' 0 "$files" '' ls "$TMP/new/dir"
for f in $files; do expect "export: $f" 0 '' '' cmp "$TMP/new/dir/$f" "src/plan/operator/manifests/$f"; done
echo changed > "$TMP/new/dir/machine-os-builder.yaml"
rm "$TMP/new/dir/machine-config-daemon.yaml"
expect 'export replaces nothing' 1 '' "Error: $TMP/new/dir/machine-config-controller.yaml exists: nothing is written; replace it with --force
" "${manifests[@]}" export "$TMP/new/dir"
expect 'and writes nothing' 0 'machine-config-controller.yaml
machine-config-server.yaml
machine-os-builder.yaml
' '' ls "$TMP/new/dir"
expect 'export --force' 0 '' '' "${manifests[@]}" export "$TMP/new/dir" --force
for f in $files; do expect "replaced: $f" 0 '' '' cmp "$TMP/new/dir/$f" "src/plan/operator/manifests/$f"; done
touch "$TMP/file"
"${manifests[@]}" export "$TMP/file" > "$TMP/out" 2>&1 && bad 'export to a file'
expect 'export to a file' 0 '' '' cat "$TMP/file"

expect 'render without values keeps their names' 0 '${apiServerInternalURI}
${kubeRbacProxy}
${machineConfigOperator}
${release}
${tlsCipherSuites}
${tlsMinVersion}
${verbosity}
' '' sh -c '"$@" render | grep -o "\${[^}]*}" | sort -u' - "${manifests[@]}"
cat > "$TMP/images.json" <<'JSON'
{"releaseVersion": "4.22.0", "machineConfigOperator": "registry.test/mco:1", "kubeRbacProxy": "registry.test/krp:1"}
JSON
values=(--images-json "$TMP/images.json" --set verbosity=4 --set 'tlsCipherSuites=A,B' --set tlsMinVersion=VersionTLS13
	--set 'apiServerInternalURI=https://api-int:6443' --set 'httpProxy=http://p:1/?a=b')
"${manifests[@]}" render "${values[@]}" -o json | jq -c . > "$TMP/objects"
expect 'render: arguments and environment' 0 'machine-config-daemon registry.test/mco:1 start --payload-version=4.22.0 --v=4 --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 [NODE_NAME,HTTP_PROXY=http://p:1/?a=b]
kube-rbac-proxy registry.test/krp:1 --secure-listen-address=0.0.0.0:9001 --config-file=/etc/kube-rbac-proxy/config-file.yaml --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 --upstream=http://127.0.0.1:8797 --logtostderr=true --tls-cert-file=/etc/tls/private/tls.crt --tls-private-key-file=/etc/tls/private/tls.key []
machine-config-controller registry.test/mco:1 start --resourcelock-namespace=openshift-machine-config-operator --v=4 --payload-version=4.22.0 --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 [HTTP_PROXY=http://p:1/?a=b]
kube-rbac-proxy registry.test/krp:1 --secure-listen-address=0.0.0.0:9001 --config-file=/etc/kube-rbac-proxy/config-file.yaml --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 --upstream=http://127.0.0.1:8797 --logtostderr=true --tls-cert-file=/etc/tls/private/tls.crt --tls-private-key-file=/etc/tls/private/tls.key []
machine-config-server registry.test/mco:1 start --apiserver-url=https://api-int:6443 --payload-version=4.22.0 --tls-cipher-suites=A,B --tls-min-version=VersionTLS13 --v=4 []
machine-os-builder registry.test/mco:1 start --v=4 []
' '' jq -r 'select(.spec.template) | .spec.template.spec.containers[] | [.name, .image, (.args | join(" ")),
	"[" + (.env // [] | map(.name + (if .value then "=" + .value else "" end)) | join(",")) + "]"] | join(" ")' "$TMP/objects"
expect 'render -o name' 0 "$(jq -r '.kind + " " + ([.metadata.namespace, .metadata.name] | map(select(.)) | join("/"))' "$TMP/objects")
" '' "${manifests[@]}" render "${values[@]}" -o name
expect 'a gate adds its policies' 0 '> ValidatingAdmissionPolicy osimagestream-prevent-deletion
> ValidatingAdmissionPolicyBinding osimagestream-prevent-deletion-binding
' '' sh -c '"$@" render -o name > "$0"; "$@" render -o name --feature-gate OSStreams | diff "$0" - | grep prevent' "$TMP/without" "${manifests[@]}"
expect 'standalone' 0 'null null
null 1
null 1
' '' sh -c '"$@" render --standalone -o json | jq -r "select(.spec.template.spec.nodeSelector[\"kubernetes.io/os\"] or .spec.template.spec.affinity) |
	.spec.template.spec | [.nodeSelector[\"node-role.kubernetes.io/master\"], (.affinity | if . then length else null end)] | map(tostring) | join(\" \")"' - "${manifests[@]}"
expect 'an unknown value' 1 '' 'Error: --set log=4: give NAME=VALUE; the names are machineConfigOperator kubeRbacProxy release verbosity tlsCipherSuites tlsMinVersion apiServerInternalURI httpProxy httpsProxy noProxy
' "${manifests[@]}" render --set log=4
expect 'a value without =' 1 '' 'Error: --set release: give NAME=VALUE; the names are machineConfigOperator kubeRbacProxy release verbosity tlsCipherSuites tlsMinVersion apiServerInternalURI httpProxy httpsProxy noProxy
' "${manifests[@]}" render --set release
expect 'no such file' 1 '' "Error: $TMP/none: open $TMP/none: No such file or directory
" "${manifests[@]}" render --images-json "$TMP/none"
echo '{"a' > "$TMP/bad.json"
"${manifests[@]}" render --images-json "$TMP/bad.json" > "$TMP/out" 2> "$TMP/err" && bad 'broken images.json'
is 'broken images.json prints nothing' 0 "$(wc -c < "$TMP/out")"

# The sandbox, which checks objects as a server does, accepts what it has.
sandbox_start
while IFS= read -r object; do
	path=$(jq -rn --argjson o "$object" '$o | (if .apiVersion | test("/") then "/apis/" else "/api/" end) + .apiVersion +
		(if .metadata.namespace then "/namespaces/" + .metadata.namespace else "" end) + "/" + (.kind | ascii_downcase) + "s/" + .metadata.name')
	case $path in */validatingadmission*) continue ;; esac
	got=$(printf '%s' "$object" | curl -sS -m 60 -o "$TMP/answer" -w '%{http_code}' -X PATCH --data-binary @- \
		-H 'Content-Type: application/apply-patch+yaml' "$api$path?fieldManager=test&force=true")
	case $got in
	200|201) ok ;;
	*) bad "apply of $path: $got"; cat "$TMP/answer" ;;
	esac
done < "$TMP/objects"
finish
