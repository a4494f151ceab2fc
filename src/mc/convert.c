/*
 * Ignition configs in another version of the spec, also inside MachineConfigs and
 * lists of them. Fields beside the config stay as they were read.
 */
#include "mc/convert.h"

#include "ign/ign.h"
#include "mc/object.h"

bool mc_convert_object(const struct doc *d)
{
	return json_member(d->tree, S("kind")) != NULL;
}

static int convert_text(struct arena *a, struct semver to, struct str text, struct json **out,
			struct err *err)
{
	struct ign_obj *config = NULL;
	int rc = ign_parse_35(a, text, &config, err);

	return rc < 0 ? rc : ign_down(a, config, to, out, err);
}

/* Replaces spec.config in the tree; all other fields stay. */
static int convert_mc(struct arena *a, struct semver to, const struct doc *d, struct err *err)
{
	struct str name = json_str(d->tree, "metadata.name");
	struct json *config = NULL;
	struct mc mc = { 0 };
	int rc = mc_decode(a, d, &mc, err);

	if (rc == 0 && !mc_has_config(&mc))
		return 0;
	if (rc == 0)
		rc = convert_text(a, to, mc_config_text(a, &mc), &config, err);
	if (rc < 0)
		return err_wrap(err, "MachineConfig %.*s", STRF(name));
	json_set(json_at(d->tree, "spec"), S("config"), config);
	return 0;
}

static int convert_list(struct arena *a, struct semver to, const struct doc *d, struct err *err);

/* A manifest: a MachineConfig, or a list of them. */
static int convert_object(struct arena *a, struct semver to, const struct doc *d, struct err *err)
{
	struct str kind = json_str(d->tree, "kind");

	if (str_is(kind, "MachineConfig"))
		return convert_mc(a, to, d, err);
	if (json_kind(json_at(d->tree, "items")) == JSON_ARRAY)
		return convert_list(a, to, d, err);
	return err_set(err, ERR_INVALID,
		       "%.*s has no Ignition config: give MachineConfigs or "
		       "Ignition configs",
		       STRF(kind));
}

static int convert_list(struct arena *a, struct semver to, const struct doc *d, struct err *err)
{
	for (struct json *j = json_first(json_at(d->tree, "items")); j; j = json_next(j)) {
		struct doc item = *d;
		int rc;

		item.tree = j;
		if (json_kind(json_at(j, "items")) == JSON_ARRAY)
			return err_set(err, ERR_INVALID, "a list inside a list");
		/* items of a typed list may omit their kind */
		rc = json_member(j, S("kind")) ? convert_object(a, to, &item, err)
					       : convert_mc(a, to, &item, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static struct str text_of(struct arena *a, const struct doc *d)
{
	if (d->json)
		return d->text;
	return json_format(a, d->tree, JSON_SORTED);
}

int mc_convert(struct arena *a, const struct doc *d, struct semver to, struct json **out,
	       struct err *err)
{
	struct json *j = d->tree;
	int rc = mc_convert_object(d) ? convert_object(a, to, d, err)
				      : convert_text(a, to, text_of(a, d), &j, err);

	if (rc == 0)
		*out = j;
	return rc;
}
