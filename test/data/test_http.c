/* HTTP messages, each parsed whole, byte by byte and in odd pieces, with the same events. */
#include "../test.h"

#include "data/http.h"

/* The events as text: "GET /x 1.1|a=b|body:hello|end", "fault 400 why". */
static struct str transcript(struct arena *a, enum http_kind kind, bool no_body,
			     const struct http_limits *limits, struct str in, size_t piece,
			     bool eof)
{
	struct err err = ERR_INIT(a);
	struct http_reader r;
	struct buf out, body;

	buf_init(&out, a);
	buf_init(&body, a);
	http_reader_init(&r, kind, limits, a);
	r.no_body = no_body;
	for (;;) {
		struct str now = str_sub(in, 0, piece < in.n ? piece : in.n);
		size_t before = now.n;
		struct str part;
		enum http_event e = http_feed(&r, &now, &part, &err);

		in = str_from(in, before - now.n);
		if (e == HTTP_NEED && in.n == 0 && eof) {
			if (http_between(&r))
				return buf_str(&out);
			e = http_eof(&r, &err);
		}
		switch (e) {
		case HTTP_NEED:
			if (in.n == 0)
				return buf_str(&out);
			break;
		case HTTP_HEAD:
			if (kind == HTTP_REQUEST)
				buf_addf(&out, "%.*s %.*s 1.%d", STRF(r.head.method),
					 STRF(r.head.target), r.head.minor);
			else
				buf_addf(&out, "%d %.*s", r.head.status, STRF(r.head.reason));
			for (size_t i = 0; i < r.head.fields.n; i++)
				buf_addf(&out, "|%.*s=%.*s", STRF(r.head.fields.v[i].name),
					 STRF(r.head.fields.v[i].value));
			if (!r.head.keep_alive)
				buf_addz(&out, "|close");
			if (r.head.expect_continue)
				buf_addz(&out, "|expect");
			break;
		case HTTP_BODY:
			buf_add(&body, part);
			break;
		case HTTP_END:
			buf_addf(&out, "|%.*s|end\n", STRF(buf_str(&body)));
			body.n = 0;
			http_next(&r);
			r.no_body = no_body;
			break;
		case HTTP_FAULT:
			buf_addf(&out, "fault %d %.*s", r.answer, STRF(err.msg));
			return buf_str(&out);
		}
	}
}

struct http_case {
	const char *name, *in, *want;
};

#define GET "GET / HTTP/1.1\r\nHost: h\r\n"
#define POST "POST /p HTTP/1.1\r\nHost: h\r\n"

