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
	/* policy version of evictions: "v1beta1", "v1"; NULL: not offered */
	const char *eviction;
	/* Pods being deleted are removed after this many ms; -1: never. */
	int64_t pod_reap_ms;
	bool collect; /* garbage is collected, namespaces are emptied */
	struct sb_watch *watches;
	bool dirty; /* something was deleted since the last sandbox_work */
	int64_t due; /* when there is work again, in ms; 0: not known */
	int64_t now; /* of the last request, in seconds */
};

void sandbox_init(struct sandbox *s, uint64_t seed);
void sandbox_free(struct sandbox *s);

/* Answers r; what the reply holds is in a. */
void sandbox_handle(struct sandbox *s, struct arena *a, struct sb_request *r, struct sb_reply *out);

/*
 * What is left to do behind the requests' backs: garbage, finished pods. now is
 * in milliseconds since 1970. Returns how many until it should be called again,
 * or -1. Costs nothing when nothing was deleted.
 */
int64_t sandbox_work(struct sandbox *s, int64_t now);

/* ---- for the parts of the sandbox ---------------------------------------- */

/* One request being answered. */
struct sb_call {
	struct sandbox *sb;
	struct arena *a;
	struct sb_request *r;
	struct sb_reply *out;
	struct json *fields; /* managedFields a server-side apply leaves */
	const struct sb_version *own; /* while it is about a Scale */
	bool no_headers; /* tables are told without their columns */
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

void sb_openapi(struct sb_call *c);

/* False, answered, when the query's options are malformed or contradict. */
bool options_list(struct sb_call *c);
bool options_write(struct sb_call *c, const char *kind);
/* Those of a patch whose type is known. */
bool options_patch(struct sb_call *c, bool apply);
/* A number of the query; false, answered, when it is none. */
bool options_number(struct sb_call *c, const char *name, int64_t *out);
bool options_version(struct sb_call *c, uint64_t *out);
/* What is wrong with the values of dryRun: there may be several. */
void options_dry_run(struct arena *a, const struct strs *values, struct sb_causes *causes);
/* Refuses options of that kind. */
void options_refuse(struct sb_call *c, const char *kind, const struct sb_causes *causes);

/* The Scale of an object: how many there are, and shall be. */
struct json *sb_scale(struct sb_call *c, const struct json *object);

/* A stored object as a tree. */
struct json *sb_tree(struct arena *a, const struct sb_object *o);

/* The body as a tree, or NULL and the reply filled. */
struct json *sb_body(struct sb_call *c);

/* What the query's continue asks for: the key after which, and the version the
 * list was begun at; both empty when it asks for nothing. False, answered, when
 * it is malformed or too old. */
bool page_begin(struct sb_call *c, struct str *after, uint64_t *rv);
/* The token that goes on after key, an object's, at version rv (-1: the last). */
struct str page_token(struct sb_call *c, struct str key, int64_t rv);

/* Answers with an object in the version and form that was asked for. */
void sb_answer(struct sb_call *c, int code, struct json *object);

/* Answers with the metadata alone when that was asked for; false when not. */
bool sb_partial(struct sb_call *c, struct json *object, struct json *list);

/* Answers with a table when one was asked for; false when not. */
bool sb_table(struct sb_call *c, const struct json *object, const struct json *list);
bool sb_wants_table(struct str accept);

/* Stores object under key; its resourceVersion is set. */
void sb_store(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	      struct json *object);
/* Takes object, the last version of key, out. */
void sb_drop(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	     struct json *object);

/*
 * Marks an object as being deleted, or removes it, as finalizers, grace and
 * policy ask; options may be NULL. Tells whether it is gone.
 */
bool sb_remove(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	       struct json *object, const struct json *options, int64_t now);

/* Members of metadata. */
struct json *sb_meta(struct arena *a, struct json *object);
void sb_set_time(struct arena *a, struct json *meta, struct str key, int64_t sec);
struct str sb_uid(struct sandbox *s, struct arena *a);

/* What is wrong with object, which replaces old (NULL: is new), or its status. */
void sb_check(struct arena *a, const struct sb_kind *k, struct json *object, const struct json *old,
	      bool status, struct sb_causes *causes);

/* The part of it that all kinds share. */
void check_meta(struct arena *a, const struct sb_kind *kind, const struct json *now,
		const struct json *old, bool status, struct sb_causes *causes);

#define SB_LABEL_RULE                                                         \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric " \
	"characters or '-', and must start and end with an alphanumeric "     \
	"character (e.g. 'my-name',  or '123-abc', regex used for "           \
	"validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
void sb_check_label(struct arena *a, struct sb_causes *causes, struct str field, struct str s);
void sb_check_labels(struct arena *a, struct sb_causes *causes, struct str field,
		     const struct json *labels);

void sb_check_pod(struct arena *a, const struct json *spec, struct str path,
		  struct sb_causes *causes);

/* How often a DaemonSet's template was changed, an annotation. */
#define SB_TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

/* Of a kind with a template; the causes of its fields begin at from. */
void workload_check(struct arena *a, const struct sb_kind *k, const struct json *object,
		    const struct json *old, size_t from, struct sb_causes *causes);

void sb_check_core(struct arena *a, const struct sb_kind *k, const struct json *object,
		   const struct json *old, struct sb_causes *causes);

/* Prunes, defaults and checks against a CRD's schema. */
void schema_apply(struct arena *a, const struct json *schema, struct json *object,
		  struct sb_causes *causes);

/* A CRD was stored or removed. */
void crd_changed(struct sandbox *s, struct json *crd);
void crd_removed(struct sandbox *s, const struct json *crd);
/* What is wrong with one. */
void crd_check(struct arena *a, const struct json *crd, struct sb_causes *causes);
/* Conditions and accepted names that the API server gives a new CRD. */
void crd_prepare(struct arena *a, struct json *crd, int64_t now);

#endif
