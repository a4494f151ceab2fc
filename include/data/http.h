/*
 * http: HTTP/1.1 messages, parsed incrementally and written.
 *
 * The reader takes requests or responses in pieces of any size and returns the head, then the body
 * in parts, without copying it. It is strict wherever two readers could disagree about the end of a
 * message (request smuggling): lines end in CR LF, no folded lines, no space before the colon, one
 * Content-Length of plain digits, never together with Transfer-Encoding, which must be "chunked".
 */
#ifndef DATA_HTTP_H
#define DATA_HTTP_H

#include "base/err.h"
#include "base/rfc3339.h"
#include "base/vec.h"

struct http_field {
	struct str name, value;
};

struct http_head {
	struct str method, target; /* of a request */
	int status; /* of a response */
	struct str reason;
	int minor; /* HTTP/1.0 or 1.1 */
	VEC(struct http_field) fields;
	struct str host; /* of a request; "" when absent (1.0) */
	bool keep_alive; /* the sender offers it */
	bool expect_continue;
	bool chunked, has_length; /* neither: no body, or a body until the connection closes */
	uint64_t length;
};

struct http_limits {
	size_t head; /* bytes of request or status line, fields and trailers */
	size_t line; /* of the first line */
	size_t fields;
};

/* The defaults: 64 KiB, 16 KiB, 128 fields. */
extern const struct http_limits http_limits;

enum http_kind { HTTP_REQUEST, HTTP_RESPONSE };

enum http_event {
	HTTP_NEED, /* all bytes are consumed, more are needed */
	HTTP_HEAD, /* r->head is complete */
	HTTP_BODY, /* *part is the next piece of the body */
	HTTP_END, /* the message is complete; http_next for another */
	HTTP_FAULT, /* err has the reason, r->answer the status that a server replies */
};

enum http_phase {
	HTTP_P_HEAD,
	HTTP_P_BODY, /* by length, or until the connection closes */
	HTTP_P_SIZE,
	HTTP_P_CHUNK,
	HTTP_P_CHUNK_END,
	HTTP_P_TRAILER,
	HTTP_P_END,
	HTTP_P_FAULT,
};

struct http_reader {
	enum http_kind kind;
	const struct http_limits *limits;
	struct arena *a; /* for the head */
	struct http_head head;
	/*
	 * Set by the caller before the head of a response is complete: the response has no body,
	 * whatever its fields say (HEAD; 2xx to CONNECT).
	 */
	bool no_body;
	int answer; /* after HTTP_FAULT: 400, 413, 431, 501, 505 */
	enum http_phase phase;
	bool until_end, skipped;
	uint64_t left; /* of the body or chunk */
	struct buf line; /* the head so far, or the size line of a chunk */
	size_t line_start, n_lines, trailer_bytes;
};

/* Prepares for a message whose head is allocated in a. limits NULL: http_limits. */
void http_reader_init(struct http_reader *r, enum http_kind kind, const struct http_limits *limits,
		      struct arena *a);

/* Prepares for the next message of the connection; the caller may have freed a before. */
void http_next(struct http_reader *r);

/* True between messages: no byte of the next one has arrived. */
bool http_between(const struct http_reader *r);

/*
 * Consumes bytes from the front of *in. Call it again until HTTP_NEED, HTTP_END or HTTP_FAULT;
 * *part views *in.
 */
enum http_event http_feed(struct http_reader *r, struct str *in, struct str *part, struct err *err);

/* The sender has closed the connection: HTTP_END where that ends a body. */
enum http_event http_eof(struct http_reader *r, struct err *err);

/* The first field of that name, case-insensitive; p is NULL when absent. */
struct str http_get(const struct http_head *h, struct str name);

/* True when one of the comma-separated values of name is token. */
bool http_has_token(const struct http_head *h, struct str name, struct str token);

/* ---- Writing ------------------------------------------------------------- */

/* "Not Found"; "" for numbers without a name. */
const char *http_status_text(int status);

/* "HTTP/1.1 404 Not Found" CR LF. */
void http_add_status(struct buf *b, int status);

/* "Name: value" CR LF. Bytes that would end the line become spaces. */
void http_add_field(struct buf *b, struct str name, struct str value);

/* "Date: Mon, 16 Nov 2026 10:00:00 GMT" CR LF. */
void http_add_date(struct buf *b, struct instant now);

#define HTTP_LAST_CHUNK S("0\r\n\r\n")

/* True for a valid method or field name. */
bool http_is_token(struct str s);

#endif
