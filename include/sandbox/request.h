/*
 * request: a parsed API request.
 */
#ifndef SANDBOX_REQUEST_H
#define SANDBOX_REQUEST_H

#include "mc/selector.h"
#include "sandbox/reply.h"

enum sb_verb {
	SB_GET,
	SB_LIST,
	SB_WATCH,
	SB_CREATE,
	SB_UPDATE,
	SB_PATCH,
	SB_DELETE,
	SB_DELETE_ALL,
};

struct sb_param {
	struct str name, value;
};

struct sb_request {
	/* As received. */
	struct str method, path, query;
	struct str content_type, accept;
	struct str body;
	int64_t now; /* seconds since 1970 */
	/* Set by request_parse. */
	struct sb_param *params;
	size_t n_params;
	enum sb_verb verb;
	struct sb_kind *kind; /* NULL: discovery, health … */
	const struct sb_version *version;
	struct str ns, name, sub;
};

/* A comparison of one field. */
struct sb_field {
	struct str path, value;
	bool differs; /* != */
};

struct sb_filter {
	bool labels_set;
	struct selector labels;
	struct sb_field *fields;
	size_t n_fields;
};

/*
 * Parses path and query. False, with the reply in *out, when nothing is served there or the method
 * is not supported.
 */
bool request_parse(struct arena *a, const struct kinds *k, struct sb_request *r,
		   struct sb_reply *out);

/* The reply for a path that nothing serves: that of a built-in group, or the router's. */
void request_nowhere(struct arena *a, const struct kinds *k, struct str group,
		     struct sb_reply *out);

/* Parses only the query again. */
void request_reparse(struct arena *a, struct sb_request *r);

/* A query parameter, or "". */
struct str request_param(const struct sb_request *r, const char *name);
bool request_has(const struct sb_request *r, const char *name);
/* Whether it is present and neither false nor 0. */
bool request_flag(const struct sb_request *r, const char *name);

/* Parses labelSelector and fieldSelector; false, with the reply in *out, when malformed. */
bool request_filter(struct arena *a, const struct sb_request *r, struct sb_filter *f,
		    struct sb_reply *out);

/*
 * Parses a selector of a query: "a=b,c!=d,e in (f,g),!h,i>1". ERR_INVALID with the API server's
 * text. An empty text has no requirements.
 */
int filter_labels(struct arena *a, struct str text, struct selector *out, struct err *err);

/* The faults of a label's key or value, each preceded by "; ", or "". */
struct str filter_bad_key(struct arena *a, struct str key);
struct str filter_bad_value(struct arena *a, struct str value);

bool filter_any(const struct sb_filter *f);
bool filter_matches(const struct sb_filter *f, const struct json *object);
/* False when an object of this text cannot match; true: parse it and check. */
bool filter_may_match(const struct sb_filter *f, struct str text);

struct sb_subject request_subject(const struct sb_request *r);

/* "namespace/name", or "name" for a cluster-wide object. */
struct str request_key(struct arena *a, const struct sb_request *r, struct str name);

#endif
