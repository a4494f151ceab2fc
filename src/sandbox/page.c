/*
 * Continue tokens in the format of API servers: JSON in unpadded base64url. The key is the part
 * after the prefix of the list, plus a NUL.
 */
#include "base/codec.h"
#include "sandbox/sandbox.h"

#define TOKEN_VERSION "meta.k8s.io/v1"

static const char codes[] = "+/-_";

static struct str prefix(struct sb_call *c)
{
	return c->r->ns.n ? str_fmt(c->a, "%.*s/", STRF(c->r->ns)) : S("");
}

struct str page_token(struct sb_call *c, struct str key, int64_t rv)
{
	struct json *j = json_new(c->a, JSON_OBJECT);
	struct buf plain, b;

	buf_init(&plain, c->a);
	buf_add(&plain, str_from(key, prefix(c).n));
	buf_addc(&plain, '\0');
	json_add(j, S("v"), json_new_str(c->a, S(TOKEN_VERSION)));
	json_add(j, S("rv"), json_new_i64(c->a, rv));
	json_add(j, S("start"), json_new_str(c->a, buf_str(&plain)));
	buf_init(&plain, c->a);
	json_encode(&plain, j, 0);
	buf_init(&b, c->a);
	base64_add(&b, buf_str(&plain));
	while (b.n && b.p[b.n - 1] == '=')
		b.n--;
	for (size_t i = 0; i < b.n; i++)
		if (b.p[i] == codes[0] || b.p[i] == codes[1])
			b.p[i] = codes[b.p[i] == codes[0] ? 2 : 3];
	return buf_str(&b);
}

/* As base64.RawURLEncoding decodes it. */
static int decode(struct arena *a, struct str text, struct str *out, struct err *err)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < text.n; i++) {
		const char *at = text.p[i] ? strchr(codes, text.p[i]) : NULL;

		if (text.p[i] == '=' || (at && at - codes < 2))
			return err_set(err, ERR_INVALID, "illegal base64 data at input byte %zu",
				       i);
		buf_addc(&b, at ? codes[at - codes - 2] : text.p[i]);
	}
	if (text.n % 4 == 1)
		return err_set(err, ERR_INVALID, "illegal base64 data at input byte %zu",
			       text.n - 1);
	while (b.n % 4)
		buf_addc(&b, '=');
	return base64_decode(a, buf_str(&b), out, err);
}

/* A path that path.Clean would not change. */
static bool clean(struct str path)
{
	struct str part;
	bool more = true;

	if (path.n && path.p[0] == '/')
		path = str_from(path, 1);
	while (more) {
		more = str_cut(path, '/', &part, &path);
		if (!more)
			part = path;
		if (!part.n || str_is(part, ".") || str_is(part, ".."))
			return false;
	}
	return true;
}

static int parse(struct arena *a, struct str text, struct str *start, int64_t *rv, struct err *err)
{
	struct json_fault fault;
	struct json *j = NULL;
	struct str plain, version;
	int rc = decode(a, text, &plain, err);

	if (rc < 0)
		return rc;
	if (json_parse(
		    a, plain,
		    &(struct json_opts){ .flags = JSON_DUP_LAST | JSON_FIX_UTF8, .fault = &fault },
		    &j, err) < 0)
		return err_set(err, ERR_INVALID, "%.*s", STRF(fault.problem));
	version = json_str(j, "v");
	*rv = json_i64(j, "rv", 0);
	*start = json_str(j, "start");
	if (!str_is(version, TOKEN_VERSION))
		return err_set(err, ERR_INVALID,
			       "server does not recognize this encoded version %.*s",
			       STRF(version));
	if (!*rv)
		return err_set(err, ERR_INVALID,
			       "incorrect encoded start resourceVersion "
			       "(version " TOKEN_VERSION ")");
	if (!start->n)
		return err_set(err, ERR_INVALID,
			       "encoded start key empty (version " TOKEN_VERSION ")");
	if (!clean(*start))
		return err_set(err, ERR_INVALID, "%.*s", STRF(*start));
	return 0;
}

static void expired(struct sb_call *c, struct str key)
{
	reply_expired(c->a, c->out,
		      S("The provided continue parameter is too old to "
			"display a consistent list result. You can "
			"start a new list without the continue "
			"parameter, or use the continue token in this "
			"response to retrieve the remainder of the "
			"results. Continuing with the provided token "
			"results in an inconsistent list - objects that "
			"were created, modified, or deleted between the "
			"time the first chunk was returned and now may "
			"show up in the list."),
		      page_token(c, key, -1));
}

bool page_begin(struct sb_call *c, struct str *after, uint64_t *rv)
{
	struct str text = request_param(c->r, "continue"), start;
	struct err err = ERR_INIT(c->a);
	int64_t n;

	*after = S("");
	*rv = 0;
	if (!text.n)
		return true;
	if (parse(c->a, text, &start, &n, &err) < 0) {
		reply_bad(c->a, c->out,
			  "invalid continue token: continue key is not valid: "
			  "%.*s",
			  STRF(err.msg));
		return false;
	}
	if (start.p[0] == '/')
		start = str_from(start, 1);
	if (start.n && !start.p[start.n - 1])
		start.n--;
	*after = str_fmt(c->a, "%.*s%.*s", STRF(prefix(c)), STRF(start));
	if (n < 0)
		return true;
	*rv = (uint64_t)n;
	if (*rv >= c->sb->store.compacted)
		return true;
	expired(c, *after);
	return false;
}
