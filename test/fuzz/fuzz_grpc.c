/*
 * The result does not depend on how an answer is split; every request is
 * complete; a message is found or refused.
 */
#include "fuzz.h"

#include "data/grpc.h"

static struct str run(struct arena *a, struct str in, size_t piece)
{
	struct buf reply, log;
	struct str found;
	struct grpc g;

	buf_init(&reply, a);
	buf_init(&log, a);
	grpc_init(&g, a);
	while (in.n) {
		size_t n = piece < in.n ? piece : in.n;

		grpc_take(&g, str_sub(in, 0, n), &reply);
		in = str_from(in, n);
		MUST(g.in.n < 9 + 16384);
	}
	MUST(!g.over || g.status || g.message.n <= GRPC_ANSWER_MAX);
	if (g.over)
		buf_add(&log, grpc_error(a, g.status, g.text));
	if (g.over && !g.status && proto_find(g.message, 1, &found) > 0) {
		MUST(found.p >= g.message.p && found.p + found.n <= g.message.p + g.message.n);
		buf_add(&log, found);
	}
	for (struct str r = buf_str(&reply); r.n;) {
		size_t n = 9 + (size_t)(unsigned char)r.p[2];

		MUST(r.n >= n && r.p[0] == 0 && r.p[1] == 0);
		r = str_from(r, n);
	}
	buf_add(&log, buf_str(&reply));
	return buf_str(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct str in = { (const char *)data, size };
	struct str whole = run(&a, in, size + 1);

	MUST(str_eq(whole, run(&a, in, 7)));
	MUST(str_eq(whole, run(&a, in, 1)));
	arena_free(&a);
	return 0;
}
