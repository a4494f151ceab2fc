/*
 * mcoctl validate: checks manifests by all rules, with the position of each finding.
 */
#include <stdlib.h>

#include "io/version.h"
#include "mcoctl.h"
#include "plan/validate.h"
#include "view/findings.h"

struct opts {
	struct strs files, base;
	bool recursive, strict, live;
	struct str output;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .texts = FLAG_TEXT(
		  "base", "PATH",
		  "check the manifests as a change of this dump, directory or must-gather; may "
		  "be repeated"),
	  .letter = 'b',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, base) },
	{ .texts = FLAG_TEXT(
		  "live", "",
		  "check the manifests as a change of the cluster; so does any flag that selects "
		  "a cluster"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, live) },
	{ .texts = FLAG_TEXT("strict", "", "treat warnings as errors"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, strict) },
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
	struct mc_set base, given; /* base: empty unless with_base */
	bool with_base;
	struct validate_out out;
};

/* ---- input --------------------------------------------------------------- */

static int load(struct judge *j)
{
	struct run *r = j->r;
	struct strs files = { 0 };
	bool live = j->o->live || kube_live_asked(&j->o->kube);
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
		rc = mcoctl_load_live(r, &j->o->kube, "--base PATH", LIVE_IN_USE, &j->base);
	return rc;
}

static int judge(struct judge *j)
{
	struct render_version v = version_render();
	struct validate_in in = { .given = &j->given,
				  .raw = v.raw,
				  .hash = v.hash,
				  .adopt = v.adopt,
				  .adopt_hash = !getenv("MCO_HASH") };
	int rc = load(j);

	if (rc < 0)
		return rc;
	in.base = j->with_base ? &j->base : NULL;
	plan_validate(j->r->a, &in, &j->out);
	return 0;
}

/* ---- output -------------------------------------------------------------- */

/* Reports the files that could not be read: then there is no overall result. */
static struct str unread(struct judge *j)
{
	const struct strs *list = &j->review.unread;

	for (size_t i = 0; i < list->n; i++)
		applet_say("Error: %.*s\n", STRF(list->v[i]));
	return list->n ? list->v[0] : S("");
}

/* Prints notes as text only when there are no findings; JSON always has them. */
static void tell_notes(struct judge *j)
{
	for (size_t i = 0; i < j->out.notes.n; i++)
		if (!j->out.list.n)
			applet_warn(j->r, j->out.notes.v[i]);
		else
			VEC_PUSH(j->r->a, &j->r->warnings, j->out.notes.v[i]);
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct judge j = { .r = r, .o = o };
	bool text = str_is(o->output, "text");
	int rc = judge(&j);
	size_t errors = mc_findings_errors(&j.out.list);
	struct str problem;

	if (rc < 0 && text)
		return rc;
	if (rc < 0)
		applet_say("Error: %.*s\n", STRF(r->err.msg));
	problem = rc < 0 ? r->err.msg : unread(&j);
	if (j.with_base)
		tell_notes(&j);
	if (text && (j.out.list.n || !problem.n)) {
		findings_text(&r->out, r->a, &j.out.list);
		findings_sum(&r->out, &j.out.list, &j.given);
	} else if (!text) {
		json_encode(&r->out,
			    findings_report(r->a, &j.out.list, &j.given, &r->warnings, problem),
			    JSON_INDENT);
		buf_addc(&r->out, '\n');
	}
	if (problem.n)
		return 2;
	return errors || (o->strict && j.out.list.n) ? 1 : 0;
}

const struct command mcoctl_validate = {
	.name = "validate",
	.args = "-f PATH... [-R] [--base PATH]... [--live] [--strict]",
	.summary = "validate manifests with upstream's rules, and warn about risky settings",
	.details =
		"Each finding has its file, line, object and path. Errors: settings that the API "
		"server or the controllers refuse, and kinds and fields that do not exist, which "
		"the API server drops silently. Warnings: settings that are accepted and then "
		"refused by running nodes, MachineConfigs that no pool selects, parts set by "
		"several MachineConfigs, configs near the size limit, and values that mean "
		"something else than they seem to. Objects that controllers generated get no "
		"warnings.\n\n"
		"With --base, --live or a flag that selects a cluster the manifests are checked "
		"as a change of what is there; findings are about the manifests only. Otherwise "
		"no cluster is read.",
	.examples = "# A directory and those below it; warnings are errors\n"
		    "@ validate -f manifests/ -R --strict\n"
		    "# As a change of the cluster\n"
		    "@ validate -f 99-worker-ntp.yaml --live\n"
		    "# As a change of a dump\n"
		    "@ validate -f 99-worker-ntp.yaml --base now.yaml\n"
		    "# Findings for a program to read\n"
		    "@ validate -f 99-worker-ntp.yaml -o json",
	.exits = "0 valid, 1 findings (warnings alone only with --strict), 2 an error: no "
		 "manifests, a file that cannot be read, no cluster",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.error_status = 2,
	.run = run,
};
