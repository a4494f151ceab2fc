/*
 * fetch: GET a URL, waiting for the result; for programs without a loop of their own.
 */
#ifndef IO_FETCH_H
#define IO_FETCH_H

#include "base/err.h"
#include "base/sink.h"

struct fetch;

struct fetch_opts {
	struct str fields; /* header fields sent to every server */
	int64_t timeout_ms; /* for all tries together; 0: retry forever */
	bool once; /* do not retry */
	bool insecure; /* accept any certificate */
};

/* Keeps o. NULL: see err. Proxies come from the environment. */
struct fetch *fetch_open(struct arena *a, const struct fetch_opts *o, struct err *err);
void fetch_close(struct fetch *f); /* f may be NULL */

/* Trusts these authorities as well, as PEM. */
int fetch_trust(struct fetch *f, struct str pem, struct err *err);

/*
 * Sends fields to the first server, and along relative redirects; another server gets
 * the fields of fetch_opts only. ERR_INVALID: the server refuses (4xx but 408, 425 and
 * 429). ERR_AGAIN: the deadline passed, or the one try failed. Otherwise the sink's
 * error. A retry restarts the sink.
 */
int fetch_get(struct fetch *f, struct str url, struct str fields, const struct sink *to,
	      struct err *err);
/* The same into memory, at most max bytes. */
int fetch_text(struct fetch *f, struct str url, struct str fields, size_t max, struct str *out,
	       struct err *err);

#endif
