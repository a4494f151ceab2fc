/*
 * The HTTP/1.1 reader.
 *
 * The head is collected line by line in one buffer and split at its empty line, so input of one
 * byte at a time costs no more than all at once, and every limit is checked before more is stored.
 */
#include "data/http.h"

const struct http_limits http_limits = { 65536, 16384, 128 };

/* The longest size line of a chunk, with its extensions, which are ignored. */
#define SIZE_LINE 256

static bool token_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c > ' ' && c < 0x7F && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

bool http_is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!token_char((unsigned char)s.p[i]))
			return false;
	return s.n > 0;
}

void http_reader_init(struct http_reader *r, enum http_kind kind, const struct http_limits *limits,
		      struct arena *a)
{
	*r = (struct http_reader){ .kind = kind, .limits = limits ? limits : &http_limits, .a = a };
	buf_init(&r->line, a);
}

void http_next(struct http_reader *r)
{
	http_reader_init(r, r->kind, r->limits, r->a);
}

bool http_between(const struct http_reader *r)
{
	return r->phase == HTTP_P_HEAD && r->line.n == 0;
}

static enum http_event set_fault(struct http_reader *r, struct err *err, int answer,
				 const char *why)
{
	r->phase = HTTP_P_FAULT;
	r->answer = answer;
	(void)err_set(err, answer == 400 ? ERR_INVALID : ERR_LIMIT, "%s", why);
	return HTTP_FAULT;
}

/*
 * Moves bytes up to and including the next LF into r->line; the line is limited to max bytes. True
 * when a line is complete: it ends in CR LF, or *bad is set.
 */
static bool take_line(struct http_reader *r, struct str *in, size_t max, bool *over, bool *bad)
{
	ptrdiff_t lf = str_chr(*in, '\n');
	size_t n = lf < 0 ? in->n : (size_t)lf + 1;

	*over = r->line.n - r->line_start + n > max;
	*bad = false;
	if (*over)
		return false;
	buf_add(&r->line, str_sub(*in, 0, n));
	*in = str_from(*in, n);
	if (lf < 0)
		return false;
	*bad = r->line.n - r->line_start < 2 || r->line.p[r->line.n - 2] != '\r';
	return true;
}

static struct str next_line(struct str *rest)
{
	ptrdiff_t lf = str_chr(*rest, '\n');
	struct str line = str_sub(*rest, 0, (size_t)lf - 1);

	*rest = str_from(*rest, (size_t)lf + 1);
	return line;
}

/* A field value or reason: no control characters except tab. */
static bool is_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < ' ' && c != '\t') || c == 0x7F)
			return false;
	}
	return true;
}

