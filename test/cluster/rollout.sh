#!/bin/bash
# rollout.sh BUILD [SEED]: mco-controller and five mco-daemons on the API server at
# $URL, which $RESTART kills and starts again; the daemons' machines are folders
# with stand-ins for the host's programs. MachineConfigs come one after another
# while daemons, controller and server are killed at random. In the end every node
# is Done, the trees equal one made in a single go, each reboot was needed and never
# were more nodes away than maxUnavailable. Prints the seed; the same one gives the
# same configs and the same order of deaths.
#
#   URL= CA= TOKEN= KUBECONFIG= RESTART='command' RESTARTS=2 rollout.sh build 7
#
# With ACCOUNTS=1 controller and daemons are the ServiceAccounts of examples/deploy.
# What an earlier run left on the server is removed first.
set -u
bin=$(cd "$1" && pwd) seed=${2:-$((RANDOM * 32768 + RANDOM))}
here=$(cd "$(dirname "$0")" && pwd)
P=machineconfiguration.openshift.io
mco=/apis/$P/v1 config=/apis/config.openshift.io/v1 settings=/apis/operator.openshift.io/v1/machineconfigurations
lease=/apis/coordination.k8s.io/v1/namespaces/openshift-machine-config-operator/leases/machine-config-controller
nodes='worker-0 worker-1 worker-2 worker-3 worker-4'
PATIENCE=${PATIENCE:-180}
export MCO_RAW=v4.22.0 MCO_RETRY_MS=100
[ -w /dev/shm ] && export TMPDIR=/dev/shm # thousands of fsyncs
dir=$(mktemp -d)
mkdir "$dir/pids"
: > "$dir/killed"
RANDOM=$((seed % 32768))