static const struct http_case requests[] = {
	{ "plain", GET "\r\n", "GET / 1.1|Host=h||end\n" },
	{ "blanks around a value", GET "A: \t b c \t\r\n\r\n", "GET / 1.1|Host=h|A=b c||end\n" },
	{ "an empty value", GET "A:\r\n\r\n", "GET / 1.1|Host=h|A=||end\n" },
	{ "two in a row", GET "\r\n" GET "Connection: Close\r\n\r\n",
	  "GET / 1.1|Host=h||end\nGET / 1.1|Host=h|Connection=Close|close||end\n" },
	{ "1.0 closes", "GET /x HTTP/1.0\r\n\r\n", "GET /x 1.0|close||end\n" },
	{ "1.0 asked to stay", "GET /x HTTP/1.0\r\nConnection: foo, keep-alive\r\n\r\n",
	  "GET /x 1.0|Connection=foo, keep-alive||end\n" },
	{ "an empty line first", "\r\n" GET "\r\n", "GET / 1.1|Host=h||end\n" },
	{ "two empty lines first", "\r\n\r\n" GET "\r\n", "fault 400 empty lines for a message" },
	{ "body by length", POST "Content-Length: 5\r\n\r\nhello" GET "\r\n",
	  "POST /p 1.1|Host=h|Content-Length=5|hello|end\nGET / 1.1|Host=h||end\n" },
	{ "length 0", POST "Content-Length: 0\r\n\r\n",
	  "POST /p 1.1|Host=h|Content-Length=0||end\n" },
	{ "expectation", POST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
	  "POST /p 1.1|Host=h|Expect=100-Continue|Content-Length=1|expect|x|end\n" },
	{ "chunks",
	  POST "Transfer-Encoding: Chunked\r\n\r\n"
	       "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=Chunked|abc0123456789|end\n" },
	{ "chunk size with zeros",
	  POST "Transfer-Encoding: chunked\r\n\r\n"
	       "0001\r\na\r\n000\r\n\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunked|a|end\n" },
	{ "no host", "GET / HTTP/1.1\r\n\r\n", "fault 400 missing required Host header" },
	{ "two hosts", GET "host: h\r\n\r\n", "fault 400 too many Host headers" },
	{ "a bad host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "fault 400 malformed Host header" },
	{ "bare LF ends no line", "GET / HTTP/1.1\nHost: h\n\n", "fault 400 line without CR LF" },
	{ "bare LF in fields", GET "A: b\nC: d\r\n\r\n", "fault 400 line without CR LF" },
	{ "CR in a value", GET "A: b\rC: d\r\n\r\n", "fault 400 invalid header value" },
	{ "control byte in a value", GET "A: \x01\r\n\r\n", "fault 400 invalid header value" },
	{ "folded line", GET "A: b\r\n c\r\n\r\n", "fault 400 folded header line" },
	{ "blank before the colon", GET "Content-Length : 5\r\n\r\nhello",
	  "fault 400 malformed header name" },
	{ "no colon", GET "nonsense\r\n\r\n", "fault 400 malformed header name" },
	{ "empty name", GET ": x\r\n\r\n", "fault 400 malformed header name" },
	{ "length twice", POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
	  "fault 400 bad Content-Length" },
	{ "lengths in a list", POST "Content-Length: 5, 5\r\n\r\n",
	  "fault 400 bad Content-Length" },
	{ "signed length", POST "Content-Length: +5\r\n\r\n", "fault 400 bad Content-Length" },
	{ "empty length", POST "Content-Length:\r\n\r\n", "fault 400 bad Content-Length" },
	{ "huge length", POST "Content-Length: 9223372036854775808\r\n\r\n",
	  "fault 400 bad Content-Length" },
	{ "length and chunked", POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "fault 400 Transfer-Encoding with Content-Length or HTTP/1.0" },
	{ "chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "fault 400 Transfer-Encoding with Content-Length or HTTP/1.0" },
	{ "chunked twice", POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "fault 501 unsupported transfer encoding" },
	{ "gzip, chunked", POST "Transfer-Encoding: gzip, chunked\r\n\r\n",
	  "fault 501 unsupported transfer encoding" },
	{ "obscured chunked", POST "Transfer-Encoding: xchunked\r\n\r\n",
	  "fault 501 unsupported transfer encoding" },
	{ "chunk size not hex", POST "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 malformed chunk size" },
	{ "chunk size too big", POST "Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 malformed chunk size" },
	{ "chunk size with a blank", POST "Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 malformed chunk size" },
	{ "chunk line ended by LF", POST "Transfer-Encoding: chunked\r\n\r\n1\na\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 malformed chunk size" },
	{ "chunk longer than said", POST "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 chunk longer than its size" },
	{ "bad trailer", POST "Transfer-Encoding: chunked\r\n\r\n0\r\nno\r\n\r\n",
	  "POST /p 1.1|Host=h|Transfer-Encoding=chunkedfault 400 malformed trailer" },
	{ "two blanks in the request line", "GET  / HTTP/1.1\r\n\r\n",
	  "fault 400 malformed request line" },
	{ "blank in the target", "GET /a b HTTP/1.1\r\n\r\n", "fault 400 malformed request line" },
	{ "control byte in the target", "GET /\x7f HTTP/1.1\r\n\r\n",
	  "fault 400 malformed request line" },
	{ "no version", "GET /\r\n\r\n", "fault 400 malformed request line" },
	{ "version 2.0", "GET / HTTP/2.0\r\n\r\n", "fault 505 unsupported protocol version" },
	{ "not HTTP", "\x16\x03\x01\r\n\r\n", "fault 400 malformed request line" },
	{ "cut in the body", POST "Content-Length: 5\r\n\r\nhel",
	  "POST /p 1.1|Host=h|Content-Length=5fault 400 connection closed in a message" },
	{ "cut in the head", "GET / HT", "fault 400 connection closed in a message" },
};

static const struct http_case responses[] = {
	{ "by length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
	  "200 OK|Content-Length=2|hi|end\n" },
	{ "no reason", "HTTP/1.1 204\r\n\r\n", "204 ||end\n" },
	{ "empty reason", "HTTP/1.1 204 \r\n\r\n", "204 ||end\n" },
	{ "until the end", "HTTP/1.1 200 OK\r\n\r\nabc", "200 OK|close|abc|end\n" },
	{ "continue, then the answer",
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
	  "100 Continue||end\n201 Created|Content-Length=0||end\n" },
	{ "to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
	  "200 OK|Content-Length=7||end\n" },
	{ "not modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
	  "304 Not Modified|Content-Length=7||end\n" },
	{ "chunks cut short", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
	  "200 OK|Transfer-Encoding=chunkedfault 400 connection closed in a message" },
	{ "bad status", "HTTP/1.1 2x0 OK\r\n\r\n", "fault 400 malformed status line" },
	{ "four digits", "HTTP/1.1 2000 OK\r\n\r\n", "fault 400 malformed status line" },
	{ "low status", "HTTP/1.1 099 OK\r\n\r\n", "fault 400 malformed status line" },
};

static bool to_head(const struct http_case *c)
{
	return strcmp(c->name, "to HEAD") == 0;
}

TEST check_cases(enum http_kind kind, const struct http_case *c, size_t n)
{
	static const size_t pieces[] = { 1, 2, 7, 100000 };

	for (size_t i = 0; i < n; i++, c++)
		for (size_t k = 0; k < 4; k++) {
			AUTO(arena) struct arena a = ARENA_INIT;

			ASSERT_STR_M(c->name, str_of(c->want),
				     transcript(&a, kind, to_head(c), NULL, str_of(c->in),
						pieces[k], true));
		}
	PASS();
}

TEST limits_are_met(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const struct http_limits small = { 60, 20, 2 };
	static const struct http_case cases[] = {
		{ "line", "GET /0123456789 HTTP/1.1\r\nHost: h\r\n\r\n",
		  "fault 431 header too large" },
		{ "line without end", "GET /01234567890123456789", "fault 431 header too large" },
		{ "fields", GET "A: b\r\nC: d\r\n\r\n", "fault 431 too many headers" },
		{ "just two fields", GET "A: b\r\n\r\n", "GET / 1.1|Host=h|A=b||end\n" },
		{ "bytes", GET "A: 0123456789012345678901234567890123\r\n\r\n",
		  "fault 431 header too large" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t piece = 1; piece < 100; piece += 33)
			ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
				     transcript(&a, HTTP_REQUEST, false, &small,
						str_of(cases[i].in), piece, false));
	PASS();
}

TEST writing(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	http_add_status(&b, 404);
	http_add_date(&b, (struct instant){ 1794823200, 0 });
	http_add_field(&b, S("Location"), S("/a\r\nSet-Cookie: x"));
	ASSERT_STR("HTTP/1.1 404 Not Found\r\n"
		   "Date: Mon, 16 Nov 2026 10:00:00 GMT\r\n"
		   "Location: /a  Set-Cookie: x\r\n",
		   buf_str(&b));
	b.n = 0;
	http_add_date(&b, (struct instant){ 784111777, 0 });
	ASSERT_STR("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", buf_str(&b));
	ASSERT_STR("", str_of(http_status_text(299)));
	ASSERT_STR("Request Header Fields Too Large", str_of(http_status_text(431)));
	PASS();
}

SUITE(suite)
{
	RUN_TESTp(check_cases, HTTP_REQUEST, requests, ARRAY_LEN(requests));
	RUN_TESTp(check_cases, HTTP_RESPONSE, responses, ARRAY_LEN(responses));
	RUN_TEST(limits_are_met);
	RUN_TEST(writing);
}

TEST_MAIN(suite)
