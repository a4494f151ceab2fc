#include "../test.h"

#include "data/json.h"

static struct str recode(struct arena *a, struct str in, unsigned flags, unsigned style)
{
	struct err err = ERR_INIT(a);
	struct json_opts opts = { .flags = flags };
	struct json *j;
	struct buf b;

	if (json_parse(a, in, &opts, &j, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	buf_init(&b, a);
	json_encode(&b, j, style);
	return buf_str(&b);
}

struct recode_case {
	const char *in, *want;
};

TEST values_survive(void)
{
	static const struct recode_case cases[] = {
		{ " null ", "null" },
		{ "true", "true" },
		{ "[false,{}]", "[false,{}]" },
		{ "\t[ 1 , 2 ]\r\n", "[1,2]" },
		{ "1.50e+03", "1.50e+03" }, /* numbers keep their text */
		{ "-0", "-0" },
		{ "123456789012345678901234567890", "123456789012345678901234567890" },
		{ "{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}" },
		{ "\"a\\u0041\\n\\/\"", "\"aA\\n/\"" },
		{ "\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"" },
		{ "\"<>&\"", "\"\\u003c\\u003e\\u0026\"" },
		{ "\"\xE2\x80\xA8\xE2\x80\xA9\"", "\"\\u2028\\u2029\"" },
		{ "\"\\b\\f\\u0001\\u007f\"", "\"\\u0008\\u000c\\u0001\x7f\"" },
		{ "{\"\":{\"\":[]}}", "{\"\":{\"\":[]}}" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want),
			     recode(&a, str_of(cases[i].in), 0, 0));
	PASS();
}

TEST faults_say_where_in_gos_words(void)
{
	static const struct recode_case cases[] = {
		{ "", "line 1, column 1: unexpected end of JSON input" },
		{ "{\"a\":x}",
		  "line 1, column 6: invalid character 'x' looking for beginning of value" },
		{ "{\n \"a\" 1}", "line 2, column 6: invalid character '1' after object key" },
		{ "{\"a\":1 \"b\"}",
		  "line 1, column 8: invalid character '\"' after object key:value pair" },
		{ "{a:1}",
		  "line 1, column 2: invalid character 'a' looking for beginning of object key string" },
		{ "{\"a\":1,}",
		  "line 1, column 8: invalid character '}' looking for beginning of object key string" },
		{ "[1,]",
		  "line 1, column 4: invalid character ']' looking for beginning of value" },
		{ "[1 2]", "line 1, column 4: invalid character '2' after array element" },
		{ "1 x", "line 1, column 3: invalid character 'x' after top-level value" },
		{ "truk",
		  "line 1, column 4: invalid character 'k' in literal true (expecting 'e')" },
		{ "nul",
		  "line 1, column 4: invalid character ' ' in literal null (expecting 'l')" },
		{ "-x", "line 1, column 2: invalid character 'x' in numeric literal" },
		{ "1.x",
		  "line 1, column 3: invalid character 'x' after decimal point in numeric literal" },
		{ "1ex", "line 1, column 3: invalid character 'x' in exponent of numeric literal" },
		{ "01", "line 1, column 2: invalid character '1' after top-level value" },
		{ "\"a\nb\"", "line 1, column 3: invalid character '\\n' in string literal" },
		{ "\"\\q\"", "line 1, column 3: invalid character 'q' in string escape code" },
		{ "\"\\u12g4\"",
		  "line 1, column 6: invalid character 'g' in \\u hexadecimal character escape" },
		{ "\"abc", "line 1, column 5: unexpected end of JSON input" },
		{ "'a'",
		  "line 1, column 1: invalid character '\\'' looking for beginning of value" },
		{ "\"\xff\"", "line 1, column 2: invalid UTF-8 in string literal" },
		{ "\"\\ud800\"", "line 1, column 2: lone surrogate in string literal" },
		{ "\xef\xbb\xbf{}",
		  "line 1, column 1: invalid character '\xc3\xaf' looking for beginning of value" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].in, str_fmt(&a, "Error: %s", cases[i].want),
			     recode(&a, str_of(cases[i].in), 0, 0));
	PASS();
}

TEST go_mends_what_is_not_utf8(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR("\"a\xEF\xBF\xBD\xEF\xBF\xBD"
		   "b\"",
		   recode(&a, S("\"a\xff\\ud800b\""), JSON_FIX_UTF8, 0));
	ASSERT_STR("\"\xEF\xBF\xBDx\"", recode(&a, S("\"\\udc00x\""), JSON_FIX_UTF8, 0));
	ASSERT_STR("\"\xEF\xBF\xBD"
		   "A\"",
		   recode(&a, S("\"\\ud800\\u0041\""), JSON_FIX_UTF8, 0));
	PASS();
}

TEST duplicate_keys(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct str in = S("{\"a\":1,\"b\":2,\"a\":3}");
	struct buf b;

	ASSERT_STR("{\"a\":1,\"b\":2,\"a\":3}", recode(&a, in, 0, 0));
	ASSERT_STR("{\"b\":2,\"a\":3}", recode(&a, in, JSON_DUP_LAST, 0));
	ASSERT_STR("Error: line 1, column 14: duplicate key \"a\"",
		   recode(&a, in, JSON_DUP_ERROR, 0));
	buf_init(&b, &a);
	buf_addc(&b, '{');
	for (int i = 0; i < 50; i++) /* more than are searched pair by pair */
		buf_addf(&b, "\"k%d\":%d,", i % 25, i);
	buf_addz(&b, "\"z\":0}");
	ASSERT_STR("Error: line 1, column 207: duplicate key \"k0\"",
		   recode(&a, buf_str(&b), JSON_DUP_ERROR, 0));
	ASSERT(str_starts(recode(&a, buf_str(&b), JSON_DUP_LAST, 0), S("{\"k0\":25,\"k1\":26,")));
	PASS();
}

TEST limits(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json_opts opts = { .size_max = 4 };
	struct json *j = NULL;
	struct buf b;

	ASSERT_INT(-ERR_LIMIT, json_parse(&a, S("[1,2]"), &opts, &j, &err));
	ASSERT_STR("5 bytes of JSON, more than the limit of 4", err.msg);
	buf_init(&b, &a);
	buf_fill(&b, '[', JSON_DEPTH_MAX);
	buf_fill(&b, ']', JSON_DEPTH_MAX);
	ASSERT_INT(0, json_parse(&a, buf_str(&b), NULL, &j, &err));
	b.n = 0;
	buf_fill(&b, '[', 1000000);
	j = NULL;
	ASSERT_INT(-ERR_LIMIT, json_parse(&a, buf_str(&b), NULL, &j, &err));
	ASSERT(!j);
	PASS();
}

TEST a_stream_is_read_value_by_value(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	size_t used = 0;
	struct json_opts opts = { .used = &used };
	struct json *j;

	ASSERT_INT(0, json_parse(&a, S(" {\"a\":1} {"), &opts, &j, &err));
	ASSERT_INT(8, (long long)used);
	PASS();
}

TEST getters_take_paths(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *j;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"spec\":{\"paused\":true,\"n\":-7,\"s\":"
				   "\"x\\u0000y\",\"Paused\":false}}"),
				 NULL, &j, &err));
	ASSERT(json_bool(j, "spec.paused", false));
	ASSERT(!json_bool(j, "spec.PAUSED", false));
	ASSERT(json_bool(j, "spec.n", true)); /* another kind: the default */
	ASSERT_INT(-7, json_i64(j, "spec.n", 0));
	ASSERT_INT(5, json_i64(j, "spec.none.n", 5));
	ASSERT_STR_M("NUL is a character", S("x\0y"), json_str(j, "spec.s"));
	ASSERT_STR("dflt", json_str_or(j, "spec", S("dflt")));
	ASSERT(!json_at(NULL, "a"));
	ASSERT_INT(4, (long long)json_len(json_at(j, "spec")));
	PASS();
}