end_all() {
	touch "$dir/over"
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
} 2> /dev/null
# life COMMAND...: runs it until it dies or this loop ends; sets status
life() {
	"$@" &
	child=$!
	wait $child
	status=$?
	child=
}
mortal() { child=; trap '[ -z "$child" ] || kill -KILL $child; exit' TERM; }
cleanup() {
	exec 2> /dev/null # the shell tells of each child that is killed
	end_all
	[ -n "${KEEP:-}" ] && cp -a "$dir" "$KEEP"
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

begun=$EPOCHREALTIME
say() { printf '%s %s\n' "$(jq -n "(($EPOCHREALTIME - $begun) * 10 | floor) / 10")" "$*" >> "$dir/story"; }
fail() {
	say "FAILED: $*"
	echo "rollout, seed $seed: FAILED: $*"
	tail -n 60 "$dir/story" | sed 's/^/  /'
	[ -z "${VERBOSE:-}" ] || tail -n 25 "$dir"/*.log
	exit 1
}

# ---- the API -------------------------------------------------------------------------
common=(-sS --noproxy '*' -m 60)
[ -z "${CA:-}" ] || common+=(--cacert "$CA")
[ -z "${TOKEN:-}" ] || common+=(-H "Authorization: Bearer $TOKEN")
ask() { curl "${common[@]}" "$@" 2>> "$dir/curl.log"; }
get() { ask "$URL$1"; }
send() {	# METHOD PATH TYPE, body on standard input: retries until the server accepts it
	local i code
	cat > "$dir/body"
	for ((i = 0; i < PATIENCE * 5; i++)); do
		code=$(ask -o "$dir/answer" -w '%{http_code}' -X "$1" -H "Content-Type: $3" \
			--data-binary "@$dir/body" "$URL$2")
		case $code in 2??|409) return 0 ;; 000|404|429|5??) sleep 0.2 ;; *) break ;; esac
	done
	fail "$1 $2: $code $(head -c 300 "$dir/answer")"
}
create() { send POST "$1" application/yaml; }
create_json() { send POST "$1" application/json; }
merge() { send PATCH "$1" application/merge-patch+json <<< "$2"; }
wait_for() {	# WHAT COMMAND...
	local what=$1 end=$((SECONDS + PATIENCE))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "never: $what"
		sleep 0.2
	done
}

# ---- the objects of a newly installed cluster ------------------------------------------
wipe() {
	local path
	for path in /api/v1/nodes $mco/machineconfigpools $mco/machineconfigs $mco/controllerconfigs $settings $config/featuregates; do
		send DELETE "$path" application/json <<< '{}'
	done
	ask -o /dev/null -X DELETE "$URL$lease"
}
install_cluster() {	# MAX-UNAVAILABLE
	local b=$here/../../examples/bootstrap max=$1
	for ns in openshift-config openshift-machine-config-operator; do
		create_json /api/v1/namespaces <<< "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$ns\"}}"
	done
	create $config/featuregates < "$b/01-featuregate.yaml"
	merge $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0",
		"enabled":[{"name":"SigstoreImageVerification"}],"disabled":[{"name":"OSStreams"}]}]}}'
	create /api/v1/namespaces/openshift-config/secrets < "$b/pull-secret.yaml"
	create $mco/controllerconfigs < "$b/00-controllerconfig.yaml"
	merge $mco/controllerconfigs/machine-config-controller \
		'{"spec":{"pullSecret":{"kind":"Secret","name":"pull-secret","namespace":"openshift-config"}}}'
	create_json $settings <<< \
		'{"apiVersion":"operator.openshift.io/v1","kind":"MachineConfiguration","metadata":{"name":"cluster"},"spec":{}}'
	generation=$(jq .metadata.generation "$dir/answer")
	merge $settings/cluster/status "{\"status\":{\"observedGeneration\":$generation,
		\"nodeDisruptionPolicyStatus\":{\"clusterPolicies\":{\"files\":[
		{\"path\":\"/etc/chaos/none\",\"actions\":[{\"type\":\"None\"}]},
		{\"path\":\"/etc/chaos/reload\",\"actions\":[{\"type\":\"Reload\",\"reload\":{\"serviceName\":\"chaos.service\"}}]}]}}}}"
	awk -v d="$dir" 'BEGIN { n = 1 } /^---/ { n++; next } { print > d "/pool" n ".yaml" }' "$b/10-pools.yaml"
	create $mco/machineconfigpools < "$dir/pool1.yaml"
	sed "/^spec:/a\\  maxUnavailable: $max" "$dir/pool2.yaml" > "$dir/workers.yaml"
	create $mco/machineconfigpools < "$dir/workers.yaml"
}
target() {	# the target config of the workers
	get $mco/machineconfigpools/worker | jq -r '.spec.configuration.name // empty' 2> /dev/null
}

# ---- identities --------------------------------------------------------------------------
account() {	# NAME: prints the kubeconfig of a service account
	[ -n "${ACCOUNTS:-}" ] || { echo "$KUBECONFIG"; return; }
	sed "s/^\( *user: {token: .*\)}/\1, as: \"system:serviceaccount:openshift-machine-config-operator:$1\"}/" \
		"$KUBECONFIG" > "$dir/$1.kubeconfig"
	echo "$dir/$1.kubeconfig"
}
as_controller=$(account machine-config-controller) as_daemon=$(account machine-config-daemon)

# ---- processes that can be killed --------------------------------------------------------
controller() {
	mortal
	while [ ! -e "$dir/over" ]; do
		life named "$dir/pids/controller" "$bin/mco-controller" start --kubeconfig "$as_controller" \
			--resourcelock-namespace openshift-machine-config-operator \
			--payload-version 4.22.0 --templates=builtin --metrics-listen-address 127.0.0.1:0 --v 2 >> "$dir/controller.log" 2>&1
		ended controller
		# the next controller must not wait for the old lease to expire
		ask -o /dev/null -X PATCH -H 'Content-Type: application/merge-patch+json' \
			-d '{"spec":{"holderIdentity":""}}' "$URL$lease"
	done
}
ended() {	# NAME: only a kill may end it, or a server that is down for too long at its start
	tail -n 1 "$dir/$1.log" | grep -q 'timed out waiting for FeatureGates' ||
	[ "$status" = 137 ] || [ -e "$dir/over" ] || echo "$1 ended with status $status" >> "$dir/faults"
}
named() {	# FILE COMMAND...: writes its pid to the file before it starts
	echo "$BASHPID" > "$1"
	exec "${@:2}"
}

# A host program that does what the daemon can observe. Arguments of rpm-ostree
# take effect at the next boot.
stand_ins() {	# IMAGE
	local c
	mkdir "$dir/host"
	cat > "$dir/host/stand-in" <<-END
	#!/bin/bash
	image=$1 P=$P
	END
	cat >> "$dir/host/stand-in" <<-'END'
	PATH=/usr/bin:/bin
	M=${MCO_ROOT%/root} units=$MCO_ROOT/etc/systemd/system
	echo "${0##*/} $*" >> "$M/calls"
	put() { cat > "$1.$$" && mv "$1.$$" "$1"; }
	die() { echo "${0##*/}" >> "$M/../killed"; kill -KILL "$(cat "$M/../pids/${M##*/}")"; sleep 0.1; exit 1; }
	death=0
	[ ! -e "$M/../chaos" ] || death=$((RANDOM % 50))
	[ $death != 1 ] || die
	case "${0##*/} $*" in
	'rpm-ostree status'*) echo '{"deployments":[{"booted":true,"version":"1","checksum":"c","container-image-reference":"ostree-unverified-registry:'"$image"'"}]}' ;;
	'rpm-ostree kargs') cat "$M/kargs.staged" 2> /dev/null || cat "$M/kargs" ;;
	'rpm-ostree kargs'*)
		now=$(cat "$M/kargs.staged" 2> /dev/null || cat "$M/kargs")
		for word; do case $word in
			--delete-if-present=*) now=" $now " now=${now/ ${word#*=} / } now=$(echo $now) ;;
			--append=*) now="$now ${word#*=}" ;;
			kargs) ;;
			*) exit 64 ;;
		esac; done
		echo "$now" | put "$M/kargs.staged" ;;
	'rpm-ostree cleanup -p'*) rm -f "$M/kargs.staged" ;;
	'rpm-ostree --version'*) printf 'rpm-ostree:\n Version: "2024.1"\n Features:\n  - rust\n  - container\n' ;;
	'skopeo --version'*) echo skopeo version 1.22.2 commit: x ;;
	'runuser -u core -- mkdir '*)
		mkdir -m 0700 -p "$MCO_ROOT${*: -1}"
		[ "$(id -u)" != 0 ] || chown 1000:1000 "$MCO_ROOT${*: -1}" ;;
	mokutil*) echo SecureBoot disabled ;;
	'rpm -qf /etc/motd') echo setup-2.13 ;;
	'rpm -qf'*) echo "file $2 is not owned by any package"; exit 1 ;;
	'systemctl is-enabled'*)
		if compgen -G "$units/*/${*: -1}" > /dev/null; then echo enabled; exit 0; fi
		echo disabled; exit 1 ;;
	'systemctl enable '*)
		for u in "${@:2}"; do
			for w in $(sed -n 's/^WantedBy=//p' "$units/$u"); do
				mkdir -p "$units/$w.wants"
				ln -sfn "/etc/systemd/system/$u" "$units/$w.wants/$u"
			done
		done ;;
	'systemctl disable '*)
		for u in "${@:2}"; do
			rm -f "$units"/*.wants/"$u"
			rmdir "$units"/*.wants 2> /dev/null
		done ;;
	'systemd-run'*'systemctl reboot'*)
		boot=$MCO_ROOT/proc/sys/kernel/random/boot_id
		before=$(cat "$boot")
		(
		flock 9
		[ "$(cat "$boot")" = "$before" ] || exit # one boot ends once
		tr -d '\n' < "$MCO_ROOT/etc/machine-config-daemon/currentconfig" |
			grep -o '"name":"rendered-worker-[0-9a-f]*"' | head -n 1 | cut -d'"' -f4 >> "$M/reboots"
		[ -e "$M/kargs.staged" ] && mv "$M/kargs.staged" "$M/kargs"
		cp "$M/kargs" "$MCO_ROOT/proc/cmdline"
		echo "boot-$RANDOM$RANDOM$RANDOM" | put "$boot"
		kill -KILL "$(cat "$M/../pids/${M##*/}")"
		) 9> "$M/lock" ;;
	esac
	[ $death != 2 ] || die
	exit 0
	END
	chmod +x "$dir/host/stand-in"
	for c in rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm mokutil skopeo \
		logger chcon nice update-ca-trust nmstatectl setenforce; do
		ln -s stand-in "$dir/host/$c"
	done
	export MCO_HOST_PATH=$dir/host
}
new_root() {	# NAME: a root as the installation leaves it
	local root=$dir/$1/root
	mkdir -p "$root"/{etc/kubernetes,etc/machine-config-daemon,run/systemd/system/rpm-ostreed.service.d} \
		"$root"/{home/core,proc/sys/kernel/random,usr/lib/systemd/system,tmp}
	: > "$root/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
	mkdir -p "$root/var/lib/kubelet"
	cp "$KUBECONFIG" "$root/var/lib/kubelet/kubeconfig" # nodes are written as the kubelet does
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$root/etc/os-release"
	printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$root/etc/passwd"
	printf 'root:x:0:\ncore:x:1000:\n' > "$root/etc/group"
	printf 'root:*:1::::::\ncore:*:1::::::\n' > "$root/etc/shadow"
	echo 'from the installation' > "$root/etc/motd"
	echo kubeconfig > "$root/etc/kubernetes/kubeconfig"
	echo 'root=UUID=x rw' | tee "$dir/$1/kargs" > "$root/proc/cmdline"
	echo boot-1 > "$root/proc/sys/kernel/random/boot_id"
	: > "$dir/$1/reboots"
	"$bin/mco-daemon" apply "$dir/first.json" --offline --root-mount "$root" >> "$dir/$1.log" 2>&1 ||
		fail "the first config on $1"
}
machine() {	# NAME: a node; restarts its daemon whenever it ends
	mortal
	while [ ! -e "$dir/over" ]; do
		flock "$dir/$1/lock" true # a reboot takes its time
		life named "$dir/pids/$1" "$bin/mco-daemon" start --node-name "$1" --root-mount "$dir/$1/root" \
			--kubeconfig "$as_daemon" --payload-version 4.22.0 --metrics-url 127.0.0.1:0 >> "$dir/$1.log" 2>&1
		ended "$1"
	done
}
join_nodes() {
	local n
	for n in $nodes; do
		mkdir "$dir/$n"
		new_root "$n"
		printf '{"%s/currentConfig":"%s","%s/desiredConfig":"%s","%s/state":"Done"}' $P "$first" $P "$first" $P \
			> "$dir/$n/root/etc/machine-config-daemon/node-annotations.json"
		create_json /api/v1/nodes <<< "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"$n\",\"labels\":{
			\"node-role.kubernetes.io/worker\":\"\"}},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
		machine "$n" 2> /dev/null &
	done
}

