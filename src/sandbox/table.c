/*
 * Tables for `kubectl get`: the columns of custom kinds come from their definitions, those of
 * built-in kinds from builtin/kinds, separated by ";". A column is "Name|path!text when empty",
 * with marks before the name:
 *
 *	+ only in `-o wide`	- in the first column: there is no name column
 *	# integer	% number with type string	$ number	= date
 *
 * A path is a JSONPath; two paths separated by "/" are two numbers; "?Type" is the status of a
 * condition; "@x" is computed.
 */
#include "sandbox/table.h"

struct column {
	struct str name, type, format, path, empty;
	int64_t priority;
	bool number; /* regardless of the type */
};

struct columns {
	struct column *v;
	size_t n, cap;
};

static void marks(struct column *c)
{
	static const char letters[] = "#%$=";
	static const char *const types[] = { "integer", "string", "number", "date" };

	for (; strchr("+-#%$=", c->name.p[0]); c->name = str_from(c->name, 1)) {
		const char *at = strchr(letters, c->name.p[0]);

		if (at)
			c->type = str_of(types[at - letters]);
		c->number = c->number || (at && at < letters + 3);
		c->priority += c->name.p[0] == '+';
	}
}

static void builtin_columns(struct arena *a, struct str rest, struct columns *out)
{
	struct str one;
	bool more = rest.n > 0;

	while (more) {
		struct column c = { .type = S("string") };

		more = str_cut(rest, ';', &one, &rest);
		if (!more)
			one = rest;
		(void)str_cut(one, '|', &c.name, &c.path);
		(void)str_cut(c.path, '!', &c.path, &c.empty);
		if (c.path.p[0] == '?')
			c.path = str_fmt(a,
					 ".status.conditions[?(@.type==\"%.*s"
					 "\")].status",
					 STRF(str_from(c.path, 1)));
		if (str_is(c.path, ".metadata.name"))
			c.format = S("name");
		marks(&c);
		VEC_PUSH(a, out, c);
	}
}

static void columns_of(struct arena *a, const struct sb_kind *k, const struct sb_version *v,
		       struct columns *out)
{
	struct column name = { S("Name"), S("string"), S("name"), S(".metadata.name"),
			       S(""),	  0,	       false };

	if (!str_starts(k->columns, S("-")))
		VEC_PUSH(a, out, name);
	for (const struct json *j = json_first(v->columns); j; j = json_next(j)) {
		struct column c = { json_str(j, "name"),
				    json_str_or(j, "type", S("string")),
				    json_str(j, "format"),
				    json_str(j, "jsonPath"),
				    S(""),
				    json_i64(j, "priority", 0),
				    false };

		VEC_PUSH(a, out, c);
	}
	builtin_columns(a,
			v->columns		? S("")
			: k->columns.n		? k->columns
			: k->traits & SB_CUSTOM ? S("=Age|.metadata.creationTimestamp")
						: S("=Created At|.metadata.creationTimestamp"),
			out);
}

/* ---- cells --------------------------------------------------------------- */

/* "ready/wanted", two numbers */
static struct json *fraction(struct arena *a, const struct json *o, struct str path, size_t at)
{
	int64_t n[2] = { 0, 0 };

	(void)str_to_i64(json_text(cell_find(a, o, str_sub(path, 0, at))), &n[0]);
	(void)str_to_i64(json_text(cell_find(a, o, str_from(path, at + 1))), &n[1]);
	return json_new_str(a, str_fmt(a, "%lld/%lld", (long long)n[0], (long long)n[1]));
}

/* The value of a definition's path in the form of the column's type. */
static struct json *custom_cell(struct sb_call *c, const struct column *col, const struct json *v)
{
	enum json_kind kind = json_kind(v);
	bool numeric = str_is(col->type, "integer") || str_is(col->type, "number");

	if (kind == JSON_STRING && str_is(col->type, "date"))
		return json_new_str(c->a, cell_age(c->a, json_text(v), c->r->now));
	if (kind == JSON_STRING && str_is(col->type, "string"))
		return json_clone(c->a, v);
	if (numeric ? kind == JSON_NUMBER : kind == JSON_BOOL && str_is(col->type, "boolean"))
		return json_clone(c->a, v);
	if (kind == JSON_NULL || !str_is(col->type, "string"))
		return json_new(c->a, JSON_NULL);
	return json_new_str(c->a, json_format(c->a, v, JSON_SORTED));
}

static struct json *cell(struct sb_call *c, const struct column *col, const struct json *o)
{
	ptrdiff_t slash = str_find(col->path, S("/."));
	const struct json *v;
	int64_t n = 0;

	if (col->path.n && col->path.p[0] == '@' && col->number)
		return json_new_i64(c->a, cell_number(c, o, str_from(col->path, 1)));
	if (col->path.n && col->path.p[0] == '@')
		return json_new_str(c->a, cell_text(c, o, str_from(col->path, 1)));
	if (c->r->kind->traits & SB_CUSTOM)
		return custom_cell(c, col, cell_find(c->a, o, col->path));
	if (slash > 0)
		return fraction(c->a, o, col->path, (size_t)slash);
	v = cell_find(c->a, o, col->path);
	if (col->number) {
		(void)str_to_i64(json_text(v), &n);
		return json_new_i64(c->a, n);
	}
	return json_new_str(c->a, json_text(v).n ? json_text(v) : col->empty);
}

