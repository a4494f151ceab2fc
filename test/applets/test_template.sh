# mco-controller template: upstream's golden templates through the real binary.
. test/applets/lib.sh
cases=$PWD/test/golden/gotemplate bin=$PWD/$BIN
for c in "$cases"/*/; do
	name=$(basename "$c") data=(--data data.json)
	[ -f "$c/data.json" ] || data=(--render-config renderconfig.json)
	(cd "$c" && "$bin/mco-controller" template template.tmpl "${data[@]}") >"$TMP/out" 2>"$TMP/err"
	status=$?
	if [ -f "$c/error.txt" ]; then
		[ $status = 1 ] && [ ! -s "$TMP/out" ] && cmp -s "$TMP/err" "$c/error.txt"
	else
		[ $status = 0 ] && cmp -s "$TMP/out" "$c/expected.txt"
	fi && passed=$((passed + 1)) || { failed=$((failed + 1)); echo "FAIL $name (exit $status)"; }
done
expect 'a loop that does not end' 1 '' \
	$'failed to execute template: template: -: nested too deep\n' \
	"$BIN/mco-controller" template - <<< '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}'
expect 'a loop that takes long' 1 '' \
	$'failed to execute template: template: -: takes too many steps\n' \
	"$BIN/mco-controller" template - <<< '{{range 1000000000}}{{end}}'
expect 'a text that grows' 1 '' \
	$'failed to execute template: template: -: takes too much memory\n' \
	"$BIN/mco-controller" template - <<< '{{$x := "xxxxxxxxxxxxxxxx"}}{{range 40}}{{$x = print $x $x}}{{end}}'
expect 'one kind of data' 1 '' $'Error: --data and --render-config exclude each other\n' \
	"$BIN/mco-controller" template - --data x --render-config y
printf '{x' > "$TMP/bad.json"
expect 'bad data' 1 '' "Error: $TMP/bad.json: line 1, column 2: invalid character 'x' looking for beginning of object key string
" "$BIN/mco-controller" template --data "$TMP/bad.json" - < /dev/null
finish
