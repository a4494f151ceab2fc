/*
 * Findings about KubeletConfigs and ContainerRuntimeConfigs: upstream's validation,
 * unknown members, and selectors that match no pool.
 */
#include "plan/config/config_lint.h"

#include "mc/selector.h"
#include "mc/types.h"
#include "plan/config/kubelet.h"
#include "plan/owned.h"
#include "plan/config/runtime.h"

#define KUBELET "spec.kubeletConfig"
#define RUNTIME "spec.containerRuntimeConfig"
#define SELECTOR "spec.machineConfigPoolSelector"

struct linter {
	struct arena *a;
	const struct mc_object *o;
	struct mc_linter out;
};

static struct linter linter_of(struct arena *a, const struct mc_object *o, struct mc_findings *out)
{
	struct str kind = shape_name(&mc_shapes, mc_type(o->kind));
	struct linter l = { .a = a, .o = o };

	l.out = mc_linter_of(a, &o->doc, o->file,
			     str_fmt(a, "%.*s %.*s", STRF(kind), STRF(o->meta.name)), out);
	return l;
}

static void find(struct linter *l, bool error, struct str path, bool at_key, struct str message)
{
	struct str there = path;

	/* an absent member is reported where it would be */
	while (!json_at(l->o->doc.tree, str_z(l->a, there)) && str_rchr(there, '.') > 0) {
		there = str_sub(there, 0, (size_t)str_rchr(there, '.'));
		at_key = true;
	}
	mc_linter_add(&l->out, error, there, at_key, message);
	l->out.out->v[l->out.out->n - 1].path = path;
}

/* Members of kubeletConfig that the API server stores and no kubelet knows. */
static void lint_fields(struct linter *l)
{
	struct shape_unknowns list = { 0 };

	shape_find_unknown(l->a, &mc_shapes, MC_T_KubeletConfiguration, SHAPE_FOLD,
			   json_at(l->o->doc.tree, KUBELET), S(KUBELET), &list);
	for (size_t i = 0; i < list.n; i++) {
		struct str meant = list.v[i].meant;

		mc_linter_add_at(&l->out, false, str_clip(l->a, list.v[i].path, 200),
				 list.v[i].member, true,
				 str_fmt(l->a, "no such field: it is ignored%s%.*s%s",
					 meant.n ? " (did you mean " : "", STRF(meant),
					 meant.n ? "?)" : ""));
	}
}

/* The place of the fault: the member that the message names, or all of spec. */
static struct str blamed(struct linter *l, const char *spec, struct str word)
{
	char first[2] = { word.n ? (char)(word.p[0] | 0x20) : 'x' };
	struct str path = str_fmt(l->a, "%s.%s%.*s", spec, first, STRF(str_from(word, 1)));

	return json_at(l->o->tree, str_z(l->a, path)) ? path : str_of(spec);
}

static struct str word_after(struct str text, struct str before)
{
	ptrdiff_t at = str_find(text, before);
	struct str word = str_from(text, (size_t)at + before.n);
	size_t n = 0;

	while (at >= 0 && n < word.n && word.p[n] != ' ' && word.p[n] != ':')
		n++;
	return str_sub(word, 0, n);
}

static void lint_kubelet(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct str path;

	lint_fields(l);
	if (kubelet_validate(l->a, l->o, &err) == 0)
		return;
	path = blamed(l, KUBELET, word_after(err.msg, S("KubeletConfiguration: ")));
	if (str_find(err.msg, S("struct field KubeletConfiguration.")) >= 0)
		path = blamed(l, KUBELET, word_after(err.msg, S("KubeletConfiguration.")));
	if (str_find(err.msg, S("LogLevel")) >= 0)
		path = S("spec.logLevel");
	find(l, true, path, false, err.msg);
}

static void lint_runtime(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct str rest, line;

	if (!json_at(l->o->tree, RUNTIME)) {
		find(l, true, S("spec"), false, S("no " RUNTIME ": it configures nothing"));
		return;
	}
	if (runtime_validate(l->a, l->o, &err) == 0)
		return;
	rest = err.msg;
	while (str_line(&rest, &line))
		find(l, true, blamed(l, RUNTIME, word_after(line, S("invalid "))), false, line);
}

static void lint_selector(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct selector s = { 0 };

	if (selector_make(l->a, json_at(l->o->tree, SELECTOR), &s, &err) < 0)
		find(l, true, S(SELECTOR), false, err.msg);
	else if (!s.n)
		find(l, false, S(SELECTOR), false, S("without a selector it applies to no pool"));
}

void config_lint(struct arena *a, const struct mc_object *o, struct mc_findings *out)
{
	struct linter l = linter_of(a, o, out);

	if (o->kind == MC_KUBELET_CONFIG)
		lint_kubelet(&l);
	if (o->kind == MC_RUNTIME_CONFIG)
		lint_runtime(&l);
	if (o->kind == MC_KUBELET_CONFIG || o->kind == MC_RUNTIME_CONFIG)
		lint_selector(&l);
}

static bool is_among(const struct mc_object_list *list, const struct mc_object *o)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i]->kind == o->kind && str_eq(list->v[i]->meta.name, o->meta.name))
			return true;
	return false;
}

void config_lint_set(struct arena *a, const struct mc_set *set, const struct mc_object_list *given,
		     struct mc_findings *out)
{
	struct owned_conflicts list = { 0 };

	owned_find_conflicts(a, set, &list);
	for (size_t i = 0; i < list.n; i++) {
		const struct owned_conflict *c = &list.v[i];
		struct linter l =
			linter_of(a, is_among(given, c->second) ? c->second : c->first, out);

		if (is_among(given, l.o))
			find(&l, false, S("metadata.annotations"), true, c->message);
	}
}

/* A selector that matches the labels of a pool. */
static struct str labels_of(struct arena *a, const struct mcp *pool)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *m = json_first(pool->meta.labels); m; m = json_next(m))
		buf_addf(&b, "%s%.*s=%.*s", b.n ? "," : "", STRF(json_key(m)), STRF(json_text(m)));
	return b.n ? buf_str(&b) : S("no labels");
}

void config_lint_selected(struct arena *a, const struct mc_object_list *given,
			  const struct mcp_list *pools, struct mc_findings *out)
{
	for (size_t i = 0; i < given->n; i++) {
		const struct mc_object *o = given->v[i];
		struct linter l = linter_of(a, o, out);
		struct err err = ERR_INIT(a);
		struct selector s = { 0 };
		bool any = false;

		if ((o->kind != MC_KUBELET_CONFIG && o->kind != MC_RUNTIME_CONFIG) ||
		    selector_make(a, json_at(o->tree, SELECTOR), &s, &err) < 0 || !s.n)
			continue;
		for (size_t k = 0; k < pools->n && !any; k++)
			any = selector_matches(&s, pools->v[k]->meta.labels);
		if (!any)
			find(&l, false, S(SELECTOR), true,
			     str_fmt(a, "it selects no pool (%.*s): the pools are %.*s",
				     STRF(str_clip(a, selector_text(a, &s), 300)),
				     STRF(mc_lint_pool_names(a, pools, labels_of))));
	}
}
