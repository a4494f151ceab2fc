# The first part of an installation, on every platform: `mco-operator bootstrap` writes the manifests
# from the installer's files, the commands of its static pod render and serve the configs, and the
# machines of the control plane fetch them. ignition-validate judges what they get, where
# it is installed.
. test/applets/lib.sh
. test/cluster/free_port.sh
export LC_ALL=C MCO_RAW=v4.22.0 MCO_HASH=0123456789abcdef0123456789abcdef01234567
unset RELEASE_VERSION
here=$PWD golden=$PWD/test/golden bin=$PWD/$BIN
pid='' log=$TMP/log
judge=$(command -v ignition-validate) || echo 'ignition-validate is not installed: the configs are checked for their contents only'

openssl req -x509 -nodes -days 2 -subj /CN=example -addext subjectAltName=IP:127.0.0.1 \
	-newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout "$TMP/tls.key" -out "$TMP/tls.crt" 2>/dev/null

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }

# What the installer copies to the bootstrap machine: the operator's files, its own manifests.
prepare() {
	local args
	cp -r "$golden/operator-bootstrap/$1/input" .
	mapfile -t args <"$golden/operator-bootstrap/$1/args.txt"
	"$bin/mco-operator" "${args[@]}" 2>"$log" || return
	mkdir -p etc/mcc/bootstrap etc/mcs/bootstrap etc/kubernetes/manifests
	cp out/bootstrap/manifests/* out/manifests/* input/*.yaml etc/mcc/bootstrap/
	[ ! -e input/image-references ] || cp input/image-references etc/mcc/bootstrap/
	cp "$here/examples/bootstrap/01-featuregate.yaml" etc/mcc/bootstrap/
	cp out/bootstrap/machineconfigoperator-bootstrap-pod.yaml etc/kubernetes/manifests/
	[ -s etc/mcc/bootstrap/machineconfigcontroller-pull-secret ] ||
		cp "$golden/pull-secret.yaml" etc/mcc/bootstrap/machineconfigcontroller-pull-secret
	"$bin/mcoctl" fmt -o json-compact -f etc/kubernetes/manifests/*.yaml >pod.json
}
# The words of a container of the pod, with the paths of its host below here.
words() { # initContainers or containers
	jq -r --arg list "$1" '.spec[$list][0] | .command[], .args[]' pod.json | sed "s|^/usr/bin|$bin|; s|=/etc|=$PWD/etc|"
}
render() {
	local command templates
	mapfile -t command < <(words initContainers)
	# the built-in templates are for two platforms; upstream's image has those of all
	case $(jq -r .spec.infra.status.platformStatus.type config.json) in
	None | BareMetal) templates=builtin ;;
	*) templates=$golden/templates-controllers ;;
	esac
	"${command[@]}" --templates "$templates" 2>"$log"
}
serve() {
	local command i
	mapfile -t command < <(words containers)
	cp "$here/examples/server/kubeconfig" etc/kubernetes/kubeconfig
	"${command[@]}" --server-basedir etc/mcs/bootstrap --bootstrap-kubeconfig etc/kubernetes/kubeconfig \
		--apiserver-manifest etc/mcs/bootstrap/api-server/api-server.yaml --bind-address 127.0.0.1 --workers 1 \
		--secure-port 0 --insecure-port "$(free_port)" --cert "$TMP/tls.crt" --key "$TMP/tls.key" 2>"$log" &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		[ "$(grep -c 'Launching server on' "$log")" = 2 ] && break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	port=$(sed -n 's/.*Launching server on :\([0-9]*\)$/\1/p' "$log" | head -n 1)
}
fetch() { # pool, version of Ignition
	curl -sS -m 30 -o "body-$1-$2" -w '%{http_code}' -H "Accept: application/vnd.coreos.ignition+json;version=$2" \
		--cacert "$TMP/tls.crt" "https://127.0.0.1:$port/config/$1"
}
# What every machine needs: the kubeconfig of the server, the pull secret of the installer, and the
# name of its config, which is one of those rendered.
complete() { # pool
	local name
	name=$(jq -r '.metadata.name' <("$bin/mcoctl" fmt -o json-compact -f etc/mcs/bootstrap/machine-configs/rendered-"$1"-*.yaml))
	jq -r '.storage.files[] | select(.path == "/etc/machine-config-daemon/node-annotations.json") | .contents.source' "body-$1-3.5.0" |
		sed 's/^data:,//; s/%22/"/g; s/%2F/\//g; s/%3A/:/g; s/%2C/,/g; s/%7B/{/g; s/%7D/}/g' | grep -q "\"$name\"" || return
	jq -e '[.storage.files[].path] | contains(["/etc/kubernetes/kubeconfig", "/etc/mcs-machine-config-content.json"])' "body-$1-3.5.0" >/dev/null
}

installed() { # case
	local pool pools='master' v
	prepare "$1" || { echo "mco-operator bootstrap"; return 1; }
	"$bin/mcoctl" fmt -o json-compact -f out/bootstrap/manifests/machineconfigcontroller-controllerconfig.yaml >config.json
	render || { echo "mco-controller bootstrap"; return 1; }
	[ ! -e out/bootstrap/manifests/arbiter.machineconfigpool.yaml ] || pools+=' arbiter'
	serve
	for pool in $pools; do
		for v in 3.5.0 3.2.0; do
			[ "$(fetch "$pool" $v)" = 200 ] || { echo "GET /config/$pool, version $v"; return 1; }
			[ -z "$judge" ] || [ $v = 3.5.0 ] || "$judge" "body-$pool-$v" >"$log" 2>&1 || { echo "ignition-validate, $pool"; return 1; }
		done
		complete "$pool" || { echo "contents of $pool's config"; return 1; }
		echo "$pool" >>"$TMP/served"
	done
	[ "$(fetch worker 3.5.0)" = 500 ] || { echo 'the bootstrap server serves worker'; return 1; }
	kill "$pid" && wait "$pid" || { echo "mco-server ends with $?"; return 1; }
	pid=''
}

# Every platform and topology; of the variants of one only those that change what is rendered.
cases='001-none 002-baremetal 004-baremetal-ipv6 005-baremetal-dualstack 006-openstack-cloudconfig 008-vsphere 011-nutanix
	012-gcp 013-gcp-clusterhosted 014-aws 015-aws-clusterhosted 016-azure 017-azure-clusterhosted 018-external 019-kubevirt
	020-ovirt 021-single-replica 022-arbiter 023-dual-replica 024-proxy-trustbundle 026-image-references 034-ibmcloud
	035-powervs 037-yaml-strings'
n=0
: >"$TMP/served"
for c in $cases; do
	n=$((n + 1))
	mkdir "$TMP/case" && cd "$TMP/case" || exit 1
	if why=$(trap '[ -z "$pid" ] || kill -9 "$pid"' EXIT; installed "$c"); then ok; else
		bad "$c: ${why:-$?}"
		tail -n 3 "$log"
	fi
	cd "$here" && rm -rf "$TMP/case"
done
echo "install: $n cases, $(wc -l <"$TMP/served") configs served${judge:+ and judged by ignition-validate}"
finish
