#!/bin/bash
# run.sh [-v] BUILD [CASE...]: compares what `mcoctl diff` promises with what the cluster
# then does.
#
# mco-sandbox is the API server; mco-controller and a mco-daemon for each of three nodes
# (pools master, worker and infra, a custom pool) run on scratch roots whose host programs
# are stand-ins. Each case of cases.sh is a change: it is previewed against the live cluster
# and against a dump of it, and then applied. When the cluster has settled, each pool's
# rendered name and render error, and its node's refusal, drain, reboot and actions, must
# equal both previews and be of the kind that the case expects. Then the change is undone,
# which is a change of its own and compared as well.
#
# -v shows every promise; KEEP=DIRECTORY keeps the logs; PATIENCE=40 is how many seconds a
# promise may take to come true.
set -u
here=$(cd "$(dirname "$0")" && pwd)
verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }
bin=$(cd "$1" && pwd)
shift
P=machineconfiguration.openshift.io
mco=/apis/$P/v1 config=/apis/config.openshift.io/v1
nodes='master-0 worker-0 infra-0'
# the parts of an object that clients write
stored='del(.status, .metadata.resourceVersion, .metadata.uid, .metadata.generation, .metadata.managedFields, .metadata.creationTimestamp)'
[ -w /dev/shm ] && export TMPDIR=/dev/shm
dir=$(mktemp -d)
passed=0 failed=0 steps=0