/* ---- the table ----------------------------------------------------------- */

bool sb_wants_table(struct str accept)
{
	return str_find(accept, S("as=Table")) >= 0;
}

static struct str api_version(const struct sb_call *c)
{
	struct str first = c->r->accept, rest;

	(void)str_cut(first, ',', &first, &rest);
	return str_find(first, S("v=v1beta1")) >= 0 ? S("meta.k8s.io/v1beta1")
						    : S("meta.k8s.io/v1");
}

/* The condition of a finished pod, which lets clients hide it. */
static void add_conditions(struct sb_call *c, struct json *row, const struct json *o)
{
	struct str phase = json_str(o, "status.phase");
	bool good = str_is(phase, "Succeeded");
	struct json *list, *one;

	if (!str_is(c->r->kind->kind, "Pod") || (!good && !str_is(phase, "Failed")))
		return;
	list = json_new(c->a, JSON_ARRAY);
	one = json_new(c->a, JSON_OBJECT);
	json_add(one, S("type"), json_new_str(c->a, S("Completed")));
	json_add(one, S("status"), json_new_str(c->a, S("True")));
	json_add(one, S("reason"), json_new_str(c->a, phase));
	json_add(one, S("message"),
		 json_new_str(c->a, good ? S("The pod has completed "
					     "successfully.")
					 : S("The pod failed.")));
	json_push(list, one);
	json_add(row, S("conditions"), list);
}

static struct json *row(struct sb_call *c, const struct columns *cols, const struct json *o)
{
	struct json *r = json_new(c->a, JSON_OBJECT);
	struct json *cells = json_new(c->a, JSON_ARRAY), *part;
	struct str include = request_param(c->r, "includeObject");

	for (size_t i = 0; i < cols->n; i++)
		json_push(cells, cell(c, &cols->v[i], o));
	json_add(r, S("cells"), cells);
	add_conditions(c, r, o);
	if (str_is(include, "Object")) {
		part = json_clone(c->a, o);
		/* items of a list may lack kind and apiVersion; this needs them */
		json_set(part, S("kind"), json_new_str(c->a, c->r->kind->kind));
		json_set(part, S("apiVersion"),
			 json_new_str(c->a, kinds_api_version(c->a, c->r->kind, c->r->version)));
	} else if (str_is(include, "None")) {
		part = json_new(c->a, JSON_NULL);
	} else {
		part = json_new(c->a, JSON_OBJECT);
		json_add(part, S("kind"), json_new_str(c->a, S("PartialObjectMetadata")));
		json_add(part, S("apiVersion"), json_new_str(c->a, api_version(c)));
		json_add(part, S("metadata"), json_clone(c->a, json_member(o, S("metadata"))));
		/* the API server has a field for it when it makes tables */
		(void)json_remove(json_at(part, "metadata.annotations"), S(SB_TEMPLATE_GENERATION));
		if (!json_first(json_at(part, "metadata.annotations")))
			(void)json_remove(json_at(part, "metadata"), S("annotations"));
	}
	json_add(r, S("object"), part);
	return r;
}

static struct json *definitions(struct arena *a, const struct columns *cols)
{
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < cols->n; i++) {
		const struct column *c = &cols->v[i];
		struct json *d = json_new(a, JSON_OBJECT);

		json_add(d, S("name"), json_new_str(a, c->name));
		json_add(d, S("type"), json_new_str(a, c->type));
		json_add(d, S("format"), json_new_str(a, c->format));
		json_add(d, S("description"), json_new_str(a, S("")));
		json_add(d, S("priority"), json_new_i64(a, c->priority));
		json_push(list, d);
	}
	return list;
}

bool sb_table(struct sb_call *c, const struct json *object, const struct json *list)
{
	struct columns cols = { 0 };
	struct json *table, *rows, *meta;
	const struct json *from;

	if (!sb_wants_table(c->r->accept) || !c->r->kind)
		return false;
	columns_of(c->a, c->r->kind, c->r->version, &cols);
	table = json_new(c->a, JSON_OBJECT);
	json_add(table, S("kind"), json_new_str(c->a, S("Table")));
	json_add(table, S("apiVersion"), json_new_str(c->a, api_version(c)));
	from = json_at(list ? list : object, "metadata.resourceVersion");
	meta = list ? json_clone(c->a, json_at(list, "metadata")) : json_new(c->a, JSON_OBJECT);
	if (!json_str_or(meta, "continue", S("x")).n)
		(void)json_remove(meta, S("continue"));
	if (!list && from)
		json_add(meta, S("resourceVersion"), json_clone(c->a, from));
	json_add(table, S("metadata"), meta);
	json_add(table, S("columnDefinitions"),
		 c->no_headers ? json_new(c->a, JSON_NULL) : definitions(c->a, &cols));
	rows = json_new(c->a, JSON_ARRAY);
	if (object)
		json_push(rows, row(c, &cols, object));
	for (const struct json *o = json_first(json_at(list, "items")); o; o = json_next(o))
		json_push(rows, row(c, &cols, o));
	json_add(table, S("rows"), rows);
	reply_json(c->a, c->out, 200, table);
	return true;
}
