/*
 * Server-side apply. metadata.managedFields has the set of fields that each manager applied last:
 * fields that the manager no longer applies are removed, and a field that another manager owns with
 * another value is a conflict unless force is set.
 */
#include <stdlib.h>

#include "data/yml.h"
#include "sandbox/fields.h"
#include "sandbox/write.h"

/* ---- conflicts ----------------------------------------------------------- */

struct conflict {
	struct str manager, path;
};

/* The comparison of one manager's set with the applied object. */
struct contest {
	struct sb_call *c;
	struct str manager;
	bool take; /* remove the fields from that set */
	VEC(struct conflict) found;
};

/* The value in v of a key of a set, and its form in paths. */
static const struct json *stands_for(struct arena *a, const struct json *v, struct str key,
				     struct buf *path)
{
	if (str_starts(key, S("f:"))) {
		key = str_from(key, 2);
		buf_addf(path, ".%.*s", STRF(key));
		return json_member(v, key);
	}
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		struct str like = fields_key(a, json_key(v), m), name, value;

		if (!str_eq(like, key))
			continue;
		/* k:{"type":"Ready"} is [type="Ready"] in paths */
		(void)str_cut(str_sub(key, 4, key.n - 1), '"', &name, &value);
		buf_addf(path, "[%.*s=%.*s]", STRF(name), STRF(str_from(value, 1)));
		return m;
	}
	return NULL;
}

/* Fields of both sets whose values differ; the leaves of a level first. */
static void contest_fields(struct contest *k, struct json *theirs, const struct json *mine,
			   const struct json *applied, const struct json *object, struct str at,
			   bool leaves)
{
	struct json *next;

	for (struct json *m = json_first(theirs); m; m = next) {
		const struct json *own = json_member(mine, json_key(m));
		bool leaf = !own || !json_first(own) || !json_first(m);
		const struct json *x, *y;
		struct buf path, same;

		next = json_next(m);
		if (!own || leaf != leaves)
			continue;
		buf_init(&path, k->c->a);
		buf_init(&same, k->c->a);
		buf_add(&path, at);
		x = stands_for(k->c->a, applied, json_key(m), &path);
		y = stands_for(k->c->a, object, json_key(m), &same);
		if (!leaf) {
			contest_fields(k, m, own, x, y, buf_str(&path), true);
			contest_fields(k, m, own, x, y, buf_str(&path), false);
		} else if (x && !json_eq(x, y)) {
			struct conflict one = { k->manager, buf_str(&path) };

			VEC_PUSH(k->c->a, &k->found, one);
		}
		if (k->take && (leaf ? x && !json_eq(x, y) : !json_first(m)))
			json_detach(theirs, m);
	}
}

/* Answers with the conflicts, sorted by manager. */
static void refuse_conflicts(struct sb_call *c, const struct contest *k)
{
	struct sb_causes causes = { 0 };
	struct str last = S("");
	struct buf b;

	buf_init(&b, c->a);
	buf_addf(&b, "Apply failed with %zu conflict%s:", k->found.n, k->found.n == 1 ? "" : "s");
	for (size_t i = 0; i < k->found.n; i++) {
		struct conflict f = k->found.v[i];
		struct str with = str_fmt(c->a, "\"%.*s\"", STRF(f.manager));

		cause_add(c->a, &causes, "FieldManagerConflict", f.path,
			  str_fmt(c->a, "conflict with %.*s", STRF(with)));
		if (k->found.n == 1)
			buf_addf(&b, " conflict with %.*s: ", STRF(with));
		else if (!str_eq(last, f.manager))
			buf_addf(&b, "%cconflicts with %.*s:", i ? '\n' : ' ', STRF(with));
		buf_addf(&b, "%s%.*s", k->found.n == 1 ? "" : "\n- ", STRF(f.path));
		last = f.manager;
	}
	reply_conflicts(c->a, c->out, buf_str(&b), &causes);
}

static int by_manager(const void *x, const void *y)
{
	return str_cmp(json_str(*(struct json *const *)x, "manager"),
		       json_str(*(struct json *const *)y, "manager"));
}

/* False, answered, when other managers own fields with other values; force takes them over. */
static bool resolve_conflicts(struct sb_call *c, struct json *entries, struct str manager,
			      const struct json *mine, const struct json *applied,
			      const struct json *object)
{
	struct contest k = { .c = c, .take = request_flag(c->r, "force") };
	VEC(struct json *) others = { 0 };

	for (struct json *e = json_first(entries); e; e = json_next(e))
		if (!str_eq(json_str(e, "manager"), manager))
			VEC_PUSH(c->a, &others, e);
	if (others.n > 1)
		qsort(others.v, others.n, sizeof(*others.v), by_manager);
	for (size_t i = 0; i < others.n; i++) {
		struct json *theirs = json_at(others.v[i], "fieldsV1");

		k.manager = json_str(others.v[i], "manager");
		contest_fields(&k, theirs, mine, applied, object, S(""), true);
		contest_fields(&k, theirs, mine, applied, object, S(""), false);
	}
	if (!k.found.n || k.take)
		return true;
	refuse_conflicts(c, &k);
	return false;
}

