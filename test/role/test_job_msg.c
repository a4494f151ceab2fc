/*
 * The messages of a job's child: every kind survives the pipe, and no text with
 * a wrong, missing or added byte is accepted as a message.
 */
#include "../test.h"
#include "role/daemon/job_msg.h"

static const struct job_msg samples[] = {
	{ .kind = JOB_MSG_EVENT,
	  .event = { .kind = NODE_EVENT_CLUSTER,
		     .reason = S_INIT("OSUpdateStaged"),
		     .text = S_INIT("Changes to OS staged") } },
	{ .kind = JOB_MSG_EVENT,
	  .event = { .kind = NODE_EVENT_ACTION_DONE, .none = true, .text = S_INIT("none") } },
	{ .kind = JOB_MSG_EVENT,
	  .event = { .kind = NODE_EVENT_PULL, .pull = NODE_PULL_DONE, .text = S_INIT("p") } },
	{ .kind = JOB_MSG_EVENT,
	  .event = { .kind = NODE_EVENT_PART_FAILED, .part = NODE_PART_OS, .text = S_INIT("x") } },
	{ .kind = JOB_MSG_EVENT, .event = { .kind = NODE_EVENT_STAGED, .failed = true } },
	{ .kind = JOB_MSG_EVENT, .event = { .kind = NODE_EVENT_KUBELET, .deferred = true } },
	{ .kind = JOB_MSG_OS,
	  .os = { .id = S_INIT("rhcos"),
		  .version = S_INIT("9.6\n"),
		  .packages = 3,
		  .supported = true } },
	{ .kind = JOB_MSG_BOOTED, .text = S_INIT("quay.io/os@sha256:1") },
	{ .kind = JOB_MSG_FINALIZE, .text = S_INIT("") },
	{ .kind = JOB_MSG_REBOOT },
	{ .kind = JOB_MSG_OSTREE },
	{ .kind = JOB_MSG_MISMATCH },
	{ .kind = JOB_MSG_FATAL, .text = S_INIT("why\nin two lines") },
	{ .kind = JOB_MSG_HOSTED, .hosted = { .state = HOSTED_DONE, .hash = S_INIT("abc") } },
	{ .kind = JOB_MSG_SIZE, .size = { .image = S_INIT("i"), .bytes = (int64_t)5 << 40 } },
	{ .kind = JOB_MSG_RESULT, .result = { .rc = -ERR_INVALID, .text = S_INIT("failed") } },
};

static struct str encoded(struct arena *a, const struct job_msg *m)
{
	struct buf b;

	buf_init(&b, a);
	job_msg_encode(&b, m);
	return buf_str(&b);
}

static bool same_event(const struct node_event *x, const struct node_event *y)
{
	return x->kind == y->kind && str_eq(x->reason, y->reason) && str_eq(x->text, y->text) &&
	       x->pull == y->pull && x->part == y->part && x->none == y->none &&
	       x->failed == y->failed && x->deferred == y->deferred;
}

static bool same(const struct job_msg *x, const struct job_msg *y)
{
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case JOB_MSG_EVENT:
		return same_event(&x->event, &y->event);
	case JOB_MSG_OS:
		return str_eq(x->os.id, y->os.id) && str_eq(x->os.version, y->os.version) &&
		       x->os.packages == y->os.packages && x->os.supported == y->os.supported;
	case JOB_MSG_HOSTED:
		return x->hosted.state == y->hosted.state && str_eq(x->hosted.hash, y->hosted.hash);
	case JOB_MSG_SIZE:
		return str_eq(x->size.image, y->size.image) && x->size.bytes == y->size.bytes;
	case JOB_MSG_RESULT:
		return x->result.rc == y->result.rc && str_eq(x->result.text, y->result.text);
	case JOB_MSG_BOOTED:
	case JOB_MSG_FINALIZE:
	case JOB_MSG_FATAL:
		return str_eq(x->text, y->text);
	case JOB_MSG_REBOOT:
	case JOB_MSG_OSTREE:
	case JOB_MSG_MISMATCH:
		break;
	}
	return true;
}

