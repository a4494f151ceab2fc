/*
 * YAML: values, faults and their positions, documents, and writing, as go-yaml v2 does.
 */
#include "../test.h"

#include "data/yml.h"

static struct str to_json(struct arena *a, struct str in, unsigned flags)
{
	struct err err = ERR_INIT(a);
	struct yml_opts opts = { .flags = flags };
	struct json *j;
	struct buf b;

	if (yml_parse(a, in, &opts, &j, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	buf_init(&b, a);
	json_encode(&b, j, JSON_SORTED | JSON_NO_HTML);
	return buf_str(&b);
}

struct yml_case {
	const char *in, *want;
};

static enum greatest_test_res check_json(const struct yml_case *cases, size_t n)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < n; i++)
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     to_json(&a, str_of(cases[i].in), 0));
	PASS();
}
#define CHECK_JSON(cases) return check_json(cases, ARRAY_LEN(cases))

TEST scalars_of_yaml_1_1(void)
{
	static const struct yml_case cases[] = {
		{ "[y, Y, yes, on, True, n, No, off, FALSE]",
		  "[true,true,true,true,true,false,false,false,false]" },
		{ "[yEs, oN, TrUe]", "[\"yEs\",\"oN\",\"TrUe\"]" },
		{ "[~, null, Null, NULL, '']", "[null,null,null,null,\"\"]" },
		{ "[0644, 0o644, 0x1A4, 0b11, 1_000, +5, -5]", "[420,420,420,3,1000,5,-5]" },
		{ "[420.0, 1e3, .5, 1., 1.5e-9]", "[420,1000,0.5,1,1.5e-9]" },
		{ "[08, 0x, 1e999, 1e]", "[8,\"0x\",\"1e999\",\"1e\"]" },
		{ "[18446744073709551615, 18446744073709551616]",
		  "[18446744073709551615,18446744073709552000]" },
		{ "[2001-01-01, 12:30:45]", "[\"2001-01-01\",\"12:30:45\"]" },
		{ "['yes', \"0644\"]", "[\"yes\",\"0644\"]" },
		{ "!!str 12", "\"12\"" },
		{ "!!binary aGVsbG8=", "\"hello\"" },
		{ "!!float 3", "3" },
		{ "!custom 12", "\"12\"" },
		{ "! 12", "\"12\"" },
		{ "", "null" },
		{ "# nothing\n", "null" },
		{ "a:", "{\"a\":null}" },
	};

	CHECK_JSON(cases);
}

TEST structure(void)
{
	static const struct yml_case cases[] = {
		{ "a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}" },
		{ "a: {b: [1, {c: d}]}", "{\"a\":{\"b\":[1,{\"c\":\"d\"}]}}" },
		{ "? a\n: b\n", "{\"a\":\"b\"}" },
		{ "- - 1\n  - 2\n-\n", "[[1,2],null]" },
		{ "\xEF\xBB\xBF"
		  "a: 1",
		  "{\"a\":1}" },
		{ "a: 1\n---\nb: 2\n", "{\"a\":1}" },
		{ "1: a\n1.5: b\ntrue: c\n.inf: d\n",
		  "{\".inf\":\"d\",\"1\":\"a\",\"1.5\":\"b\",\"true\":\"c\"}" },
		{ "a: 1\nb: 2\na: 3\n", "{\"a\":3,\"b\":2}" },
		{ "v: .inf\nv: 1\n", "{\"v\":1}" },
		{ "a: \"\\x41\\u263a\\ttab\"", "{\"a\":\"A\xE2\x98\xBA\\ttab\"}" },
	};

	CHECK_JSON(cases);
}

