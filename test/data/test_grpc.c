/* gRPC as bytes: requests, and how responses, malformed ones too, are parsed. */
#include "../test.h"

#include "data/grpc.h"

/* "00 82 'text' …": bytes in hex and quoted text, the notation of the cases. */
static struct str bytes(struct arena *a, const char *z)
{
	struct buf b;

	buf_init(&b, a);
	while (*z) {
		if (*z == '\'') {
			for (z++; *z != '\''; z++)
				buf_addc(&b, *z);
			z++;
		} else if (*z == ' ') {
			z++;
		} else {
			const char hex[3] = { z[0], z[1], 0 };

			buf_addc(&b, (char)strtoul(hex, NULL, 16));
			z += 2;
		}
	}
	return buf_str(&b);
}

/* Parses a response that arrives n bytes at a time. */
static struct str told(struct arena *a, struct str in, size_t n)
{
	struct buf reply, b;
	struct grpc g;

	buf_init(&reply, a);
	buf_init(&b, a);
	grpc_init(&g, a);
	for (; in.n; in = str_from(in, n < in.n ? n : in.n))
		grpc_take(&g, str_sub(in, 0, n < in.n ? n : in.n), &reply);
	if (!g.over)
		buf_addz(&b, "more");
	else if (g.status)
		buf_add(&b, grpc_error(a, g.status, g.text));
	else
		buf_addf(&b, "OK '%.*s'", STRF(g.message));
	if (reply.n)
		buf_addz(&b, " reply");
	for (size_t i = 0; i < reply.n; i++)
		buf_addf(&b, " %02x", (unsigned char)reply.p[i]);
	return buf_str(&b);
}

#define BEGIN "000000 04 00 00000000"
#define ACKED " reply 00 00 00 04 01 00 00 00 00"
#define HEAD "000001 01 04 00000001 88"
#define WRONG "rpc error: code = Internal desc = the peer does not speak gRPC"

#define GAVE_UP "rpc error: code = Unavailable desc = the peer cancelled the call"

