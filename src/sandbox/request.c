/*
 * Parses the path and query of an API request, and refuses paths and methods as the API server's
 * router does.
 */
#include "sandbox/request.h"

#include "base/codec.h"

/* ---- the query ----------------------------------------------------------- */

static struct str unescape_text(struct arena *a, struct str s)
{
	struct err err = ERR_INIT(a);
	char *p = str_z(a, s);
	struct str out = { p, s.n };

	for (size_t i = 0; i < s.n; i++)
		if (p[i] == '+')
			p[i] = ' ';
	(void)percent_decode(a, out, &out, &err);
	return out;
}

void request_reparse(struct arena *a, struct sb_request *r)
{
	struct str rest = r->query, one;
	bool more = rest.n > 0;
	VEC(struct sb_param) params = { 0 };

	while (more) {
		struct sb_param p = { .value = S("") };

		more = str_cut(rest, '&', &one, &rest);
		if (!more)
			one = rest;
		if (!str_cut(one, '=', &p.name, &p.value))
			p.name = one;
		p.name = unescape_text(a, p.name);
		p.value = unescape_text(a, p.value);
		VEC_PUSH(a, &params, p);
	}
	r->params = params.v;
	r->n_params = params.n;
}

static const struct sb_param *param(const struct sb_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_params; i++)
		if (str_is(r->params[i].name, name))
			return &r->params[i];
	return NULL;
}

struct str request_param(const struct sb_request *r, const char *name)
{
	const struct sb_param *p = param(r, name);

	return p ? p->value : S("");
}

bool request_has(const struct sb_request *r, const char *name)
{
	return param(r, name) != NULL;
}

bool request_flag(const struct sb_request *r, const char *name)
{
	const struct sb_param *p = param(r, name);

	return p && !str_is(p->value, "0") && !str_eq_fold(p->value, S("false"));
}

/* ---- the path ------------------------------------------------------------ */

/* The segments of an API path; an empty one is the end. */
struct path {
	struct str v[10];
	size_t n;
};

static bool segments(struct arena *a, struct str path, struct path *out)
{
	struct str one;
	bool more = true;

	*out = (struct path){ 0 };
	path = str_from(path, 1);
	while (more && path.n) {
		more = str_cut(path, '/', &one, &path);
		if (!more)
			one = path;
		if (out->n == ARRAY_LEN(out->v))
			return false;
		out->v[out->n++] = unescape_text(a, one);
	}
	return true;
}

/* Removes the segments up to group and version; false when it is not such a path. */
static bool group_version(struct path *p, struct str *group, struct str *version)
{
	size_t skip = 0;

	if (p->n >= 3 && str_is(p->v[0], "api")) {
		*group = S("");
		*version = p->v[1];
		skip = 2;
	} else if (p->n >= 4 && str_is(p->v[0], "apis")) {
		*group = p->v[1];
		*version = p->v[2];
		skip = 3;
	}
	p->n -= skip;
	memmove(p->v, p->v + skip, p->n * sizeof(p->v[0]));
	return skip > 0;
}

static void shift_segment(struct path *p, size_t by)
{
	p->n -= by;
	memmove(p->v, p->v + by, p->n * sizeof(p->v[0]));
}

/* [namespaces/NS/]PLURAL[/NAME[/SUB]] */
static bool resource(const struct kinds *k, struct path *p, struct str group, struct str version,
		     struct sb_request *r)
{
	if (p->n >= 3 && str_is(p->v[0], "namespaces") &&
	    kinds_find(k, group, version, p->v[2], &r->version)) {
		r->ns = p->v[1];
		shift_segment(p, 2);
	}
	r->kind = kinds_find(k, group, version, p->v[0], &r->version);
	if (!r->kind || p->n > 3)
		return false;
	if (r->ns.n && !(r->kind->traits & SB_NAMESPACED))
		return false;
	if (p->n > 1)
		r->name = p->v[1];
	if (p->n > 2)
		r->sub = p->v[2];
	/* a namespaced object needs a namespace in its path */
	return !(r->name.n && (r->kind->traits & SB_NAMESPACED) && !r->ns.n);
}