TEST anchors_and_merges(void)
{
	static const struct yml_case cases[] = {
		{ "a: &x {k: 1}\nb: *x\n", "{\"a\":{\"k\":1},\"b\":{\"k\":1}}" },
		{ "m: &m {a: 1, b: 2}\nx: {<<: *m, a: 9}\n",
		  "{\"m\":{\"a\":1,\"b\":2},\"x\":{\"a\":9,\"b\":2}}" },
		/* a merge overwrites what precedes it */
		{ "m: &m {a: 1}\nx: {a: 9, <<: *m}\n", "{\"m\":{\"a\":1},\"x\":{\"a\":1}}" },
		{ "x:\n  <<: [{a: 1}, {a: 2, b: 3}]\n", "{\"x\":{\"a\":1,\"b\":3}}" },
		{ "x: {\"<<\": 1}", "{\"x\":{\"<<\":1}}" },
		{ "x: <<", "{\"x\":\"<<\"}" },
	};

	CHECK_JSON(cases);
}

TEST faults(void)
{
	static const struct yml_case cases[] = {
		{ "a: b\n c: d\n",
		  "Error: line 2, column 3: mapping values are not allowed in this context" },
		{ "a:\n\t- b\n",
		  "Error: line 2, column 1: found character that cannot start any token" },
		{ "a: @b\n",
		  "Error: line 1, column 4: found character that cannot start any token" },
		{ "a: [1, 2\n", "Error: line 2, column 1: did not find expected ',' or ']'" },
		{ "a: \"x\n", "Error: line 2, column 1: found unexpected end of stream" },
		{ "a: *none\n", "Error: line 1, column 4: unknown anchor 'none' referenced" },
		{ "a: &a [*a]\n", "Error: line 1, column 8: anchor 'a' value contains itself" },
		{ "a: {<<: 1}\n",
		  "Error: line 1, column 9: map merge requires map or sequence of maps as the value" },
		{ "{a: b}: c\n",
		  "Error: line 1, column 1: invalid map key: map[interface {}]interface {}{\"a\":\"b\"}" },
		{ "a: {{ .x }}\n",
		  "Error: line 1, column 5: invalid map key: map[interface {}]interface {}{\".x\":interface {}(nil)}" },
		{ "a: 1\n~: b\n",
		  "Error: line 2, column 1: unsupported map key of type: %!s(<nil>), key: <nil>, value: \"b\"" },
		{ "a:\n- .nan\n", "Error: line 2, column 3: unsupported value: NaN" },
		{ "a: !!int x\n", "Error: line 1, column 4: cannot decode !!str `x` as a !!int" },
		{ "a: !!binary '*'\n",
		  "Error: line 1, column 4: !!binary value contains invalid base64 data" },
		{ "a: b\nc: \x01\n",
		  "Error: line 2, column 4: control characters are not allowed" },
		{ "a: \xff\n", "Error: line 1, column 4: invalid leading UTF-8 octet" },
		{ "a: [x?y]\n", "Error: line 1, column 5: did not find expected ',' or ']'" },
	};

	CHECK_JSON(cases);
}

