#include "inspect.h"
#include "mc/ref.h"

int inspect_words(struct run *r, struct inspect *out)
{
	struct strs words = mc_ref_join(r->a, &r->words);
	ptrdiff_t at = words.n ? str_find(words.v[0], S(":/")) : -1;

	*out = (struct inspect){ 0 };
	if (!words.n || words.n > (at > 0 ? 1 : 2))
		return err_set(&r->err, ERR_INVALID,
			       "give one config: a pool (worker), mc/NAME, "
			       "node/NAME or a file");
	out->config = words.v[0];
	out->part = words.n > 1 ? words.v[1] : S("");
	if (at > 0) {
		out->config = str_sub(words.v[0], 0, (size_t)at);
		out->part = str_from(words.v[0], (size_t)at + 1);
	}
	return mcoctl_check_word(r, out->config);
}

int inspect_no_part(struct run *r)
{
	return err_set(&r->err, ERR_INVALID,
		       "give a config and a path: worker:/etc/chrony.conf");
}

static int load_cluster(struct run *r, const struct inspect_opts *o,
			struct str config, struct mc_set *set)
{
	int rc = live_load(r, &o->kube, LIVE_INSTEAD, set);

	if (rc == 0)
		rc = mcoctl_preview(r, set, true);
	return rc < 0 ? err_wrap(&r->err, "%.*s is no file here", STRF(config))
		      : 0;
}

/* The only config of a file that was named in its place. */
static int only_config(struct run *r, const struct mc_set *set, struct str file,
		       struct str *out)
{
	if (set->pools.n == 1)
		*out = set->pools.v[0]->meta.name;
	else if (set->mcs.n == 1)
		*out = set->mcs.v[0]->meta.name;
	else
		return err_set(&r->err, ERR_INVALID,
			       "%.*s has %zu MachineConfigs and %zu pools: "
			       "give it with -f, and the name of one",
			       STRF(file), set->mcs.n, set->pools.n);
	return 0;
}

int inspect_load(struct run *r, const struct inspect_opts *o, struct str config,
		 struct mc_set *set, struct named_config *out)
{
	struct strs paths = o->files;
	int rc;

	if (!paths.n && !live_is_file(r, config)) {
		rc = load_cluster(r, o, config, set);
	} else if (!paths.n) {
		VEC_PUSH(r->a, &paths, config);
		rc = manifests_load(r, &paths, o->recursive, set);
		if (rc == 0)
			rc = only_config(r, set, config, &config);
	} else {
		rc = manifests_load(r, &paths, o->recursive, set);
	}
	return rc < 0 ? rc : mcoctl_named(r, set, config, out);
}
