/*
 * One unary call of gRPC over HTTP/2 (RFC 9113).
 *
 * Frames are parsed when they are complete. The sizes of requests, responses and texts of the peer
 * are bounded. Any violation of the protocol ends the call.
 */
#include "data/grpc.h"

#include "base/codec.h"

enum frame {
	DATA,
	HEADERS,
	PRIORITY,
	RST_STREAM,
	SETTINGS,
	PUSH_PROMISE,
	PING,
	GOAWAY,
	WINDOW_UPDATE,
	CONTINUATION,
};
#define END_STREAM 0x1
#define ACK 0x1
#define END_HEADERS 0x4
#define PADDED 0x8
#define WITH_PRIORITY 0x20

#define FRAME_HEAD 9
#define FRAME_MAX 16384
#define FIELDS_MAX 65536
#define TEXT_MAX 8192 /* bytes of an error message of the peer */
#define STREAM 1

/* Indexed by status. */
static const char names[] = "OK\0Canceled\0Unknown\0InvalidArgument\0DeadlineExceeded\0NotFound\0"
			    "AlreadyExists\0PermissionDenied\0ResourceExhausted\0"
			    "FailedPrecondition\0Aborted\0OutOfRange\0Unimplemented\0Internal\0"
			    "Unavailable\0DataLoss\0Unauthenticated";

struct str grpc_error(struct arena *a, unsigned status, struct str text)
{
	const char *name = names;

	for (unsigned i = 0; i < status && name < names + sizeof(names); i++)
		name += strlen(name) + 1;
	if (name >= names + sizeof(names))
		name = str_fmt(a, "Code(%u)", status).p;
	return str_fmt(a, "rpc error: code = %s desc = %.*s", name, STRF(text));
}

/* ---- writing ------------------------------------------------------------- */

static void add_number(struct buf *b, size_t n, unsigned bytes)
{
	while (bytes--)
		buf_addc(b, (char)(n >> (8 * bytes)));
}

static void add_frame(struct buf *b, enum frame type, unsigned char flags, unsigned stream,
		      struct str body)
{
	add_number(b, body.n, 3);
	buf_addc(b, (char)type);
	buf_addc(b, (char)flags);
	add_number(b, stream, 4);
	buf_add(b, body);
}

/* SETTINGS: no dynamic table, no push; WINDOW_UPDATE: room for the whole response. */
#define PREFACE                            \
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" \
	"\0\0\x12\x04\0\0\0\0\0"           \
	"\0\x01\0\0\0\0"                   \
	"\0\x02\0\0\0\0"                   \
	"\0\x04\0\x20\0\0"                 \
	"\0\0\x04\x08\0\0\0\0\0"           \
	"\0\x20\0\0"

/* :method POST, :scheme http, :authority localhost, :path; content-type, te */
#define BEFORE_PATH \
	"\x83\x86"  \
	"\x01\x09"  \
	"localhost\x04"
#define AFTER_PATH         \
	"\x0f\x10\x10"     \
	"application/grpc" \
	"\0\x02te\x08trailers"

bool grpc_request(struct buf *out, struct str path, struct str message)
{
	struct buf b;

	if (message.n > GRPC_REQUEST_MAX || path.n > 126)
		return false;
	buf_add(out, S(PREFACE));
	buf_init(&b, out->a);
	buf_add(&b, S(BEFORE_PATH));
	buf_addc(&b, (char)path.n);
	buf_add(&b, path);
	buf_add(&b, S(AFTER_PATH));
	add_frame(out, HEADERS, END_HEADERS, STREAM, buf_str(&b));
	buf_init(&b, out->a);
	add_number(&b, message.n, 5); /* the first byte: not compressed */
	buf_add(&b, message);
	add_frame(out, DATA, END_STREAM, STREAM, buf_str(&b));
	return true;
}

/* ---- reading ------------------------------------------------------------- */

void grpc_init(struct grpc *g, struct arena *a)
{
	*g = (struct grpc){ .a = a, .code = -1 };
	buf_init(&g->in, a);
	buf_init(&g->fields, a);
	buf_init(&g->data, a);
}

static void end_call(struct grpc *g, unsigned status, struct str text)
{
	g->over = true;
	g->status = status;
	g->text = str_dup(g->a, str_sub(text, 0, text.n < TEXT_MAX ? text.n : TEXT_MAX));
}

void grpc_fail(struct grpc *g, unsigned status, struct str why)
{
	if (!g->over)
		end_call(g, status, why);
}

static void set_broken(struct grpc *g)
{
	end_call(g, GRPC_INTERNAL, S("the peer does not speak gRPC"));
}

static size_t get_number(const char *p, unsigned bytes)
{
	size_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n = n << 8 | (unsigned char)p[i];
	return n;
}

/* The stream has ended. */
static void end_stream(struct grpc *g)
{
	struct str all = buf_str(&g->data);

	if (g->code > 0) {
		end_call(g, (unsigned)g->code, g->text);
	} else if (g->code < 0 || all.n < 5 || get_number(all.p, 5) != all.n - 5) {
		set_broken(g); /* no status, or not exactly one uncompressed message */
	} else {
		end_call(g, GRPC_OK, S(""));
		g->message = str_from(all, 5);
	}
}

static void take_field(struct grpc *g, const struct hpack_field *f)
{
	struct err ignored = ERR_INIT(g->a);

	if (str_is(f->name, "grpc-status")) {
		if (!str_to_i64(f->value, &g->code) || g->code < 0 || g->code > 999)
			g->code = GRPC_UNKNOWN;
	} else if (str_is(f->name, "grpc-message")) {
		if (percent_decode(g->a, f->value, &g->text, &ignored) < 0)
			g->text = f->value;
	}
}

