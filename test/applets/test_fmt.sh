# mcoctl fmt: valid input in every form, and one clear line for bad input.
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
expect 'a directory' 1 '' "Error: read $TMP: Is a directory
" "$BIN/mcoctl" fmt "$TMP"
printf '{"a":"\x7f"}' > "$TMP/del.json"
expect 'what upstream cannot write' 1 '' "Error: $TMP/del.json: document 1: yaml: control characters are not allowed
" "$BIN/mcoctl" fmt "$TMP/del.json"
head -c 70000 /dev/zero | tr '\0' '[' > "$TMP/deep.yaml"
expect 'too deep' 1 '' "Error: $TMP/deep.yaml: line 1: nested more than 1000 levels deep
" "$BIN/mcoctl" fmt "$TMP/deep.yaml"
# ---- where YAML 1.2 and libyaml differ from upstream's reader
# shellcheck disable=SC1003 # the backslash is YAML's
printf '%%YAML 1.1\n---\na: "don\\'"'"'t"\nb: [http:, !t, x]\n' > "$TMP/odd.yaml"
expect 'as upstream reads it' 0 $'a: don\'t\nb:\n- \'http:\'\n- x\n' '' bash -c 'sed 1,2d "$1" | "$0" fmt -f -' "$BIN/mcoctl" "$TMP/odd.yaml"
printf '%%YAML 1.2\n---\na: b\n' > "$TMP/odd.yaml"
expect 'another version' 1 '' "Error: $TMP/odd.yaml:1:1: upstream reads only YAML 1.1: remove the %YAML line
" "$BIN/mcoctl" fmt "$TMP/odd.yaml"
printf 'a: b\nc: "d\\/e"\n' > "$TMP/odd.yaml"
expect 'an escaped slash' 1 '' "Error: $TMP/odd.yaml:2:6: found unknown escape character
" "$BIN/mcoctl" fmt "$TMP/odd.yaml"
expect 'an unknown format' 1 '' \
	$'Error: unknown output format "xml": use yaml, json or json-compact\nSee \'mcoctl fmt --help\'.\n' \
	"$BIN/mcoctl" fmt -o xml "$TMP/b.json"
expect 'full standard output' 1 '' \
	$'Error: write standard output: No space left on device\n' \
	bash -c '"$0" fmt "$1" > /dev/full' "$BIN/mcoctl" "$TMP/b.json"

# ---- -w and --check
ctl=$PWD/$BIN/mcoctl
cd "$TMP" || exit
mkdir w && cd w || exit
pretty=$'a: 1\nb:\n- true\n'
printf 'b: [yes]\na: 1\n' > plain.yaml
printf '%s' "$pretty" > done.yaml
printf '{"b": [true], "a": 1}' > a.json
cp done.yaml bare.yaml
chmod 640 plain.yaml
ino=$(stat -c %i done.yaml)
expect '--check lists what would change' 1 $'plain.yaml\na.json\n' '' "$ctl" fmt --check plain.yaml done.yaml a.json -f bare.yaml
expect 'and changes nothing' 0 $'b: [yes]\na: 1\n' '' cat plain.yaml
expect '--check of what is right' 0 '' '' "$ctl" fmt --check done.yaml bare.yaml
expect '--check of standard input' 1 $'-\n' '' "$ctl" fmt --check -f - <<< '{a: 1}'
expect '-w lists what it changed' 0 $'plain.yaml\na.json\n' '' "$ctl" fmt -w plain.yaml done.yaml a.json
expect 'YAML stays YAML' 0 "$pretty" '' cat plain.yaml
expect 'JSON stays JSON' 0 $'{\n  "a": 1,\n  "b": [\n    true\n  ]\n}\n' '' cat a.json
expect 'the mode is kept' 0 $'640\n' '' stat -c %a plain.yaml
expect 'what is right is not written' 0 "$ino"$'\n' '' stat -c %i done.yaml
expect 'nothing is left to do' 0 '' '' "$ctl" fmt -w plain.yaml done.yaml a.json
expect 'a format that is asked for' 0 $'plain.yaml\n' '' "$ctl" fmt -w -o json-compact plain.yaml
expect 'is written' 0 $'{"a":1,"b":[true]}\n' '' cat plain.yaml
expect 'no other file is left' 0 $'a.json\nbare.yaml\ndone.yaml\nplain.yaml\n' '' ls -A
if [ "$(id -u)" = 0 ]; then
	printf '{a: 1}\n' > owned.yaml
	chown 12:34 owned.yaml
	chmod 4604 owned.yaml
	expect 'the owner is kept' 0 $'owned.yaml\n' '' "$ctl" fmt -w owned.yaml
	expect 'with all of the mode' 0 $'12:34 4604\n' '' stat -c '%u:%g %a' owned.yaml
fi
mkdir sub
printf '{a: 1}\n' > sub/target.yaml
ln -s sub/target.yaml link.yaml
expect 'a link' 0 $'link.yaml\n' '' "$ctl" fmt -w link.yaml
expect 'stays one' 0 $'sub/target.yaml\n' '' readlink link.yaml
expect 'its file is written' 0 $'a: 1\n' '' cat sub/target.yaml
expect 'beside it nothing is left' 0 $'target.yaml\n' '' ls -A sub
ln -s loop2 loop1
ln -s loop1 loop2
# each C library has its own message for it
expect 'a loop of links' 1 '' 'Error: open loop1: ' bash -c '"$0" fmt -w loop1 2> ../loop; rc=$?; head -c 19 ../loop >&2; exit $rc' "$ctl"
expect 'a directory' 1 '' $'Error: read sub: Is a directory\n' "$ctl" fmt -w sub
mkfifo pipe
echo '{a: 1}' > pipe &
expect 'no regular file' 1 '' $'Error: pipe is not a regular file\n' "$ctl" fmt -w pipe
wait
expect 'standard input' 1 '' $'Error: -w writes to files: standard input is none\n' "$ctl" fmt -w -f - <<< '{a: 1}'
expect 'both' 1 '' $'Error: give -w or --check, not both\n' "$ctl" fmt -w --check done.yaml
printf '{a: 1}\n' > plain.yaml
printf 'a: b\n c: d\n' > bad.yaml
expect 'one bad file' 1 '' $'Error: bad.yaml:2:3: mapping values are not allowed in this context\n' "$ctl" fmt -w plain.yaml bad.yaml
expect 'leaves the others' 0 $'{a: 1}\n' '' cat plain.yaml
expect '--check of a bad file' 1 '' $'Error: bad.yaml:2:3: mapping values are not allowed in this context\n' "$ctl" fmt --check plain.yaml bad.yaml
printf 'b: "# no"\na: 1 # why\n' > notes.yaml
expect 'comments are not lost unasked' 1 '' $'Error: notes.yaml:2: fmt does not keep comments: give --drop-comments to write the file without them\n' \
	"$ctl" fmt -w plain.yaml notes.yaml
expect 'and nothing else is written' 0 $'{a: 1}\n' '' cat plain.yaml
expect 'unless asked' 0 $'notes.yaml\n' '' "$ctl" fmt -w --drop-comments notes.yaml
expect 'then they are' 0 $'a: 1\nb: \'# no\'\n' '' cat notes.yaml
finish
