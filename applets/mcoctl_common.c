#include <stdio.h>
#include <stdlib.h>

#include "io/version.h"
#include "mc/made_by.h"
#include "mcoctl.h"
#include "plan/preview.h"
#include "plan/render_sync.h"

const char *mcoctl_where(const struct mc_set *set)
{
	return set->live ? "in the cluster" : "among the manifests";
}

void mcoctl_warn_version(const struct mc_set *set)
{
	struct made_by by = made_by(set->controller_config, &set->mcs, &set->pools);
	struct str raw = str_of(version_raw()), hash = str_of(version_hash());

	if ((!getenv("MCO_RAW") && !getenv("MCO_HASH")) ||
	    ((!by.raw.n || str_eq(by.raw, raw)) && (!by.hash.n || str_eq(by.hash, hash))))
		return;
	(void)fprintf(stderr,
		      "warning: %s are of version %.*s (%.*s): set MCO_RAW and "
		      "MCO_HASH to these, or neither to take them as they are\n",
		      set->live ? "the cluster's objects" : "the manifests",
		      STRF(by.raw.n ? by.raw : raw), STRF(by.hash.n ? by.hash : hash));
}

int mcoctl_render_pool(struct arena *a, struct run *r, const struct mc_set *set,
		       const struct mc_pool *pool, struct rendered *out)
{
	struct render_in in = { .raw = str_of(version_raw()),
				.hash = str_of(version_hash()),
				.pool = pool,
				.mcs = &set->mcs,
				.keep = r->a,
				.controller_config = set->controller_config };
	struct mc_controller_config cc = { 0 };
	const struct mc *culprit = NULL;
	struct render_view view;
	bool adopt = !getenv("MCO_RAW") && !getenv("MCO_HASH");
	int rc;

	if (adopt)
		plan_render_adopt(a, set, &in);
	render_view_of(a, set, &in, &view);
	if (in.controller_config)
		cc = *in.controller_config;
	rc = render_use_stream(&view, &cc, &r->err);
	if (in.controller_config)
		in.controller_config = &cc;
	if (rc == 0)
		rc = plan_render(a, &in, out, &culprit, &r->err);
	if (rc < 0)
		mcoctl_warn_version(set);
	if (rc < 0 && culprit)
		return err_wrap(&r->err, "pool %.*s: MachineConfig %.*s (%.*s)",
				STRF(pool->meta.name), STRF(culprit->meta.name),
				STRF(culprit->file));
	return rc < 0 ? err_wrap(&r->err, "pool %.*s", STRF(pool->meta.name)) : 0;
}

/* The last error is the command's own. What a cluster refuses already, and what
 * the change did not cause, is a warning. */
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
	const struct mc_set *set = in->set;
	struct made_by by = made_by(set->controller_config, &set->mcs, &set->pools);

	in->hash = str_of(version_hash());
	if (!getenv("MCO_HASH") && by.hash.n)
		in->hash = by.hash;
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

struct json *mcoctl_strings(struct arena *a, const struct strs *list)
{
	struct json *j = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++)
		json_push(j, json_new_str(a, list->v[i]));
	return j;
}

int mcoctl_no_pool(struct run *r, const struct mc_set *set)
{
	return err_set(&r->err, ERR_NOTFOUND, "no MachineConfigPool %s", mcoctl_where(set));
}

int mcoctl_find_pool(struct run *r, const struct mc_set *set, struct str name, struct mc_pool **out)
{
	struct strs names = { 0 };
	struct buf b;

	buf_init(&b, r->a);
	for (size_t i = 0; i < set->pools.n; i++) {
		struct str have = set->pools.v[i]->meta.name;

		if (str_eq(have, name)) {
			*out = set->pools.v[i];
			return 0;
		}
		buf_addf(&b, "%s%.*s", b.n ? ", " : "", STRF(have));
		VEC_PUSH(r->a, &names, have);
	}
	if (!b.n)
		return mcoctl_no_pool(r, set);
	return err_set(&r->err, ERR_NOTFOUND, "no MachineConfigPool \"%.*s\" %s%.*s: there are %s",
		       STRF(name), mcoctl_where(set), STRF(flag_hint(r->a, name, &names)), b.p);
}
