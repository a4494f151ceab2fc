/*
 * grpc: one unary call over a connection of its own, as bytes: the request, and
 * the answer as it comes in.
 *
 * HTTP/2 is spoken as far as one stream needs it: what is asked for fits one
 * frame, and the answer's window is opened before it. Nothing is compressed, and
 * the peer is told to keep no table of header fields.
 */
#ifndef DATA_GRPC_H
#define DATA_GRPC_H

#include "base/buf.h"

/* What a call ends with; upstream's texts name them. */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_UNKNOWN = 2,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14,
};

/* The longest request and answer. */
#define GRPC_REQUEST_MAX 16000
#define GRPC_ANSWER_MAX (1 << 20)

/*
 * Everything there is to send: path is "/package.Service/Method". False when
 * message is longer than GRPC_REQUEST_MAX.
 */
bool grpc_request(struct buf *out, struct str path, struct str message);

/* An answer being read. */
struct grpc {
	struct arena *a;
	bool over; /* and then: */
	unsigned status;
	struct str text; /* why it is not GRPC_OK */
	struct str message; /* of GRPC_OK */
	/* its own */
	struct buf in, fields, data;
	bool begun, gathering, ends;
	int64_t code; /* -1: not seen */
};

void grpc_init(struct grpc *g, struct arena *a);

/*
 * Takes what has come and adds to reply what is to be sent back. Nothing is
 * taken once it is over. A peer that breaks the protocol ends it, too.
 */
void grpc_take(struct grpc *g, struct str bytes, struct buf *reply);

/* Ends it, unless it is over. */
void grpc_fail(struct grpc *g, unsigned status, struct str why);

/* "rpc error: code = Unknown desc = text", as Go's grpc has it. */
struct str grpc_error(struct arena *a, unsigned status, struct str text);

/* ---- header fields ------------------------------------------------------- */

/*
 * Takes the next field off a block: 1, 0 at its end, -1 when it is broken. What
 * the static table has is left "".
 */
struct hpack_field {
	struct str name, value;
};
int hpack_next(struct arena *a, struct str *block, struct hpack_field *out);

/* ---- protocol buffers ---------------------------------------------------- */

/* Adds a field of bytes: text, or a message. Numbers below 16. */
void proto_add(struct buf *b, unsigned field, struct str bytes);

/* The last field of that number and of bytes: 1, 0 when there is none, -1 when
 * message is broken. */
int proto_find(struct str message, unsigned field, struct str *out);

#endif
