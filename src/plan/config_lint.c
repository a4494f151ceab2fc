#include "plan/config_lint.h"

#include "mc/selector.h"
#include "mc/types.h"
#include "plan/kubelet.h"
#include "plan/owned.h"
#include "plan/runtime.h"

#define KUBELET "spec.kubeletConfig"
#define RUNTIME "spec.containerRuntimeConfig"

struct linter {
	struct arena *a;
	const struct mc_object *o;
	struct mc_findings *out;
	struct ign_locator where;
};

static void find(struct linter *l, bool error, struct str path, bool at_key,
		 struct str message)
{
	const struct mc_object *o = l->o;
	struct str kind = shape_name(&mc_shapes, mc_type(o->kind));
	struct mc_finding f = {
		.error = error,
		.file = o->file,
		.object = str_fmt(l->a, "%.*s %.*s", STRF(kind),
				  STRF(o->meta.name)),
		.path = path,
		.message = message,
	};
	size_t line, col;

	/* what is not there is placed where it would be */
	while (!json_at(o->doc.tree, str_z(l->a, path)) &&
	       str_rchr(path, '.') > 0) {
		path = str_sub(path, 0, (size_t)str_rchr(path, '.'));
		at_key = true;
	}
	ign_locate(&l->where, path, at_key, &line, &col);
	f.line = o->doc.line + line - 1;
	f.col = col;
	VEC_PUSH(l->a, l->out, f);
}

/* Members that are dropped: below prefix, of the struct that type opens. */
static void find_unknown(struct linter *l, const char *prefix, uint16_t type,
			 const struct strs *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		struct str near = shape_nearest(&mc_shapes, type, paths->v[i]);
		struct buf b;

		buf_init(&b, l->a);
		buf_addz(&b, "no such field: it is passed over");
		if (near.n)
			buf_addf(&b, " (did you mean %.*s?)", STRF(near));
		find(l, false,
		     str_fmt(l->a, "%s%.*s", prefix, STRF(paths->v[i])), true,
		     buf_str(&b));
	}
}

/* Where the fault is: the member that the message names, or all of spec. */
static struct str blamed(struct linter *l, const char *spec, struct str word)
{
	char first[2] = { word.n ? (char)(word.p[0] | 0x20) : 'x' };
	struct str path = str_fmt(l->a, "%s.%s%.*s", spec, first,
				  STRF(str_from(word, 1)));

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
	struct strs unknown = kubelet_unknown(l->a, l->o);
	struct str path;

	find_unknown(l, KUBELET ".", MC_T_KubeletConfiguration, &unknown);
	if (kubelet_validate(l->a, l->o, &err) == 0)
		return;
	path = blamed(l, KUBELET,
		      word_after(err.msg, S("KubeletConfiguration: ")));
	if (str_find(err.msg, S("struct field KubeletConfiguration.")) >= 0)
		path = blamed(l, KUBELET,
			      word_after(err.msg, S("KubeletConfiguration.")));
	if (str_find(err.msg, S("LogLevel")) >= 0)
		path = S("spec.logLevel");
	find(l, true, path, false, err.msg);
}

static void lint_runtime(struct linter *l)
{
	struct err err = ERR_INIT(l->a);
	struct str rest, line;

	if (!json_at(l->o->tree, RUNTIME)) {
		find(l, true, S("spec"), false,
		     S("no " RUNTIME ": there is nothing to configure"));
		return;
	}
	if (runtime_validate(l->a, l->o, &err) == 0)
		return;
	rest = err.msg;
	while (str_line(&rest, &line))
		find(l, true,
		     blamed(l, RUNTIME, word_after(line, S("invalid "))), false,
		     line);
}

static void lint_selector(struct linter *l)
{
	static const char path[] = "spec.machineConfigPoolSelector";
	struct err err = ERR_INIT(l->a);
	struct selector s = { 0 };

	if (selector_make(l->a, json_at(l->o->tree, path), &s, &err) < 0)
		find(l, true, str_of(path), false, err.msg);
	else if (!s.n)
		find(l, false, str_of(path), false,
		     S("without a selector it applies to no pool"));
}

void config_lint(struct arena *a, const struct mc_object *o,
		 struct mc_findings *out)
{
	struct linter l = { .a = a, .o = o, .out = out };
	struct err err = ERR_INIT(a);
	struct strs unknown = { 0 };

	l.where = IGN_LOCATOR(o->doc.tree, o->doc.text);
	(void)shape_hold(a, &mc_shapes, mc_type(o->kind),
			 o->doc.json ? 0 : SHAPE_SORTED, o->doc.tree, NULL,
			 &unknown, &err);
	find_unknown(&l, "", mc_type(o->kind), &unknown);
	if (o->kind == MC_KUBELET_CONFIG)
		lint_kubelet(&l);
	if (o->kind == MC_RUNTIME_CONFIG)
		lint_runtime(&l);
	if (o->kind == MC_KUBELET_CONFIG || o->kind == MC_RUNTIME_CONFIG)
		lint_selector(&l);
}

void config_lint_set(struct arena *a, const struct mc_set *set,
		     struct mc_findings *out)
{
	struct owned_conflicts list = { 0 };

	owned_find_conflicts(a, set, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct linter l = { .a = a, .o = list.v[i].second, .out = out };

		l.where = IGN_LOCATOR(l.o->doc.tree, l.o->doc.text);
		find(&l, false, S("metadata.annotations"), true,
		     list.v[i].message);
	}
}