TEST answers(void)
{
	static const struct {
		const char *name, *in, *want;
	} cases[] = {
		{ "nothing yet", BEGIN HEAD, "more" ACKED },
		{ "an answer",
		  BEGIN HEAD "000007 00 00 00000001 00 00000002 'hi'"
			     "00000f 01 05 00000001 40 0b 'grpc-status' 01 '0'",
		  "OK 'hi'" ACKED },
		{ "in pieces, padded, with priorities, over frames",
		  BEGIN "000008 01 2c 00000001 01 80000000 00 88 00"
			"000005 00 08 00000001 01 00 00 00 ff"
			"000004 00 00 00000001 00 02 'hi'"
			"000002 01 01 00000001 00 0b"
			"000008 09 00 00000001 'grpc-sta'"
			"000005 09 04 00000001 'tus' 01 '0'",
		  "OK 'hi'" ACKED },
		{ "an error in the trailers",
		  BEGIN HEAD "00002d 01 05 00000001 00 0b 'grpc-status' 01 '2'"
			     "00 0c 'grpc-message' 0f 'no%20such:%0a %'",
		  "rpc error: code = Unknown desc = no%20such:%0a %" ACKED },
		{ "its escapes",
		  BEGIN HEAD "00002b 01 05 00000001 00 0b 'grpc-status' 01 '5'"
			     "00 0c 'grpc-message' 0d 'no%20such:%25'",
		  "rpc error: code = NotFound desc = no such:%" ACKED },
		{ "trailers alone, in Huffman's code",
		  BEGIN "00001d 01 05 00000001 88 20"
			"00 88 9acac8b21234da8f 02 '12'"
			"00 89 9acac8b5254207317f 02 '%%'",
		  "rpc error: code = Unimplemented desc = %%" ACKED },
		{ "an unknown status", BEGIN "000010 01 05 00000001 00 0b 'grpc-status' 02 '99'",
		  "rpc error: code = Code(99) desc = " ACKED },
		{ "a status that is none",
		  BEGIN "000010 01 05 00000001 00 0b 'grpc-status' 02 '-1'",
		  "rpc error: code = Unknown desc = " ACKED },
		{ "not gRPC", BEGIN "000001 01 05 00000001 8d", WRONG ACKED },
		{ "a literal status", BEGIN "000005 01 05 00000001 08 03 '502'", WRONG ACKED },
		{ "no status", BEGIN HEAD "000000 00 01 00000001", WRONG ACKED },
		{ "no message", BEGIN "00000f 01 05 00000001 00 0b 'grpc-status' 01 '0'",
		  WRONG ACKED },
		{ "half a message",
		  BEGIN HEAD "000006 00 00 00000001 00 00000002 'h'"
			     "00000f 01 05 00000001 00 0b 'grpc-status' 01 '0'",
		  WRONG ACKED },
		{ "a compressed message",
		  BEGIN HEAD "000006 00 00 00000001 01 00000001 'h'"
			     "00000f 01 05 00000001 00 0b 'grpc-status' 01 '0'",
		  WRONG ACKED },
		{ "settings and pings are answered, the rest is not",
		  BEGIN "000006 04 00 00000000 0003 00000064"
			"000000 04 01 00000000 000008 06 00 00000000 'pingpong'"
			"000008 06 01 00000000 'pingpong'"
			"000004 08 00 00000000 00000001"
			"000005 02 00 00000003 00000001 00"
			"000003 99 00 00000007 'new'"
			"000008 07 00 00000000 00000001 00000000",
		  "more" ACKED " 00 00 00 04 01 00 00 00 00"
		  " 00 00 08 06 01 00 00 00 00 70 69 6e 67 70 6f 6e 67" },
		{ "it goes away", BEGIN "000008 07 00 00000000 00000000 00000000", GAVE_UP ACKED },
		{ "it refuses", BEGIN "000004 03 00 00000001 00000007", GAVE_UP ACKED },
		{ "it cancels", BEGIN "000004 03 00 00000001 00000008", GAVE_UP ACKED },
		{ "HTTP/1", "'HTTP/1.1 400 Bad Request'", WRONG },
		{ "no settings first", HEAD, WRONG },
		{ "another's stream", BEGIN "000000 00 00 00000003", WRONG ACKED },
		{ "settings of a stream", BEGIN "000000 04 00 00000001", WRONG ACKED },
		{ "a push", BEGIN "000004 05 04 00000001 00000002", WRONG ACKED },
		{ "half a setting", BEGIN "000005 04 00 00000000 '12345'", WRONG ACKED },
		{ "fields that end nowhere", BEGIN "000001 01 00 00000001 88 000000 00 00 00000001",
		  WRONG ACKED },
		{ "fields out of nowhere", BEGIN "000001 09 04 00000001 88", WRONG ACKED },
		{ "more padding than frame", BEGIN "000002 00 08 00000001 0200", WRONG ACKED },
		{ "a table", BEGIN "000001 01 04 00000001 be", WRONG ACKED },
		{ "no field", BEGIN "000001 01 04 00000001 80", WRONG ACKED },
		{ "a table's size", BEGIN "000002 01 04 00000001 3f 01", WRONG ACKED },
		{ "half a name", BEGIN "000003 01 04 00000001 00 02 'x'", WRONG ACKED },
		{ "an endless number", BEGIN "000007 01 04 00000001 ff ffffffffff 00",
		  WRONG ACKED },
		{ "Huffman's end mark", BEGIN "000008 01 04 00000001 00 84 ffffffff 01 'x'",
		  WRONG ACKED },
		{ "padded with zeros", BEGIN "000005 01 04 00000001 00 81 00 01 'x'", WRONG ACKED },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str in = bytes(&a, cases[i].in);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), told(&a, in, in.n));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), told(&a, in, 1));
	}
	PASS();
}

