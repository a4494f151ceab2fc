/*
 * The contents of the part of a config that a user names.
 */
#include "base/flag.h"
#include "mc/contents.h"

/* The path of unit/NAME and dropin/UNIT/NAME, which are names of mc/origin.h. */
static struct str path_of(struct arena *a, struct str part)
{
	struct str kind, rest, unit, name;

	if (str_starts(part, S("/")) || !str_cut(part, '/', &kind, &rest))
		return part;
	if (str_is(kind, "unit"))
		return rest;
	if (str_is(kind, "dropin") && str_cut(rest, '/', &unit, &name))
		return str_fmt(a, "/etc/systemd/system/%.*s.d/%.*s", STRF(unit), STRF(name));
	return part;
}

static int not_there(struct arena *a, struct str config, const struct ign_obj *ignition,
		     struct str path, struct err *err)
{
	const struct ign_objs *files = ign_files(ignition), *units = ign_units(ignition);
	struct strs names = { 0 };

	for (size_t i = 0; i < files->n; i++)
		VEC_PUSH(a, &names, ign_str(files->v[i], IGN_FILE_PATH));
	for (size_t i = 0; i < units->n; i++)
		VEC_PUSH(a, &names, ign_str(units->v[i], IGN_UNIT_NAME));
	return err_set(err, ERR_NOTFOUND, "%.*s has no file or unit %.*s%.*s", STRF(config),
		       STRF(path), STRF(flag_hint(a, path, &names)));
}

int mc_part_contents(struct arena *a, struct str config, const struct ign_obj *ignition,
		     struct str part, struct mc_part_bytes *out, struct err *err)
{
	struct mc_part_bytes p = { .path = path_of(a, part) };
	int rc = 0;

	p.file = mc_find_file(ignition, p.path);
	if (p.file)
		rc = mc_contents(a, p.file, &p.text, err);
	else if (!mc_unit_text(a, ignition, p.path, &p.text))
		return not_there(a, config, ignition, p.path, err);
	if (rc < 0)
		return err_wrap(err, "%.*s in %.*s", STRF(p.path), STRF(config));
	*out = p;
	return 0;
}
