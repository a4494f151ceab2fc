/*
 * The options in the query of a request. API servers validate them before the object.
 */
#include "base/codec.h"
#include "sandbox/sandbox.h"

#define MANAGER_MAX 128

void options_refuse(struct sb_call *c, const char *kind, const struct sb_causes *causes)
{
	struct sb_kind k = { .group = S("meta.k8s.io"), .kind = str_of(kind) };

	reply_invalid(c->a, c->out, (struct sb_subject){ &k, S("") }, causes);
}

bool options_number(struct sb_call *c, const char *name, int64_t *out)
{
	struct str text = request_param(c->r, name);
	struct buf b;
	size_t digits = 0;

	*out = 0;
	if (!request_has(c->r, name) || str_to_i64(text, out))
		return true;
	while (digits < text.n && text.p[digits] >= '0' && text.p[digits] <= '9')
		digits++;
	buf_init(&b, c->a);
	go_quote(&b, text);
	reply_bad(c->a, c->out, "strconv.ParseInt: parsing %.*s: %s", STRF(buf_str(&b)),
		  digits && digits == text.n ? "value out of range" : "invalid syntax");
	return false;
}

bool options_version(struct sb_call *c, uint64_t *out)
{
	struct str rv = request_param(c->r, "resourceVersion");
	int64_t n = 0;
	struct buf b;

	if (!rv.n || (str_to_i64(rv, &n) && n >= 0)) {
		*out = (uint64_t)n;
		return true;
	}
	buf_init(&b, c->a);
	go_quote(&b, rv);
	rv = str_fmt(c->a,
		     "resourceVersion: Invalid value: %.*s: strconv.ParseUint: parsing %.*s: "
		     "invalid syntax",
		     STRF(buf_str(&b)), STRF(buf_str(&b)));
	if (c->r->verb == SB_LIST)
		reply_bad(c->a, c->out, "invalid resource version: %.*s", STRF(rv));
	else
		reply_status(c->a, c->out, 500, "", rv);
	return false;
}

/* ---- lists and watches --------------------------------------------------- */

static void match(struct sb_call *c, struct sb_causes *causes, const char *why)
{
	cause_add(c->a, causes, "FieldValueForbidden", S("resourceVersionMatch"),
		  str_fmt(c->a, "Forbidden: resourceVersionMatch %s", why));
}

bool options_list(struct sb_call *c)
{
	struct str how = request_param(c->r, "resourceVersionMatch");
	struct str rv = request_param(c->r, "resourceVersion");
	bool exact = str_is(how, "Exact");
	struct sb_causes causes = { 0 };

	if (!how.n)
		return true;
	if (c->r->verb == SB_WATCH)
		match(c, &causes, "is forbidden for watch unless sendInitialEvents is provided");
	if (!rv.n)
		match(c, &causes, "is forbidden unless resourceVersion is provided");
	if (request_param(c->r, "continue").n)
		match(c, &causes, "is forbidden when continue is provided");
	if (!exact && !str_is(how, "NotOlderThan"))
		cause_unsupported(c->a, &causes, S("resourceVersionMatch"), how,
				  "\"Exact\", \"NotOlderThan\", \"\"");
	if (exact && str_is(rv, "0"))
		match(c, &causes, "\"exact\" is forbidden for resourceVersion \"0\"");
	if (causes.n)
		options_refuse(c, "ListOptions", &causes);
	return !causes.n;
}

/* ---- writing ------------------------------------------------------------- */

static void manager(struct sb_call *c, struct sb_causes *causes)
{
	struct str s = request_param(c->r, "fieldManager");

	if (s.n > MANAGER_MAX)
		cause_add(c->a, causes, "FieldValueTooLong", S("fieldManager"),
			  str_fmt(c->a,
				  "Too long: may not be more than %d "
				  "bytes",
				  MANAGER_MAX));
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F)
			cause_text(c->a, causes, S("fieldManager"), s,
				   str_z(c->a, str_fmt(c->a,
						       "invalid character U+%04X (at "
						       "position %zu)",
						       s.p[i], i)));
}

void options_dry_run(struct arena *a, const struct strs *values, struct sb_causes *causes)
{
	struct buf b;
	bool bad = false;

	buf_init(&b, a);
	for (size_t i = 0; i < values->n; i++) {
		bad = bad || !str_is(values->v[i], "All");
		buf_addz(&b, b.n ? "," : "");
		go_quote(&b, values->v[i]);
	}
	if (bad)
		cause_add(a, causes, "FieldValueNotSupported", S("dryRun"),
			  str_fmt(a,
				  "Unsupported value: [%.*s]: "
				  "supported values: \"All\"",
				  STRF(buf_str(&b))));
}

static void dry_run(struct sb_call *c, struct sb_causes *causes)
{
	struct strs values = { 0 };

	for (size_t i = 0; i < c->r->n_params; i++)
		if (str_is(c->r->params[i].name, "dryRun"))
			VEC_PUSH(c->a, &values, c->r->params[i].value);
	options_dry_run(c->a, &values, causes);
}

static bool rest_valid(struct sb_call *c, const char *kind, struct sb_causes *causes)
{
	manager(c, causes);
	dry_run(c, causes);
	if (causes->n)
		options_refuse(c, kind, causes);
	return !causes->n;
}

bool options_write(struct sb_call *c, const char *kind)
{
	return rest_valid(c, kind, &(struct sb_causes){ 0 });
}

bool options_patch(struct sb_call *c, bool apply)
{
	struct sb_causes causes = { 0 };

	if (!apply && request_has(c->r, "force"))
		cause_add(c->a, &causes, "FieldValueForbidden", S("force"),
			  S("Forbidden: may not be specified for non-apply "
			    "patch"));
	if (apply && !request_param(c->r, "fieldManager").n)
		cause_required(c->a, &causes, S("fieldManager"), "is required for apply patch");
	return rest_valid(c, "PatchOptions", &causes);
}
