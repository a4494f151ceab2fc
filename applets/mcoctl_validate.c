/*
 * mcoctl validate: every rule, with the place of every finding.
 */
#include <stdlib.h>

#include "io/version.h"
#include "live.h"
#include "mc/lint.h"
#include "mcoctl.h"
#include "plan/config_lint.h"
#include "plan/pool_lint.h"
#include "plan/registries_lint.h"

struct opts {
	struct strs files, base;
	bool recursive, strict, live;
	struct str output;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .name = "base",
	  .letter = 'b',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, base),
	  .value = "PATH",
	  .help = "judge them together with what there is now: a dump, a "
		  "directory or a must-gather" },
	{ .name = "live",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, live),
	  .help = "judge them together with the objects of the cluster; so "
		  "does any flag that chooses a cluster" },
	{ .name = "strict",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, strict),
	  .help = "warnings count as errors" },
	OUTPUT_FLAG(struct opts, "text|json"),
	KUBE_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("text");
}

struct judge {
	struct run *r;
	const struct opts *o;
	struct mc_review review;
	struct mc_set base, given, after; /* base: none without with_base */
	bool with_base;
	struct mc_findings list;
	struct strs notes; /* what the answer leaves out */
};

/* ---- what to judge ------------------------------------------------------- */

static int load(struct judge *j)
{
	struct run *r = j->r;
	struct strs files = { 0 };
	bool live = j->o->live || live_asked(&j->o->kube);
	int rc = 0;

	for (size_t i = 0; i < j->o->files.n; i++)
		VEC_PUSH(r->a, &files, j->o->files.v[i]);
	for (size_t i = 0; i < r->words.n; i++)
		VEC_PUSH(r->a, &files, r->words.v[i]);
	if (live && j->o->base.n)
		return err_set(&r->err, ERR_INVALID, "give --base or a cluster, not both");
	j->given.review = &j->review;
	rc = manifests_load(r->a, &files, j->o->recursive, &j->given, &r->err);
	if (rc < 0)
		return rc;
	j->with_base = live || j->o->base.n;
	if (j->o->base.n)
		rc = manifests_load(r->a, &j->o->base, true, &j->base, &r->err);
	else if (live)
		rc = live_load(r, &j->o->kube, "--base PATH", &j->base);
	return rc;
}

/* ---- judging ------------------------------------------------------------- */

static bool has_finding(const struct mc_findings *list, const struct mc_finding *f)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i].object, f->object) && str_eq(list->v[i].message, f->message))
			return true;
	return false;
}

/* Mirrors and policies count together: what is new when these are there, too. */
static void judge_registries(struct judge *j)
{
	struct mc_findings before = { 0 }, now = { 0 };

	if (!j->given.others.n)
		return;
	registries_lint(j->r->a, &j->base, &before);
	registries_lint(j->r->a, &j->after, &now);
	for (size_t i = 0; i < now.n; i++)
		if (!has_finding(&before, &now.v[i]))
			VEC_PUSH(j->r->a, &j->list, now.v[i]);
}

/* Each object by itself, then what they are to each other. */
static void judge_objects(struct judge *j)
{
	struct arena *a = j->r->a;
	struct mc_pools pools = j->after.pools;

	mc_lint_faults(a, &j->review.faults, &j->list);
	mc_lint_docs(a, &j->review.docs, &j->list);
	for (size_t i = 0; i < j->given.mcs.n; i++)
		mc_lint(a, j->given.mcs.v[i], &j->list);
	for (size_t i = 0; i < j->given.others.n; i++)
		config_lint(a, j->given.others.v[i], &j->list);
	mc_lint_set(a, &j->given, &j->list);
	config_lint_set(a, &j->after, &j->given.others, &j->list);
	judge_registries(j);
	if (!pools.n && !j->with_base)
		return;
	if (!j->with_base)
		pools = mc_lint_pools(a, &pools);
	mc_lint_selected(a, &j->given.mcs, &pools, &j->list);
	config_lint_selected(a, &j->given.others, &pools, &j->list);
}