static struct str trim_blank(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_from(s, 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static const char *parse_field(struct str line, struct http_field *out)
{
	if (line.p[0] == ' ' || line.p[0] == '\t')
		return "folded header line";
	if (!str_cut(line, ':', &out->name, &out->value) || !http_is_token(out->name))
		return "malformed header name";
	out->value = trim_blank(out->value);
	return is_text(out->value) ? NULL : "invalid header value";
}

static bool parse_version(struct str s, int *minor)
{
	if (s.n != 8 || !str_starts(s, S("HTTP/1.")) || (s.p[7] != '0' && s.p[7] != '1'))
		return false;
	*minor = s.p[7] - '0';
	return true;
}

static bool looks_like_version(struct str s)
{
	return s.n == 8 && str_starts(s, S("HTTP/")) && s.p[5] >= '0' && s.p[5] <= '9' &&
	       s.p[6] == '.' && s.p[7] >= '0' && s.p[7] <= '9';
}

static bool is_visible(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == 0x7F)
			return false;
	return s.n > 0;
}

/* 0, or the status of the refusal. */
static int request_line(struct http_head *h, struct str line, const char **why)
{
	struct str rest, version;

	*why = "malformed request line";
	if (!str_cut(line, ' ', &h->method, &rest) || !str_cut(rest, ' ', &h->target, &version) ||
	    !http_is_token(h->method) || !is_visible(h->target))
		return 400;
	if (parse_version(version, &h->minor))
		return 0;
	if (!looks_like_version(version))
		return 400;
	*why = "unsupported protocol version";
	return 505;
}

static int status_line(struct http_head *h, struct str line, const char **why)
{
	struct str code;

	*why = "malformed status line";
	if (line.n < 12 || !parse_version(str_sub(line, 0, 8), &h->minor) || line.p[8] != ' ')
		return 400;
	code = str_sub(line, 9, 12);
	for (size_t i = 0; i < 3; i++) {
		if (code.p[i] < '0' || code.p[i] > '9')
			return 400;
		h->status = h->status * 10 + (code.p[i] - '0');
	}
	if (h->status < 100 || (line.n > 12 && line.p[12] != ' '))
		return 400;
	h->reason = str_from(line, line.n > 12 ? 13 : 12);
	return is_text(h->reason) ? 0 : 400;
}

struct str http_get(const struct http_head *h, struct str name)
{
	for (size_t i = 0; i < h->fields.n; i++)
		if (str_eq_fold(h->fields.v[i].name, name))
			return h->fields.v[i].value;
	return (struct str){ 0 };
}

static size_t count_fields(const struct http_head *h, struct str name)
{
	size_t n = 0;

	for (size_t i = 0; i < h->fields.n; i++)
		n += str_eq_fold(h->fields.v[i].name, name);
	return n;
}

bool http_has_token(const struct http_head *h, struct str name, struct str token)
{
	for (size_t i = 0; i < h->fields.n; i++) {
		struct str rest = h->fields.v[i].value, one;

		if (!str_eq_fold(h->fields.v[i].name, name))
			continue;
		while (str_cut(rest, ',', &one, &rest))
			if (str_eq_fold(trim_blank(one), token))
				return true;
		if (str_eq_fold(trim_blank(rest), token))
			return true;
	}
	return false;
}

/* At most 18 digits: 19 could exceed 2^63. */
static bool parse_length(struct str s, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = v;
	return s.n > 0 && s.n <= 18;
}

/* Determines how the body is delimited; 0, or the status of the refusal. */
static int framing(struct http_head *h, const char **why)
{
	size_t te = count_fields(h, S("Transfer-Encoding"));
	size_t cl = count_fields(h, S("Content-Length"));

	if (te) {
		struct str coding = http_get(h, S("Transfer-Encoding"));

		*why = "Transfer-Encoding with Content-Length or HTTP/1.0";
		if (cl || h->minor == 0)
			return 400;
		*why = "unsupported transfer encoding";
		if (te > 1 || !str_eq_fold(coding, S("chunked")))
			return 501;
		h->chunked = true;
		return 0;
	}
	if (!cl)
		return 0;
	*why = "bad Content-Length";
	if (cl > 1 || !parse_length(http_get(h, S("Content-Length")), &h->length))
		return 400;
	h->has_length = true;
	return 0;
}

static bool host_char(unsigned char c)
{
	return token_char(c) || (c && strchr(":[]@()/,;=%", c) != NULL);
}

static int check_host(struct http_head *h, const char **why)
{
	size_t n = count_fields(h, S("Host"));

	*why = "too many Host headers";
	if (n > 1)
		return 400;
	*why = "missing required Host header";
	if (n == 0 && h->minor == 1 && !str_is(h->method, "CONNECT"))
		return 400;
	h->host = n ? http_get(h, S("Host")) : S("");
	*why = "malformed Host header";
	for (size_t i = 0; i < h->host.n; i++)
		if (!host_char((unsigned char)h->host.p[i]))
			return 400;
	return 0;
}

static int split_head(struct http_reader *r, const char **why)
{
	struct http_head *h = &r->head;
	struct str rest = str_sub(buf_str(&r->line), 0, r->line.n - 2);
	struct str line = next_line(&rest);
	int rc = r->kind == HTTP_REQUEST ? request_line(h, line, why) : status_line(h, line, why);

	while (rc == 0 && rest.n) {
		struct http_field f;

		*why = parse_field(next_line(&rest), &f);
		if (*why)
			return 400;
		VEC_PUSH(r->a, &h->fields, f);
	}
	if (rc == 0)
		rc = framing(h, why);
	if (rc == 0 && r->kind == HTTP_REQUEST)
		rc = check_host(h, why);
	if (rc)
		return rc;
	h->keep_alive = h->minor == 1 ? !http_has_token(h, S("Connection"), S("close"))
				      : http_has_token(h, S("Connection"), S("keep-alive"));
	h->expect_continue =
		h->minor == 1 && str_eq_fold(http_get(h, S("Expect")), S("100-continue"));
	return 0;
}

static bool has_body(const struct http_reader *r)
{
	const struct http_head *h = &r->head;

	if (r->kind == HTTP_REQUEST)
		return h->chunked || h->length > 0;
	if (r->no_body || h->status < 200 || h->status == 204 || h->status == 304)
		return false;
	return !h->has_length || h->length > 0;
}

/* What follows the head. */
static void choose_body(struct http_reader *r)
{
	struct http_head *h = &r->head;

	r->left = h->length;
	if (!has_body(r)) {
		r->phase = HTTP_P_END;
		return;
	}
	r->phase = h->chunked ? HTTP_P_SIZE : HTTP_P_BODY;
	r->until_end = !h->chunked && !h->has_length;
	if (r->until_end)
		h->keep_alive = false;
}

static enum http_event feed_head(struct http_reader *r, struct str *in, struct err *err)
{
	while (in->n) {
		size_t room = r->limits->head - r->line_start;
		const char *why;
		bool over, bad;
		int rc;

		if (r->n_lines == 0 && room > r->limits->line)
			room = r->limits->line;
		if (!take_line(r, in, room, &over, &bad)) {
			if (over)
				return set_fault(r, err, 431, "header too large");
			continue;
		}
		if (bad)
			return set_fault(r, err, 400, "line without CR LF");
		if (r->line.n - r->line_start > 2) {
			r->line_start = r->line.n;
			if (r->n_lines++ > r->limits->fields)
				return set_fault(r, err, 431, "too many headers");
			continue;
		}
		if (r->n_lines == 0 && !r->skipped) {
			/* one empty line before a message is ignored */
			r->skipped = true;
			r->line.n = 0;
			continue;
		}
		if (r->n_lines == 0)
			return set_fault(r, err, 400, "empty lines for a message");
		rc = split_head(r, &why);
		if (rc)
			return set_fault(r, err, rc, why);
		/* later lines must not reallocate the head */
		buf_init(&r->line, r->a);
		r->line_start = 0;
		choose_body(r);
		return HTTP_HEAD;
	}
	return HTTP_NEED;
}

/* Returns the available part of the body or chunk. */
static enum http_event feed_bytes(struct http_reader *r, struct str *in, struct str *part)
{
	size_t n = r->until_end || in->n < r->left ? in->n : (size_t)r->left;

	*part = str_sub(*in, 0, n);
	*in = str_from(*in, n);
	if (!r->until_end)
		r->left -= n;
	if (!r->until_end && r->left == 0)
		r->phase = r->head.chunked ? HTTP_P_CHUNK_END : HTTP_P_END;
	return HTTP_BODY;
}

static bool hex_size(struct str line, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < line.n && line.p[i] != ';'; i++) {
		char c = line.p[i];
		int d = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10
					       : -1;

		if (d < 0 || i >= 15)
			return false;
		v = v << 4 | (uint64_t)d;
	}
	*out = v;
	return i > 0 && is_text(line);
}

