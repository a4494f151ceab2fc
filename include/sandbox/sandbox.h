/*
 * sandbox: an API server for tests, demos and trials.
 *
 * One request in, one reply out; no sockets here. Time is part of the request and randomness comes
 * from a seed, so the same requests produce the same objects.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include "sandbox/request.h"

#define SB_BODY_MAX (3u << 20) /* the limit of API servers */

struct sandbox {
	struct kinds kinds;
	struct store store;
	uint64_t seed;
	/* policy version of evictions: "v1beta1", "v1"; NULL: not served */
	const char *eviction;
	/* Pods being deleted are removed after this many ms; -1: never. */
	int64_t pod_reap_ms;
	bool collect; /* collect garbage, empty terminating namespaces */
	struct sb_watch *watches;
	bool dirty; /* something was deleted since the last sandbox_work */
	int64_t due; /* when there is work again, in ms; 0: unknown */
	int64_t now; /* of the last request, in seconds */
};

void sandbox_init(struct sandbox *s, uint64_t seed);
void sandbox_free(struct sandbox *s);

/* Answers r; the reply is allocated in a. */
void sandbox_handle(struct sandbox *s, struct arena *a, struct sb_request *r, struct sb_reply *out);

/*
 * Background work: garbage, finished pods. now is in milliseconds since 1970. Returns the
 * milliseconds until the next call is needed, or -1. Cheap when nothing was deleted.
 */
int64_t sandbox_work(struct sandbox *s, int64_t now);

/* ---- shared by the files of the sandbox ---------------------------------- */

/* One request being answered. */
struct sb_call {
	struct sandbox *sb;
	struct arena *a;
	struct sb_request *r;
	struct sb_reply *out;
	struct json *fields; /* managedFields after a server-side apply */
	const struct sb_version *own; /* while the request is for a Scale */
	bool no_headers; /* tables without column definitions */
};

void sb_read(struct sb_call *c); /* get and list */
void sb_watch(struct sb_call *c);
void sb_create(struct sb_call *c);
void sb_update(struct sb_call *c);
void sb_patch(struct sb_call *c);
void sb_delete(struct sb_call *c);
void sb_delete_all(struct sb_call *c);
void sb_evict(struct sb_call *c);
void sb_discover(struct sb_call *c); /* everything but objects */

void sb_openapi(struct sb_call *c);

/* The options of a query. False, answered, when they are malformed or contradict each other. */
bool options_list(struct sb_call *c);
bool options_write(struct sb_call *c, const char *kind);
/* The options of a patch of known type. */
bool options_patch(struct sb_call *c, bool apply);
/* A number of the query; false, answered, when it is not a number. */
bool options_number(struct sb_call *c, const char *name, int64_t *out);
bool options_version(struct sb_call *c, uint64_t *out);
/* Adds the faults of the values of dryRun; there may be several values. */
void options_dry_run(struct arena *a, const struct strs *values, struct sb_causes *causes);
/* Refuses options of that kind. */
void options_refuse(struct sb_call *c, const char *kind, const struct sb_causes *causes);

/* The Scale of an object: current and wanted replicas. */
struct json *sb_scale(struct sb_call *c, const struct json *object);

/* A stored object as a tree. */
struct json *sb_tree(struct arena *a, const struct sb_object *o);

/* The body as a tree, or NULL, answered. */
struct json *sb_body(struct sb_call *c);

/* Parses the query's continue token: the key to continue after, and the version of the list;
 * both empty without a token. False, answered, when it is malformed or too old. */
bool page_begin(struct sb_call *c, struct str *after, uint64_t *rv);
/* The token to continue after key at version rv (-1: the latest). */
struct str page_token(struct sb_call *c, struct str key, int64_t rv);

/* Answers with an object in the requested version and form. */
void sb_answer(struct sb_call *c, int code, struct json *object);

/* Answers with only the metadata if the request asks for that; false otherwise. */
bool sb_partial(struct sb_call *c, struct json *object, struct json *list);

/* Answers with a table if the request asks for one; false otherwise. */
bool sb_table(struct sb_call *c, const struct json *object, const struct json *list);
bool sb_wants_table(struct str accept);

/* Stores object under key and sets its resourceVersion. */
void sb_store(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	      struct json *object);
/* Deletes key; object is its last version. */
void sb_drop(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	     struct json *object);

/*
 * Marks an object as being deleted or deletes it, according to finalizers, grace period and
 * propagation policy; options may be NULL. True when it is deleted.
 */
bool sb_remove(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	       struct json *object, const struct json *options, int64_t now);

/* Members of metadata. */
struct json *sb_meta(struct arena *a, struct json *object);
void sb_set_time(struct arena *a, struct json *meta, struct str key, int64_t sec);
struct str sb_uid(struct sandbox *s, struct arena *a);

/* Adds the faults of object, which replaces old (NULL: a new object), or of its status. */
void sb_check(struct arena *a, const struct sb_kind *k, struct json *object, const struct json *old,
	      bool status, struct sb_causes *causes);

/* The checks that all kinds share. */
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

/* The annotation that counts changes of a DaemonSet's template. */
#define SB_TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

/* The checks of kinds with a pod template; the causes of its fields begin at from. */
void workload_check(struct arena *a, const struct sb_kind *k, const struct json *object,
		    const struct json *old, size_t from, struct sb_causes *causes);

void sb_check_core(struct arena *a, const struct sb_kind *k, const struct json *object,
		   const struct json *old, struct sb_causes *causes);

/* Prunes, applies defaults and validates by a CRD's schema. */
void schema_apply(struct arena *a, const struct json *schema, struct json *object,
		  struct sb_causes *causes);

/* A CRD was stored or removed. */
void crd_changed(struct sandbox *s, struct json *crd);
void crd_removed(struct sandbox *s, const struct json *crd);
/* Adds the faults of a CRD. */
void crd_check(struct arena *a, const struct json *crd, struct sb_causes *causes);
/* Sets the conditions and accepted names of a new CRD, as the API server does. */
void crd_prepare(struct arena *a, struct json *crd, int64_t now);

#endif
