# The CEL rules of the CRDs in examples/deploy: they fit their schemas, and
# refuse what they should with upstream's messages.
. test/applets/lib.sh
for f in examples/deploy/crds/*.yaml examples/deploy/crds/openshift/*.yaml; do
	"$BIN/mcoctl" fmt -o json "$f" >"$TMP/$(basename "$f" .yaml).json" || exit 1
done
perl test/applets/cel.pl test/applets/crds.txt "$TMP"/*.json | tee "$TMP/log"
read -r passed failed < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$TMP/log")

# kubectl explain shows something for every field. An API server refuses a description of metadata,
# which it knows itself.
for f in "$TMP"/*.json; do
	expect "$(basename "$f" .json): every field but metadata has a description" 0 '' '' jq -r '
		def bare($at): select(type == "object") | (.properties // {} | to_entries[] | (select((.key == "metadata") == (.value.description != null)) | $at + .key),
			(.key as $k | .value | bare($at + $k + "."))), (.items, .additionalProperties | bare($at));
		.spec.versions[] | .name as $v | .schema.openAPIV3Schema | bare($v + ".")' "$f"
done

# Rules that an API server would refuse: an author of such a rule learns it
# here.
: >"$TMP/none"
no() {	# WHY RULE [ITEM]: with ITEM, a rule of a list's elements
	local object item=
	object=', "x-kubernetes-validations": [{"message": "m", "rule": '$(jq -n --arg r "$2" '$r')'}]'
	[ -z "${3:-}" ] || item=$object object=
	cat >"$TMP/bad" <<-CRD
	{"spec": {"names": {"plural": "p"}, "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
	  "free": {"type": "string"}, "n": {"type": "integer"}, "s": {"type": "string", "maxLength": 9},
	  "l": {"type": "array", "items": {"type": "integer"$item}}}$object}}}]}}
	CRD
	expect "$2" 1 "FAIL p v1${3:+.l[]}: $2: $1

FAIL $TMP/bad: rules in places where none is looked for
0 passed, 2 failed
" '' perl test/applets/cel.pl "$TMP/none" "$TMP/bad"
}
no 'syntax: unexpected end' 'self.s =='
no "syntax: 'a' instead of ," "size(self.s 'a')"
no 'syntax: )' 'has(self.s))'
no 'syntax at  # 1' 'self.n # 1'
no 'escape \d' "self.s.matches('\\d')"
no 'regexp (?=a)' "self.s.matches('(?=a)')"
no 'no field t' 'has(self.t)'
no 'unknown it' 'it == self'
no 'unknown function endsWith string' "self.s.endsWith('a')"
no 'unknown format uuid' 'format.uuid().validate(self.s).hasValue()'
no 'type int, not string' 'self.s == self.n'
no 'type int, not bool' 'self.n'
no 'type bool, not int time' 'has(self.s) > has(self.n)'
no 'no bound on the list or string' "self.free.matches('a')"
no 'no bound on the list or string' 'self.l.all(x, x > 0)'
no 'its place in an old object is not known' 'self >= oldSelf' item
finish