/* ---- the request --------------------------------------------------------- */

static struct json *my_entry(const struct json *entries, struct str manager)
{
	struct json *e = json_first(entries);

	while (e && !str_eq(json_str(e, "manager"), manager))
		e = json_next(e);
	return e;
}

/* The entries of managedFields with the new one of this manager. */
static struct json *remember_entry(struct sb_call *c, const struct json *entries,
				   struct str manager, struct json *set)
{
	struct json *list = entries ? json_clone(c->a, entries) : json_new(c->a, JSON_ARRAY);
	struct json *old = my_entry(list, manager), *e;

	if (old)
		json_detach(list, old);
	e = json_new(c->a, JSON_OBJECT);
	json_add(e, S("manager"), json_new_str(c->a, manager));
	json_add(e, S("operation"), json_new_str(c->a, S("Apply")));
	json_add(e, S("apiVersion"),
		 json_new_str(c->a, kinds_api_version(c->a, c->r->kind, c->r->version)));
	sb_set_time(c->a, e, S("time"), c->r->now);
	json_add(e, S("fieldsType"), json_new_str(c->a, S("FieldsV1")));
	json_add(e, S("fieldsV1"), set);
	json_push(list, e);
	return list;
}

static struct json *everybodys(struct arena *a, const struct json *entries, struct str manager,
			       const struct json *mine)
{
	struct json *all = json_clone(a, mine);

	for (const struct json *e = json_first(entries); e; e = json_next(e))
		if (!str_eq(json_str(e, "manager"), manager))
			fields_unite(a, all, json_at(e, "fieldsV1"));
	return all;
}

static struct json *applied_body(struct sb_call *c)
{
	struct err err = ERR_INIT(c->a);
	struct yml_fault fault = { 0 };
	struct json *j = NULL;
	struct str want = kinds_api_version(c->a, c->r->kind, c->r->version);
	struct str have;

	if (yml_parse(c->a, c->r->body, &(struct yml_opts){ .fault = &fault }, &j, &err) < 0) {
		reply_bad(c->a, c->out,
			  "error decoding YAML: error converting YAML to JSON: "
			  "%.*s",
			  STRF(fault.upstream.n ? fault.upstream : err.msg));
		return NULL;
	}
	if (json_kind(j) == JSON_NULL)
		j = json_new(c->a, JSON_OBJECT);
	if (json_kind(j) != JSON_OBJECT) {
		reply_bad(c->a, c->out,
			  "error decoding YAML: error unmarshaling JSON: while "
			  "decoding JSON: json: cannot unmarshal %s into Go "
			  "value of type map[string]interface {}",
			  json_kind_name(j));
		return NULL;
	}
	have = json_str(j, "apiVersion");
	if (!str_eq(have, want)) {
		reply_bad(c->a, c->out, "invalid object type: %.*s%s, Kind=%.*s", STRF(have),
			  str_chr(have, '/') < 0 ? "/" : "", STRF(json_str(j, "kind")));
		return NULL;
	}
	if (json_len(json_at(j, "metadata.managedFields"))) {
		reply_bad(c->a, c->out, "metadata.managedFields must be nil");
		return NULL;
	}
	return j;
}

void sb_apply(struct sb_call *c)
{
	struct str manager = request_param(c->r, "fieldManager");
	struct sb_object *o = store_get(&c->r->kind->objects, request_key(c->a, c->r, c->r->name));
	struct json *applied = applied_body(c);
	struct json *set, *now, *old, *entry, *entries;

	if (!applied)
		return;
	set = fields_of(c->a, applied);
	if (!o) {
		if (!sb_same_name(c, applied))
			return;
		c->r->verb = SB_CREATE;
		c->fields = remember_entry(c, NULL, manager, set);
		sb_insert(c, applied);
		return;
	}
	old = sb_tree(c->a, o);
	entries = json_at(old, "metadata.managedFields");
	entries = entries ? json_clone(c->a, entries) : json_new(c->a, JSON_ARRAY);
	entry = my_entry(entries, manager);
	if (!resolve_conflicts(c, entries, manager, set, applied, old))
		return;
	now = json_clone(c->a, old);
	if (entry)
		fields_prune(c->a, now, json_at(entry, "fieldsV1"),
			     everybodys(c->a, entries, manager, set));
	fields_merge(c->a, now, applied);
	c->fields = remember_entry(c, entries, manager, set);
	if (sb_same_name(c, now))
		sb_replace(c, now, old);
}
