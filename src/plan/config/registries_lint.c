/*
 * Runs the decision about registries over a set and reports its error or note.
 */
#include "plan/config/registries_lint.h"

#include "plan/registries.h"

static void add(struct arena *a, struct mc_findings *out, bool error, struct str object,
		struct str message)
{
	struct mc_finding f = { .error = error, .object = object, .message = message };

	VEC_PUSH(a, out, f);
}

/* Any image will do when the cluster's own is unknown. */
static struct str release_image(const struct mc_set *set)
{
	const struct mc_controller_config *cc = set->controller_config;
	struct str image = json_str(set->cluster_version, "status.desired.image");

	if (!image.n && cc)
		image = json_str(cc->tree, "spec.releaseImage");
	return image.n ? image : S("unknown.invalid/release");
}

void registries_lint(struct arena *a, const struct mc_set *set, struct mc_findings *out)
{
	struct registries_in in = {
		.objects = &set->others,
		.release_image = release_image(set),
		.sigstore = true,
	};
	struct err err = ERR_INIT(a);
	struct mc_files ignored = { 0 };
	struct registries r;
	int rc = registries_decide(a, &in, &r, &err);

	if (rc == 0)
		rc = registries_files(a, &r, S(""), S("{\"default\":[{\"type\":\"reject\"}]}"),
				      &ignored, &err);
	if (rc < 0) {
		add(a, out, true, S("registries"), err.msg);
		return;
	}
	if (r.note.n)
		add(a, out, false, S("registries"), r.note);
	for (size_t i = 0; i < r.n_conflicts; i++)
		add(a, out, false,
		    str_fmt(a, "ImagePolicy %.*s/%.*s", STRF(r.conflicts[i].namespace),
			    STRF(r.conflicts[i].name)),
		    r.conflicts[i].message);
}
