/*
 * The checks of an API server on every document: kinds, versions, unknown fields,
 * names, labels, size.
 */
#include "mc/known.h"
#include "mc/lint.h"
#include "mc/selector.h"
#include "mc/types.h"

static void lint_unknown(struct mc_linter *l, const struct shapes *s, uint16_t type,
			 const struct json *j, const char *path)
{
	struct shape_unknowns list = { 0 };

	shape_find_unknown(l->a, s, type, 0, j, str_of(path), &list);
	for (size_t i = 0; i < list.n; i++) {
		struct str meant = list.v[i].meant;

		/* controllers write the status: the server drops it from manifests, and a newer
		 * cluster has more fields */
		if (str_starts(list.v[i].path, S("status.")))
			continue;
		mc_linter_add_at(l, true, str_clip(l->a, list.v[i].path, 200), list.v[i].member,
				 true,
				 str_fmt(l->a,
					 "no such field%s%.*s%s: the API server would "
					 "drop it silently",
					 meant.n ? " (did you mean " : "", STRF(meant),
					 meant.n ? "?)" : ""));
	}
}

/* Checks the types of kinds that are not decoded; loading has reported the others. */
static void lint_types(struct mc_linter *l, const struct mc_known *k)
{
	unsigned mode = l->doc->json ? 0 : SHAPE_SORTED;

	for (int i = 0; k->shapes != &mc_shapes && i < MC_FAULTS_MAX; i++) {
		struct err err = ERR_INIT(l->a);
		struct json *blame;

		if (shape_hold(l->a, k->shapes, k->type, mode, l->doc->tree, NULL, &err) == 0)
			return;
		blame = shape_blame(l->a, k->shapes, k->type, mode, l->doc->tree);
		if (json_kind(blame) == JSON_NULL)
			return;
		mc_linter_add_at(l, true,
				 str_clip(l->a, json_path_of(l->a, l->doc->tree, blame), 200),
				 blame, false, err.msg);
		json_set_null(blame);
	}
}

static void lint_labels(struct mc_linter *l)
{
	const struct json *labels = json_at(l->doc->tree, "metadata.labels");

	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		struct str bad = selector_bad_key(l->a, json_key(m));
		struct str path = str_fmt(l->a, "metadata.labels.%.*s", STRF(json_key(m)));

		if (!bad.n)
			bad = selector_bad_value(l->a, json_text(m));
		if (bad.n)
			mc_linter_add_at(l, true, str_clip(l->a, path, 200), m, true,
					 str_clip(l->a, bad, 400));
	}
}

static void lint_name(struct mc_linter *l)
{
	struct str name = json_str(l->doc->tree, "metadata.name");

	if (!name.n && !json_str(l->doc->tree, "metadata.generateName").n)
		mc_linter_add(l, true, S("metadata.name"), false, S("the object needs a name"));
	else if (name.n && (!selector_is_subdomain(name) || name.n > 253))
		mc_linter_add(l, true, S("metadata.name"), false,
			      S("not a valid name: " SELECTOR_SUBDOMAIN_RULE));
}

/* Reports faults of the document's keys that are in this object. */
static void lint_keys(struct mc_linter *l)
{
	const struct doc *d = l->doc;
	size_t start, end, first, last, col;
	struct mc_finding f = {
		.file = l->file,
		.object = l->object,
		.line = d->twice_line,
		.col = d->twice_col,
	};

	if (!d->twice_line)
		return;
	json_span(d->tree, &start, &end);
	json_line_col(d->text, start, &first, &col);
	json_line_col(d->text, end, &last, &col);
	if (f.line < d->line + first - 1 || f.line > d->line + last - 1)
		return;
	f.message = str_fmt(l->a, "the key %.*s occurs twice in one mapping: the last one wins",
			    STRF(str_clip(l->a, d->twice, 100)));
	VEC_PUSH(l->a, l->out, f);
}

static void lint_size(struct mc_linter *l)
{
	struct buf b;

	buf_init(&b, l->a);
	json_encode(&b, l->doc->tree, 0);
	if (b.n > MC_SIZE_MAX)
		mc_linter_add_at(
			l, true, S(""), l->doc->tree, false,
			str_fmt(l->a,
				"it has %zu bytes as JSON: the API server accepts at most %d "
				"(1.5 MiB)",
				b.n, MC_SIZE_MAX));
}

static void lint_doc(struct mc_linter *l)
{
	const struct json *tree = l->doc->tree;
	struct str api = json_str(tree, "apiVersion");
	struct str kind = json_str(tree, "kind");
	struct mc_known k;
	bool of_kind;
	struct str problem;

	if (!mc_known_find(api, kind, &k)) {
		problem = mc_known_problem(l->a, api, kind, &of_kind);
		if (problem.n)
			mc_linter_add(l, true, of_kind ? S("kind") : S("apiVersion"), false,
				      problem);
		return;
	}
	if (!k.shapes)
		return;
	/* the server has already dropped unknown fields of an object that it stored */
	if (k.written && json_str(tree, "metadata.uid").n)
		return;
	lint_unknown(l, k.shapes, k.type, tree, "");
	if (k.shapes != &mc_shapes)
		lint_unknown(l, &mc_shapes, MC_T_ObjectMeta, json_member(tree, S("metadata")),
			     "metadata");
	lint_types(l, &k);
	lint_name(l);
	lint_labels(l);
	lint_keys(l);
	lint_size(l);
}

static struct str title(struct arena *a, const struct json *tree)
{
	struct str kind = json_str(tree, "kind");
	struct str name = json_str(tree, "metadata.name");

	return str_fmt(a, "%.*s%s%.*s", STRF(str_clip(a, kind, 100)), name.n ? " " : "",
		       STRF(str_clip(a, name, 253)));
}

void mc_lint_docs(struct arena *a, const struct mc_docs *docs, struct mc_findings *out)
{
	for (size_t i = 0; i < docs->n; i++) {
		const struct doc *d = &docs->v[i].doc;
		struct str kind = json_str(d->tree, "kind");
		struct str api = json_str(d->tree, "apiVersion");
		struct mc_linter l;

		if (!kind.n || !api.n)
			continue; /* loading has reported it */
		l = mc_linter_of(a, d, docs->v[i].file, title(a, d->tree), out);
		lint_doc(&l);
	}
}

void mc_lint_faults(struct arena *a, const struct mc_faults *faults, struct mc_findings *out)
{
	for (size_t i = 0; i < faults->n; i++) {
		const struct mc_fault *v = &faults->v[i];
		struct mc_finding f = {
			.error = true,
			.file = v->file,
			.line = v->line,
			.col = v->col,
			.object = v->object,
			.path = str_clip(a, v->path, 200),
			.message = v->problem,
		};

		VEC_PUSH(a, out, f);
	}
}