/* Where libyaml and upstream's reader differ, the result is upstream's. */
TEST upstream_differs_from_libyaml(void)
{
	static const struct yml_case cases[] = {
		/* an apostrophe may be escaped, a slash may not */
		{ "a: \"don\\'t\"\n", "{\"a\":\"don't\"}" },
		{ "a: \"\\'\\a\\'\\v\\'\"\nb: \"\\'\\x07\"\n",
		  "{\"a\":\"'\\u0007'\\u000b'\",\"b\":\"'\\u0007\"}" },
		{ "a: \"\\\\'\"\nb: 'c\\'\nc: d\\'\n",
		  "{\"a\":\"\\\\'\",\"b\":\"c\\\\\",\"c\":\"d\\\\'\"}" },
		{ "\xC3\xA9: \"\xC3\xA9\\'\\\n  \\'\"\n", "{\"é\":\"é''\"}" },
		{ "- \"a\\/b\"\n", "Error: line 1, column 5: found unknown escape character" },
		{ "- \"\\\\/\"\n- '\\/'\n- \\/\n", "[\"\\\\/\",\"\\\\/\",\"\\\\/\"]" },
		{ "- |\n  \"\\/\"\n", "[\"\\\"\\\\/\\\"\\n\"]" },
		/* a colon before a flow indicator belongs to a plain scalar */
		{ "[http:, b]\n", "[\"http:\",\"b\"]" },
		{ "{a:}\n", "{\"a:\":null}" },
		{ "{x=y: \xC3\xA9=\xC3\xA9=:[]}\n",
		  "Error: line 1, column 12: did not find expected ',' or '}'" },
		{ "{k=: [=:, a=\n  b=:, =c:], l: m:}\n",
		  "{\"k=\":[\"=:\",\"a= b=:\",\"=c:\"],\"l\":\"m:\"}" },
		{ "{a:?b}\n", "Error: line 1, column 2: did not find expected ',' or '}'" },
		/* tags can have commas and brackets */
		{ "- !!int, 1\n", "[\"1\"]" },
		{ "- !a[0] 1\n", "[\"1\"]" },
		{ "- !, x\n", "[\"x\"]" },
		{ "[!!str, a]\n", "[\"a\"]" },
		{ "{a: !!str, b: c}\n",
		  "Error: line 1, column 13: did not find expected ',' or '}'" },
		{ "[&x !t, y, *x ]\n", "[\"y\",\"y\"]" },
		{ "[!a? b]\n", "[\"b\"]" },
		/* only version 1.1 */
		{ "%YAML 1.1\n---\na: 1\n", "{\"a\":1}" },
		{ "%YAML 1.2\n---\na: 1\n",
		  "Error: line 1, column 1: upstream reads only YAML 1.1: remove the %YAML "
		  "line" },
		{ "# x\n%TAG !e! tag:e,\n%YAML  1.3 # y\n",
		  "Error: line 3, column 1: upstream reads only YAML 1.1: remove the %YAML "
		  "line" },
		{ "%YAML 1.2\n",
		  "Error: line 1, column 1: upstream reads only YAML 1.1: remove the %YAML "
		  "line" },
		{ "%YAML 1.2 x\n---\n",
		  "Error: line 1, column 11: did not find expected comment or line break" },
		{ "%YAML 1.x\n---\n",
		  "Error: line 1, column 9: did not find expected version number" },
		{ "a: 1\n...\n%YAML 1.2\n---\nb: 1\n", "{\"a\":1}" },
	};

	CHECK_JSON(cases);
}

/* A text that needs many replacements costs no more than a large text. */
TEST mending_is_bounded(void)
{
	static const char many[] = "- \"\\'\"\n";
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *j = NULL;
	struct buf b;

	buf_init(&b, &a);
	for (int i = 0; i < 1000; i++)
		buf_addz(&b, many);
	ASSERT_INT(0, yml_parse(&a, buf_str(&b), NULL, &j, &err));
	ASSERT_INT(1000, (long long)json_len(j));
	while (b.n < (size_t)2 << 20)
		buf_addz(&b, many);
	ASSERT_INT(-ERR_INVALID, yml_parse(&a, buf_str(&b), NULL, &j, &err));
	b.n = 0;
	buf_addz(&b, "\"");
	while (b.n < (size_t)2 << 20)
		buf_addz(&b, "\\'");
	buf_addz(&b, "\"");
	ASSERT_INT(0, yml_parse(&a, buf_str(&b), NULL, &j, &err));
	ASSERT_INT((long long)(b.n - 2) / 2, (long long)json_text(j).n);
	PASS();
}

TEST upstream_numbers_lines_its_own_way(void)
{
	static const struct yml_case cases[] = {
		{ "a: b\n c: d\n", "yaml: line 2: mapping values are not allowed in this context" },
		{ "a: @b\n", "yaml: found character that cannot start any token" },
		{ "a: 1\nb: [1, 2\n", "yaml: line 2: did not find expected ',' or ']'" },
		{ "a: \x01\n", "yaml: control characters are not allowed" },
		{ "a: *x\n", "yaml: unknown anchor 'x' referenced" },
		{ "a: .inf\n", "json: unsupported value: +Inf" },
		{ "a: \"\\/\"\n", "yaml: found unknown escape character" },
		{ "a:\n- \"\\/\"\n", "yaml: line 2: found unknown escape character" },
		{ "%YAML 1.2\n---\n", "yaml: found incompatible YAML document" },
		{ "\n\n%YAML 1.2\n---\n", "yaml: line 2: found incompatible YAML document" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct yml_fault f = { 0 };
		struct yml_opts opts = { .fault = &f };
		struct json *j;

		ASSERT_INT(-ERR_INVALID, yml_parse(&a, str_of(cases[i].in), &opts, &j, &err));
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), f.upstream);
	}
	PASS();
}