static enum http_event feed_size(struct http_reader *r, struct str *in, struct err *err)
{
	bool over, bad;

	if (!take_line(r, in, SIZE_LINE, &over, &bad))
		return over ? set_fault(r, err, 400, "chunk line too long") : HTTP_NEED;
	if (bad || !hex_size(str_sub(buf_str(&r->line), 0, r->line.n - 2), &r->left))
		return set_fault(r, err, 400, "malformed chunk size");
	r->line.n = 0;
	r->phase = r->left ? HTTP_P_CHUNK : HTTP_P_TRAILER;
	return HTTP_NEED;
}

static enum http_event feed_chunk_end(struct http_reader *r, struct str *in, struct err *err)
{
	bool over, bad;

	if (!take_line(r, in, 2, &over, &bad)) {
		if (over || r->line.p[0] != '\r')
			return set_fault(r, err, 400, "chunk longer than its size");
		return HTTP_NEED;
	}
	if (bad)
		return set_fault(r, err, 400, "chunk longer than its size");
	r->line.n = 0;
	r->phase = HTTP_P_SIZE;
	return HTTP_NEED;
}

/* Trailers are validated like fields, and dropped. */
static enum http_event feed_trailer(struct http_reader *r, struct str *in, struct err *err)
{
	struct http_field f;
	bool over, bad;

	if (!take_line(r, in, r->limits->head - r->trailer_bytes, &over, &bad))
		return over ? set_fault(r, err, 431, "trailer too large") : HTTP_NEED;
	if (bad)
		return set_fault(r, err, 400, "line without CR LF");
	r->trailer_bytes += r->line.n;
	if (r->line.n == 2) {
		r->phase = HTTP_P_END;
		return HTTP_NEED;
	}
	if (parse_field(str_sub(buf_str(&r->line), 0, r->line.n - 2), &f))
		return set_fault(r, err, 400, "malformed trailer");
	r->line.n = 0;
	return HTTP_NEED;
}

static enum http_event feed_phase(struct http_reader *r, struct str *in, struct str *part,
				  struct err *err)
{
	switch (r->phase) {
	case HTTP_P_HEAD:
		return feed_head(r, in, err);
	case HTTP_P_BODY:
	case HTTP_P_CHUNK:
		return feed_bytes(r, in, part);
	case HTTP_P_SIZE:
		return feed_size(r, in, err);
	case HTTP_P_CHUNK_END:
		return feed_chunk_end(r, in, err);
	case HTTP_P_TRAILER:
		return feed_trailer(r, in, err);
	case HTTP_P_END:
		return HTTP_END;
	case HTTP_P_FAULT:
		break;
	}
	return set_fault(r, err, 400, "connection already failed");
}

enum http_event http_feed(struct http_reader *r, struct str *in, struct str *part, struct err *err)
{
	while (in->n || r->phase == HTTP_P_END || r->phase == HTTP_P_FAULT) {
		enum http_event e = feed_phase(r, in, part, err);

		if (e != HTTP_NEED)
			return e;
	}
	return HTTP_NEED;
}

enum http_event http_eof(struct http_reader *r, struct err *err)
{
	if (r->phase == HTTP_P_END || (r->phase == HTTP_P_BODY && r->until_end)) {
		r->phase = HTTP_P_END;
		return HTTP_END;
	}
	return set_fault(r, err, 400,
			 http_between(r) ? "connection closed" : "connection closed in a message");
}