# ---- every state of every node ---------------------------------------------------------------
watch_nodes() {
	local rv=
	mortal
	while [ ! -e "$dir/over" ]; do
		if [ -z "$rv" ]; then
			get /api/v1/nodes > "$dir/list" || { sleep 0.1; continue; }
			rv=$(jq -r '.metadata.resourceVersion // empty' "$dir/list")
			[ -z "$rv" ] || jq -c '{type: "LIST", items}' "$dir/list" >> "$dir/events"
		fi
		life curl "${common[@]}" -m 600 -N "$URL/api/v1/nodes?watch=true&resourceVersion=$rv" >> "$dir/events" 2>> "$dir/curl.log"
		echo >> "$dir/events" # the last line may have been cut
		rv=$(tail -n 20 "$dir/events" | jq -Rr 'fromjson? | select(.type != "LIST") | .object |
			if .kind == "Node" then .metadata.resourceVersion else "" end' | tail -n 1) # none: it has forgotten, list again
		sleep 0.05
	done
}
# One line for each state: how many nodes are unavailable, then which node
# changed and its state.
history() {
	jq -Rrn --arg p "$P/" '
	def node: {name: .metadata.name, x: (.spec.unschedulable == true)} + (.metadata.annotations |
		{c: .[$p + "currentConfig"], d: .[$p + "desiredConfig"], s: .[$p + "state"], r: .[$p + "reason"]});
	foreach (inputs | fromjson? | select(.items or .object.kind == "Node") | .items // [.object] | map(node)) as $new ({};
		. + ($new | map({key: .name, value: .}) | from_entries);
		([.[] | select(.c != .d or .s != "Done" or .x)] | length) as $away | $new[] |
		[$away, .name, .s, .c, .d, (if .x then "cordoned" else "" end), .r] | @tsv)
	' "$dir/events"
}

# ---- the changes that are rolled out ------------------------------------------------------------
mc() {	# NAME CONFIG-MEMBERS [SPEC-MEMBERS]: creates or changes it
	local spec="{\"config\":{\"ignition\":{\"version\":\"3.4.0\"}${2:+,$2}}${3:+,$3}}"
	case $have in
	*" $1 "*) merge "$mco/machineconfigs/$1" "{\"spec\":$spec}" ;;
	*) have+="$1 "
		create_json $mco/machineconfigs <<< "{\"apiVersion\":\"$P/v1\",\"kind\":\"MachineConfig\",
		\"metadata\":{\"name\":\"$1\",\"labels\":{\"$P/role\":\"worker\"}},\"spec\":$spec}" ;;
	esac
}
have=' '
file() {	# PATH TEXT [MODE [MEMBERS]]
	printf '{"path":"%s","overwrite":true,"mode":%d,"contents":{"source":"data:;base64,%s"%s}' "$1" "$((0${3:-644}))" \
		"$(printf '%s\n' "$2" | { if [ -n "${4:-}" ]; then gzip -n; else cat; fi; } | base64 -w 0)" \
		"${4:+,\"compression\":\"gzip\"}"
	printf ',"user":{"id":%d},"group":{"id":%d}}' "$(id -u)" "$(id -g)"
}
files() { local IFS=,; printf '"storage":{"files":[%s]}' "$*"; }
kinds=(files unit keys kargs reload none motd dropin mask)
step() {	# NUMBER KIND: contents include the number, so that all differ
	local install='[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n'
	case $2 in
	files) mc 60-files "$(files "$(file /etc/chaos/a "a $1")" "$(file /etc/chaos/deep/b "b $1" 60$(($1 % 5)))" \
		"$(file "/etc/chaos/c$1" "c $1" 755 gzip)")" ;;
	unit) mc 61-unit "\"systemd\":{\"units\":[{\"name\":\"chaos.service\",\"enabled\":$([ $(($1 % 2)) = 0 ] && echo true || echo false),
		\"contents\":\"[Unit]\\nDescription=step $1\\n$install\"},
		{\"name\":\"always.service\",\"enabled\":true,\"contents\":\"[Unit]\\nDescription=$1\\n$install\"}]}" ;;
	keys) mc 62-keys "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"ssh-ed25519 AAAA step-$1\"]}]}" ;;
	kargs) mc 63-kargs '' "\"kernelArguments\":[\"chaos=$1\",\"always\"]" ;;
	reload) mc 64-reload "$(files "$(file /etc/chaos/reload "$1")")" ;;
	none) mc 65-none "$(files "$(file /etc/chaos/none "$1")")" ;;
	motd) mc 66-motd "$(files "$(file /etc/chaos/motd "$1")" $([ $(($1 % 2)) = 0 ] || file /etc/motd "step-$1"))" ;;
	dropin) mc 67-dropin "\"systemd\":{\"units\":[{\"name\":\"other.service\",\"dropins\":[
		{\"name\":\"10-step.conf\",\"contents\":\"[Service]\\nEnvironment=STEP=$1\\n\"}]}]}" ;;
	mask) mc 68-mask "$(files "$(file /etc/chaos/mask "$1")"),\"systemd\":{\"units\":[{\"name\":\"masked.service\",
		\"mask\":$([ $(($1 % 2)) = 0 ] && echo true || echo false)}]}" ;;
	esac
	say "step $1: $2"
}

