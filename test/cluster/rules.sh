#!/bin/bash
# rules.sh BUILD: the API server at $URL judges the cases of test/applets/crds.txt by the CEL rules of
# examples/deploy/crds: it accepts the good objects, and refuses the bad ones with the messages that
# test/applets/cel.pl expects. Cases of a status or of an update are left to cel.pl, and the names of
# objects to the server's own rules.
set -u
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ask=(curl -sS --noproxy '*' --max-time 300 --cacert "$CA" -H "Authorization: Bearer $TOKEN")
crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
for f in examples/deploy/crds/*.yaml; do
	"$build/mcoctl" fmt -o json "$f" >"$dir/$(basename "$f" .yaml).json" || exit 1
	"${ask[@]}" -o /dev/null -H 'Content-Type: application/yaml' --data-binary "@$f" "$URL$crds"
done
CASES_OUT=$dir/cases perl test/applets/cel.pl test/applets/crds.txt "$dir"/*.json >/dev/null
jq -n '[inputs.spec | {key: .names.plural, value: {group, kind: .names.kind, plural: .names.plural}}] | from_entries' \
	"$dir"/*.json >"$dir/kinds"
for ((i = 0; i < 300; i++)); do
	[ "$("${ask[@]}" "$URL$crds" | jq '[.items[] | select(any(.status.conditions[]?; .type == "Established" and .status == "True"))] | length')" -lt \
		"$(find examples/deploy/crds -maxdepth 1 -name '*.yaml' | wc -l)" ] || break
	sleep 0.1
done
# All in one connection: a request for each case, which writes nothing.
jq -r --slurpfile kinds "$dir/kinds" --arg url "$URL" --arg dir "$dir" 'select(.old == null and (.new | has("status") | not))
	| (.kind | split(" ")) as [$plural, $version] | $kinds[0][$plural] as $k
	| "next\nurl = \"\($url)/apis/\($k.group)/\($version)/\($plural)?dryRun=All\"\ndata-binary = \(.new
		| .kind = $k.kind | .apiVersion = "\($k.group)/\($version)" | .metadata.name //= "cluster" | tojson | tojson)
		header = \"Content-Type: application/json\"\nheader = \"Authorization: Bearer \(env.TOKEN)\"\ncacert = \"\(env.CA)\"\nnoproxy = \"*\"\nsilent\nwrite-out = \"\\n\""' \
	"$dir/cases" | sed 1d >"$dir/config"
curl -K "$dir/config" | jq -c . >"$dir/answers"
jq -c 'select(.old == null and (.new | has("status") | not))' "$dir/cases" >"$dir/asked"
paste -d'\n' "$dir/asked" "$dir/answers" | jq -nr '
	def pairs: [inputs] | _nwise(2);
	reduce pairs as [$case, $answer] ({passed: 0, failed: []};
		($case.want | split("\n") | map(sub("^[^:]*: "; "")) | sort) as $want
		| ([$answer.details.causes[]? | select(.field != "metadata.name").message | sub("^Invalid value: (\".*\": )?(\\{.*\\}: |\\[.*\\]: )?"; "")] | sort) as $got
		| if $want == $got and (($want == []) == ($answer.kind != "Status")) then .passed += 1
		  else .failed += ["\($case.kind): \($case.new | tojson)\n  want \($want)\n  got  \($got) \($answer.message // "")"] end)
	| (.failed[:20][] | "FAIL " + .), "\(.passed) passed, \(.failed | length) failed"'
