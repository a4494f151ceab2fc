/*
 * Routes as Go's ServeMux does: the path is cleaned before it is unescaped, and the pool
 * is the last element of the unescaped path.
 */
#include "base/codec.h"
#include "base/num.h"
#include "plan/serve.h"

/* ---- Accept -------------------------------------------------------------- */

/* Cuts off *rest up to the next c, trimmed. False at the end. */
static bool next_part(struct str *rest, char c, struct str *out)
{
	struct str after = { 0 };

	if (!rest->p)
		return false;
	if (!str_cut(*rest, c, out, &after))
		*out = *rest;
	*out = str_trim(*out);
	*rest = after;
	return true;
}

struct wish {
	struct semver version;
	bool versioned; /* the Ignition type with a version */
	double q;
};

static void read_params(struct str rest, struct wish *w)
{
	struct str part, key, value;
	bool have_q = false;

	while (next_part(&rest, ';', &part)) {
		if (!str_cut(part, '=', &key, &value))
			continue;
		if (str_is(key, "version") && !w->versioned)
			w->versioned = semver_parse(value, &w->version);
		else if (str_is(key, "q") && !have_q)
			have_q = num_parse_float(value, &w->q);
	}
}

static struct wish read_wish(struct str entry)
{
	struct wish w = { .q = 1 };
	struct str type, major, minor, params = { 0 };

	if (!str_cut(entry, ';', &type, &params))
		type = entry;
	read_params(params, &w);
	if (!str_cut(str_trim(type), '/', &major, &minor) ||
	    !str_is(minor, "vnd.coreos.ignition+json"))
		w.versioned = false;
	return w;
}

bool serve_version(struct str accept, struct semver *out)
{
	struct wish best = { 0 };
	struct str entry;
	int64_t minor;

	while (next_part(&accept, ',', &entry)) {
		struct wish w = read_wish(entry);

		/* the first of equal ones wins */
		if (w.versioned && (!best.versioned || w.q > best.q))
			best = w;
	}
	*out = (struct semver){ .major = 2, .minor = 2 };
	if (!best.versioned)
		return true;
	minor = best.version.minor;
	if (best.version.major == 2 && minor >= 2)
		return true;
	if (best.version.major != 3)
		return false;
	*out = (struct semver){ .major = 3, .minor = minor > 5 ? 5 : minor };
	return true;
}

size_t serve_version_index(struct semver v)
{
	return v.major == 2 ? SERVE_VERSIONS - 1 : (size_t)v.minor;
}

/* ---- paths --------------------------------------------------------------- */

/* Removes empty, "." and ".." elements; keeps a trailing slash. */
static struct str clean(struct arena *a, struct str path)
{
	struct str rest = path, part;
	struct buf b;

	buf_init(&b, a);
	while (rest.n) {
		ptrdiff_t at = str_chr(rest, '/');

		part = at < 0 ? rest : str_sub(rest, 0, (size_t)at);
		rest = str_from(rest, part.n + 1);
		if (str_is(part, "..") && b.n)
			b.n = (size_t)str_rchr(buf_str(&b), '/');
		else if (part.n && !str_is(part, ".") && !str_is(part, ".."))
			buf_addf(&b, "/%.*s", STRF(part));
	}
	if (!b.n || str_ends(path, S("/")))
		buf_addc(&b, '/');
	return buf_str(&b);
}

/* The path as sent, without the query; "*" is unchanged. */
static struct str target_path(struct str target, struct str *query)
{
	struct str path = target, rest;
	ptrdiff_t at = str_find(target, S("://"));

	/* absolute-form, as sent to proxies */
	if (!str_starts(target, S("/")) && at > 0) {
		rest = str_from(target, (size_t)at + 3);
		at = str_chr(rest, '/');
		path = at < 0 ? S("") : str_from(rest, (size_t)at);
	}
	*query = S("");
	at = str_chr(path, '?');
	if (at >= 0) {
		*query = str_from(path, (size_t)at);
		path = str_sub(path, 0, (size_t)at);
	}
	return path;
}