# ---- kills ----------------------------------------------------------------------------------------
chaos() {
	local restarts=${RESTARTS:-2} n
	RANDOM=$((seed % 32767 + 1))
	while [ -e "$dir/chaos" ]; do
		sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
		case $((RANDOM % 16)) in
		0|1) n=controller ;;
		2) n=
			[ "$restarts" -gt 0 ] || continue
			restarts=$((restarts - 1))
			say 'the API server is killed'
			eval "$RESTART"
			say 'the API server is back'
			continue ;;
		3|4|5|6|7) n=worker-$((RANDOM % 5)) ;;
		*) continue ;;
		esac
		say "$n is killed"
		echo "$n" >> "$dir/killed"
		kill -KILL "$(cat "$dir/pids/$n")" 2> /dev/null
	done
}

# ---- the run ----------------------------------------------------------------------------------------
max=$((1 + RANDOM % 2))
wipe
install_cluster $max
controller 2> /dev/null &
has_target() { first=$(target); [ -n "$first" ]; }
wait_for 'the first rendered config' has_target
get "$mco/machineconfigs/$first" > "$dir/first.json"
stand_ins "$(jq -r .spec.osImageURL "$dir/first.json")"
join_nodes
settled() {	# CONFIG: every node and the pool have it
	get /api/v1/nodes | jq -e --arg p "$P/" --arg c "$1" '.items | length == 5 and all(.spec.unschedulable != true and
		(.metadata.annotations | .[$p + "state"] == "Done" and .[$p + "currentConfig"] == $c and .[$p + "desiredConfig"] == $c))' \
		> /dev/null 2>&1 &&
	get $mco/machineconfigpools/worker | jq -e --arg c "$1" '.status | .configuration.name == $c and .updatedMachineCount == 5 and
		.readyMachineCount == 5 and .unavailableMachineCount == 0 and .degradedMachineCount == 0 and
		any(.conditions[]; .type == "Updated" and .status == "True")' > /dev/null 2>&1
}
on_target() { settled "$(target)"; }
# may differ from the first target if some controllers were slower than others
wait_for 'five nodes that are done' on_target
for n in $nodes; do : > "$dir/$n/reboots"; : > "$dir/$n.log"; done
say "five nodes are done, maxUnavailable is $max"
watch_nodes 2> /dev/null &
touch "$dir/chaos"
chaos 2> /dev/null &
chaos_pid=$!

