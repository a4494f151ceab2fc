/*
 * reply: the replies of the sandbox; errors have the texts of API servers.
 */
#ifndef SANDBOX_REPLY_H
#define SANDBOX_REPLY_H

#include "sandbox/kinds.h"

struct sb_watch;

struct sb_reply {
	int code;
	const char *type; /* Content-Type */
	struct str body;
	int retry_after; /* seconds; 0: none */
	struct sb_watch *watch; /* when set, events follow */
};

/* One fault of an object. */
struct sb_cause {
	const char *reason; /* FieldValueInvalid … */
	struct str field, message; /* "Invalid value: …" */
};

struct sb_causes {
	struct sb_cause *v;
	size_t n, cap;
};

/* The object of a request, for messages; kind may be NULL. */
struct sb_subject {
	const struct sb_kind *kind;
	struct str name;
};

/* A Failure status with this code, reason and message. */
void reply_status(struct arena *a, struct sb_reply *out, int code, const char *reason,
		  struct str message);

void reply_bad(struct arena *a, struct sb_reply *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void reply_not_found(struct arena *a, struct sb_reply *out, struct sb_subject s);
void reply_exists(struct arena *a, struct sb_reply *out, struct sb_subject s);
void reply_conflict(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str why);
void reply_invalid(struct arena *a, struct sb_reply *out, struct sb_subject s,
		   const struct sb_causes *causes);

/* 410, with a token to continue anyway. */
void reply_expired(struct arena *a, struct sb_reply *out, struct str message, struct str next);

/* 500, with the error as its cause. */
void reply_internal(struct arena *a, struct sb_reply *out, struct str why);

/* 409 of a server-side apply. */
void reply_conflicts(struct arena *a, struct sb_reply *out, struct str message,
		     const struct sb_causes *causes);

/* "404 page not found", for paths that nothing serves. */
void reply_no_page(struct sb_reply *out);

/* A create in a namespace that is terminating. */
void reply_terminating(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str ns);

/* A Status with empty details, as the router sends it. */
void reply_routed(struct arena *a, struct sb_reply *out, int code, const char *reason,
		  struct str message);

/* 200 (or code) with this JSON. */
void reply_json(struct arena *a, struct sb_reply *out, int code, const struct json *j);

/* The object has been deleted. */
void reply_deleted(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str uid);

/* Adds a cause; message is "Invalid value: \"x\": why" or similar. */
void cause_add(struct arena *a, struct sb_causes *c, const char *reason, struct str field,
	       struct str message);
/* Invalid value: VALUE: WHY, the value as JSON. */
void cause_value(struct arena *a, struct sb_causes *c, struct str field, const struct json *value,
		 const char *why);
void cause_text(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		const char *why);
/* Unsupported value: VALUE: supported values: VALUES, as given. */
void cause_unsupported(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		       const char *values);
/* Adds each of the reasons in bad, each preceded by "; ". */
void cause_each(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		struct str bad);
void cause_required(struct arena *a, struct sb_causes *c, struct str field, const char *why);

#endif