cleanup() {
	exec 2> /dev/null # the shell tells of each child that is killed
	touch "$dir/over"
	# shellcheck disable=SC2046
	kill $(jobs -p)
	wait
	[ -z "${KEEP:-}" ] || cp -a "$dir" "$KEEP"
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
give_up() {
	tail -n 20 "$dir"/*.log
	echo "FAIL $*"
	echo "$passed passed, $((failed + 1)) failed"
	exit 1
}
wait_for() {	# WHAT COMMAND...
	local what=$1 end=$((SECONDS + 120))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || give_up "never: $what"
		sleep 0.1
	done
}
check() {	# NAME WANT GOT
	if [ "$2" = "$3" ]; then passed=$((passed + 1)); return 0; fi
	failed=$((failed + 1))
	echo "FAIL $1"
	diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | sed 's/^/  /'
	return 1
}

# ---- the API ---------------------------------------------------------------------------
api() {	# METHOD PATH [BODY-FILE [TYPE]]: prints the answer; fails on an error
	curl -sS -m 60 --fail-with-body -X "$1" \
		${3:+-H "Content-Type: ${4:-application/json}" --data-binary "@$3"} "$url$2"
}
collection() {	# KIND NAMESPACE
	case $1 in
	MachineConfig | MachineConfigPool | KubeletConfig | ContainerRuntimeConfig | ControllerConfig) echo "$mco/${1,,}s" ;;
	MachineConfiguration) echo /apis/operator.openshift.io/v1/machineconfigurations ;;
	ImageContentSourcePolicy) echo /apis/operator.openshift.io/v1alpha1/imagecontentsourcepolicies ;;
	ImageDigestMirrorSet | ImageTagMirrorSet | Image | Node | APIServer | FeatureGate | ClusterVersion) echo "$config/${1,,}s" ;;
	ClusterImagePolicy) echo "$config/clusterimagepolicies" ;;
	Secret | ConfigMap) echo "/api/v1/namespaces/$2/${1,,}s" ;;
	*) give_up "no path of kind $1" ;;
	esac
}
path_of() {	# OBJECT-FILE
	local kind namespace
	read -r kind name namespace < <(jq -r '"\(.kind) \(.metadata.name) \(.metadata.namespace // "-")"' "$1")
	folder=$(collection "$kind" "$namespace")
}
# Like kubectl apply: creates the object, or replaces it except for what others
# write.
put_object() {	# OBJECT-FILE
	local name folder
	path_of "$1"
	if api GET "$folder/$name" > "$dir/now" 2> /dev/null; then
		jq --slurpfile now "$dir/now" '.metadata.resourceVersion = $now[0].metadata.resourceVersion |
			.metadata.finalizers = $now[0].metadata.finalizers |
			if .kind == "MachineConfigPool" then .spec.configuration = $now[0].spec.configuration else . end' "$1" > "$dir/body"
		api PUT "$folder/$name" "$dir/body" > "$dir/answer" || give_up "PUT $folder/$name: $(cat "$dir/answer")"
	else
		api POST "$folder" "$1" > "$dir/answer" || give_up "POST $folder: $(cat "$dir/answer")"
	fi
}

# ---- the objects of a newly installed cluster -------------------------------------------
create() { api POST "$1" /dev/stdin application/yaml > "$dir/answer" || give_up "POST $1: $(cat "$dir/answer")"; }
merge() { api PATCH "$1" /dev/stdin application/merge-patch+json <<< "$2" > "$dir/answer" || give_up "PATCH $1: $(cat "$dir/answer")"; }
install_cluster() {
	local b=$here/../../examples/bootstrap kind n
	create $config/featuregates < "$b/01-featuregate.yaml"
	merge $config/featuregates/cluster/status '{"status":{"featureGates":[{"version":"4.22.0",
		"enabled":[{"name":"SigstoreImageVerification"}],"disabled":[{"name":"OSStreams"}]}]}}'
	create $config/clusterversions <<< '{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion",
		"metadata":{"name":"version"},"spec":{"clusterID":"1f2a"}}'
	merge $config/clusterversions/version/status "{\"status\":{\"desired\":{\"version\":\"4.22.0\",
		\"image\":\"$(sed -n 's/^ *releaseImage: //p' "$b/00-controllerconfig.yaml")\"},\"history\":[],\"observedGeneration\":1,
		\"versionHash\":\"x\",\"availableUpdates\":null}}"
	for kind in Image APIServer Node; do
		create "$(collection $kind)" <<< "{\"apiVersion\":\"config.openshift.io/v1\",\"kind\":\"$kind\",\"metadata\":{\"name\":\"cluster\"},\"spec\":{}}"
	done
	create /api/v1/namespaces/openshift-config/secrets < "$b/pull-secret.yaml"
	create $mco/controllerconfigs < "$b/00-controllerconfig.yaml"
	merge $mco/controllerconfigs/machine-config-controller \
		'{"spec":{"pullSecret":{"kind":"Secret","name":"pull-secret","namespace":"openshift-config"}}}'
	create /apis/operator.openshift.io/v1/machineconfigurations < "$here/policies.yaml"
	awk -v d="$dir" 'BEGIN { n = 1 } /^---/ { n++; next } { print > d "/pool" n ".yaml" }' "$b/10-pools.yaml"
	for n in 1 2 3; do create $mco/machineconfigpools < "$dir/pool$n.yaml"; done
}

# ---- the machines -------------------------------------------------------------------------
new_root() {	# NAME: a root as the installation leaves it
	local root=$dir/$1/root
	mkdir -p "$root"/{etc/kubernetes,etc/machine-config-daemon,run/systemd/system/rpm-ostreed.service.d} \
		"$root"/{home/core,proc/sys/kernel/random,usr/lib/systemd/system,tmp,boot/loader/entries,var/lib/kubelet}
	: > "$root/run/systemd/system/rpm-ostreed.service.d/bug2111817.conf"
	: > "$root/usr/lib/systemd/system/crio.service"
	cp "$dir/kubeconfig" "$root/var/lib/kubelet/kubeconfig"
	printf 'ID=rhel\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n' > "$root/etc/os-release"
	printf 'root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n' > "$root/etc/passwd"
	printf 'root:x:0:\ncore:x:1000:\n' > "$root/etc/group"
	echo kubeconfig > "$root/etc/kubernetes/kubeconfig"
	echo 'root=UUID=x rw' > "$root/proc/cmdline"
	echo boot-1 > "$root/proc/sys/kernel/random/boot_id"
}
install_node() {	# NAME
	local pool=${1%-*} first m=$dir/$1
	first=$(target "$pool")
	mkdir "$m"
	new_root "$1"
	api GET "$mco/machineconfigs/$first" > "$m/first.json" || give_up "$first"
	# files that the release gives a node at its first boot
	{ printf 'root=UUID=x rw'; jq -j '.spec.kernelArguments[]? | " " + .' "$m/first.json"; echo; } |
		tee "$m/kargs" > "$m/root/proc/cmdline"
	jq -r .spec.osImageURL "$m/first.json" > "$m/image"
	printf '*' > "$m/hash"
	: > "$m/did"
	"$bin/mco-daemon" apply "$m/first.json" --offline --root-mount "$m/root" > "$dir/$1.log" 2>&1 || give_up "install $1"
	printf '{"%s/currentConfig":"%s","%s/desiredConfig":"%s","%s/state":"Done"}' $P "$first" $P "$first" $P \
		> "$m/root/etc/machine-config-daemon/node-annotations.json"
	create /api/v1/nodes <<< "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"$1\",\"labels\":{
		$([ "$pool" != infra ] || echo '"node-role.kubernetes.io/worker":"",')
		\"node-role.kubernetes.io/$pool\":\"\",\"kubernetes.io/hostname\":\"$1\",\"kubernetes.io/arch\":\"$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')\"}},
		\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
}
machine() {	# NAME: runs its daemon, again after each boot
	local child=
	trap '[ -z "$child" ] || kill -KILL $child; exit' TERM
	while [ ! -e "$dir/over" ]; do
		"$bin/mco-daemon" start --node-name "$1" --root-mount "$dir/$1/root" --kubeconfig "$dir/kubeconfig" \
			--payload-version 4.22.0 --metrics-url 127.0.0.1:0 --kubelet-healthz-enabled=false >> "$dir/$1.log" 2>&1 &
		child=$!
		echo $child > "$dir/$1/pid"
		wait $child
		child=
	done
}
stand_ins() {
	local c
	mkdir "$dir/host"
	for c in rpm-ostree systemctl systemd-run podman runuser usermod chpasswd getent rpm mokutil skopeo \
		logger chcon nice update-ca-trust nmstatectl setenforce; do
		ln -s "$here/stand-in" "$dir/host/$c"
	done
}

# ---- the cluster's state, in the format of a promise ---------------------------------------
names_now() { api GET $mco/machineconfigpools | jq -c '[.items[] | {(.metadata.name): (.spec.configuration.name // "")}] | add'; }
target() { api GET "$mco/machineconfigpools/$1" | jq -r '.spec.configuration.name // empty'; }
begin_step() {
	local n
	for n in $nodes; do : > "$dir/$n/did"; done
	api GET /api/v1/nodes > "$dir/then.json"
	start_rv=$(jq -r .metadata.resourceVersion "$dir/then.json")
	start_at=$(stat -c %s "$dir/events") # some lines may still be on their way
	start_at=$((start_at > 65536 ? start_at - 65536 : 0))
	names=$(names_now)
	api GET $mco/machineconfigs > "$dir/mcs.json"
}
events() {	# of the nodes since the step began
	# the first line may be incomplete
	tail -c "+$((start_at + 1))" "$dir/events" | sed "$([ $start_at = 0 ] || echo 1d)" | grep -a '"kind":"Node"' | jq -cn --argjson rv "$start_rv" \
		'[inputs | .object | select((.metadata.resourceVersion | tonumber) > $rv)]'
}
# The outcome of each pool, one line of JSON each: see outcome.jq.
outcome() {
	events > "$dir/since.json"
	jq -nRc '[inputs | {(input_filename | split("/")[-2]): [.]}] | reduce .[] as $x ({}; reduce ($x | keys[]) as $k (.; .[$k] += $x[$k]))' \
		$(printf "$dir/%s/did " $nodes) > "$dir/did.json"
	api GET $mco/machineconfigpools > "$dir/pools.json"
	api GET /api/v1/nodes > "$dir/nodes.json"
	jq -Sc -n --arg p "$P/" --argjson names "$names" --argjson moved "${moved:-{\}}" --slurpfile before "$dir/then.json" \
		--slurpfile pools "$dir/pools.json" --slurpfile nodes "$dir/nodes.json" \
		--slurpfile since "$dir/since.json" --slurpfile did "$dir/did.json" -f "$here/outcome.jq"
}
promised() {	# DIFF-JSON
	jq -Sc --argjson names "$names" -f "$here/promised.jq" "$1"
}

# ---- one step ---------------------------------------------------------------------------------
preview() {	# OUT FLAG...: stores the exit status, too
	local out=$1
	shift
	env -u MCO_RAW "$bin/mcoctl" diff -o json "$@" > "$out" 2> "$out.err"
	echo $? > "$out.status"
	[ -s "$out" ] || echo '{"differences":[]}' > "$out"
}
dump() { env -u MCO_RAW "$bin/mcoctl" dump --kubeconfig "$dir/kubeconfig" > "$dir/dump.yaml" 2> "$dir/dump.err"; }
kinds_of() {	# OUTCOMES: "infra reboot worker none", without unaffected pools
	jq -r 'select(.kind != "same") | "\(.pool) \(.kind)"' <<< "$1" | xargs
}
# step NAME EXPECTED APPLY-COMMAND DIFF-FLAG...
step() {
	local name=$1 expected=$2 apply=$3 want got end differs why quiet=1
	shift 3
	steps=$((steps + 1))
	begin_step
	dump || check "$name: the dump" '' "$(cat "$dir/dump.err")"
	preview "$dir/live.diff" --kubeconfig "$dir/kubeconfig" "$@"
	preview "$dir/base.diff" --base "$dir/dump.yaml" "$@"
	want=$(promised "$dir/live.diff")
	differs=$(jq 'if (.differences + .refusals | length) > 0 then 1 else 0 end' "$dir/live.diff")
	check "$name: status of the previews" "$differs $differs" "$(cat "$dir/live.diff.status" "$dir/base.diff.status" | xargs)"
	check "$name: warnings" "${warning:+warning: $warning}" "$(sort -u "$dir/live.diff.err" "$dir/base.diff.err")"
	check "$name: cluster and dump" "$(jq -S . "$dir/live.diff")" "$(jq -S . "$dir/base.diff")"
	[ -z "$verbose" ] || printf '%s\n%s\n' "-- $name" "$want"
	$apply
	[ -n "$(kinds_of "$want")" ] || quiet=2
	end=$((SECONDS + ${PATIENCE:-40}))
	while got=$(outcome); [ "$got" != "$want" ] && [ $SECONDS -lt $end ]; do sleep 0.3; done
	sleep $quiet
	got=$(outcome)
	check "$name: promise and outcome" "$(jq -S . <<< "$want")" "$(jq -S . <<< "$got")" ||
		for n in $nodes; do sed "s/^/  $n: /" "$dir/$n/did"; done
	check "$name: numbers of nodes" "$(jq -c --slurpfile p "$dir/pools.json" '[.differences[] | select(.pool | IN($p[0].items[].metadata.name)) | {(.pool): .nodes}] | add // {}' "$dir/live.diff")" \
		"$(jq -c --slurpfile d "$dir/live.diff" '[.items[] | select(.metadata.name | IN($d[0].differences[].pool)) |
			{(.metadata.name): .status.machineCount}] | add // {}' "$dir/pools.json")"
	# a controller's refusal is in its log, or in the object's status
	jq -r '.refusals[]?.message' "$dir/live.diff" > "$dir/refusals"
	if [ -s "$dir/refusals" ]; then
		api GET $mco/kubeletconfigs > "$dir/said"
		api GET $mco/containerruntimeconfigs >> "$dir/said"
		jq -r '.items[].status.conditions[]?.message' "$dir/said" | cat - "$dir/controller.log" > "$dir/all-said"
		while IFS= read -r why; do
			check "$name: refusal" "$why" "$(grep -oF -m 1 -- "$why" "$dir/all-said" | head -n 1)"
		done < "$dir/refusals"
	fi
	check "$name: expected" "$expected" "$(kinds_of "$got")"
}

# ---- cases --------------------------------------------------------------------------------------
expect() { expected=$*; }
undone() { undo=$*; }
warns() { warning=$*; }
moves() { moved="{\"$2\":\"$1\"}"; }	# NODE POOL: until it is undone
# Stores the objects one by one; next to each that already exists, its previous
# state.
prepare() {	# WHAT, objects in WHAT.json
	local i=0 object name folder
	rm -f "$dir/$1".[0-9]*
	while IFS= read -r object; do
		i=$((i + 1))
		printf '%s\n' "$object" > "$dir/$1.$((10 + i))"
		path_of "$dir/$1.$((10 + i))"
		if api GET "$folder/$name" > "$dir/now" 2> /dev/null; then
			jq -c "$stored" "$dir/now" > "$dir/$1.$((10 + i)).old"
		else # a label, by which --prune finds it
			jq -c --arg l "$1" '.metadata.labels.promise = $l' "$dir/$1.$((10 + i))" > "$dir/now"
			mv "$dir/now" "$dir/$1.$((10 + i))"
		fi
	done < <(jq -c . "$dir/$1.json")
}
apply_objects() { local f; for f in "$dir/$1".[0-9][0-9]; do put_object "$f"; done; }
undo_objects() {
	local f name folder
	for f in "$dir/$1".[0-9][0-9]; do
		path_of "$f"
		if [ -e "$f.old" ]; then
			put_object "$f.old"
		else
			api DELETE "$folder/$name" > "$dir/answer" || give_up "DELETE $folder/$name: $(cat "$dir/answer")"
		fi
	done
}
list_of() { jq -s '{apiVersion: "v1", kind: "List", items: .}' "$@"; }
# A node that failed after its drain stays cordoned and counts as unavailable: only an
# administrator can make room for another config.
uncordon() {
	local n
	for n in $(api GET /api/v1/nodes | jq -r '.items[] | select(.spec.unschedulable) | .metadata.name'); do
		merge "/api/v1/nodes/$n" '{"spec":{"unschedulable":null}}'
	done
}
# Nothing has changed for a second, and no node is updating.
resting() {
	begin_step
	sleep 1
	outcome | jq -es --argjson names "$names" 'all(.kind != "busy" and .to == $names[.pool]) and
		all(.kind | IN("same", "paused", "refused", "broken", "unused", "stuck"))' > /dev/null
}
rest() { wait_for "$1" resting; }
run_case() {	# NAME
	local expected='' undo=- warning='' moved='' before
	if declare -F "before_$1" > /dev/null; then
		"before_$1" > "$dir/before.json"
		prepare before
		apply_objects before
		rest "$1: before"
	fi
	before=$(names_now)
	"case_$1" > "$dir/change.json"
	prepare change
	list_of "$dir"/change.[0-9][0-9] > "$dir/change.all"
	step "$1" "$expected" 'apply_objects change' -f "$dir/change.all"
	uncordon
	warning='' moved=
	if compgen -G "$dir/change.*.old" > /dev/null && grep -q '"promise":"change"' "$dir"/change.[0-9][0-9]; then
		undo_objects change # one diff cannot say both what is back and what is gone
		rest "$1: undone"
	elif compgen -G "$dir/change.*.old" > /dev/null; then
		list_of "$dir"/change.[0-9][0-9].old > "$dir/undo.all"
		step "$1, undone" "${undo/#-/$expected}" 'undo_objects change' -f "$dir/undo.all"
	else
		step "$1, removed" "${undo/#-/$expected}" 'undo_objects change' -f "$dir/pool1.yaml" --prune -l promise=change
	fi
	uncordon
	check "$1: as before" "$before" "$(names_now)"
	if declare -F "after_$1" > /dev/null; then "after_$1"; fi
	if declare -F "before_$1" > /dev/null; then undo_objects before; fi
	rest "$1: back to the beginning"
}

# ---- the run ---------------------------------------------------------------------------------------
# shellcheck source=test/promise/cases.sh
. "$here/cases.sh"
"$bin/mco-sandbox" start --port 0 --eviction v1 --write-kubeconfig "$dir/kubeconfig" 2> "$dir/sandbox.log" &
wait_for 'the API server' test -s "$dir/kubeconfig"
url=$(sed -n 's/^ *server: //p' "$dir/kubeconfig")
install_cluster
export MCO_RETRY_MS=100 MCO_OPERATOR_MS=0
MCO_RAW=v4.22.0 "$bin/mco-controller" start --kubeconfig "$dir/kubeconfig" --payload-version 4.22.0 --templates=builtin \
	--metrics-listen-address 127.0.0.1:0 --v 2 2> "$dir/controller.log" &
rendered() {	# and unchanged for a second: every controller has written its part
	local pool now='' last=${targets:-}
	for pool in master worker infra; do now+=" $(target $pool)"; done
	targets=$now
	sleep 1
	[ "$(wc -w <<< "$now")" = 3 ] && [ "$now" = "$last" ]
}
wait_for 'the rendered configs' rendered
stand_ins
export MCO_HOST_PATH=$dir/host
for n in $nodes; do install_node "$n"; done
curl -sN "$url/api/v1/nodes?watch=1" > "$dir/events" 2> /dev/null &
for n in $nodes; do MCO_RAW=v4.22.0 machine "$n" 2> /dev/null & done
rest 'three nodes that are done'
for c in "${@:-${all_cases[@]}}"; do
	[ -z "$verbose" ] || echo "== $c, $SECONDS s"
	run_case "$c"
done
echo "$steps changes previewed and applied, $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
