/*
 * mcoctl validate: every rule, with the place of every finding.
 */
#include "data/yml.h"
#include "mc/lint.h"
#include "mcoctl.h"
#include "plan/config_lint.h"
#include "plan/registries_lint.h"

struct opts {
	struct strs files;
	bool recursive, strict;
	struct str output;
};

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .name = "strict",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, strict),
	  .help = "warnings count as errors" },
	OUTPUT_FLAG(struct opts, "text|json"),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("text");
}

/* Renders each pool: what is wrong with the whole, and how large it gets. */
static void lint_pools(struct run *r, const struct mc_set *set,
		       struct mc_findings *out)
{
	for (size_t i = 0; i < set->pools.n; i++) {
		struct mc_finding f = { .error = true,
					.file = set->pools.v[i]->file };
		struct rendered m;
		struct buf b;

		if (mcoctl_render_pool(r->a, r, set, set->pools.v[i], &m) < 0) {
			struct str text = r->err.msg;

			f.object = str_fmt(r->a, "MachineConfigPool %.*s",
					   STRF(set->pools.v[i]->meta.name));
			(void)str_line(&text, &f.message);
			VEC_PUSH(r->a, out, f);
			continue;
		}
		buf_init(&b, r->a);
		json_encode(&b, m.object, 0);
		mc_lint_pool(r->a, set->pools.v[i]->meta.name, &m.sources, b.n,
			     out);
	}
}

static void print_text(struct run *r, const struct mc_findings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct mc_finding *f = &list->v[i];

		if (f->file.n && f->line)
			buf_addf(&r->out, "%.*s:%zu:%zu: ", STRF(f->file),
				 f->line, f->col);
		else if (f->file.n)
			buf_addf(&r->out, "%.*s: ", STRF(f->file));
		buf_addf(&r->out, "%s: %.*s: %.*s%s%.*s\n",
			 f->error ? "error" : "warning", STRF(f->object),
			 STRF(f->path), f->path.n ? ": " : "",
			 STRF(f->message));
	}
}

static void print_json(struct run *r, const struct mc_findings *list)
{
	struct json *out = json_new(r->a, JSON_OBJECT);
	struct json *all = json_new(r->a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++) {
		const struct mc_finding *f = &list->v[i];
		struct json *j = json_new(r->a, JSON_OBJECT);

		json_add(j, S("severity"),
			 json_new_str(r->a,
				      f->error ? S("error") : S("warning")));
		json_add(j, S("file"), json_new_str(r->a, f->file));
		json_add(j, S("line"), json_new_i64(r->a, (int64_t)f->line));
		json_add(j, S("column"), json_new_i64(r->a, (int64_t)f->col));
		json_add(j, S("object"), json_new_str(r->a, f->object));
		json_add(j, S("path"), json_new_str(r->a, f->path));
		json_add(j, S("message"), json_new_str(r->a, f->message));
		json_push(all, j);
	}
	json_add(out, S("findings"), all);
	json_encode(&r->out, out, JSON_INDENT);
	buf_addc(&r->out, '\n');
}

static int run(struct run *r, const void *p)
{
	struct opts o = *(const struct opts *)p;
	struct mc_findings list = { 0 };
	struct mc_set set = { 0 };
	size_t errors = 0;
	int rc;

	for (size_t i = 0; i < r->words.n; i++)
		VEC_PUSH(r->a, &o.files, r->words.v[i]);
	rc = manifests_load(r, &o.files, o.recursive, &set);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < set.mcs.n; i++)
		mc_lint(r->a, set.mcs.v[i], &list);
	for (size_t i = 0; i < set.others.n; i++)
		config_lint(r->a, set.others.v[i], &list);
	config_lint_set(r->a, &set, &list);
	registries_lint(r->a, &set, &list);
	mc_lint_set(r->a, &set, &list);
	for (size_t i = 0; i < list.n; i++)
		errors += list.v[i].error;
	/* a pool of broken parts would only repeat them */
	if (!errors)
		lint_pools(r, &set, &list);
	errors = 0;
	for (size_t i = 0; i < list.n; i++)
		errors += list.v[i].error;
	if (str_is(o.output, "json"))
		print_json(r, &list);
	else if (list.n)
		print_text(r, &list);
	else
		buf_addf(&r->out, "%zu objects, %zu MachineConfigs: valid\n",
			 set.objects, set.mcs.n);
	return errors || (o.strict && list.n) ? 1 : 0;
}

const struct command mcoctl_validate = {
	.name = "validate",
	.args = "-f PATH... [-R] [--strict] [-o text|json]",
	.summary =
		"check manifests by upstream's rules, and for what one regrets",
	.details =
		"Every finding has its file, line, object and path. Warnings are "
		"of what upstream\naccepts: paths that do not last, files that "
		"several MachineConfigs set, tags for\ndigests, configs near the "
		"size limit, fields that no kubelet knows,\nKubeletConfigs that "
		"share a MachineConfig.",
	.examples =
		"# A directory and those below it; warnings are errors, too\n"
		"@ validate -f manifests/ -R --strict\n"
		"# Findings for a program to read\n"
		"@ validate -f 99-worker-ntp.yaml -o json",
	.exits =
		"0 valid, 1 not, 2 when there are no manifests or they cannot be "
		"read",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.error_status = 2,
	.run = run,
};