# A fast server finishes soon: add steps until enough processes have been
# killed.
enough() { [ "$1" -gt "${STEPS:-6}" ] && [ "$(wc -l < "$dir/killed")" -ge 10 ]; }
for ((n = 1; n <= 20; n++)); do
	! enough $n || break
	step $n "${kinds[RANDOM % ${#kinds[@]}]}"
	if [ $((RANDOM % 3)) = 0 ]; then
		wait_for "step $n" on_target
	else
		sleep "$((RANDOM % 2)).$((RANDOM % 10))"
	fi
done
step $n files # whose contents tell when it has been rendered
rm -f "$dir/chaos"
wait $chaos_pid 2> /dev/null
say 'the dying is over'
last_rendered() {
	last=$(target)
	[ -n "$last" ] && get "$mco/machineconfigs/$last" > "$dir/last.json" &&
		jq -e --arg p "/etc/chaos/c$n" 'any(.spec.config.storage.files[]; .path == $p)' "$dir/last.json" > /dev/null 2>&1
}
wait_for 'the last config' last_rendered
wait_for 'every node with the last config' settled "$last"
say "every node has $last"
end_all

# ---- checks ------------------------------------------------------------------------------------------
tree() {	# NAME: everything but files that a boot creates and the update's journal
	(cd "$dir/$1/root" || exit
	skip=(\( -path ./proc -o -path ./run -o -path ./tmp -o -path ./etc/machine-config-daemon/journal
		-o -path ./etc/machine-config-daemon/node-annotation.json.bak \) -prune -o
		-path './etc/machine-config-daemon/*orig*' -type d -o)
	find . "${skip[@]}" -printf '%y %m %U:%G %p %l\n' | sort
	find . "${skip[@]}" -type f -print0 | sort -z | xargs -0 sha256sum)
}
faults=0
fault() { faults=$((faults + 1)); echo "rollout, seed $seed: $*"; }

