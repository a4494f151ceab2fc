#include "../test.h"

#include "base/codec.h"
#include "base/hash.h"

struct decode_case {
	const char *in, *want, *error;
};

TEST base64_there_and_back(void)
{
	static const struct decode_case cases[] = {
		{ "", "", NULL },
		{ "Zg==", "f", NULL },
		{ "Zm8=", "fo", NULL },
		{ "Zm9v", "foo", NULL },
		{ "Zm\r\n9v\n", "foo", NULL },
		{ "Zg=", NULL, "illegal base64 data at input byte 3" },
		{ "Zg", NULL, "illegal base64 data at input byte 0" },
		{ "Zm9vZg", NULL, "illegal base64 data at input byte 4" },
		{ "Z===", NULL, "illegal base64 data at input byte 1" },
		{ "Zg==Zg==", NULL, "illegal base64 data at input byte 4" },
		{ "Zm9v!", NULL, "illegal base64 data at input byte 4" },
		{ "Zm_v", NULL, "illegal base64 data at input byte 2" },
		{ "Zg=x", NULL, "illegal base64 data at input byte 2" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct decode_case *c = &cases[i];
		struct err err = ERR_INIT(&a);
		struct str out = S("untouched");
		int rc = base64_decode(&a, str_of(c->in), &out, &err);

		ASSERT_INT_M(c->in, c->error ? -ERR_INVALID : 0, rc);
		ASSERT_STR_M(c->in, str_of(c->error ? c->error : c->want),
			     c->error ? err.msg : out);
	}
	PASS();
}

TEST base64_of_every_length(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	char bytes[256];

	for (int i = 0; i < 256; i++)
		bytes[i] = (char)(i * 7);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct str in = { bytes, n }, out;
		struct buf b;

		buf_init(&b, &a);
		base64_add(&b, in);
		ASSERT_INT(((long long)n + 2) / 3 * 4, (long long)b.n);
		ASSERT_INT(0, base64_decode(&a, buf_str(&b), &out, &err));
		ASSERT_STR_M("round trip", in, out);
	}
	PASS();
}

TEST percent_escapes(void)
{
	static const struct decode_case cases[] = {
		{ "a%41%zz", NULL, "invalid URL escape \"%zz\"" },
		{ "%4", NULL, "invalid URL escape \"%4\"" },
		{ "%", NULL, "invalid URL escape \"%\"" },
		{ "a%20b+c%2Fd", "a b+c/d", NULL },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct decode_case *c = &cases[i];
		struct err err = ERR_INIT(&a);
		struct str out = S("");
		int rc = percent_decode(&a, str_of(c->in), &out, &err);

		ASSERT_INT_M(c->in, c->error ? -ERR_INVALID : 0, rc);
		ASSERT_STR_M(c->in, str_of(c->error ? c->error : c->want),
			     c->error ? err.msg : out);
	}
	buf_init(&b, &a);
	percent_add(&b, S("aZ09-_.!~*'()\n +/é"));
	ASSERT_STR("aZ09-_.!~*'()%0A%20%2B%2F%C3%A9", buf_str(&b));
	PASS();
}

