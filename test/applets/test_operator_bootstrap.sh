# mco-operator bootstrap: upstream's golden cases through the real binary. ControllerConfig, pools,
# pull secret and CA byte by byte; the pods, whose text is ours, field by field against the table in
# test/golden/operator-bootstrap/pods.txt; what the templates become on the machine; wrong arguments.
. test/applets/lib.sh

golden=$PWD/test/golden/operator-bootstrap bin=$PWD/$BIN
export MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
unset RELEASE_VERSION

ok() { # NAME COMMAND...: passes when the command does
	local name=$1
	shift
	if "$@"; then passed=$((passed + 1)); else
		failed=$((failed + 1))
		echo "FAIL $name"
	fi
}

# ---- golden cases ------------------------------------------------------------
# The error, or the lines of the log that are not Info, each with its level.
messages() {
	sed -nE 's/^([WEF])[0-9]{4} [^]]*\] (.*)/\1 \2/p; /^(Error|panic): /p' "$1"
}
# Upstream's text up to here; what follows is its libraries' text about the input.
upto() {
	case $1 in
	112-*) echo "panic: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct" ;;
	118-*) echo 'F error rendering bootstrap manifests: error parsing dependencies for MCO bootstrap: failed to read infrastructure config: failed to decode *v1.Infrastructure file input/infra.yaml: no kind "Infrastructure" is registered for version "config.openshift.io/v2"' ;;
	*) cat "$golden/$1/expected/messages.txt" ;;
	esac
}
run_case() { # in a fresh copy of the case
	local args
	cp -r "$golden/$1/input" "$golden/$1/args.txt" .
	mapfile -t args <args.txt
	"$bin/mco-operator" "${args[@]}" >stdout 2>stderr
	echo $? >rc
}
same_files() { # paths; sizes of the files that are kept as golden data; modes
	(cd out 2>/dev/null && find . -type f -printf '%P\n' | sort) | cmp -s - <(cut -d' ' -f1 "$1/files.txt") &&
		[ -z "$(find out -type f ! -perm 0644 -o -type d ! -perm 0755 2>/dev/null)" ]
}
same_bytes() {
	local f
	find "$1" -mindepth 2 -type f -printf '%P\n' | while read -r f; do
		case $f in
		manifests/csr-*) "$bin/mcoctl" fmt -f "$1/$f" | cmp -s - <("$bin/mcoctl" fmt -f "out/$f") || exit 1 ;;
		*) cmp -s "$1/$f" "out/$f" || exit 1 ;;
		esac
	done
}
golden_case() {
	local want=$golden/$1/expected
	run_case "$1"
	cmp -s rc "$want/rc.txt" && [ ! -s stdout ] && same_files "$want" && same_bytes "$want" || return
	[ ! -e "$want/messages.txt" ] || messages stderr | cmp -s - <(upto "$1")
}

