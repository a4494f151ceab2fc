/*
 * sandbox: an API server for tests, demos and trials.
 *
 * One request in, one reply out; no sockets here. Time comes with the request,
 * randomness from a seed, so the same requests give the same objects.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include "sandbox/request.h"

#define SB_BODY_MAX (3u << 20) /* as API servers have it */

struct sandbox {
	struct kinds kinds;
	struct store store;
	uint64_t seed;
	const char *eviction; /* policy version of evictions: "v1beta1", "v1" */
	/* Pods being deleted are removed after this many ms; -1: never. */
	int64_t pod_reap_ms;
	bool collect; /* garbage is collected, namespaces are emptied */
	struct sb_watch *watches;
	bool dirty; /* something was deleted since the last sandbox_work */
	int64_t due; /* when there is work again, in ms; 0: not known */
};

void sandbox_init(struct sandbox *s, uint64_t seed);
void sandbox_free(struct sandbox *s);

/* Answers r; what the reply holds is in a. */
void sandbox_handle(struct sandbox *s, struct arena *a, struct sb_request *r,
		    struct sb_reply *out);

/*
 * What is left to do behind the requests' backs: garbage, finished pods. now is
 * in milliseconds since 1970. Returns how many until it should be called again,
 * or -1. Costs nothing when nothing was deleted.
 */
int64_t sandbox_work(struct sandbox *s, int64_t now);

/* ---- for the parts of the sandbox ------------------------------------------- */

/* One request being answered. */
struct sb_call {
	struct sandbox *sb;
	struct arena *a;
	struct sb_request *r;
	struct sb_reply *out;
	struct json *fields; /* managedFields a server-side apply leaves */
};

void sb_read(struct sb_call *c); /* get and list */
void sb_watch(struct sb_call *c);
void sb_create(struct sb_call *c);
void sb_update(struct sb_call *c);
void sb_patch(struct sb_call *c);
void sb_delete(struct sb_call *c);
void sb_delete_all(struct sb_call *c);
void sb_evict(struct sb_call *c);
void sb_discover(struct sb_call *c); /* whatever is no object */

/* A stored object as a tree. */
struct json *sb_tree(struct arena *a, const struct sb_object *o);

/* The body as a tree, or NULL and the reply filled. */
struct json *sb_body(struct sb_call *c);

/* Answers with an object in the version and form that was asked for. */
void sb_answer(struct sb_call *c, int code, struct json *object);

/* Answers with a table when one was asked for; false when not. */
bool sb_table(struct sb_call *c, const struct json *object,
	      const struct json *list);
bool sb_wants_table(struct str accept);

/* Stores object under key; its resourceVersion is set. */
void sb_store(struct sandbox *s, struct arena *a, struct sb_kind *k,
	      struct str key, struct json *object);
/* Takes object, the last version of key, out. */
void sb_drop(struct sandbox *s, struct arena *a, struct sb_kind *k,
	     struct str key, struct json *object);

/*
 * Marks an object as being deleted, or removes it, as finalizers, grace and
 * policy ask; options may be NULL. Tells whether it is gone.
 */
bool sb_remove(struct sandbox *s, struct arena *a, struct sb_kind *k,
	       struct str key, struct json *object, const struct json *options,
	       int64_t now);

/* Members of metadata. */
struct json *sb_meta(struct arena *a, struct json *object);
void sb_set_time(struct arena *a, struct json *meta, struct str key,
		 int64_t sec);
struct str sb_uid(struct sandbox *s, struct arena *a);

/* What is wrong with object, which replaces old (NULL: is new). */
void sb_check(struct arena *a, const struct sb_kind *k, struct json *object,
	      const struct json *old, struct sb_causes *causes);

void sb_check_core(struct arena *a, const struct sb_kind *k,
		   const struct json *object, const struct json *old,
		   struct sb_causes *causes);

/* Prunes, defaults and checks against a CRD's schema. */
void schema_apply(struct arena *a, const struct json *schema,
		  struct json *object, struct sb_causes *causes);

/* A CRD was stored or removed. */
void crd_changed(struct sandbox *s, struct json *crd);
void crd_removed(struct sandbox *s, const struct json *crd);
/* Conditions and accepted names that the API server gives a new CRD. */
void crd_prepare(struct arena *a, struct json *crd, int64_t now);

#endif