mkdir "$dir/clean"
new_root clean
MCO_ROOT=$dir/clean/root "$bin/mco-daemon" apply "$dir/last.json" --offline --root-mount "$dir/clean/root" >> "$dir/clean.log" 2>&1 ||
	fault 'the last config cannot be applied to a clean root'
tree clean > "$dir/clean.tree"
tree worker-0 > "$dir/worker-0.tree"
# files that only a running daemon creates
synced='/etc/(kubernetes/(kubelet-ca.crt|static-pod-resources)|docker/certs.d|pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt|mco/internal-registry-pull-secret.json)'
diff <(grep -vE "$synced" "$dir/clean.tree") <(grep -vE "$synced" "$dir/worker-0.tree") > "$dir/diff" || { fault 'another tree than by one clean update:'; head -n 20 "$dir/diff"; }
kargs="root=UUID=x rw$(jq -r '.spec.kernelArguments[]? | " " + .' "$dir/last.json" | tr -d '\n')"
for n in $nodes; do
	tree "$n" > "$dir/$n.tree"
	diff "$dir/worker-0.tree" "$dir/$n.tree" > "$dir/diff" || { fault "the trees of worker-0 and $n differ:"; head -n 20 "$dir/diff"; }
	[ "$(cat "$dir/$n/kargs")" = "$kargs" ] || fault "$n was booted with $(cat "$dir/$n/kargs"), not $kargs"
	[ ! -e "$dir/$n/kargs.staged" ] || fault "$n has kernel arguments staged"
