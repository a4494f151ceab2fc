/*
 * Validation of metadata. The API server validates an updated object several times and reports the
 * faults each time; the duplicates are part of its replies.
 */
#include "base/codec.h"
#include "sandbox/sandbox.h"

struct check {
	struct arena *a;
	struct sb_causes *causes;
};

/* ---- names --------------------------------------------------------------- */

static void check_segment(struct check *k, struct str field, struct str s)
{
	if (str_is(s, ".") || str_is(s, ".."))
		cause_text(k->a, k->causes, field, s,
			   s.n == 1 ? "may not be '.'" : "may not be '..'");
	if (str_chr(s, '/') >= 0)
		cause_text(k->a, k->causes, field, s, "may not contain '/'");
	if (str_chr(s, '%') >= 0)
		cause_text(k->a, k->causes, field, s, "may not contain '%'");
}

/* generateName may end with characters that a name may not end with. */
static void check_name(struct check *k, const struct sb_kind *kind, struct str field, struct str s,
		       bool beginning)
{
	bool label = str_is(kind->plural, "namespaces");
	size_t max = label ? 63 : 253;
	struct str whole = s;

	if (kind->traits & SB_FREE_NAMES && !label) {
		check_segment(k, field, s);
		return;
	}
	if (beginning && s.n > 1 && s.p[s.n - 1] == '-')
		whole = str_sub(s, 0, s.n - 1);
	if (s.n > max)
		cause_text(k->a, k->causes, field, s,
			   label ? "must be no more than 63 bytes"
				 : "must be no more than 253 characters");
	if ((s.n <= 253 && !selector_is_subdomain(whole)) || (label && str_chr(s, '.') >= 0))
		cause_text(k->a, k->causes, field, s,
			   label ? SB_LABEL_RULE : SELECTOR_SUBDOMAIN_RULE);
}

static void check_names(struct check *k, const struct sb_kind *kind, const struct json *meta)
{
	struct str base = json_str(meta, "generateName");
	struct str s = json_str(meta, "name");

	if (base.n)
		check_name(k, kind, S("metadata.generateName"), base, true);
	if (s.n)
		check_name(k, kind, S("metadata.name"), s, false);
	else
		cause_required(k->a, k->causes, S("metadata.name"),
			       "name or generateName is required");
}

/* ---- labels and annotations ---------------------------------------------- */

static void check_keys(struct check *k, const struct json *meta)
{
	struct str field = S("metadata.labels");
	size_t total = 0;

	sb_check_labels(k->a, k->causes, field, json_at(meta, "labels"));
	field = S("metadata.annotations");
	for (const struct json *m = json_first(json_at(meta, "annotations")); m; m = json_next(m)) {
		cause_each(k->a, k->causes, field, json_key(m),
			   filter_bad_key(k->a, kinds_lower(k->a, json_key(m))));
		total += json_key(m).n + json_text(m).n;
	}
	if (total > 256 * 1024)
		cause_add(k->a, k->causes, "FieldValueTooLong", field,
			  S("Too long: must have at most 262144 bytes"));
}

/* ---- owners -------------------------------------------------------------- */

static void two_controllers(struct check *k, const struct json *meta, struct str first,
			    struct str second)
{
	cause_value(k->a, k->causes, S("metadata.ownerReferences"),
		    json_at(meta, "ownerReferences"),
		    str_z(k->a, str_fmt(k->a,
					"Only one reference can have Controller set to true. Found "
					"\"true\" in references for %.*s and %.*s",
					STRF(first), STRF(second))));
}

static struct str owner_name(struct arena *a, const struct json *m)
{
	return str_fmt(a, "%.*s/%.*s", STRF(json_str(m, "kind")), STRF(json_str(m, "name")));
}

static void check_owners(struct check *k, const struct json *meta)
{
	static const char *const needed[] = { "apiVersion", "kind", "name", "uid" };
	struct str path = S("metadata.ownerReferences"), controller = S("");

	for (const struct json *m = json_first(json_at(meta, "ownerReferences")); m;
	     m = json_next(m)) {
		for (size_t f = 0; f < 4; f++)
			if (!json_str(m, needed[f]).n)
				cause_text(k->a, k->causes,
					   str_fmt(k->a, "%.*s.%s", STRF(path), needed[f]), S(""),
					   f == 0 ? "version must not be empty"
						  : "must not be empty");
		if (str_is(json_str(m, "kind"), "Event") && str_is(json_str(m, "apiVersion"), "v1"))
			cause_value(k->a, k->causes, path, m,
				    "/v1, Kind=Event is disallowed from being an owner");
		if (!json_bool(m, "controller", false))
			continue;
		if (controller.n)
			two_controllers(k, meta, controller, owner_name(k->a, m));
		else
			controller = owner_name(k->a, m);
	}
}

