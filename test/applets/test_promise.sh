# Some of the changes whose previews `make test-promise` compares with the live
# cluster: one of each kind of outcome. Two clusters run at a time, because each
# waits most of its time.
. test/applets/lib.sh
runs=()
trap 'kill "${runs[@]}" 2> /dev/null; wait; rm -rf "$TMP"' EXIT
trap 'exit 130' INT TERM
for cases in 'file_of_a_custom_pool policy_reload resumed_pool' 'blocked_registries https_source broken'; do
	# shellcheck disable=SC2086
	test/promise/run.sh "$BIN" $cases > "$TMP/run.${#runs[@]}" 2>&1 &
	runs+=($!)
done
for i in "${!runs[@]}"; do
	wait "${runs[$i]}"
	status=$?
	cat "$TMP/run.$i"
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$TMP/run.$i")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
	[ "$status" = 0 ] || [ "${f:-1}" != 0 ] || failed=$((failed + 1))
done
finish
