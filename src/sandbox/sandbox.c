/*
 * Dispatches a request to its verb. The state of the sandbox is the store, the kinds and the
 * watches; everything else belongs to the request's arena.
 */
#include "proto.h"
#include "sandbox/watch.h"

/* Events kept for watches. */
#define EVENTS_MAX 65536
#define EVENTS_BYTES ((size_t)64 << 20)

static void seed_namespaces(struct sandbox *s)
{
	static const char *const names[] = {
		"default",
		"kube-system",
		"kube-public",
		"kube-node-lease",
		"openshift-machine-config-operator",
		"openshift-config",
		"openshift-config-managed",
		"openshift-machine-api",
		"openshift-image-registry",
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct sb_reply reply;
		struct sb_request r = {
			.method = S("POST"),
			.path = S("/api/v1/namespaces"),
			.body = str_fmt(&a, "{\"metadata\":{\"name\":\"%s\"}}", names[i]),
		};

		sandbox_handle(s, &a, &r, &reply);
	}
	arena_free(&a);
}

void sandbox_init(struct sandbox *s, uint64_t seed)
{
	*s = (struct sandbox){ .seed = seed, .eviction = "v1", .pod_reap_ms = -1 };
	kinds_init(&s->kinds);
	store_init(&s->store, EVENTS_MAX, EVENTS_BYTES);
	seed_namespaces(s);
}

void sandbox_free(struct sandbox *s)
{
	while (s->watches)
		watch_free(s->watches);
	store_free(&s->store);
	kinds_free(&s->kinds);
}

static bool acceptable(struct str accept)
{
	return !accept.n || str_find(accept, S("json")) >= 0 || str_find(accept, S("*/*")) >= 0 ||
	       str_find(accept, S("application/*")) >= 0 || str_find(accept, S("yaml")) >= 0;
}

void sandbox_handle(struct sandbox *s, struct arena *a, struct sb_request *r, struct sb_reply *out)
{
	struct sb_call c = { .sb = s, .a = a, .r = r, .out = out };

	*out = (struct sb_reply){ 0 };
	s->now = r->now;
	if (!request_parse(a, &s->kinds, r, out))
		return;
	if (!r->kind) {
		sb_discover(&c);
		return;
	}
	if (!acceptable(r->accept)) {
		reply_routed(
			a, out, 406, "NotAcceptable",
			S("406: Not Acceptable\n\nAvailable representations: application/json, "
			  "application/yaml, application/vnd.kubernetes.protobuf"));
		return;
	}
	if (!proto_to_json(&c))
		return;
	switch (r->verb) {
	case SB_GET:
	case SB_LIST:
		sb_read(&c);
		return;
	case SB_WATCH:
		sb_watch(&c);
		return;
	case SB_CREATE:
		sb_create(&c);
		return;
	case SB_UPDATE:
		sb_update(&c);
		return;
	case SB_PATCH:
		sb_patch(&c);
		return;
	case SB_DELETE:
		sb_delete(&c);
		return;
	case SB_DELETE_ALL:
		sb_delete_all(&c);
		return;
	}
}