TEST strict_keys(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	ASSERT_STR("Error: line 3, column 4: key \"a\" already set in map",
		   to_json(&a, S("a: 1\nb: 2\na: 3\n"), JSON_DUP_ERROR));
	buf_init(&b, &a);
	for (int i = 0; i < 40; i++)
		buf_addf(&b, "k%d: %d\n", i, i);
	ASSERT(str_starts(to_json(&a, buf_str(&b), JSON_DUP_ERROR), S("{\"k0\"")));
	buf_addz(&b, "k7: again\n");
	ASSERT_STR("Error: line 41, column 5: key \"k7\" already set in map",
		   to_json(&a, buf_str(&b), JSON_DUP_ERROR));
	ASSERT(str_find(to_json(&a, buf_str(&b), 0), S("\"k7\":\"again\"")) > 0);
	PASS();
}

TEST bombs_are_defused(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct yml_opts opts = { .size_max = 3 };
	struct json *j;
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 9; i++)
		buf_addf(&b, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1,
			 i - 1, i - 1, i - 1, i - 1);
	ASSERT(str_ends(to_json(&a, buf_str(&b), 0), S("document contains excessive aliasing")));
	buf_init(&b, &a);
	buf_fill(&b, '[', 100000);
	ASSERT_INT(-ERR_LIMIT, yml_parse(&a, buf_str(&b), NULL, &j, &err));
	buf_init(&b, &a);
	for (int i = 0; i < 2000; i++)
		buf_addz(&b, "- ");
	ASSERT_INT(-ERR_LIMIT, yml_parse(&a, buf_str(&b), NULL, &j, &err));
	ASSERT_INT(-ERR_LIMIT, yml_parse(&a, S("a: 1"), &opts, &j, &err));
	PASS();
}

TEST spans_are_byte_offsets(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct str in = S("\xEF\xBB\xBF# \xC3\xA9\nk\xC3\xA9y: [ab, 'c']\n");
	struct err err = ERR_INIT(&a);
	size_t start, end;
	struct json *j;

	ASSERT_INT(0, yml_parse(&a, in, NULL, &j, &err));
	j = json_first(j);
	ASSERT_STR("k\xC3\xA9y", str_sub(in, json_key_pos(j), json_key_pos(j) + 4));
	json_span(j, &start, &end);
	ASSERT_STR("[ab, 'c']", str_sub(in, start, end));
	json_span(json_next(json_first(j)), &start, &end);
	ASSERT_STR("'c'", str_sub(in, start, end));
	PASS();
}

/* ---- documents ----------------------------------------------------------- */