TEST values_know_their_paths(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const struct json *list;
	struct json *j, *other;

	ASSERT_INT(0, json_parse(&a, S("{\"a\":{\"b\":[1,{\"c\":2}]}}"), NULL, &j, &err));
	ASSERT_INT(0, json_parse(&a, S("1"), NULL, &other, &err));
	list = json_at(j, "a.b");
	ASSERT_STR("a.b", json_path_of(&a, j, list));
	ASSERT_STR("a.b.0", json_path_of(&a, j, json_first(list)));
	ASSERT_STR("a.b.1.c", json_path_of(&a, j, json_first(json_next(json_first(list)))));
	ASSERT_STR("", json_path_of(&a, j, j));
	ASSERT_STR("", json_path_of(&a, j, other));
	json_set_null(json_at(j, "a"));
	ASSERT_INT(JSON_NULL, json_kind(json_at(j, "a")));
	ASSERT_STR("a", json_key(json_at(j, "a")));
	PASS();
}

TEST spans_point_into_the_text(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct str in = S("{ \"a\" : [ 12 ] }");
	struct err err = ERR_INIT(&a);
	size_t start, end;
	struct json *j;

	ASSERT_INT(0, json_parse(&a, in, NULL, &j, &err));
	j = json_member(j, S("a"));
	json_span(j, &start, &end);
	ASSERT_STR("[ 12 ]", str_sub(in, start, end));
	ASSERT_INT(2, (long long)json_key_pos(j));
	json_span(json_first(j), &start, &end);
	ASSERT_STR("12", str_sub(in, start, end));
	PASS();
}

TEST styles(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct str in = S("{\"b\":[1,{}],\"a\":{\"d\":\"<\",\"c\":[]}}");

	ASSERT_STR("{\"a\":{\"c\":[],\"d\":\"\\u003c\"},\"b\":[1,{}]}",
		   recode(&a, in, 0, JSON_SORTED));
	ASSERT_STR("{\n  \"a\": {\n    \"c\": [],\n    \"d\": \"<\"\n  },\n"
		   "  \"b\": [\n    1,\n    {}\n  ]\n}",
		   recode(&a, in, 0, JSON_SORTED | JSON_INDENT | JSON_NO_HTML));
	PASS();
}

