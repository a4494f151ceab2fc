# Sourced by worker.sh: what a daemon writes outside of any update. The cluster is a sandbox. At
# any time every file is the old one or the new one, and the next start has the same result as one
# without a cut.
BIN=$OUT
. test/applets/daemon.sh
trap 'kill -KILL $SANDBOX $DAEMON $ACK $(jobs -p) 2>/dev/null' EXIT

begin() {	# MODE N ROOT: a daemon to be cut
	"$INJECT" "$1" "$2" "$3" "$TMP/place" "$MCO" start --node-name node --root-mount "$W" --kubeconfig "$TMP/kubeconfig" \
		--metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false > "$TMP/said" 2>&1 &
	DAEMON=$!
}
until_() {	# NAME SHELL-CONDITION: waits for it, until a long timeout or the end of the daemon
	local end=$((SECONDS + 30))
	while ! eval "$2"; do
		[ -z "$DAEMON" ] || kill -0 "$DAEMON" 2>/dev/null || return 1
		[ $SECONDS -lt $end ] || { bad "$1" "never $2"; return 1; }
		sleep 0.02
	done
}
end() {	# the exit status of the injector
	kill "$DAEMON" 2>/dev/null
	wait "$DAEMON"
	local rc=$?
	DAEMON=
	return $rc
}
lines() { tree "$1" 2>/dev/null | grep -v '/\.mco-' | LC_ALL=C sort; }
arrived() { tree "$W" 2>/dev/null > "$TMP/is"; cmp -s "$TMP/is" "$TMP/goal.tree"; }

# all_of_daemon NAME ROOT SETTLED: every call below ROOT of a daemon that has something to write;
# `again` restores the cluster before it, SETTLED is the condition that it has finished.
all_of_daemon() {
	local name=$1 where=$2 settled=$3 n rc start=$SECONDS had=$cut
	fresh() { rm -rf "$W"; cp -a "$TMP/given" "$W"; again; }
	fresh
	begin count 0 "$W"
	until_ "$name" "$settled" || bad "$name" 'it has ended'
	sleep 1
	end
	tree "$W" > "$TMP/goal.tree"
	lines "$TMP/given" > "$TMP/was"
	lines "$W" > "$TMP/becomes"
	for ((n = 1 + WORKER; ; n += WORKERS)); do
		fresh
		begin stop $n "$where"
		until_ "$name $n" "arrived && $settled"
		end; rc=$?
		[ $rc -lt 64 ] || break
		cut=$((cut + 1))
		place="$name $n ($(cat "$TMP/place"))"
		[ $rc = 42 ] || { bad "$place" "exit $rc"; continue; }
		lines "$W" > "$TMP/now"
		if grep -vxF -f "$TMP/was" -f "$TMP/becomes" "$TMP/now" > "$TMP/half" ||
		   LC_ALL=C comm -12 "$TMP/was" "$TMP/becomes" | LC_ALL=C comm -23 - "$TMP/now" | grep . > "$TMP/half"; then
			bad "$place" "neither old nor new: $(head -n 2 "$TMP/half" | paste -sd' ')"
			continue
		fi
		begin count 0 "$W"
		if until_ "$place, then" "arrived && $settled"; then ok; else bad "$place" 'not by the next start'; diff "$TMP/is" "$TMP/goal.tree" | head -n 6 | sed 's/^/  /'; fi
		end
	done
	[ $cut -gt $((had + 2)) ] || bad "$name" 'too few places'
	echo "$name: $((cut - had)) places, $((SECONDS - start)) s" >> "$TMP/told"
}

# ---- a machine that joins, while the API servers' CAs rotate ---------------------
b64() { base64 -w0; }
for n in old new-signer; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /dev/null -days 1 \
		-subj "/OU=openshift/CN=$n" > "$TMP/$n.pem" 2>/dev/null
done
kubeconfig() { printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: x\n  cluster:\n    server: %s\n    certificate-authority-data: %s\ncontexts:\n- name: c\n  context: {cluster: x, user: u}\nusers:\n- name: u\n  user: {token: kept}\n' "$URL" "$(b64 < "$TMP/old.pem")"; }
mc d1 $OLD "$(files "$(file /etc/foo 1)")"; put d1
api POST /api/v1/namespaces/openshift-machine-config-operator/configmaps \
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"kubeconfig-data\"},\"data\":{\"ca-bundle.crt\":\"$(cat "$TMP/old.pem" "$TMP/new-signer.pem" | b64)\"}}" > /dev/null
merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":\"true\"}},\"spec\":{\"kubeAPIServerServingCAData\":\"$(b64 <<< new)\",\"cloudProviderCAData\":\"$(b64 <<< new)\",\"internalRegistryPullSecret\":\"$(b64 <<< '{"new":{}}')\",\"imageRegistryBundleData\":[{\"file\":\"registry..5000\",\"data\":\"$(b64 <<< new)\"}]}}" > /dev/null
bare "$TMP/given"
cd "$TMP/given" || exit
mkdir -p etc/machine-config-daemon etc/systemd/system-preset etc/docker/certs.d/stale var/lib/kubelet
printf 1 > etc/foo
kubeconfig > etc/kubernetes/kubeconfig
chmod 0600 etc/kubernetes/kubeconfig
kubeconfig > var/lib/kubelet/kubeconfig
for f in etc/kubernetes/kubelet-ca.crt etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem \
	etc/mco/internal-registry-pull-secret.json etc/docker/certs.d/stale/ca.crt; do
	mkdir -p "${f%/*}"
	echo old > $f
done
echo x > etc/ignition-machine-config-encapsulated.json
: > etc/systemd/system-preset/20-ignition.preset
printf '{%s}' "$(pairs currentConfig d1 desiredConfig d1 state Done)" > etc/machine-config-daemon/node-annotations.json
cd "$OLDPWD" || exit
again() { node; }
all_of_daemon 'joining and rotating' "$W" '[ "$(note state)$(note lastObservedServerCAAnnotation)" = Donetrue ] && [ -e "$W/etc/machine-config-daemon/currentimage" ] && grep -q start "$W/run/asked"'

# ---- the way back from an image that was built in the cluster ---------------------
# It is written before the update: only the calls in its directories.
OCL=quay.io/ocl@sha256:x
mc d2 $OLD "$(files "$(file /etc/foo 2)")"; put d2
merge $MC/controllerconfigs/machine-config-controller "{\"metadata\":{\"annotations\":{\"$K/service-ca-rotate\":null}}}" > /dev/null
rm -rf "$TMP/given"
bare "$TMP/given"
apply d1 "$TMP/given"
printf '%s\nroot=UUID=x rw\n\n' $OCL > "$TMP/given/sysroot/booted"
boots "$TMP/given" 1
printf %s "$OCL" > "$TMP/given/etc/machine-config-daemon/currentimage"
again() { node currentConfig d1 desiredConfig d2 currentImage $OCL state Done desiredDrain uncordon-d1 lastAppliedDrain uncordon-d1 controlPlaneTopology SingleReplica; }
for where in etc/mco etc/systemd/system; do
	all_of_daemon "way back in $where" "$W/$where" 'asked reboot'
done
