/*
 * The file of mco-sandbox --data: raw bytes, and records with correct
 * checksums, which is as far as damage and malice can get. Every loaded object
 * can be listed, read, changed and deleted, and loading twice gives the same
 * state.
 */
#include "fuzz.h"

#include "base/hash.h"
#include "sandbox/persist.h"

/* The input's parts, each after a byte 1, as records with checksums. */
static struct str with_sums(struct arena *a, struct str in)
{
	struct buf b;
	bool more = true;

	buf_init(&b, a);
	while (more) {
		struct str one = in;

		more = str_cut(in, 1, &one, &in);
		buf_addf(&b, "%.16s %zu\n", hash_hex_of(a, HASH_MD5, one).p, one.n);
		buf_add(&b, one);
		buf_addc(&b, '\n');
	}
	return buf_str(&b);
}

static struct str ask(struct sandbox *s, struct arena *a, const char *method, struct str path,
		      const char *type, const char *body)
{
	struct sb_reply reply;
	struct sb_request r = { .method = str_of(method),
				.path = path,
				.content_type = str_of(type),
				.body = str_of(body),
				.now = 1600000000 };

	sandbox_handle(s, a, &r, &reply);
	MUST(reply.code >= 200 && reply.code < 600);
	return reply.body;
}

/* The state of the sandbox: the lists of all its kinds. */
static struct str lists(struct sandbox *s, struct arena *a)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct sb_kind *k = s->kinds.first; k; k = k->next)
		for (size_t i = 0; i < k->n; i++) {
			struct str path =
				str_fmt(a, "/api%s/%.*s/%.*s", k->group.n ? "s" : "",
					STRF(kinds_api_version(a, k, &k->v[i])), STRF(k->plural));

			buf_add(&b, ask(s, a, "GET", path, "", ""));
		}
	return buf_str(&b);
}

#define CMS "/api/v1/namespaces/default/configmaps"

/* Every object, through requests like those of clients. */
static void use(struct sandbox *s, struct arena *a)
{
	(void)ask(s, a, "GET", S("/openapi/v2"), "", "");
	(void)ask(s, a, "PATCH", S(CMS "/a"), "application/merge-patch+json",
		  "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
	(void)ask(s, a, "PATCH", S("/api/v1/nodes/a"), "application/strategic-merge-patch+json",
		  "{\"spec\":{\"unschedulable\":true}}");
	(void)ask(s, a, "POST", S("/apis/a.b/v1/cs"), "application/json",
		  "{\"apiVersion\":\"a.b/v1\",\"kind\":\"C\",\"metadata\":"
		  "{\"name\":\"x\"},\"spec\":{\"a\":[1,\"b\",{}]}}");
	(void)ask(s, a, "DELETE", S(CMS), "", "");
	(void)ask(s, a, "DELETE",
		  S("/apis/apiextensions.k8s.io/v1/"
		    "customresourcedefinitions"),
		  "", "");
	(void)sandbox_work(s, 1600000000000);
}

static void replay(struct str text)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct sandbox s, t;
	size_t used = 0, again = 0;
	int rc;

	sandbox_init(&s, 1);
	sandbox_init(&t, 1);
	rc = persist_replay(&s, text, &used, &err);
	MUST(used <= text.n);
	MUST(persist_replay(&t, text, &again, &err) == rc && again == used);
	if (rc == 0) {
		MUST(str_eq(lists(&s, &a), lists(&t, &a)));
		use(&s, &a);
	}
	sandbox_free(&s);
	sandbox_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str in = { (const char *)data, size };

	replay(in);
	replay(with_sums(&a, in));
	return 0;
}