TEST splitting_documents(void)
{
	static const struct yml_case cases[] = {
		{ "", "" },
		{ "a\n", "1:a\n|" },
		{ "a\n---\nb\n", "1:a\n|3:b\n|" },
		{ "---\na\n--- # x\nb", "1:---\na\n|4:b|" },
		{ "a\n---\n---\nb\n", "1:a\n|3:---\nb\n|" },
		{ "a\r\n---\r\nb\r\n", "1:a\n|3:b\n|" },
		{ "a\n ---\n", "1:a\n ---\n|" },
		{ "a\n--- b\n", "Error: invalid Yaml document separator: b" },
		{ "a\n----\n", "Error: invalid Yaml document separator: -" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct yml_docs d;
		struct str doc;
		struct buf b;
		size_t line;
		int rc;

		buf_init(&b, &a);
		yml_docs_init(&a, &d, str_of(cases[i].in));
		while ((rc = yml_docs_next(&d, &doc, &line, &err)) == 1)
			buf_addf(&b, "%zu:%.*s|", line, STRF(doc));
		if (rc < 0) {
			b.n = 0;
			buf_addf(&b, "Error: %.*s", STRF(err.msg));
		}
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

/* ---- emitting ------------------------------------------------------------ */

static struct str to_yaml(struct arena *a, const char *json)
{
	struct err err = ERR_INIT(a);
	struct json *j;
	struct buf b;

	buf_init(&b, a);
	if (json_parse(a, str_of(json), NULL, &j, &err) < 0 || yml_emit(&b, j, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	return buf_str(&b);
}

TEST scalar_styles(void)
{
	static const struct yml_case cases[] = {
		{ "\"a: b\"", "'a: b'\n" },
		{ "\"a:b\"", "a:b\n" },
		{ "\"a:\"", "'a:'\n" },
		{ "\"#a\"", "'#a'\n" },
		{ "\"a#b\"", "a#b\n" },
		{ "\"a #b\"", "'a #b'\n" },
		{ "\"-a\"", "-a\n" },
		{ "\"- a\"", "'- a'\n" },
		{ "\"-\"", "'-'\n" },
		{ "\"--\"", "--\n" },
		{ "\"---\"", "'---'\n" },
		{ "\"...\"", "'...'\n" },
		{ "\"?a\"", "?a\n" },
		{ "\"? a\"", "'? a'\n" },
		{ "\":a\"", ":a\n" },
		{ "\"a{b\"", "a{b\n" },
		{ "\"{a\"", "'{a'\n" },
		{ "\"a'b\"", "a'b\n" },
		{ "\"'a\"", "'''a'\n" },
		{ "\"a\\\"b\"", "a\"b\n" },
		{ "\"\\\"a\"", "'\"a'\n" },
		{ "\" a\"", "' a'\n" },
		{ "\"a \"", "'a '\n" },
		{ "\"a\\tb\"", "\"a\\tb\"\n" },
		{ "\"\xF0\x9F\x98\x80\"", "\"\\U0001F600\"\n" },
		{ "\"日本\"", "日本\n" },
		{ "\"\xC2\xA0\"", "\xC2\xA0\n" },
		{ "\"\"", "\"\"\n" },
		{ "\"a\\nb\\n\"", "|\n  a\n  b\n" },
		{ "\"a\\nb\"", "|-\n  a\n  b\n" },
		{ "\"\\n\"", "|2+\n\n" },
		{ "\"\\na\"", "|2-\n\n  a\n" },
		{ "\"a\\n\\n\"", "|+\n  a\n\n" },
		{ "\" a\\n\"", "|2\n   a\n" },
		{ "\"a\\r\\nb\\r\\n\"", "\"a\\r\\nb\\r\\n\"\n" },
		{ "\"a \\nb\"", "\"a \\nb\"\n" },
		{ "\"\\ufeffbom\"", "\"\\uFEFF\\x62\\x6F\\x6D\"\n" },
		{ "\"in\\ufeffside\"", "\"in\\uFEFFside\"\n" },
		{ "\"\\u0000\\u0007\\u001b\\u2028x\\u0001\"", "\"\\0\\a\\e\\Lx\\x01\"\n" },
		{ "\"a\\u0085b\"", "a b\n" },
		{ "\"a \\u0085 \\u0085b\"", "|-\n  a\n  b\n" },
		{ "\"x\\u007f\"", "Error: yaml: control characters are not allowed" },
		{ "[null,true,1,-0,1.0,1e6,1E400]",
		  "- null\n- true\n- 1\n- 0\n- 1\n- 1e+06\n- 1E400\n" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), to_yaml(&a, cases[i].in));
	PASS();
}

TEST words_that_need_quotes(void)
{
	static const char *const quoted[] = {
		"y",
		"Yes",
		"NO",
		"on",
		"OFF",
		"true",
		"~",
		"null",
		".nan",
		".Inf",
		"-.inf",
		"0",
		"-1",
		"+1.5",
		"0x1F",
		"0o17",
		"08",
		"1_",
		"1.",
		".5",
		"1e3",
		"18446744073709551616",
		"0b1",
		"12:30:45",
		"2001-01-01",
		"2001-01-01T00:00:00Z",
		"2001-1-1 1:2:3",
		"2001-1-1T1:2:3.01234567890123Z",
	};
	static const char *const plain[] = {
		"yEs",
		"1e999",
		"0x",
		"12:60",
		"2001-13-01",
		"<<",
		"=",
		"NaN",
		"Inf",
		"1e",
		"0xFFFFFFFFFFFFFFFFF",
		"2001-01-01T00:00:00",
		"rw,nosuid",
		"a=b",
		"1.2.3",
		"v1",
		"127.0.0.1",
		"::1",
		"2001-02-30",
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(quoted); i++)
		ASSERT_STR_M(quoted[i], str_fmt(&a, "\"%s\"\n", quoted[i]),
			     to_yaml(&a, str_fmt(&a, "\"%s\"", quoted[i]).p));
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		ASSERT_STR_M(plain[i], str_fmt(&a, "%s\n", plain[i]),
			     to_yaml(&a, str_fmt(&a, "\"%s\"", plain[i]).p));
	PASS();
}

TEST layout(void)
{
	static const struct yml_case cases[] = {
		{ "{}", "{}\n" },
		{ "[]", "[]\n" },
		{ "{\"b\":{\"c\":[]},\"a\":[1,[2,[3]],{\"x\":1,\"y\":{}}]}",
		  "a:\n- 1\n- - 2\n  - - 3\n- x: 1\n  \"y\": {}\nb:\n  c: []\n" },
		{ "{\"a\":\"x\\ny\\n\",\"b\":[\"p\\nq\"]}",
		  "a: |\n  x\n  y\nb:\n- |-\n  p\n  q\n" },
		{ "{\"yes\":1,\"a b\":2,\"1\":3,\"\":4}",
		  "\"\": 4\n\"1\": 3\na b: 2\n\"yes\": 1\n" },
		{ "{\"a\\nb\":[1]}", "? |-\n  a\n  b\n: - 1\n" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), to_yaml(&a, cases[i].in));
	PASS();
}

TEST long_lines_fold_at_a_space(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf in, want;

	buf_init(&in, &a);
	buf_addz(&in, "{\"k\":\"");
	buf_fill(&in, 'x', 78);
	buf_addz(&in, " y z  w\"}");
	buf_init(&want, &a);
	buf_addz(&want, "k: ");
	buf_fill(&want, 'x', 78);
	buf_addz(&want, "\n  y z  w\n");
	ASSERT_STR_M("plain", buf_str(&want), to_yaml(&a, in.p));
	PASS();
}

TEST key_order(void)
{
	static const char *const ascending[] = {
		"",   "-a",  "1",    "9",  "10", "B",	   "a",	      "a-b", "a.b",  "a1", "a01",
		"a2", "a10", "a100", "aB", "ab", "alpha9", "alpha10", "b2",  "b10c", "é",
	};
	size_t n = ARRAY_LEN(ascending);

	for (size_t i = 0; i + 1 < n; i++) {
		int c = yml_key_cmp(str_of(ascending[i]), str_of(ascending[i + 1]));

		ASSERTm(ascending[i], c < 0);
		c = yml_key_cmp(str_of(ascending[i + 1]), str_of(ascending[i]));
		ASSERTm(ascending[i], c > 0);
	}
	ASSERT_INT(0, yml_key_cmp(S("a1"), S("a1")));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(scalars_of_yaml_1_1);
	RUN_TEST(structure);
	RUN_TEST(anchors_and_merges);
	RUN_TEST(faults);
	RUN_TEST(upstream_differs_from_libyaml);
	RUN_TEST(mending_is_bounded);
	RUN_TEST(upstream_numbers_lines_its_own_way);
	RUN_TEST(strict_keys);
	RUN_TEST(bombs_are_defused);
	RUN_TEST(spans_are_byte_offsets);
	RUN_TEST(splitting_documents);
	RUN_TEST(scalar_styles);
	RUN_TEST(words_that_need_quotes);
	RUN_TEST(layout);
	RUN_TEST(long_lines_fold_at_a_space);
	RUN_TEST(key_order);
}

TEST_MAIN(suite)