# ---- pods --------------------------------------------------------------------
leaves='[paths(type | IN("object", "array") | not) as $p | ($p | map(tostring) | join(".")) + " " + (getpath($p) | tojson)] + [paths(. == {}) | map(tostring) | join(".") + " {}"] | .[]'
flatten() { # the leaves of an object, one per line
	"$bin/mcoctl" fmt -o json-compact -f "$1" | jq -r "$leaves" | sort
}
# The values of a case: images, release, and the addresses and the name of a platform's directory.
declare -A V
values() {
	local key value
	while IFS='=' read -r key value; do
		V[$key]=$value
	done < <(jq -r --arg dir "$1" '
		def cloud: $dir | IN("gcp", "aws", "azure");
		.spec | .infra.status.platformStatus as $p
		| (({BareMetal: ["baremetal", "kni"], OpenStack: ["openstack", "openstack"], oVirt: ["ovirt", "ovirt"],
		    VSphere: ["vsphere", "vsphere"], Nutanix: ["nutanix", "nutanix"]}[$p.type]) // ["", ""]) as [$block, $short]
		| (if cloud then $p[$dir].cloudLoadBalancerConfig.clusterHosted
		   else {apiLoadBalancerIPs: $p[$block].apiServerInternalIPs, apiIntLoadBalancerIPs: $p[$block].apiServerInternalIPs,
			 ingressLoadBalancerIPs: $p[$block].ingressIPs} end) as $ips
		| "SHORT=" + (if cloud then "cloud-platform" else $short end),
		  "RECORDS=" + (if cloud then "CloudLB CloudLB" else "IngressVIP APIVIP" end),
		  "API=" + ($ips.apiLoadBalancerIPs // [] | join(",")),
		  "INTERNAL=" + ($ips.apiIntLoadBalancerIPs // [] | join(",")),
		  "INGRESS=" + ($ips.ingressLoadBalancerIPs // [] | join(",")),
		  "DOMAIN=" + .dns.spec.baseDomain,
		  "MCO=" + .images.machineConfigOperator, "RTCFG=" + .images.baremetalRuntimeCfgImage,
		  "COREDNS=" + .images.corednsImage, "KEEPALIVED=" + .images.keepalivedImage' config.json)
	V[RELEASE]=$(sed -n 's/^--payload-version=//p' args.txt | grep . || echo 0.0.1-snapshot)
}
same_pod() { # file, pod of the table
	local key script=
	for key in "${!V[@]}"; do script+="s|@$key@|${V[$key]}|g;"; done
	cmp -s <(flatten "$1" | grep -v '^spec.containers.0.\(command.2\|livenessProbe.exec.command.2\) ') \
		<(awk -v want="== $2" '/^== / { on = $0 == want; next } on && NF' "$golden/pods.txt" | sed "$script" | sort)
}
same_corefile() { # each name, its type of record and its first address
	local ingress api internal apps=${V[RECORDS]% *} vip=${V[RECORDS]#* } d=${V[DOMAIN]}
	ingress=${V[INGRESS]%%,*} api=${V[API]%%,*} internal=${V[INTERNAL]%%,*}
	grep -oE '(template|match|answer) .*' "$1" | cmp -s - <(while read -r match record ip; do
		printf 'template IN {{.Cluster.%sRecordType}} %s {\nmatch %s\n' "$record" "$d" "$match"
		printf 'answer "{{"{{ .Name }}"}} 60 in {{"{{ .Type }}"}} %s"\n' "$ip"
		printf 'template IN {{.Cluster.%sEmptyType}} %s {\nmatch %s\n' "$record" "$d" "$match"
	done <<-END
		.*.apps.$d $apps $ingress
		^api.$d $vip $api
		^api-int.$d $vip $internal
	END
	)
}
pods() { # every pod of a case against the table, and the Corefile
	local f dir kind
	"$bin/mcoctl" fmt -o json-compact -f out/bootstrap/manifests/machineconfigcontroller-controllerconfig.yaml >config.json
	values ''
	same_pod out/bootstrap/machineconfigoperator-bootstrap-pod.yaml bootstrap || return
	for f in out/*/manifests/*.yaml; do
		dir=$(basename "${f%/manifests/*}") kind=$(basename "$f" .yaml)
		[ "$dir" != bootstrap ] || continue
		values "$dir"
		case $dir in gcp | aws | azure) kind+=-cloud ;; esac
		same_pod "$f" "$kind" || return
		case $kind in coredns*) same_corefile "out/$dir/static-pod-resources/coredns/Corefile.tmpl" || return ;; esac
		echo "$f" >>"$TMP/pods"
	done
}

n=0 same=0 checked=0 made=0
: >"$TMP/pods"
for c in "$golden"/[0-9]*/; do
	c=$(basename "$c") n=$((n + 1))
	mkdir "$TMP/case"
	if (cd "$TMP/case" && golden_case "$c"); then same=$((same + 1)); else
		echo "FAIL golden $c"
		[ -n "${SHOW:-}" ] && { (cd "$TMP/case" && cat stderr; diff -r "$golden/$c/expected" out); }
	fi
	if [ "$(cat "$golden/$c/expected/rc.txt")" = 0 ]; then
		made=$((made + 1))
		if (cd "$TMP/case" && pods); then checked=$((checked + 1)); else
			echo "FAIL pods of $c"
		fi
	fi
	rm -rf "$TMP/case"
done
echo "operator-bootstrap: $same of $n golden cases; pods of $checked of $made cases, $(wc -l <"$TMP/pods") files of platforms"
passed=$((passed + same + checked)) failed=$((failed + n - same + made - checked))

# ---- what the templates become on the machine --------------------------------
mkdir "$TMP/bm" && cd "$TMP/bm" && run_case 002-baremetal && cd "$OLDPWD" || exit 1
pod=$TMP/bm/out/baremetal/manifests/keepalived.yaml res=$TMP/bm/out/baremetal/static-pod-resources
cat >"$TMP/dns.json" <<'END'
{"DNSUpstreams":["198.51.100.1","198.51.100.2"],"Cluster":{"IngressVIPRecordType":"A","IngressVIPEmptyType":"AAAA","APIVIPRecordType":"A","APIVIPEmptyType":"AAAA"}}
END
expect 'the Corefile on the machine' 0 "$(cat "$golden/Corefile.txt")"$'\n' '' \
	"$BIN/mco-controller" template "$res/coredns/Corefile.tmpl" --data "$TMP/dns.json"
cat >"$TMP/vrrp.json" <<'END'
{"Configs":[{"VRRPInterface":"br-ex","EnableUnicast":true,"NonVirtualIP":"192.0.2.5","Cluster":{"Name":"orchard","APIVirtualRouterID":17,"APIVIP":"192.0.2.11","VIPNetmask":32},"LBConfig":{"Backends":[{"Address":"192.0.2.6"},{"Address":"192.0.2.7"}]}},
{"VRRPInterface":"br-ex","EnableUnicast":false,"NonVirtualIP":"2001:db8::5","Cluster":{"Name":"orchard","APIVirtualRouterID":18,"APIVIP":"2001:db8::11","VIPNetmask":128},"LBConfig":{"Backends":[]}}]}
END
squeeze() { "$@" | sed 's/^ *//; /^$/d'; }
expect 'keepalived.conf on the machine' 0 "$(cat "$golden/keepalived.txt")"$'\n' '' \
	squeeze "$BIN/mco-controller" template "$res/keepalived/keepalived.conf.tmpl" --data "$TMP/vrrp.json"

# The script of keepalived's container, with stand-ins for the programs and paths of the image.
mkdir "$TMP/prog" "$TMP/vrrp"
"$BIN/mcoctl" fmt -o json-compact -f "$pod" | jq -r '.spec.containers[0].command[2]' |
	sed "s|/var/run/keepalived|$TMP/vrrp|g; s|/etc/keepalived|$TMP/vrrp|g; s|/usr/sbin/keepalived|keepalived|g" >"$TMP/script"
echo wait >>"$TMP/script"
"$BIN/mcoctl" fmt -o json-compact -f "$pod" | jq -r '.spec.containers[0].livenessProbe.exec.command[2]' |
	sed "s|/var/run/keepalived|$TMP/vrrp|g; s|/etc/keepalived|$TMP/vrrp|g; s|/tmp/keepalived.data|$TMP/vrrp/data|" >"$TMP/probe"
for p in keepalived pkill sleep; do
	printf '#!/bin/bash\necho %s "$@" >>"%s"\n' "$p" "$TMP/log" >"$TMP/prog/$p"
done
# pkill fails when keepalived does not run; sleep ends the script.
echo "[ -e \"$TMP/running\" ]" >>"$TMP/prog/pkill"
echo 'kill $PPID' >>"$TMP/prog/sleep"
printf '#!/bin/bash\ncat "%s"\n' "$TMP/words" >"$TMP/prog/socat"
chmod +x "$TMP/prog"/*
says() { # words of the socket
	printf '%s\n' "$@" >"$TMP/words"
	: >"$TMP/log"
	{ PATH=$TMP/prog:$PATH timeout 10 bash "$TMP/script"; } 2>/dev/null
	sed "s|$TMP/||g" "$TMP/log"
}
start='keepalived -f vrrp/keepalived.conf --dont-fork --vrrp --log-detail --log-console'
# keepalived runs in the background, so the order of the lines is open.
lines() { says "$@" | sort; }
expect 'keepalived without a config waits for one' 0 '' '' lines
expect 'reload starts it' 0 "$start"$'\npkill -HUP -o -x keepalived\n' '' lines reload
echo x >"$TMP/vrrp/keepalived.conf"
expect 'with a config it starts at once' 0 "$start"$'\n' '' lines
: >"$TMP/running"
expect 'reload of a running one is SIGHUP' 0 "$start"$'\npkill -HUP -o -x keepalived\n' '' lines reload
expect 'stop is SIGTERM' 0 "$start"$'\npkill -TERM -o -x keepalived\n' '' lines stop
ok 'and is remembered' test -s "$TMP/vrrp/stopped"
expect 'a stopped one never starts again' 0 $'sleep 60\n' '' lines reload
probe() { PATH=$TMP/prog:$PATH bash "$TMP/probe"; }
: >"$TMP/log"
expect 'alive: it was stopped' 0 '' '' probe
rm "$TMP/vrrp/stopped"
expect 'alive: it has a config' 0 '' '' probe
: >"$TMP/vrrp/keepalived.conf"
echo 'State = MASTER' >"$TMP/vrrp/data"
expect 'alive: no instance is at fault' 0 '' '' probe
echo 'State = FAULT' >"$TMP/vrrp/data"
expect 'not alive: an instance is at fault' 1 '' '' probe

# ---- arguments ---------------------------------------------------------------
expect version 0 'MachineConfigOperator v4.22.0-0123456789abcdef0123456789abcdef01234567
' '' "$BIN/machine-config-operator" version extra words
expect 'no flags: the default of the first file' 255 '' 'F error rendering bootstrap manifests: error parsing dependencies for MCO bootstrap: cannot read /assets/manifests/cluster-proxy-01-config.yaml file. Error: stat /assets/manifests/cluster-proxy-01-config.yaml: no such file or directory
' bash -c "$(declare -f messages)"'; "$0" bootstrap 2>"$1"; rc=$?; messages "$1" >&2; exit $rc' "$BIN/mco-operator" "$TMP/e"
in=$golden/001-none/input
args=(--infra-config-file "$in/infra.yaml" --network_config_file "$in/network.yaml" --proxy-config-file "$in/proxy.yaml"
	--dns-config-file "$in/dns.yaml" --config-file "$in/cluster-config.yaml" --pull-secret "$in/pull-secret.yaml" --root-ca "$in/root-ca.crt")
fatal() { # NAME TEXT ARGUMENTS...: the fatal line, and nothing written
	local name=$1 want=$2
	shift 2
	rm -rf "$TMP/out"
	"$BIN/mco-operator" bootstrap "${args[@]}" --dest-dir "$TMP/out" "$@" >"$TMP/.out" 2>"$TMP/.err"
	if [ $? = 255 ] && [ ! -e "$TMP/out" ] && messages "$TMP/.err" | cmp -s - <(echo "F $want"); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		cat "$TMP/.err"
	fi
}
deps='error rendering bootstrap manifests: error parsing dependencies for MCO bootstrap'
for f in proxy-config-file:Proxy config-file:ClusterConfig root-ca:MCSCAFile dns-config-file:DNS network-config-file:Network \
	infra-config-file:Infrastructure pull-secret:PullSecret; do
	fatal "an empty --${f%:*}" "$deps: required file ${f#*:} not set" "--${f%:*}="
done
fatal 'a directory' "$deps: failed to read proxy config: failed to read *v1.Proxy file $in: open $in: is a directory" --proxy-config-file "$in"
fatal 'another kind of ConfigMap' "$deps: failed to read Cluster Config file $in/dns.yaml: failed to decode *v1.ConfigMap file $in/dns.yaml: no kind \"DNS\" is registered for version \"config.openshift.io/v1\"" \
	--config-file "$in/dns.yaml"
printf 'apiVersion: config.openshift.io/v1\nkind: Network\nspec: {serviceNetwork: 10.0.0.0/8}\n' >"$TMP/network.yaml"
fatal 'a Network of another shape' "$deps: failed to read network config: failed to decode *v1.Network file $TMP/network.yaml: json: cannot unmarshal string into Go struct field NetworkSpec.spec.serviceNetwork of type []string" \
	--network-config-file "$TMP/network.yaml"
: >"$TMP/file"
rm -rf "$TMP/out"
"$BIN/mco-operator" bootstrap "${args[@]}" --dest-dir "$TMP/file/out" 2>"$TMP/.err"
ok 'a destination below a file' test "$? $(messages "$TMP/.err")" = "255 F mkdir $TMP/file: not a directory"
(cd "$TMP" && mkdir here && cd here && "$bin/mco-operator" --payload-version=9.9.9 bootstrap "${args[@]}" --operator-image x) 2>/dev/null
ok 'no destination: the working directory; flags before the command' grep -q -- --payload-version=9.9.9 "$TMP/here/bootstrap/machineconfigoperator-bootstrap-pod.yaml"

# A second run replaces the files; one that fails leaves them.
touch -d '2001-01-01' "$TMP/here/manifests/csr-bootstrap-role-binding.yaml"
chmod 0600 "$TMP/here/manifests/csr-bootstrap-role-binding.yaml"
(cd "$TMP/here" && "$bin/mco-operator" bootstrap "${args[@]}") 2>/dev/null
ok 'a second run replaces files' test "$(stat -c %a "$TMP/here/manifests/csr-bootstrap-role-binding.yaml")" = 644
ok 'and leaves nothing beside them' test "$(find "$TMP/here" -type f | wc -l)" = 7

finish
