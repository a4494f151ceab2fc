/*
 * grpc: one unary call over a connection of its own, as bytes: builds the request and parses the
 * response as it arrives.
 *
 * Implements as much of HTTP/2 as one stream needs: the request fits one frame, and the
 * flow-control window for the response is opened in advance. Nothing is compressed, and the peer is
 * told to use no dynamic header table.
 */
#ifndef DATA_GRPC_H
#define DATA_GRPC_H

#include "base/buf.h"

/* The status of a call; upstream's texts contain the names. */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_UNKNOWN = 2,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_INTERNAL = 13,
	GRPC_UNAVAILABLE = 14,
};

/* The largest request and response. */
#define GRPC_REQUEST_MAX 16000
#define GRPC_ANSWER_MAX (1 << 20)

/*
 * Appends the complete request; path is "/package.Service/Method". False when
 * message is longer than GRPC_REQUEST_MAX.
 */
bool grpc_request(struct buf *out, struct str path, struct str message);

/* A response being read. */
struct grpc {
	struct arena *a;
	bool over; /* complete; then: */
	unsigned status;
	struct str text; /* the error message, unless GRPC_OK */
	struct str message; /* the response, for GRPC_OK */
	/* private */
	struct buf in, fields, data;
	bool begun, gathering, ends;
	int64_t code; /* -1: not seen */
};

void grpc_init(struct grpc *g, struct arena *a);

/*
 * Consumes received bytes and appends to reply what has to be sent back. Does nothing once the call
 * is over. A protocol error ends the call.
 */
void grpc_take(struct grpc *g, struct str bytes, struct buf *reply);

/* Ends the call, unless it is over. */
void grpc_fail(struct grpc *g, unsigned status, struct str why);

/* "rpc error: code = Unknown desc = text", as Go's grpc formats it. */
struct str grpc_error(struct arena *a, unsigned status, struct str text);

/* ---- header fields ------------------------------------------------------- */

/*
 * Takes the next field of a header block: 1, 0 at the end, -1 when it is malformed. Names and
 * values from the static table are "".
 */
struct hpack_field {
	struct str name, value;
};
int hpack_next(struct arena *a, struct str *block, struct hpack_field *out);

/* ---- protocol buffers ---------------------------------------------------- */

/* Appends a length-delimited field: a string or a message. field is below 16. */
void proto_add(struct buf *b, unsigned field, struct str bytes);

/* Finds the last length-delimited field of that number: 1, 0 when there is none, -1 when message is
 * malformed. */
int proto_find(struct str message, unsigned field, struct str *out);

#endif