static bool verb_of(struct sb_request *r, bool watch)
{
	bool item = r->name.n > 0;

	if (str_is(r->method, "GET") || str_is(r->method, "HEAD"))
		r->verb = watch || (!item && request_flag(r, "watch")) ? SB_WATCH
			  : item				       ? SB_GET
								       : SB_LIST;
	else if (str_is(r->method, "POST") && (!item || r->sub.n))
		r->verb = SB_CREATE;
	else if (str_is(r->method, "PUT") && item)
		r->verb = SB_UPDATE;
	else if (str_is(r->method, "PATCH") && item)
		r->verb = SB_PATCH;
	else if (str_is(r->method, "DELETE") &&
		 (item || r->kind->group.n || !str_is(r->kind->plural, "namespaces")))
		r->verb = item ? SB_DELETE : SB_DELETE_ALL;
	else
		return false;
	return !(r->kind->traits & SB_REVIEW) || r->verb == SB_CREATE;
}

/* The trait of a subresource that is read and written like an object; 0 for others. */
static unsigned sub_trait(const struct sb_request *r)
{
	return str_is(r->sub, "status") ? SB_STATUS : str_is(r->sub, "scale") ? SB_SCALE : 0;
}

static bool sub_served(const struct sb_request *r)
{
	if (!r->sub.n)
		return true;
	if (sub_trait(r))
		return r->kind->traits & sub_trait(r);
	if (r->kind->group.n)
		return false;
	if (str_is(r->sub, "eviction") || str_is(r->sub, "binding"))
		return str_is(r->kind->plural, "pods") && r->verb == SB_CREATE;
	return str_is(r->sub, "finalize") && r->verb == SB_UPDATE &&
	       str_is(r->kind->plural, "namespaces");
}

static bool builtin_group(const struct kinds *k, struct str group)
{
	for (const struct sb_kind *one = k->first; one; one = one->next)
		if (str_eq(one->group, group))
			return !(one->traits & SB_CUSTOM);
	return false;
}

void request_nowhere(struct arena *a, const struct kinds *k, struct str group, struct sb_reply *out)
{
	if (builtin_group(k, group))
		reply_routed(a, out, 404, "NotFound",
			     S("the server could not find the requested "
			       "resource"));
	else
		reply_no_page(out);
}

bool request_parse(struct arena *a, const struct kinds *k, struct sb_request *r,
		   struct sb_reply *out)
{
	struct path p;
	struct str group, version;
	bool watch = false;

	request_reparse(a, r);
	if (!r->path.n || r->path.p[0] != '/' || !segments(a, r->path, &p)) {
		reply_no_page(out);
		return false;
	}
	if (!group_version(&p, &group, &version))
		return true;
	if (str_is(p.v[0], "watch") && p.n > 1) {
		watch = true;
		shift_segment(&p, 1);
	}
	if (!resource(k, &p, group, version, r)) {
		request_nowhere(a, k, group, out);
		return false;
	}
	if (!verb_of(r, watch) ||
	    (sub_trait(r) && (r->verb == SB_CREATE || r->verb == SB_DELETE))) {
		reply_routed(a, out, 405, "MethodNotAllowed",
			     S("the server does not allow this method on the "
			       "requested resource"));
		return false;
	}
	if (!sub_served(r) && r->kind->traits & SB_CUSTOM) {
		reply_not_found(a, out, request_subject(r));
		return false;
	}
	if (!group.n && str_is(r->kind->plural, "pods") &&
	    str_find(S("log exec attach portforward proxy"), r->sub) >= 0 && r->sub.n > 2) {
		reply_bad(a, out,
			  "pods/%.*s: nothing runs in the sandbox, its pods "
			  "are objects only",
			  STRF(r->sub));
		return false;
	}
	if (!sub_served(r)) {
		request_nowhere(a, k, group, out);
		return false;
	}
	return true;
}

struct sb_subject request_subject(const struct sb_request *r)
{
	return (struct sb_subject){ r->kind, r->name };
}

struct str request_key(struct arena *a, const struct sb_request *r, struct str name)
{
	if (!(r->kind->traits & SB_NAMESPACED))
		return name;
	return str_fmt(a, "%.*s/%.*s", STRF(r->ns), STRF(name));
}