static void take_fields(struct grpc *g)
{
	struct str rest = buf_str(&g->fields);
	struct hpack_field f;
	int rc;

	while ((rc = hpack_next(g->a, &rest, &f)) > 0)
		take_field(g, &f);
	g->gathering = false;
	if (rc < 0)
		set_broken(g);
	else if (g->ends)
		end_stream(g);
	buf_init(&g->fields, g->a);
}

/* Removes the padding of a frame. */
static bool unpad(unsigned char flags, struct str *body)
{
	size_t pad;

	if (!(flags & PADDED))
		return true;
	if (!body->n)
		return false;
	pad = (unsigned char)body->p[0];
	*body = str_from(*body, 1);
	if (pad > body->n)
		return false;
	body->n -= pad;
	return true;
}

static bool take_headers(struct grpc *g, enum frame type, unsigned char flags, struct str body)
{
	if (type == HEADERS) {
		g->ends = flags & END_STREAM;
		if (!unpad(flags, &body) || (flags & WITH_PRIORITY && body.n < 5))
			return false;
		body = str_from(body, flags & WITH_PRIORITY ? 5 : 0);
	}
	if (g->fields.n + body.n > FIELDS_MAX)
		return false;
	buf_add(&g->fields, body);
	g->gathering = true;
	if (flags & END_HEADERS)
		take_fields(g);
	return true;
}

static bool take_data(struct grpc *g, unsigned char flags, struct str body)
{
	if (!unpad(flags, &body) || g->data.n + body.n > GRPC_ANSWER_MAX)
		return false;
	buf_add(&g->data, body);
	if (flags & END_STREAM)
		end_stream(g);
	return true;
}

/* Frames of the connection, and frames that end the stream. */
static bool take_other(struct grpc *g, enum frame type, unsigned char flags, struct str body,
		       struct buf *reply)
{
	bool ask = !(flags & ACK);

	if ((type == RST_STREAM && body.n == 4) ||
	    (type == GOAWAY && body.n >= 8 && get_number(body.p, 4) < STREAM))
		end_call(g, GRPC_UNAVAILABLE, S("the peer cancelled the call"));
	else if ((type == SETTINGS && body.n % 6 == 0 && (ask || !body.n)) ||
		 (type == PING && body.n == 8)) {
		if (ask)
			add_frame(reply, type, ACK, 0, type == PING ? body : S(""));
	} else {
		return type == PRIORITY || type == GOAWAY || type == WINDOW_UPDATE ||
		       type > CONTINUATION;
	}
	return true;
}

/* False for a protocol error. */
static bool take_frame(struct grpc *g, const char *head, struct str body, struct buf *reply)
{
	unsigned char type = (unsigned char)head[3];
	unsigned char flags = (unsigned char)head[4];
	size_t stream = get_number(head + 5, 4) & 0x7fffffff;
	bool ours = type <= HEADERS || type == RST_STREAM || type == CONTINUATION;
	bool theirs = type == SETTINGS || type == PING || type == GOAWAY;

	if (g->gathering != (type == CONTINUATION) ||
	    (!g->begun && (type != SETTINGS || flags & ACK)) || (ours && stream != STREAM) ||
	    (theirs && stream))
		return false;
	g->begun = true;
	if (type == DATA)
		return take_data(g, flags, body);
	if (type == HEADERS || type == CONTINUATION)
		return take_headers(g, type, flags, body);
	return take_other(g, type, flags, body, reply);
}

void grpc_take(struct grpc *g, struct str bytes, struct buf *reply)
{
	size_t at = 0;

	if (g->over)
		return;
	buf_add(&g->in, bytes);
	while (!g->over && g->in.n - at >= FRAME_HEAD) {
		const char *head = g->in.p + at;
		struct str body = { head + FRAME_HEAD, get_number(head, 3) };

		if (body.n <= FRAME_MAX && g->in.n - at - FRAME_HEAD < body.n)
			break;
		if (body.n > FRAME_MAX || !take_frame(g, head, body, reply)) {
			set_broken(g);
			return;
		}
		at += FRAME_HEAD + body.n;
	}
	if (at)
		memmove(g->in.p, g->in.p + at, g->in.n - at);
	g->in.n -= at;
}

/* ---- protocol buffers ---------------------------------------------------- */

void proto_add(struct buf *b, unsigned field, struct str bytes)
{
	size_t n = bytes.n;

	buf_addc(b, (char)(field << 3 | 2));
	for (; n > 0x7f; n >>= 7)
		buf_addc(b, (char)(n | 0x80));
	buf_addc(b, (char)n);
	buf_add(b, bytes);
}

static bool varint(struct str *rest, uint64_t *out)
{
	unsigned char byte = 0x80;
	uint64_t n = 0;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		if (!rest->n || shift > 63)
			return false;
		byte = (unsigned char)rest->p[0];
		n |= (uint64_t)(byte & 0x7f) << shift;
		*rest = str_from(*rest, 1);
	}
	*out = n;
	return true;
}

int proto_find(struct str message, unsigned field, struct str *out)
{
	int found = 0;

	while (message.n) {
		uint64_t tag, n = 0;

		if (!varint(&message, &tag))
			return -1;
		switch (tag & 7) {
		case 0: /* a number */
			if (!varint(&message, &n))
				return -1;
			n = 0;
			break;
		case 1:
			n = 8;
			break;
		case 2: /* bytes */
			if (!varint(&message, &n))
				return -1;
			break;
		case 5:
			n = 4;
			break;
		default:
			return -1;
		}
		if (n > message.n)
			return -1;
		if (tag == ((uint64_t)field << 3 | 2)) {
			*out = str_sub(message, 0, (size_t)n);
			found = 1;
		}
		message = str_from(message, (size_t)n);
	}
	return found;
}
