/*
 * The events do not depend on how the bytes are split; parts lie within the
 * input, and nothing is consumed after an error.
 */
#include "fuzz.h"

#include "data/http.h"

static void run(struct arena *a, enum http_kind kind, struct str in, size_t piece, struct buf *log)
{
	static const struct http_limits limits = { 2000, 500, 20 };
	struct err err = ERR_INIT(a);
	struct http_reader r;

	http_reader_init(&r, kind, &limits, a);
	for (;;) {
		struct str now = str_sub(in, 0, piece < in.n ? piece : in.n);
		struct str part = { 0 };
		size_t before = now.n;
		enum http_event e = http_feed(&r, &now, &part, &err);

		MUST(now.n <= before);
		if (e == HTTP_BODY) {
			MUST(part.n <= before && part.p >= in.p && part.p + part.n <= in.p + in.n);
			buf_add(log, part);
		}
		in = str_from(in, before - now.n);
		if (e == HTTP_HEAD) {
			MUST(!(r.head.chunked && r.head.has_length));
			MUST(r.head.fields.n <= limits.fields);
			buf_addf(log, "<%.*s %d %zu>", STRF(r.head.target), r.head.status,
				 r.head.fields.n);
		}
		if (e == HTTP_END) {
			buf_addz(log, "<end>");
			http_next(&r);
		}
		if (e == HTTP_FAULT) {
			MUST(r.answer >= 400 && err.msg.n);
			buf_addf(log, "<fault %d %.*s>", r.answer, STRF(err.msg));
			return;
		}
		if (e == HTTP_NEED && in.n == 0)
			return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct str in = { (const char *)data, size };

	for (int kind = HTTP_REQUEST; kind <= HTTP_RESPONSE; kind++) {
		struct buf whole, split, bytes;

		buf_init(&whole, &a);
		buf_init(&split, &a);
		buf_init(&bytes, &a);
		run(&a, (enum http_kind)kind, in, size + 1, &whole);
		run(&a, (enum http_kind)kind, in, 5, &split);
		run(&a, (enum http_kind)kind, in, 1, &bytes);
		MUST(str_eq(buf_str(&whole), buf_str(&split)));
		MUST(str_eq(buf_str(&whole), buf_str(&bytes)));
	}
	arena_free(&a);
	return 0;
}
