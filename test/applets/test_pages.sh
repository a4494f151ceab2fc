# The pages: README.md, HACKING.md, those in .github and below examples.
#
# Each fenced block has a language. `console`: every line that begins with "$ " runs, and
# prints exactly the lines below it. `sh`: does not run, and the line before it says why
# (<!-- not run: REASON -->); bash parses it, and the flags of its mco commands exist.
# Relative links and their anchors resolve; so does every `make` target and variable, and
# every man page by its name and section.
. test/applets/lib.sh
[ "$BIN" = build ] || { echo "0 passed, 0 failed"; exit 0; } # the pages name build/
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
pages() { printf '%s\n' README.md HACKING.md .github/*.md; find examples -name '*.md' | sort; }

# ---- code blocks -----------------------------------------------------------------------
page='' cmd='' out='' ran=0
run() {	# runs the command collected so far
	[ -n "$cmd" ] || return
	ran=$((ran + 1))
	bash -c "$cmd" >"$TMP/out" 2>&1
	if printf '%s' "$out" | cmp -s - "$TMP/out"; then ok; else
		bad "$page: $cmd"
		diff <(printf '%s' "$out") "$TMP/out"
	fi
	cmd='' out=''
}
parse() {	# a block that is not run, in $TMP/block
	local line words
	if bash -n "$TMP/block"; then ok; else bad "$page: a block that bash does not parse"; fi
	while IFS= read -r line; do
		line=${line%%#*}
		[[ $line =~ ^(build/)?(mco[a-z-]*) ]] || continue
		read -r -a words <<<"$line"
		if "$BIN/${BASH_REMATCH[2]}" "${words[@]:1}" --help >"$TMP/out" 2>&1; then ok; else
			bad "$page: $line"
			cat "$TMP/out"
		fi
	done <"$TMP/block"
}
read_page() {
	local line lang='' before=''
	while IFS= read -r line; do
		case $lang:$line in
		:'```'?*)
			lang=${line#'```'} && : >"$TMP/block"
			case $lang in
			console | text | c | yaml) ok ;;
			sh) [[ $before == '<!-- not run'*': '*' -->' ]] && ok || bad "$page: an sh block without a reason not to run it" ;;
			*) bad "$page: a block of $lang" ;;
			esac ;;
		:'```') bad "$page: a block without a language" ;;
		:'    '*) [ -z "$before" ] && bad "$page: a block that is not fenced: $line" ;;
		:*) ;;
		console:'```') run; lang='' ;;
		sh:'```') parse; lang='' ;;
		*:'```') lang='' ;;
		console:'$ '*) run; cmd=${line#'$ '} ;;
		console:*) out+=$line$'\n' ;;
		*) echo "$line" >>"$TMP/block" ;;
		esac
		before=$line
	done <"$page"
	[ -z "$lang" ] || bad "$page: a block without an end"
}
for page in $(pages); do read_page; done
if [ "$ran" -ge 12 ]; then ok; else bad "only $ran commands"; fi

# ---- links -----------------------------------------------------------------------------
anchors() {	# FILE: the anchors of its headings, as GitHub makes them
	sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links=0
for page in $(pages); do
	while IFS= read -r link; do
		case $link in
		http://* | https://*) continue ;;
		esac
		links=$((links + 1)) path=${link%%#*}
		path=${path:+$(dirname "$page")/$path} path=${path:-$page}
		if [ ! -e "$path" ]; then
			bad "$page: no $link"
		elif [ "$link" != "${link#*#}" ] && ! anchors "$path" | grep -qxF -- "${link#*#}"; then
			bad "$page: no heading $link"
		else ok; fi
	done < <(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//')
done
if [ "$links" -ge 40 ]; then ok; else bad "only $links links"; fi

# ---- make targets and variables, man pages, files in the tree ----------------------------
targets=$(sed -n 's/^\([a-z%-]*\):.*/\1/p' Makefile)
named=0
for page in $(pages); do
	while read -r -a words; do
		for word in "${words[@]:1}"; do
			named=$((named + 1))
			case $word in
			*=*) grep -qE "\b${word%%=*}\b" Makefile && ok || bad "$page: make ${words[*]:1}: no variable ${word%%=*}" ;;
			fuzz-*) [ -e "test/fuzz/fuzz_${word#fuzz-}.c" ] && ok || bad "$page: no make $word" ;;
			build/*) ;;
			*) grep -qx -- "$word" <<<"$targets" && ok || bad "$page: no make $word" ;;
			esac
		done
	done < <({ grep -oE '`make( [^`]+)?`' "$page" | tr -d '`' | sed 's/<[^>]*>/X/g'
		grep -E '^(\$ )?make ' "$page" | sed 's/^\$ //; s/ *#.*//'; })
	for name in $(grep -oE '\bmco[a-z-]*\([0-9]\)' "$page"); do
		section=${name#*(} section=${section%)}
		[ -e "applets/man/${name%(*}.$section" ] && ok || bad "$page: no man page $name"
	done
	for name in $(grep -oE '`(src|include|test|applets|examples)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`'); do
		case $name in *NAME*) continue ;; esac # a placeholder
		[ -e "$name" ] && ok || bad "$page: no $name"
	done
	for name in $(grep -oE '`[a-z0-9_]+\.(c|h|def|sh)`' "$page" | tr -d '`'); do
		[ -n "$(find src include applets test -name "$name" -print -quit)" ] && ok || bad "$page: no file $name"
	done
done
if [ "$named" -ge 20 ]; then ok; else bad "only $named make targets"; fi

# ---- counts in the pages -----------------------------------------------------------------
constant() { sed -n "s/^#define $1 \\([0-9]*\\)$/\\1/p" "$2" | sort -n | tail -n 1; }
while IFS='|' read -r page text count; do
	text=${text/N/$(sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<<"$count")}
	tr '\n' ' ' <"$page" | tr -s ' ' | grep -qF -- "$text" && ok || bad "$page: not \"$text\""
done <<END
examples/docs/testing.md|N golden cases of rendering|$(find test/golden/render -mindepth 1 -maxdepth 1 -type d | wc -l)
examples/docs/testing.md|and N of its controllers|$(find test/golden/controllers -mindepth 1 -maxdepth 1 -type d | wc -l)
examples/docs/testing.md|and N generated clusters|$(constant CLUSTERS test/plan/test_generate.c)
examples/docs/testing.md|N generated strings|$(constant STRINGS test/data/test_yml_corpus.c)
examples/docs/testing.md|N generated documents|$(constant DOCUMENTS test/data/test_yml_fast.c)
examples/docs/testing.md|on N generated configs|$(constant CONFIGS test/ign/test_ign.c)
examples/docs/testing.md|the N rules in the CRDs|$(cat examples/deploy/crds/*.yaml | grep -c '^ *\(- \)\?rule:')
examples/docs/testing.md|responses to N requests|$(wc -l <test/cluster/rest.expected)
examples/docs/testing.md|and N kubectl calls|$(wc -l <test/cluster/kubectl.expected)
examples/docs/testing.md|is killed N times|$(sed -n 's/^kills=\${KILLS:-\([0-9]*\)}$/\1/p' test/cluster/controller.d/90-kills.sh)
END
finish