done
forbidden=$(grep -h ' is forbidden: ' "$dir"/*.log | grep -o 'User .*' | sort -u)
[ -z "$forbidden" ] || fault "not allowed to: $forbidden"
[ ! -s "$dir/faults" ] || { fault 'ended by themselves:'; cat "$dir/faults"; }

history > "$dir/history"
[ -s "$dir/history" ] || fault 'no history'
away=$(cut -f1 "$dir/history" | sort -n | tail -n 1)
[ "$away" -le $max ] || { fault "$away nodes were away at once, maxUnavailable is $max:"; grep -n -B 12 -m 1 "^$away" "$dir/history"; }
cut -f3 "$dir/history" | grep -qxE 'Degraded|Unreconcilable' && { fault 'a node was degraded:'; grep -E 'Degraded|Unreconcilable' "$dir/history" | cut -f2,3,7 | sort | uniq -c; }

# Reboots: one for each change that needs one, computed from the configs alone. The
# watch may have missed some while the server was down: the daemon's log has them
# too.
get "$mco/machineconfigs" | jq -c '[.items[] | select(.metadata.name | startswith("rendered-worker-"))] |
	sort_by(.metadata.resourceVersion | tonumber) | map({key: .metadata.name, value: (.spec | del(.config.passwd) |
		.config.storage.files |= map(select(.path | IN("/etc/chaos/reload", "/etc/chaos/none") | not)))})' > "$dir/configs.json"
for n in $nodes; do
	{ awk -F'\t' -v n="$n" '$2 == n { print $4 }' "$dir/history"
	  sed -n 's/.*Update completed for config \(rendered-[^ ]*\).*/\1/p' "$dir/$n.log"
	  cat "$dir/$n/reboots"; } | sort -u |
		jq -Rrn --slurpfile all "$dir/configs.json" '[inputs] as $had | $all[0] | map(select(.key | IN($had[]))) | . as $l |
			range(1; length) | select($l[.].value != $l[. - 1].value) | $l[.].key' > "$dir/$n.needed"
	diff "$dir/$n.needed" "$dir/$n/reboots" > "$dir/diff" || { fault "$n: reboots needed and done:"; cat "$dir/diff"; }
done
[ $faults = 0 ] || { tail -n 60 "$dir/story" | sed 's/^/  /'; exit 1; }
echo "rollout, seed $seed: $(wc -l < "$dir/killed") killed, $(grep -c 'is back' "$dir/story") restarts," \
	"$(cat "$dir"/worker-?/reboots | wc -l) reboots, $(wc -l < "$dir/history") states, $SECONDS s"