static bool is_one_of(char c, const char *set)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c && strchr(set, c));
}

/* Escapes as Go's EscapedPath: existing escapes are escaped again. */
static struct str escape(struct arena *a, struct str path)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < path.n; i++) {
		if (is_one_of(path.p[i], "-_.~$&+,/:;=@"))
			buf_addc(&b, path.p[i]);
		else
			buf_addf(&b, "%%%02X", (unsigned char)path.p[i]);
	}
	return buf_str(&b);
}

/* The path that Go's routes see: as sent, or escaped again when a byte in it should have
 * been escaped. */
static struct str escaped_path(struct arena *a, struct str sent, struct str decoded)
{
	for (size_t i = 0; i < sent.n; i++)
		if (!is_one_of(sent.p[i], "-_.~$&+,/:;=@!'()*[]%"))
			return escape(a, decoded);
	return sent;
}

/* Go's Redirect: a page for GET, only its type for HEAD. */
static void redirect(struct arena *a, const struct serve_request *req, struct str path,
		     struct str query, struct serve_answer *out)
{
	struct str url =
		str_fmt(a, "%.*s%.*s", STRF(escape(a, path)), STRF(query.n > 1 ? query : S("")));
	struct buf b;

	out->status = 301;
	buf_init(&b, a);
	for (size_t i = 0; i < url.n; i++) {
		if ((unsigned char)url.p[i] < 0x80)
			buf_addc(&b, url.p[i]);
		else
			buf_addf(&b, "%%%02x", (unsigned char)url.p[i]);
	}
	out->location = buf_str(&b);
	if (str_is(req->method, "GET") || str_is(req->method, "HEAD"))
		out->type = S("text/html; charset=utf-8");
	if (!str_is(req->method, "GET"))
		return;
	buf_init(&b, a);
	buf_addz(&b, "<a href=\"");
	html_add(&b, url);
	buf_addz(&b, "\">Moved Permanently</a>.\n\n");
	out->body = buf_str(&b);
}

static struct str last_element(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return str_from(path, (size_t)(str_rchr(path, '/') + 1));
}

static void bad_request(struct serve_answer *out, const char *body)
{
	out->status = 400;
	out->type = S("text/plain; charset=utf-8");
	out->body = str_of(body);
}

static void ask(struct str path, const struct serve_request *req, bool reads,
		struct serve_answer *out)
{
	if (!reads) {
		out->status = 405;
		return;
	}
	out->pool = last_element(path);
	if (!serve_version(req->accept, &out->version)) {
		out->status = 400;
		out->why = S("unsupported Ignition version in Accept header");
	}
}

void serve_route(struct arena *a, const struct serve_request *req, struct serve_answer *out)
{
	bool reads = str_is(req->method, "GET") || str_is(req->method, "HEAD");
	struct str query, sent = target_path(req->target, &query), path, tidy;
	struct err err = ERR_INIT(a);

	*out = (struct serve_answer){ 0 };
	if (str_is(req->target, "*")) {
		out->status = str_is(req->method, "OPTIONS") ? 200 : 400;
		return;
	}
	if (str_is(req->method, "CONNECT")) {
		out->status = 405;
		return;
	}
	if (percent_decode(a, sent, &path, &err) < 0 || (sent.n && sent.p[0] != '/')) {
		bad_request(out, "400 Bad Request: malformed target");
		return;
	}
	sent = escaped_path(a, sent, path);
	tidy = clean(a, sent);
	if (str_is(path, "/config"))
		tidy = S("/config/");
	if (!str_eq(tidy, sent)) {
		redirect(a, req, tidy, query, out);
	} else if (str_starts(path, S("/config/"))) {
		ask(path, req, reads, out);
	} else if (str_is(path, "/healthz")) {
		out->status = reads ? 200 : 405;
	} else {
		out->status = reads ? 404 : 405;
	}
}
