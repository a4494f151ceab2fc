/*
 * Shared by the commands of mcoctl: rendering and previews with this build's
 * version, and finding the config that an argument names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/version.h"
#include "mc/made_by.h"
#include "mc/ref.h"
#include "mcoctl.h"
#include "plan/preview.h"

void mcoctl_warn_version(const struct mc_set *set)
{
	struct made_by by = made_by(set->controller_config, &set->mcs, &set->pools);
	struct str raw = str_of(version_raw()), hash = str_of(version_hash());

	if ((!getenv("MCO_RAW") && !getenv("MCO_HASH")) ||
	    ((!by.raw.n || str_eq(by.raw, raw)) && (!by.hash.n || str_eq(by.hash, hash))))
		return;
	(void)fprintf(
		stderr,
		"warning: %s have version %.*s (%.*s): set MCO_RAW and MCO_HASH to these values, "
		"or unset both\n",
		set->live ? "the cluster's objects" : "the manifests",
		STRF(by.raw.n ? by.raw : raw), STRF(by.hash.n ? by.hash : hash));
}

int mcoctl_render_pool(struct arena *a, struct run *r, const struct mc_set *set,
		       const struct mcp *pool, struct rendered *out)
{
	struct render_version v = version_render();
	int rc = plan_render_set(a, &v, set, pool, r->a, out, &r->err);

	if (rc < 0)
		mcoctl_warn_version(set);
	return rc;
}

/* The last refusal becomes the command's error, those before it are printed. A refusal
 * that the change did not cause, or that the cluster has already, is a warning. */
static int tell_refusals(struct run *r, const struct preview *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->refused.n; i++) {
		const struct preview_refusal *f = &p->refused.v[i];
		struct str text = preview_refusal_text(r->a, f);

		if (f->known || p->set.live) {
			applet_warn(r, text);
			continue;
		}
		if (rc < 0)
			applet_say("error: %.*s\n", STRF(r->err.msg));
		rc = err_set(&r->err, ERR_INVALID, "%.*s", STRF(text));
	}
	return rc;
}

void mcoctl_plan(struct run *r, struct preview_in *in, struct preview *out)
{
	in->hash = str_of(version_hash());
	in->adopt_hash = !getenv("MCO_HASH");
	plan_preview(r->a, in, out);
}

int mcoctl_preview(struct run *r, struct mc_set *set, bool warn)
{
	struct preview_in in = { .set = set };
	struct preview out;
	int rc;

	if (!set->others.n)
		return 0;
	mcoctl_plan(r, &in, &out);
	for (size_t i = 0; warn && i < out.notes.n; i++)
		applet_warn(r, out.notes.v[i]);
	rc = warn ? tell_refusals(r, &out) : 0;
	if (rc == 0)
		*set = out.set;
	return rc;
}

void mcoctl_preview_some(struct run *r, struct mc_set *set, struct preview_refusals *refused)
{
	struct preview_in in = { .set = set };
	struct preview out = { 0 };

	*refused = (struct preview_refusals){ 0 };
	if (!set->others.n)
		return;
	mcoctl_plan(r, &in, &out);
	for (size_t i = 0; i < out.notes.n; i++)
		applet_warn(r, out.notes.v[i]);
	*refused = out.refused;
	*set = out.set;
}

int mcoctl_check_word(struct run *r, struct str word)
{
	struct mc_ref ref = { 0 };

	if (str_is(word, "-") || str_chr(word, '/') < 0 || str_starts(word, S("/")) ||
	    str_starts(word, S(".")) || access(str_z(r->a, word), F_OK) == 0 ||
	    mc_ref_parse(word, &ref, &r->err) == 0)
		return 0;
	return err_wrap(&r->err, "%.*s is not a file here", STRF(word));
}

int mcoctl_pool(struct run *r, const struct mc_set *set, const struct mcp *pool,
		struct named_config *out)
{
	struct rendered rendered = { 0 };
	int rc = mcoctl_render_pool(r->a, r, set, pool, &rendered);

	if (rc < 0)
		return rc;
	out->name = rendered.name;
	out->ignition = rendered.merged.config;
	out->spec = rendered.merged;
	out->sources = rendered.sources;
	return 0;
}

int mcoctl_named(struct run *r, const struct mc_set *set, struct str word, struct named_config *out)
{
	struct mcp *pool;
	struct mc *mc;
	int rc = mc_find_named(r->a, set, word, &mc, &pool, &r->err);

	*out = (struct named_config){ 0 };
	if (rc < 0)
		return rc;
	return mc ? named_config_mc(r->a, mc, out, &r->err) : mcoctl_pool(r, set, pool, out);
}

/* ---- the cluster --------------------------------------------------------- */

static void warn_live(void *ctx, struct str text)
{
	applet_warn(ctx, text);
}

struct kube_live mcoctl_live(struct run *r, const struct kube_flags *flags, const char *instead)
{
	return (struct kube_live){ .a = r->a,
				   .err = &r->err,
				   .flags = flags,
				   .instead = instead,
				   .warn = warn_live,
				   .warn_ctx = r };
}

int mcoctl_load_live(struct run *r, const struct kube_flags *flags, const char *instead,
		     enum live_rendered rendered, struct mc_set *set)
{
	struct kube_live live = mcoctl_live(r, flags, instead);

	return kube_live_load(&live, rendered, set);
}

bool mcoctl_is_file(struct run *r, struct str word)
{
	if (str_is(word, "-") || access(str_z(r->a, word), F_OK) == 0)
		return true;
	/* a name has no slash; an unknown type may be a missing file */
	return str_chr(word, '/') >= 0 && !mc_ref_typed(word);
}