TEST data_urls(void)
{
	static const struct decode_case cases[] = {
		{ "data:,", "", NULL },
		{ "data:,hello%20there", "hello there", NULL },
		{ "data:text/plain;charset=utf-8;base64,aGk=", "hi", NULL },
		{ "data:;base64,aGk=", "hi", NULL },
		{ "data:text/,x", "x", NULL },
		{ "data:x-own/y,1", "1", NULL },
		{ "data:textual/x,1", "1", NULL },
		{ "data:text/plain;a=\"b,c\",d", "d", NULL },
		{ "data:text/plain;a=%41,d", "d", NULL },
		{ "DATA:,x", NULL, "missing data prefix" },
		{ "", NULL, "missing data prefix" },
		{ "data:", NULL, "missing comma before data" },
		{ "data:<,x", NULL, "invalid character after data prefix" },
		{ "data:xml/b,1", NULL, "invalid media type" },
		{ "data:text", NULL, "missing media type slash" },
		{ "data:te xt/x,1", NULL, "invalid character for media type" },
		{ "data:text/plain", NULL, "incomplete media type" },
		{ "data:text/pl ain,1", NULL, "invalid character for media subtype" },
		{ "data:;charset,x", NULL, "expected base64, got charset" },
		{ "data:;,x", NULL, "unterminated parameter sequence" },
		{ "data:;a", NULL, "unterminated parameter sequence" },
		{ "data:; a=b,x", NULL, "invalid character for parameter attribute" },
		{ "data:;a=,x", NULL, "invalid character for parameter value" },
		{ "data:;a=b", NULL, "missing comma before data" },
		{ "data:;a=\"b,x", NULL, "unclosed quoted string" },
		{ "data:;a=\"b\"x", NULL, "expected semicolon or comma" },
		{ "data:,a b", NULL, "invalid data character" },
		{ "data:;base64,a-b", NULL, "invalid data character" },
		{ "data:,%4", NULL, "rfc2396: unexpected end of unescape sequence" },
		{ "data:,%zz", NULL, "rfc2396: invalid char 0x25 in unescape sequence" },
		{ "data:;base64,aGk", NULL, "illegal base64 data at input byte 0" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct decode_case *c = &cases[i];
		struct err err = ERR_INIT(&a);
		struct dataurl u = { .data = S("untouched") };
		int rc = dataurl_parse(&a, str_of(c->in), &u, &err);

		ASSERT_INT_M(c->in, c->error ? -ERR_INVALID : 0, rc);
		ASSERT_STR_M(c->in, str_of(c->error ? c->error : c->want),
			     c->error ? err.msg : u.data);
		err = ERR_INIT(&a);
		ASSERT_INT_M(c->in, rc, dataurl_check(str_of(c->in), &err));
		ASSERT_STR_M(c->in, str_of(c->error ? c->error : ""), err.msg);
	}
	PASS();
}

/* Every byte at every position in texts of every length. */
TEST checking_finds_what_decoding_does(void)
{
	static const char whole[] = "data:;base64,QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZn==";

	for (size_t n = 13; n < sizeof(whole); n++)
		for (size_t at = 13; at < n; at++)
			for (int byte = 0; byte < 256; byte += 3) {
				AUTO(arena) struct arena a = ARENA_INIT;
				struct err x = ERR_INIT(&a), y = ERR_INIT(&a);
				char *p = arena_dup(&a, whole, n);
				struct str url = { p, n }, out;
				struct dataurl u;

				p[at] = (char)byte;
				ASSERT_INT(dataurl_parse(&a, url, &u, &x), dataurl_check(url, &y));
				ASSERT_STR_M("error", x.msg, y.msg);
				x = y = ERR_INIT(&a);
				url = str_from(url, 13);
				ASSERT_INT(base64_decode(&a, url, &out, &x), base64_check(url, &y));
				ASSERT_STR_M("error", x.msg, y.msg);
			}
	PASS();
}

/* At every position: the decoder checks sixteen bytes at a time. */
TEST a_broken_escape_anywhere(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char text[] = "data:,..............................................";
	size_t n = sizeof(text) - 1;

	for (size_t at = 6; at < n; at++) {
		struct str url = { text, n };
		struct err err = ERR_INIT(&a);

		memset(text + 6, '.', n - 6);
		memcpy(text + at, "%aG", n - at < 3 ? n - at : 3);
		ASSERT_INT(-ERR_INVALID, dataurl_check(url, &err));
		ASSERT_STR(at + 2 < n ? "rfc2396: invalid char 0x25 in unescape sequence"
				      : "rfc2396: unexpected end of unescape sequence",
			   err.msg);
		if (at + 2 >= n)
			continue;
		memcpy(text + at, "%F0", 3);
		ASSERT_INT(0, dataurl_check(url, &err));
		memcpy(text + at, "%%0", 3);
		ASSERT_INT(-ERR_INVALID, dataurl_check(url, &err));
	}
	PASS();
}

TEST data_url_parts(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct dataurl u;

	ASSERT_INT(0, dataurl_parse(&a, S("data:text/x;a=b;base64,aGk="), &u, &err));
	ASSERT_STR("text/x", u.media_type);
	ASSERT_STR(";a=b;base64", u.params);
	ASSERT(u.base64);
	ASSERT_INT(0, dataurl_parse(&a, S("data:,x"), &u, &err));
	ASSERT_STR("text/plain", u.media_type);
	ASSERT(!u.base64);
	PASS();
}

TEST data_urls_that_we_write(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_STR("data:,a%0Ab%20c", dataurl_text(&a, S("a\nb c")));
	PASS();
}

TEST sums(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct hash h;

	ASSERT_STR("d41d8cd98f00b204e9800998ecf8427e", hash_hex_of(&a, HASH_MD5, S("")));
	ASSERT_STR("900150983cd24fb0d6963f7d28e17f72", hash_hex_of(&a, HASH_MD5, S("abc")));
	ASSERT_STR("ba7816bf8f01cfea414140de5dae2223"
		   "b00361a396177a9cb410ff61f20015ad",
		   hash_hex_of(&a, HASH_SHA256, S("abc")));
	ASSERT_STR("ddaf35a193617abacc417349ae204131"
		   "12e6fa4e89a97ea20a9eeee64b55d39a"
		   "2192992a274fc1a836ba3c23a3feebbd"
		   "454d4423643ce80e2a9ac94fa54ca49f",
		   hash_hex_of(&a, HASH_SHA512, S("abc")));
	hash_init(&h, HASH_SHA256);
	hash_add(&h, S("a"));
	hash_add(&h, S(""));
	hash_add(&h, S("bc"));
	ASSERT_STR_M("in parts", hash_hex_of(&a, HASH_SHA256, S("abc")), hash_hex(&a, &h));
	PASS();
}

TEST text_for_html(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str in = { "a+\0<b> & \"c\" 'd'", 16 };
	struct buf b;

	buf_init(&b, &a);
	html_add(&b, in);
	ASSERT_STR("a+\xEF\xBF\xBD&lt;b&gt; &amp; &#34;c&#34; &#39;d&#39;", buf_str(&b));
	b.n = 0;
	html_add_strict(&b, in);
	ASSERT_STR("a&#43;\xEF\xBF\xBD&lt;b&gt; &amp; &#34;c&#34; &#39;d&#39;", buf_str(&b));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(base64_there_and_back);
	RUN_TEST(base64_of_every_length);
	RUN_TEST(percent_escapes);
	RUN_TEST(data_urls);
	RUN_TEST(checking_finds_what_decoding_does);
	RUN_TEST(a_broken_escape_anywhere);
	RUN_TEST(data_url_parts);
	RUN_TEST(data_urls_that_we_write);
	RUN_TEST(sums);
	RUN_TEST(text_for_html);
}

TEST_MAIN(suite)
