/*
 * Findings about manifests: each object alone, the objects together, what the
 * controllers would generate or refuse, and the effects on pools and nodes.
 *
 * With a base the manifests are judged as a change of it. Later steps are skipped
 * where earlier ones found errors that they would only repeat.
 */
#include "plan/validate.h"

#include "plan/config/config_lint.h"
#include "plan/rollout/pool_lint.h"
#include "plan/preview.h"
#include "plan/config/registries_lint.h"

struct validator {
	struct arena *a;
	const struct validate_in *in;
	const struct mc_set *given;
	struct mc_set base, after; /* base: empty without in->base */
	struct mc_findings *list;
	struct validate_out *out;
};

static bool has_finding(const struct mc_findings *list, const struct mc_finding *f)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i].object, f->object) && str_eq(list->v[i].message, f->message))
			return true;
	return false;
}

/* Mirrors and policies are judged together: only findings that given adds count. */
static void judge_registries(struct validator *v)
{
	struct mc_findings before = { 0 }, now = { 0 };

	if (!v->given->others.n)
		return;
	registries_lint(v->a, &v->base, &before);
	registries_lint(v->a, &v->after, &now);
	for (size_t i = 0; i < now.n; i++)
		if (!has_finding(&before, &now.v[i]))
			VEC_PUSH(v->a, v->list, now.v[i]);
}

/* Each object alone, then the objects together. */
static void judge_objects(struct validator *v)
{
	struct arena *a = v->a;
	struct mcp_list pools = v->after.pools;

	mc_lint_faults(a, &v->given->review->faults, v->list);
	mc_lint_docs(a, &v->given->review->docs, v->list);
	for (size_t i = 0; i < v->given->mcs.n; i++)
		mc_lint(a, v->given->mcs.v[i], v->list);
	for (size_t i = 0; i < v->given->others.n; i++)
		config_lint(a, v->given->others.v[i], v->list);
	mc_lint_set(a, v->given, v->list);
	config_lint_set(a, &v->after, &v->given->others, v->list);
	judge_registries(v);
	if (!pools.n && !v->in->base)
		return;
	if (!v->in->base)
		pools = mc_lint_pools(a, &pools);
	mc_lint_selected(a, &v->given->mcs, &pools, v->list);
	config_lint_selected(a, &v->given->others, &pools, v->list);
}

/* Adds line and column of the object that a refusal names. */
static void place_refusal(const struct validator *v, struct mc_finding *f)
{
	for (size_t i = 0; i < v->given->review->docs.n; i++) {
		const struct mc_doc *d = &v->given->review->docs.v[i];
		struct str title = str_fmt(v->a, "%.*s %.*s", STRF(json_str(d->doc.tree, "kind")),
					   STRF(json_str(d->doc.tree, "metadata.name")));
		size_t start, end, line;

		if (!str_eq(title, f->object) || !str_eq(d->file, f->file))
			continue;
		json_span(d->doc.tree, &start, &end);
		json_line_col(d->doc.text, start, &line, &f->col);
		f->line = d->doc.line + line - 1;
		return;
	}
}

/* Adds what controllers would generate from the base alone. */
static void preview_base(struct validator *v)
{
	struct preview_in in = { .set = &v->base,
				 .hash = v->in->hash,
				 .adopt_hash = v->in->adopt_hash };
	struct preview out;

	if (!v->base.others.n)
		return;
	plan_preview(v->a, &in, &out);
	v->base = out.set;
}

/* Adds what controllers would generate, and reports the objects they would refuse. */
static void judge_generated(struct validator *v)
{
	struct preview_in in = { .set = &v->after,
				 .touched = v->in->base ? v->given : NULL,
				 .base = v->in->base ? &v->base : NULL,
				 .hash = v->in->hash,
				 .adopt_hash = v->in->adopt_hash };
	struct preview out;

	plan_preview(v->a, &in, &out);
	for (size_t i = 0; i < out.refused.n; i++) {
		const struct preview_refusal *p = &out.refused.v[i];
		struct mc_finding f = {
			.error = true, .file = p->file, .object = p->object, .message = p->message
		};

		if (v->in->base && !p->touched)
			continue;
		place_refusal(v, &f);
		VEC_PUSH(v->a, v->list, f);
	}
	v->after = out.set;
	v->out->notes = out.notes;
}

/* The effects on pools and nodes. */
static void judge_pools(struct validator *v)
{
	struct pool_lint_in in = {
		.sets = { .before = v->in->base ? &v->base : NULL,
			  .after = &v->after,
			  .raw = v->in->raw,
			  .hash = v->in->hash,
			  .adopt = v->in->adopt,
			  .keep = v->a },
		.given = v->given,
		.broken = mc_findings_errors(v->list) > 0,
	};

	if (v->in->base && !in.broken)
		preview_base(v);
	/* for a broken object the controllers would only repeat the errors above */
	if (!in.broken && (v->in->base || v->after.controller_config))
		judge_generated(v);
	in.broken = mc_findings_errors(v->list) > 0;
	pool_lint(v->a, &in, v->list);
}

void plan_validate(struct arena *a, const struct validate_in *in, struct validate_out *out)
{
	struct validator v = {
		.a = a, .in = in, .given = in->given, .list = &out->list, .out = out
	};
	struct mc_set change;

	*out = (struct validate_out){ 0 };
	v.after = *in->given;
	if (in->base) {
		v.base = *in->base;
		change = mc_applied(a, &v.base, in->given);
		v.after = mc_overlay(a, &v.base, &change);
	}
	judge_objects(&v);
	judge_pools(&v);
	mc_findings_sort(&out->list);
}