TEST building_and_changing(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *o = json_new(&a, JSON_OBJECT), *l, *copy;
	struct buf b;

	json_set(o, S("x"), json_new_i64(&a, -3));
	json_set(o, S("y"), json_new_bool(&a, true));
	json_set(o, S("z"), json_new_str(&a, (struct str){ 0 }));
	l = json_new(&a, JSON_ARRAY);
	json_push(l, json_new(&a, JSON_NULL));
	json_set(o, S("x"), l); /* the first */
	json_set(o, S("y"), json_new_num(&a, S("1e2"))); /* in the middle */
	json_set(o, S("z"), json_new_str(&a, S("end"))); /* the last */
	json_set(o, S("w"), json_new_bool(&a, false)); /* behind it */
	copy = json_clone(&a, o);
	ASSERT(json_eq(o, copy));
	ASSERT(json_remove(o, S("y")));
	ASSERT(!json_remove(o, S("y")));
	ASSERT(!json_eq(o, copy));
	buf_init(&b, &a);
	json_encode(&b, o, 0);
	buf_addc(&b, ' ');
	json_encode(&b, copy, 0);
	ASSERT_STR("{\"x\":[null],\"z\":\"end\",\"w\":false} "
		   "{\"x\":[null],\"y\":1e2,\"z\":\"end\",\"w\":false}",
		   buf_str(&b));
	PASS();
}

TEST objects_are_made_by_path(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *o = json_new(&a, JSON_OBJECT);
	struct json *notes = json_make(&a, o, "metadata.annotations");

	json_add_str(&a, notes, "x.y/z", S("<1>"));
	json_add_opt(&a, notes, "set", S(""));
	json_add_opt(&a, notes, "unset", (struct str){ 0 });
	json_add_str(&a, json_make(&a, o, "metadata"), "name", S("n"));
	ASSERT(json_make(&a, o, "metadata.annotations") == notes);
	json_set(o, S("spec"), json_new_bool(&a, true)); /* of another kind: replaced */
	json_add(json_make(&a, o, "spec.deep"), S("n"), json_new_i64(&a, 3));
	ASSERT_STR("{\"metadata\":{\"annotations\":{\"x.y/z\":\"<1>\",\"set\":\"\",\"unset\":null},"
		   "\"name\":\"n\"},\"spec\":{\"deep\":{\"n\":3}}}",
		   json_format(&a, o, JSON_NO_HTML));
	PASS();
}

/* The list of children must be whole after each change: it is walked both ways. */
TEST replaced_nodes_keep_the_list_whole(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *list = json_new(&a, JSON_ARRAY);

	for (int i = 0; i < 3; i++)
		json_push(list, json_new_i64(&a, i));
	for (int i = 0; i < 3; i++) {
		struct json *at = json_first(list);

		for (int k = 0; k < i; k++)
			at = json_next(at);
		json_replace(list, at, json_new_i64(&a, 10 + i));
		json_push(list, json_new_i64(&a, 20 + i)); /* behind the last */
	}
	json_detach(list, json_first(list));
	json_push(list, json_new(&a, JSON_NULL));
	ASSERT_STR("[11,12,20,21,22,null]", json_format(&a, list, 0));
	ASSERT_INT(6, (int)json_len(list));
	PASS();
}

TEST equality(void)
{
	static const struct {
		const char *x, *y;
		bool same;
	} cases[] = {
		{ "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true },
		{ "{\"a\":1}", "{\"a\":1,\"b\":2}", false },
		{ "{\"a\":1,\"b\":2}", "{\"a\":1}", false },
		{ "[1,2]", "[2,1]", false },
		{ "[1]", "[1,2]", false },
		{ "1", "1.0", false },
		{ "\"1\"", "1", false },
		{ "null", "null", true },
		{ "true", "false", false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct json *x, *y;

		ASSERT_INT(0, json_parse(&a, str_of(cases[i].x), NULL, &x, &err));
		ASSERT_INT(0, json_parse(&a, str_of(cases[i].y), NULL, &y, &err));
		ASSERT_INT_M(cases[i].x, cases[i].same, json_eq(x, y));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(values_survive);
	RUN_TEST(faults_say_where_in_gos_words);
	RUN_TEST(go_mends_what_is_not_utf8);
	RUN_TEST(duplicate_keys);
	RUN_TEST(limits);
	RUN_TEST(a_stream_is_read_value_by_value);
	RUN_TEST(getters_take_paths);
	RUN_TEST(values_know_their_paths);
	RUN_TEST(spans_point_into_the_text);
	RUN_TEST(styles);
	RUN_TEST(building_and_changing);
	RUN_TEST(objects_are_made_by_path);
	RUN_TEST(replaced_nodes_keep_the_list_whole);
	RUN_TEST(equality);
}

TEST_MAIN(suite)