/* Where the object stands that a refusal is about. */
static void place_refusal(const struct judge *j, struct mc_finding *f)
{
	for (size_t i = 0; i < j->review.docs.n; i++) {
		const struct mc_doc *d = &j->review.docs.v[i];
		struct str title =
			str_fmt(j->r->a, "%.*s %.*s", STRF(json_str(d->doc.tree, "kind")),
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

/* What controllers would generate, and the objects that they would refuse. */
static void judge_generated(struct judge *j)
{
	struct run *r = j->r;
	struct preview_in in = { .set = &j->after,
				 .touched = j->with_base ? &j->given : NULL,
				 .base = j->with_base ? &j->base : NULL };
	struct preview out;

	mcoctl_plan(r, &in, &out);
	for (size_t i = 0; i < out.refused.n; i++) {
		const struct preview_refusal *p = &out.refused.v[i];
		struct mc_finding f = {
			.error = true, .file = p->file, .object = p->object, .message = p->message
		};

		if (j->with_base && !p->touched)
			continue;
		place_refusal(j, &f);
		VEC_PUSH(r->a, &j->list, f);
	}
	j->after = out.set;
	j->notes = out.notes;
}

/* What comes of it, in pools and on nodes. */
static int judge_pools(struct judge *j)
{
	struct run *r = j->r;
	struct pool_lint_in in = {
		.sets = { .before = j->with_base ? &j->base : NULL,
			  .after = &j->after,
			  .raw = str_of(version_raw()),
			  .hash = str_of(version_hash()),
			  .adopt = !getenv("MCO_RAW") && !getenv("MCO_HASH"),
			  .keep = r->a },
		.given = &j->given,
		.broken = mc_findings_errors(&j->list) > 0,
	};
	int rc = 0;

	if (j->with_base && !in.broken)
		rc = mcoctl_preview(r, &j->base, false);
	if (rc < 0)
		return rc;
	/* of broken parts controllers would only say that they are */
	if (!in.broken && (j->with_base || j->after.controller_config))
		judge_generated(j);
	in.broken = mc_findings_errors(&j->list) > 0;
	pool_lint(r->a, &in, &j->list);
	return 0;
}

static int judge(struct judge *j)
{
	struct mc_set change;
	int rc = load(j);

	if (rc < 0)
		return rc;
	change = j->with_base ? mc_applied(j->r->a, &j->base, &j->given) : j->given;
	j->after = j->with_base ? mc_overlay(j->r->a, &j->base, &change) : j->given;
	judge_objects(j);
	rc = judge_pools(j);
	mc_findings_sort(&j->list);
	return rc;
}

/* ---- telling ------------------------------------------------------------- */

/* Whatever is quoted in a message, a line stays a line that one can read. */
#define MESSAGE_MAX 2000

static void print_text(struct run *r, const struct mc_findings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct mc_finding *f = &list->v[i];
		struct str text = f->message, line;

		(void)str_line(&text, &line);
		if (f->file.n && f->line)
			buf_addf(&r->out, "%.*s:%zu:%zu: ", STRF(f->file), f->line, f->col);
		else if (f->file.n)
			buf_addf(&r->out, "%.*s: ", STRF(f->file));
		buf_addf(&r->out, "%s: %.*s%s%.*s%s%.*s\n", f->error ? "error" : "warning",
			 STRF(f->object), f->object.n ? ": " : "", STRF(f->path),
			 f->path.n ? ": " : "", STRF(str_clip(r->a, line, MESSAGE_MAX)));
	}
}

static void add_count(struct buf *b, size_t n, const char *what)
{
	if (n)
		buf_addf(b, "%s%zu %s%s", b->n ? ", " : "", n, what, n == 1 ? "" : "s");
}

static void print_sum(struct judge *j, size_t errors)
{
	struct buf b;

	buf_init(&b, j->r->a);
	add_count(&b, errors, "error");
	add_count(&b, j->list.n - errors, "warning");
	if (b.n)
		buf_addf(&j->r->out, "%s\n", b.p);
	else
		buf_addf(&j->r->out, "%zu object%s, %zu MachineConfig%s: valid\n", j->given.objects,
			 j->given.objects == 1 ? "" : "s", j->given.mcs.n,
			 j->given.mcs.n == 1 ? "" : "s");
}

static struct json *finding_json(struct arena *a, const struct mc_finding *f)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, j, "severity", f->error ? S("error") : S("warning"));
	json_add_str(a, j, "file", f->file);
	json_add(j, S("line"), json_new_i64(a, (int64_t)f->line));
	json_add(j, S("column"), json_new_i64(a, (int64_t)f->col));
	json_add_str(a, j, "object", f->object);
	json_add_str(a, j, "path", f->path);
	json_add_str(a, j, "message", str_clip(a, f->message, MESSAGE_MAX));
	return j;
}