TEST every_kind_survives_the_pipe(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	bool seen[JOB_MSG_RESULT + 1] = { false };
	struct job_msg m;
	struct buf all;
	struct str rest;

	buf_init(&all, &a);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		job_msg_encode(&all, &samples[i]);
		seen[samples[i].kind] = true;
	}
	rest = buf_str(&all);
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		ASSERT_INT(1, job_msg_decode(&rest, &m, &err));
		ASSERT(same(&samples[i], &m));
	}
	ASSERT_INT(0, rest.n);
	for (size_t i = 0; i < ARRAY_LEN(seen); i++)
		ASSERT(seen[i]);
	PASS();
}

TEST a_part_of_a_message_waits_for_the_rest(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct job_msg m;

	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct str whole = encoded(&a, &samples[i]);

		for (size_t n = 0; n < whole.n; n++) {
			struct str part = str_sub(whole, 0, n);

			ASSERT_INT(0, job_msg_decode(&part, &m, &err));
			ASSERT_INT(n, part.n);
		}
	}
	PASS();
}

TEST malformed_messages_are_refused(void)
{
	static const struct {
		struct str bytes;
		const char *want;
	} cases[] = {
		{ S_INIT("\0\0\0\0"), "a message of 0 bytes" },
		{ S_INIT("\1\0\200\0"), "a message of 8388609 bytes" },
		{ S_INIT("\377\377\377\377"), "a message of 4294967295 bytes" },
		{ S_INIT("\1\0\0\0\13"), "a message of unknown kind 11" },
		{ S_INIT("\1\0\0\0\377"), "a message of unknown kind 255" },
		{ S_INIT("\1\0\0\0\2"), "a malformed message of kind 2" },
		{ S_INIT("\2\0\0\0\4x"), "a malformed message of kind 4" },
		{ S_INIT("\11\0\0\0\2\1\0\0\0\0\0\0\0"), "a malformed message of kind 2" },
		{ S_INIT("\11\0\0\0\2\377\377\377\377\377\377\377\377"),
		  "a malformed message of kind 2" },
		{ S_INIT("\21\0\0\0\10\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		  "a malformed message of kind 8" },
		{ S_INIT("\21\0\0\0\12\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		  "a malformed message of kind 10" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct str in = cases[i].bytes;
		struct job_msg m;

		ASSERT_INT(-ERR_INVALID, job_msg_decode(&in, &m, &err));
		ASSERT_STR(cases[i].want, err.msg);
		ASSERT_INT(cases[i].bytes.n, in.n);
	}
	PASS();
}

/* Each byte of each sample set to each value: the decoder refuses it, or accepts a
 * message that encodes to the same bytes. */
TEST changed_bytes_do_no_harm(void)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str whole = encoded(&a, &samples[i]);
		char *copy = arena_alloc(&a, whole.n);

		for (size_t at = 0; at < whole.n; at++)
			for (int v = 0; v < 256; v++) {
				AUTO(arena) struct arena b = ARENA_INIT;
				struct err err = ERR_INIT(&b);
				struct str in = { copy, whole.n };
				struct job_msg m;
				int rc;

				memcpy(copy, whole.p, whole.n);
				copy[at] = (char)v;
				rc = job_msg_decode(&in, &m, &err);
				ASSERT(rc == 1 || rc == 0 || rc == -ERR_INVALID);
				if (rc == 1)
					ASSERT(str_eq((struct str){ copy, whole.n - in.n },
						      encoded(&b, &m)));
			}
	}
	PASS();
}

TEST a_string_that_is_too_long_is_cut(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	size_t n = JOB_MSG_STR_MAX + 1;
	char *text = arena_alloc(&a, n);
	struct job_msg m = { .kind = JOB_MSG_FATAL, .text = { text, n } }, out;
	struct str in;

	memset(text, 'x', n);
	in = encoded(&a, &m);
	ASSERT_INT(1, job_msg_decode(&in, &out, &err));
	ASSERT_INT(JOB_MSG_STR_MAX, out.text.n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(every_kind_survives_the_pipe);
	RUN_TEST(a_part_of_a_message_waits_for_the_rest);
	RUN_TEST(malformed_messages_are_refused);
	RUN_TEST(changed_bytes_do_no_harm);
	RUN_TEST(a_string_that_is_too_long_is_cut);
}

TEST_MAIN(suite)
