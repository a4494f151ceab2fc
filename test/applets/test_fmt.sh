# mcoctl fmt: good input of every form, and one clear line for bad input.
. test/applets/lib.sh

cat > "$TMP/a.yaml" <<'Y'
b: 0644
a: yes
list:
    - x: "no"
---
# nothing here
---
{"z": 1.0, "y": "<a>"}
Y
expect 'YAML to YAML' 0 $'a: true\nb: 420\nlist:\n- x: "no"\n---\n"y": <a>\nz: 1\n' '' \
	"$BIN/mcoctl" fmt "$TMP/a.yaml"
expect 'YAML to JSON' 0 $'{"a":true,"b":420,"list":[{"x":"no"}]}\n{"y":"\\u003ca\\u003e","z":1}\n' '' \
	"$BIN/mcoctl" fmt -f "$TMP/a.yaml" -o json-compact
printf '{"b":[1,{}],"a":null}' > "$TMP/b.json"
expect 'JSON to JSON' 0 $'{\n  "a": null,\n  "b": [\n    1,\n    {}\n  ]\n}\n' '' \
	"$BIN/mcoctl" fmt -o json "$TMP/b.json"
expect 'standard input' 0 $'a: 1\n' '' "$BIN/mcoctl" fmt - <<< '{"a":1}'
expect 'several files' 0 $'a: null\nb:\n- 1\n- {}\n---\na: null\nb:\n- 1\n- {}\n' '' \
	"$BIN/mcoctl" fmt "$TMP/b.json" -f "$TMP/b.json"

printf 'a: b\n c: d\n' > "$TMP/bad.yaml"
expect 'bad YAML' 1 '' "Error: $TMP/bad.yaml:2:3: mapping values are not allowed in this context
" "$BIN/mcoctl" fmt "$TMP/b.json" "$TMP/bad.yaml"
printf '{\n  "a": 1\n  "b": 2\n}\n' > "$TMP/bad.json"
expect 'bad JSON' 1 '' "Error: $TMP/bad.json:3:3: invalid character '\"' after object key:value pair
" "$BIN/mcoctl" fmt "$TMP/bad.json"
expect 'no such file' 1 '' $'Error: open /nonexistent: No such file or directory\n' \
	"$BIN/mcoctl" fmt /nonexistent
expect 'a folder' 1 '' "Error: read $TMP: Is a directory
" "$BIN/mcoctl" fmt "$TMP"
printf '{"a":"\x7f"}' > "$TMP/del.json"
expect 'what upstream cannot write' 1 '' "Error: $TMP/del.json: document 1: yaml: control characters are not allowed
" "$BIN/mcoctl" fmt "$TMP/del.json"
head -c 70000 /dev/zero | tr '\0' '[' > "$TMP/deep.yaml"
expect 'too deep' 1 '' "Error: $TMP/deep.yaml: line 1: nested more than 1000 levels deep
" "$BIN/mcoctl" fmt "$TMP/deep.yaml"
expect 'an unknown format' 1 '' \
	$'Error: unknown output format "xml": use yaml, json or json-compact\nSee \'mcoctl fmt --help\'.\n' \
	"$BIN/mcoctl" fmt -o xml "$TMP/b.json"
expect 'full standard output' 1 '' \
	$'Error: write standard output: No space left on device\n' \
	bash -c '"$0" fmt "$1" > /dev/full' "$BIN/mcoctl" "$TMP/b.json"
finish