TEST huffman(void)
{
	static const struct {
		const char *code, *want;
	} cases[] = {
		/* from the examples of the RFC */
		{ "f1e3c2e5f23a6ba0ab90f4ff", "www.example.com" },
		{ "a8eb10649cbf", "no-cache" },
		{ "25a849e95ba97d7f", "custom-key" },
		{ "25a849e95bb8e8b4bf", "custom-value" },
		{ "d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT" },
		{ "9d29ad171863c78f0b97c8e9ae82ae43d3", "https://www.example.com" },
		{ "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f"
		  "9587316065c003ed4ee5b1063d5007",
		  "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct hpack_field f;
		struct str code = bytes(&a, cases[i].code), block;
		struct buf b;

		buf_init(&b, &a);
		buf_addf(&b, "%c%c", 0x0f, 0x10);
		buf_addc(&b, (char)(0x80 | code.n));
		buf_add(&b, code);
		block = buf_str(&b);
		ASSERT_INT_M(cases[i].want, 1, hpack_next(&a, &block, &f));
		ASSERT_STR_M(cases[i].want, S(""), f.name);
		ASSERT_STR_M(cases[i].want, str_of(cases[i].want), f.value);
		ASSERT_INT_M(cases[i].want, 0, hpack_next(&a, &block, &f));
	}
	PASS();
}

TEST request(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b, long_one;

	buf_init(&b, &a);
	ASSERT_INT(1, grpc_request(&b, S("/a.B/C"), S("hi")));
	ASSERT_STR_M("request",
		     bytes(&a, "'PRI * HTTP/2.0' 0d0a0d0a 'SM' 0d0a0d0a"
			       "000012 04 00 00000000 000100000000"
			       "000200000000 000400200000"
			       "000004 08 00 00000000 00200000"
			       "000035 01 04 00000001 8386 01 09 'localhost'"
			       "04 06 '/a.B/C' 0f10 10 'application/grpc'"
			       "00 02 'te' 08 'trailers'"
			       "000007 00 01 00000001 0000000002 'hi'"),
		     buf_str(&b));
	buf_init(&long_one, &a);
	buf_fill(&long_one, 'x', GRPC_REQUEST_MAX + 1);
	ASSERT_INT(0, grpc_request(&b, S("/"), buf_str(&long_one)));
	PASS();
}

TEST messages(void)
{
	static const struct {
		const char *name, *in;
		unsigned field;
		const char *want;
	} cases[] = {
		{ "the first", "0a 02 'hi'", 1, "hi" },
		{ "among others", "10 ff01 19 '12345678' 25 '1234' 0a 01 'x' 32 01 'y'", 6, "y" },
		{ "the last of several", "0a 01 'x' 0a 01 'y'", 1, "y" },
		{ "an empty one", "0a 00", 1, "" },
		{ "not of bytes", "08 01", 1, "none" },
		{ "none", "", 3, "none" },
		{ "longer than there is", "0a 02 'x'", 1, "broken" },
		{ "a group", "0b 0c", 1, "broken" },
		{ "half a tag", "8a", 1, "broken" },
		{ "a number without end", "08 ffffffffffffffffffffff01", 1, "broken" },
		{ "a huge length", "0a ffffffffffffffffff01", 1, "broken" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b, text;
	struct str got;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int rc = proto_find(bytes(&a, cases[i].in), cases[i].field, &got);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
			     rc < 0 ? S("broken")
			     : rc   ? got
				    : S("none"));
	}
	buf_init(&text, &a);
	buf_fill(&text, 'x', 300);
	buf_init(&b, &a);
	proto_add(&b, 2, S("hi"));
	proto_add(&b, 1, buf_str(&text));
	ASSERT_INT(4 + 3 + 300, (long long)b.n);
	ASSERT_STR_M("head", bytes(&a, "12 02 'hi' 0a ac02 'x'"), str_sub(buf_str(&b), 0, 8));
	ASSERT_INT(1, proto_find(buf_str(&b), 1, &got));
	ASSERT_STR_M("long", buf_str(&text), got);
	PASS();
}

SUITE(grpc)
{
	RUN_TEST(answers);
	RUN_TEST(huffman);
	RUN_TEST(request);
	RUN_TEST(messages);
}

TEST_MAIN(grpc)