/* ---- finalizers ---------------------------------------------------------- */

static void check_finalizers(struct check *k, const struct json *meta)
{
	const struct json *list = json_at(meta, "finalizers");
	struct str field = S("metadata.finalizers");
	bool orphan = false, foreground = false;

	for (const struct json *m = json_first(list); m; m = json_next(m)) {
		cause_each(k->a, k->causes, field, json_text(m),
			   filter_bad_key(k->a, json_text(m)));
		orphan = orphan || str_is(json_text(m), "orphan");
		foreground = foreground || str_is(json_text(m), "foregroundDeletion");
	}
	if (orphan && foreground)
		cause_value(k->a, k->causes, field, list,
			    "finalizer orphan and foregroundDeletion cannot be both set");
}

/* Finalizers of custom resources need not be qualified names. */
static void check_qualified(struct check *k, const struct json *meta)
{
	size_t i = 0;

	for (const struct json *m = json_first(json_at(meta, "finalizers")); m;
	     m = json_next(m), i++)
		if (str_chr(json_text(m), '/') < 0 && !str_is(json_text(m), "kubernetes") &&
		    !str_is(json_text(m), "orphan") && !str_is(json_text(m), "foregroundDeletion"))
			cause_text(k->a, k->causes, str_fmt(k->a, "metadata.finalizers[%zu]", i),
				   json_text(m),
				   "name is neither a standard finalizer name "
				   "nor is it fully qualified");
}

/* An object that is being deleted must not get more finalizers. */
static void no_new_finalizers(struct check *k, const struct json *now, const struct json *old)
{
	const struct json *had = json_member(old, S("finalizers"));
	struct buf b;

	if (!json_member(old, S("deletionTimestamp")))
		return;
	buf_init(&b, k->a);
	for (const struct json *f = json_first(json_member(now, S("finalizers"))); f;
	     f = json_next(f)) {
		const struct json *h = json_first(had);

		while (h && !json_eq(h, f))
			h = json_next(h);
		if (h)
			continue;
		buf_addz(&b, b.n ? ", " : "");
		go_quote(&b, json_text(f));
	}
	if (b.n)
		cause_add(k->a, k->causes, "FieldValueForbidden", S("metadata.finalizers"),
			  str_fmt(k->a,
				  "Forbidden: no new finalizers can be added "
				  "if the object is being deleted, found new "
				  "finalizers []string{%.*s}",
				  STRF(buf_str(&b))));
}

/* ---- metadata ------------------------------------------------------------ */

/* The checks of metadata for every object. */
static void of_new(struct check *k, const struct json *meta)
{
	if (json_i64(meta, "generation", 0) < 0)
		cause_value(k->a, k->causes, S("metadata.generation"), json_at(meta, "generation"),
			    "must be greater than or equal to 0");
	check_keys(k, meta);
	check_owners(k, meta);
	check_finalizers(k, meta);
}

static void of_changed(struct check *k, const struct json *now, const struct json *old)
{
	static const char *const fixed[] = { "name", "namespace", "uid" };

	no_new_finalizers(k, now, old);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		struct str value = json_str(now, fixed[i]);

		if (!str_eq(value, json_str(old, fixed[i])))
			cause_text(k->a, k->causes, str_fmt(k->a, "metadata.%s", fixed[i]), value,
				   "field is immutable");
	}
	check_keys(k, now);
	check_owners(k, now);
}

/* Kinds that validate an updated object like a new one, too. */
static bool is_thorough(const struct sb_kind *k, bool status)
{
	static const char lists[] = " nodes configmaps secrets namespaces serviceaccounts "
				    "daemonsets deployments jobs ";
	ptrdiff_t at = str_find(str_of(lists), k->plural);

	return !status && !(k->traits & SB_CUSTOM) && at > 0 && lists[at - 1] == ' ' &&
	       lists[(size_t)at + k->plural.n] == ' ';
}

void check_meta(struct arena *a, const struct sb_kind *kind, const struct json *now,
		const struct json *old, bool status, struct sb_causes *causes)
{
	struct check k = { a, causes };
	bool custom = kind->traits & SB_CUSTOM;
	bool again = !old || is_thorough(kind, status);

	if (old) {
		of_new(&k, now);
		of_changed(&k, now, old);
	}
	if (!old)
		check_names(&k, kind, now);
	if (again) {
		of_new(&k, now);
		if (!custom)
			check_qualified(&k, now);
	}
	if (!old)
		return;
	of_changed(&k, now, old);
	if (!custom)
		check_qualified(&k, now);
}
