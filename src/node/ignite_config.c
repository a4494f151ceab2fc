/*
 * Configs that an Ignition config replaces itself with, or merges. Certificate authorities of a
 * config are trusted before anything that the config refers to is fetched.
 */
#include "ignite_config.h"

#include "data/url.h"
#include "ignite_contents.h"
#include "node/ignite.h"

#define DEPTH_MAX 10 /* of configs that refer to configs */

static int fetch_config(struct arena *a, const struct ign_obj *r, const struct ignite_source *from,
			int depth, struct ign_obj **out, struct err *err);

static int complete_config(struct arena *a, const struct ignite_source *from, int depth,
			   struct ign_obj **config, struct err *err)
{
	const struct ign_obj *i = ign_sub(*config, IGN_CONFIG_IGNITION);
	const struct ign_obj *c = ign_sub(i, IGN_IGNITION_CONFIG);
	const struct ign_obj *r = ign_sub(c, IGN_IGNITION_CONFIG_REPLACE);
	const struct ign_objs *merge = ign_list(c, IGN_IGNITION_CONFIG_MERGE);
	const struct ign_objs *trust =
		ign_list(ign_sub(ign_sub(i, IGN_IGNITION_SECURITY), IGN_SECURITY_TLS), IGN_TLS_CAS);
	struct ign_objs all = { 0 };
	struct str pem;
	int rc = 0;

	if (depth > DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "configs refer to configs more than %d deep",
			       DEPTH_MAX);
	for (size_t k = 0; rc == 0 && k < trust->n; k++) {
		rc = ignite_text(a, trust->v[k], from, &pem, err);
		if (rc == 0)
			rc = from->trust(from->ctx, pem, err);
	}
	if (rc == 0 && ign_str(r, IGN_RESOURCE_SOURCE).n)
		return fetch_config(a, r, from, depth, config, err);
	VEC_PUSH(a, &all, *config);
	for (size_t k = 0; rc == 0 && k < merge->n; k++) {
		struct ign_obj *child = NULL;

		rc = fetch_config(a, merge->v[k], from, depth, &child, err);
		VEC_PUSH(a, &all, child);
	}
	if (rc == 0 && all.n > 1)
		*config = ign_fold(a, &all);
	return rc;
}

static int fetch_config(struct arena *a, const struct ign_obj *r, const struct ignite_source *from,
			int depth, struct ign_obj **out, struct err *err)
{
	struct str text = S("");
	int rc = ignite_text(a, r, from, &text, err);

	if (rc == 0)
		rc = ign_parse_35(a, text, out, err);
	if (rc == 0)
		rc = complete_config(a, from, depth + 1, out, err);
	return rc < 0 ? err_wrap(err, "the config at %.*s",
				 STRF(url_public(a, ign_str(r, IGN_RESOURCE_SOURCE))))
		      : 0;
}

int ignite_config_complete(struct arena *a, const struct ignite_source *from,
			   struct ign_obj **config, struct err *err)
{
	return complete_config(a, from, 0, config, err);
}