/* problem: why it cannot be judged, or "". */
static void print_json(struct judge *j, size_t errors, struct str problem)
{
	struct arena *a = j->r->a;
	struct json *out = json_new(a, JSON_OBJECT);
	struct json *all = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < j->list.n; i++)
		json_push(all, finding_json(a, &j->list.v[i]));
	json_add(out, S("findings"), all);
	json_add(out, S("errors"), json_new_i64(a, (int64_t)errors));
	json_add(out, S("warnings"), json_new_i64(a, (int64_t)(j->list.n - errors)));
	json_add(out, S("objects"), json_new_i64(a, (int64_t)j->given.objects));
	json_add(out, S("notes"), mcoctl_strings(a, &j->r->warnings));
	if (problem.n)
		json_add_str(a, out, "error", problem);
	json_encode(&j->r->out, out, JSON_INDENT);
	buf_addc(&j->r->out, '\n');
}

/* Files that could not be read: nothing can be said of the whole. */
static struct str unread(struct judge *j)
{
	const struct strs *list = &j->review.unread;

	for (size_t i = 0; i < list->n; i++)
		applet_say("Error: %.*s\n", STRF(list->v[i]));
	return list->n ? list->v[0] : S("");
}

/* People are told where it would look as if all were well, programs always. */
static void tell_notes(struct judge *j)
{
	for (size_t i = 0; i < j->notes.n; i++)
		if (!j->list.n)
			applet_warn(j->r, j->notes.v[i]);
		else
			VEC_PUSH(j->r->a, &j->r->warnings, j->notes.v[i]);
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct judge j = { .r = r, .o = o };
	bool text = str_is(o->output, "text");
	int rc = judge(&j);
	size_t errors = mc_findings_errors(&j.list);
	struct str problem;

	if (rc < 0 && text)
		return rc;
	if (rc < 0)
		applet_say("Error: %.*s\n", STRF(r->err.msg));
	problem = rc < 0 ? r->err.msg : unread(&j);
	if (j.with_base)
		tell_notes(&j);
	if (text && (j.list.n || !problem.n)) {
		print_text(r, &j.list);
		print_sum(&j, errors);
	} else if (!text) {
		print_json(&j, errors, problem);
	}
	if (problem.n)
		return 2;
	return errors || (o->strict && j.list.n) ? 1 : 0;
}

const struct command mcoctl_validate = {
	.name = "validate",
	.args = "-f PATH... [-R] [--base PATH]... [--live] [--strict]",
	.summary = "validate manifests with upstream's rules, and warn about "
		   "risky settings",
	.details = "Every finding has its file, line, object and path. Errors: what "
		   "the API server or the controllers refuse, and what the API "
		   "server would drop silently: kinds and fields that do not "
		   "exist. Warnings: what is accepted and then refused by running "
		   "nodes, selected by no pool, set by several MachineConfigs, "
		   "near the size limit, or not what it looks like. Objects that "
		   "controllers generated get no warnings.\n\n"
		   "With --base, --live or a flag that chooses a cluster the "
		   "manifests are judged as a change of what is there; findings "
		   "are about the manifests only. Otherwise no cluster is asked.",
	.examples = "# A directory and those below it; warnings are errors, too\n"
		    "@ validate -f manifests/ -R --strict\n"
		    "# As a change of the cluster\n"
		    "@ validate -f 99-worker-ntp.yaml --live\n"
		    "# As a change of a dump\n"
		    "@ validate -f 99-worker-ntp.yaml --base now.yaml\n"
		    "# Findings for a program to read\n"
		    "@ validate -f 99-worker-ntp.yaml -o json",
	.exits = "0 sound, 1 findings (warnings alone with --strict only), 2 it cannot "
		 "be judged: no manifests, a file that cannot be read, no " NAME_CLUSTER,
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.error_status = 2,
	.run = run,
};
