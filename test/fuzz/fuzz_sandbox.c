/*
 * Requests to the sandbox: a line with method and path, then the body, in protobuf when it begins
 * like that. Each is sent twice and answered, and the resulting state is shown as a table.
 */
#include "fuzz.h"

#include "sandbox/watch.h"

static void ask(struct sandbox *s, struct str method, struct str path, struct str body,
		const char *accept)
{
	struct arena a = ARENA_INIT;
	struct sb_request r = {
		.method = method,
		.path = path,
		.accept = str_of(accept),
		.content_type = str_is(method, "PATCH") ? S("application/merge-patch+json")
				: str_starts(body, S("k8s"))
					? S("application/vnd.kubernetes.protobuf")
					: S("application/json"),
		.body = body,
		.now = 1000000000,
	};
	struct sb_reply out;

	(void)str_cut(r.path, '?', &r.path, &r.query);
	sandbox_handle(s, &a, &r, &out);
	MUST(out.code >= 200 && out.code < 600);
	if (out.watch)
		watch_free(out.watch);
	(void)sandbox_work(s, 1000000000000);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = { (const char *)data, size }, line, method, path;
	struct sandbox s;

	if (!str_line(&body, &line) || !str_cut(line, ' ', &method, &path))
		return 0;
	sandbox_init(&s, 7);
	ask(&s, method, path, body, "");
	ask(&s, method, path, body, "");
	ask(&s, S("GET"), path, S(""), "application/json;as=Table;v=v1");
	sandbox_free(&s);
	return 0;
}
