#!/bin/bash
# test.sh OUT TEST... -- REPLAY...: runs the command-line tests, the unit tests and
# the replays of the fuzz corpora, three for every two cores: many of them wait for
# most of their time. Prints a line per suite when it ends and, last, "N passed, N failed".
#
# SUITES names the command-line tests to run; unset: all. WRAP puts a command such as
# valgrind in front of each program, RUN in front of unit tests and replays alone. A suite
# that runs longer than LIMIT seconds is killed and fails. So does one that leaves a process
# behind: every process of a suite has MCO_SUITE in its environment, by which it is found
# and killed, also when the run is interrupted.
set -u

# Prints the processes whose environment has MCO_SUITE=$1, or one that begins with
# it when $2 is "*". Programs that cannot be dumped hide theirs from all but root.
processes_of() {
	local f pattern="^MCO_SUITE=$1"
	[ "${2:-}" = '*' ] || pattern+='$'
	for f in $(grep -lzs "$pattern" /proc/[0-9]*/environ); do
		f=${f%/environ} f=${f##*/}
		[ "$f" = "$$" ] || [ "$f" = "$BASHPID" ] || echo "$f"
	done
}

# Runs one suite and reports the result. The suite's own shell has no MCO_SUITE.
run_suite() {	# run logs, total, name, command
	local run=$1 logs=$2 total=$3 name=$4 command=$5 log status p f begin left
	log=$logs/${name//\//_} begin=$EPOCHREALTIME
	MCO_SUITE=$run/$name timeout -k 30 "$LIMIT" bash -c "$command" \
		>"$log" 2>&1 </dev/null
	status=$?
	for _ in {1..20}; do # those that were told to end may take a moment
		left=$(processes_of "$run/$name" | xargs)
		[ -n "$left" ] && sleep 0.1 || break
	done
	if [ -n "$left" ]; then
		ps -o pid=,args= -p "${left// /,}" >"$log.left" 2>/dev/null
		# shellcheck disable=SC2086
		kill -9 $left 2>/dev/null
	fi
	read -r p f < <(sed -n \
		-e 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip.*/\1 \2/p' \
		-e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
		"$log" | tail -n 1)
	[ -n "${p:-}" ] || { p=0 f=1; }
	if [ "$f" -eq 0 ] && { [ "$status" != 0 ] || [ -s "$log.left" ]; }; then f=1; fi
	exec 9>>"$logs/sum"
	flock 9
	echo "$p $f" >&9
	awk -v total="$total" -v name="$name" -v p="$p" -v f="$f" \
		-v ms="$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))" \
		'{ done++; passed += $1; failed += $2 } END {
		printf "[%3d/%d] %6.1fs %5d ok%s  %-46s %d passed so far%s\n", done, total,
			ms / 1000, p, f ? sprintf(", %d FAILED", f) : "", name, passed,
			failed ? sprintf(", %d failed", failed) : "" }' "$logs/sum"
	if [ "$f" -ne 0 ]; then
		[ "$status" != 124 ] || echo "$name: killed after $LIMIT s"
		[ ! -s "$log.left" ] || { echo "$name: left running:"; cat "$log.left"; }
		echo "FAILED $name (exit $status)"
		tail -n 60 "$log"
	fi
}

if [ "${1:-}" = --suite ]; then
	shift
	read -r name command <<<"$4"
	run_suite "$1" "$2" "$3" "$name" "$command"
	exit
fi

out=$1 section=tests; shift
export LIMIT=${LIMIT:-${WRAP:+2400}}
LIMIT=${LIMIT:-900}
logs=$(mktemp -d) run=$$-$EPOCHREALTIME pool=''
# First TERM, on which the suites' shells remove their directories.
end() {
	local signal left
	trap '' INT TERM HUP
	[ -z "$pool" ] || kill -- "-$pool" 2>/dev/null
	for signal in TERM TERM TERM KILL KILL; do
		left=$(processes_of "$run/" '*')
		[ -n "$left" ] || break
		# shellcheck disable=SC2086
		kill -s $signal $left 2>/dev/null
		sleep 0.5
	done
	rm -rf "$logs"
}
trap end EXIT
trap 'echo "interrupted: $(wc -l <"$logs/sum") of $total suites had ended"; exit 130' INT TERM HUP
: >"$logs/sum"

# Long suites first, so that none is left running alone at the end.
rank() {
	case $1 in
	*/test_cut | */test_controller.sh | */test_promise.sh) echo 1 ;;
	*/test_firstboot.sh | */test_handover.sh | */test_daemon_mishaps.sh | */test_server_faults) echo 2 ;;
	*) echo 3 ;;
	esac
}
suite() { echo "$(rank "$1") $*"; }	# name, command
{
	for t in ${SUITES-test/applets/test_*.sh}; do suite "$t" "MCO_DIR=$out" bash "$t"; done
	for t in "$@"; do
		case $section/$t in
		*/--) section=replays ;;
		tests/*) suite "$t" "${RUN:-${WRAP:-}}" "$t" ;;
		replays/*) suite "$t" "${RUN:-${WRAP:-}}" "$t" "test/fuzz/corpus/${t##*/replay_}" ;;
		esac
	done
} | sort -s -n -k1,1 | cut -d' ' -f2- >"$logs/all"
total=$(wc -l <"$logs/all")
set -m # the pool is a process group of its own, with the default signals
xargs -d '\n' -P $((($(nproc) * 3 + 1) / 2)) -I{} "$0" --suite "$run" "$logs" "$total" {} <"$logs/all" &
pool=$!
wait "$pool"
pool=''
read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$logs/sum")
ended=$(wc -l <"$logs/sum")
[ "$ended" -eq "$total" ] || failed=$((failed + total - ended))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
