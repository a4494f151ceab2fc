/* patch, flate and docs, the smaller modules of the layer. */
#include "../gzip.h"
#include "../test.h"

#include "data/docs.h"
#include "data/flate.h"
#include "data/patch.h"

static struct json *parse(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (json_parse(a, str_of(text), NULL, &j, &err) < 0)
		abort();
	return j;
}

static struct str text_of(struct arena *a, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	if (j)
		json_encode(&b, j, 0);
	return buf_str(&b);
}

TEST merge_patches_of_rfc_7386(void)
{
	static const struct {
		const char *target, *patch, *want;
	} cases[] = {
		{ "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
		{ "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
		{ "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
		{ "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
		{ "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
		{ "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}",
		  "{\"a\":{\"b\":\"d\"}}" },
		{ "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
		{ "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
		{ "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
		{ "{\"a\":\"foo\"}", "null", "null" },
		{ "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
		{ "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
		{ "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
		{ "{\"a\":1,\"b\":2,\"c\":3}", "{\"b\":null,\"c\":{\"d\":1}}",
		  "{\"a\":1,\"c\":{\"d\":1}}" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json *target = parse(&a, cases[i].target);
		struct json *got = patch_apply(&a, target, parse(&a, cases[i].patch));

		ASSERT_STR_M(cases[i].patch, str_of(cases[i].want), text_of(&a, got));
		ASSERT_STR_M("target untouched", str_of(cases[i].target), text_of(&a, target));
	}
	PASS();
}

TEST gzip_there_and_back(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str packed, out, text = S("hello hello hello hello");
	struct buf two;

	packed = gzip(&a, text);
	ASSERT_INT(0, flate_gunzip(&a, packed, 100, &out, &err));
	ASSERT_STR("hello hello hello hello", out);
	ASSERT_INT(-ERR_LIMIT, flate_gunzip(&a, packed, 10, &out, &err));
	ASSERT_STR("unpacks to more than 10 bytes", err.msg);
	buf_init(&two, &a);
	buf_add(&two, packed);
	buf_add(&two, packed);
	ASSERT_INT(0, flate_gunzip(&a, buf_str(&two), 100, &out, &err));
	ASSERT_INT(46, (long long)out.n);
	ASSERT_INT(0, flate_gunzip(&a, gzip(&a, S("")), 0, &out, &err));
	ASSERT_STR("", out);
	PASS();
}

/* Parts of any size, and output that exactly fills a part. */
TEST gunzip_in_parts(void)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 200000 };
	static const size_t steps[] = { 1, 7, 1000, 1000000 };
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < 6 * 4; i++) {
		struct err err = ERR_INIT(&a);
		struct sink_buf b = { .max = 400000 };
		struct sink to = sink_to_buf(&b);
		struct flate *f = flate_new();
		struct buf plain, packed;
		struct str rest;

		buf_init(&b.b, &a);
		buf_init(&plain, &a);
		buf_init(&packed, &a);
		for (size_t k = 0; k < sizes[i % 6]; k++)
			buf_addc(&plain, (char)(k * k >> 5));
		buf_add(&packed, gzip(&a, buf_str(&plain)));
		buf_add(&packed, gzip(&a, buf_str(&plain)));
		for (rest = buf_str(&packed); rest.n;
		     rest = str_from(rest, steps[i / 6] < rest.n ? steps[i / 6] : rest.n)) {
			if (rest.n < packed.n / 2 && rest.n > 0)
				ASSERT(b.b.n >= plain.n);
			ASSERT_INT(0, flate_push(f,
						 str_sub(rest, 0,
							 steps[i / 6] < rest.n ? steps[i / 6]
									       : rest.n),
						 &to, &err));
		}
		ASSERT_INT(0, flate_end(f, &err));
		ASSERT_INT((long long)plain.n * 2, (long long)b.b.n);
		ASSERT(str_eq(buf_str(&plain), str_sub(buf_str(&b.b), plain.n, b.b.n)));
		/* one more byte starts another member */
		ASSERT_INT(0, flate_push(f, S("\x1f"), &to, &err));
		ASSERT_INT(-ERR_INVALID, flate_end(f, &err));
		flate_free(f);
	}
	PASS();
}

TEST gzip_refused(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str packed = gzip(&a, S("hello")), out;
	char *bad = str_z(&a, packed);

	ASSERT_INT(-ERR_INVALID, flate_gunzip(&a, S(""), 10, &out, &err));
	ASSERT_INT(-ERR_INVALID, flate_gunzip(&a, S("plain"), 10, &out, &err));
	ASSERT_STR("gzip: invalid header", err.msg);
	for (size_t n = 1; n < packed.n; n++)
		ASSERT_INT(-ERR_INVALID, flate_gunzip(&a, str_sub(packed, 0, n), 10, &out, &err));
	ASSERT_STR("unexpected EOF", err.msg);
	bad[packed.n - 5] ^= 1; /* the checksum */
	ASSERT_INT(-ERR_INVALID, flate_gunzip(&a, (struct str){ bad, packed.n }, 10, &out, &err));
	PASS();
}

TEST documents_of_a_manifest(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "a: 1\n---\n# none\n---\nb: 2\n", "1:1:{\"a\":1} 3:5:{\"b\":2} " },
		{ "  {\"a\":1}\n\n{\"b\":2}", "1:1:{\"a\":1} 2:3:{\"b\":2} " },
		{ "{a: 1}\n", "1:1:{\"a\":1} " }, /* flow YAML */
		{ "{\"a\":1}\n---\nb: 2\n", "1:1:{\"a\":1} 2:2:{\"b\":2} " },
		{ "{\"a\":1,\"a\":2}", "1:1:{\"a\":1,\"a\":2} " },
		{ "", "" },
		{ "null\n", "" },
		{ "a: 1\n---\nb: [\n", "line 4, column 1: did not find expected node content" },
		{ "{\n  \"a\": 1,\n  \"b\" 2\n}",
		  "line 3, column 7: invalid character '2' after object key" },
		{ "a: 1\n--- x\n", "line 2, column 1: invalid Yaml document separator: x" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct docs docs = { 0 };
		struct buf b;

		buf_init(&b, &a);
		if (docs_parse(&a, str_of(cases[i].in), &docs, NULL, &err) < 0)
			buf_add(&b, err.msg);
		else
			for (size_t k = 0; k < docs.n; k++)
				buf_addf(&b, "%zu:%zu:%.*s ", docs.v[k].number, docs.v[k].line,
					 STRF(text_of(&a, docs.v[k].tree)));
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(merge_patches_of_rfc_7386);
	RUN_TEST(gzip_there_and_back);
	RUN_TEST(gunzip_in_parts);
	RUN_TEST(gzip_refused);
	RUN_TEST(documents_of_a_manifest);
}

TEST_MAIN(suite)
