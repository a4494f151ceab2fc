/*
 * The messages of a job's child, from a pipe that may deliver anything: every message that is
 * accepted is encoded to the bytes that it was decoded from, and a refused or incomplete frame
 * leaves the input where it was.
 */
#include "fuzz.h"

#include "role/daemon/job_msg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };

	for (;;) {
		struct str before = in;
		struct job_msg m;
		struct buf b;
		int rc = job_msg_decode(&in, &m, &err);

		MUST(rc == 1 || rc == 0 || rc == -ERR_INVALID);
		if (rc < 1) {
			MUST(in.p == before.p && in.n == before.n);
			return 0;
		}
		MUST(in.n < before.n && in.p + in.n == before.p + before.n);
		buf_init(&b, &a);
		job_msg_encode(&b, &m);
		MUST(str_eq(buf_str(&b), str_sub(before, 0, before.n - in.n)));
	}
}
