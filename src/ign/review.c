/*
 * Collects all faults of a config: continues after a value of the wrong type, so that one fault
 * does not hide the others.
 */
#include "ign/ign.h"
#include "v2.h"

bool ign_is_reported(const struct ign_review *r, struct str path)
{
	for (size_t i = 1; i <= path.n; i++) {
		const struct map_entry *e = i == path.n || path.p[i] == '.'
						    ? map_find(&r->reported, str_sub(path, 0, i))
						    : NULL;

		if (e && (i == path.n || e->value))
			return true;
	}
	return false;
}

/* The report of ign_validate, without entries about misfits. */
static void check(struct arena *a, int minor, const struct json *tree, struct ign_review *out)
{
	struct ign_report all = { 0 };

	ign_validate(a, out->config, minor, tree, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (ign_is_reported(out, all.v[i].path))
			continue;
		VEC_PUSH(a, &out->report, all.v[i]);
		out->report.fatal |= all.v[i].fatal;
	}
	for (size_t i = 0; i < out->report.n; i++)
		if (out->report.v[i].fatal)
			(void)map_put(&out->reported, out->report.v[i].path, NULL);
}

/* A version of the wrong type counts as the newest. */
static struct str read_version(struct arena *a, const struct json *tree, struct ign_review *out)
{
	const struct json *blame;
	struct str version;
	const char *into = ign_version_of(tree, &version, &blame);
	struct ign_misfit m = { 0 };

	if (!into)
		return version;
	m.at = blame;
	m.path = json_path_of(a, tree, blame);
	m.message = str_fmt(a, "json: cannot unmarshal %s into Go %s", json_kind_name(blame), into);
	VEC_PUSH(a, &out->misfits, m);
	return S("3.5.0");
}

static void add_misfits(struct arena *a, const struct ign_misfits *list, struct ign_review *out)
{
	for (size_t i = 0; i < out->misfits.n; i++)
		(void)map_put(&out->reported, out->misfits.v[i].path, out);
	for (size_t i = 0; i < list->n; i++)
		if (map_put(&out->reported, list->v[i].path, out))
			VEC_PUSH(a, &out->misfits, list->v[i]);
}

void ign_review(struct arena *a, const struct json *tree, struct ign_review *out)
{
	struct ign_misfits list = { 0 };
	struct ign_obj *o;
	struct semver v;
	bool v3;

	*out = (struct ign_review){ 0 };
	map_init(&out->reported, a);
	if (json_kind(tree) != JSON_OBJECT || !semver_parse(read_version(a, tree, out), &v))
		return;
	v3 = ign_is_v3(v);
	if (!v3 && (v.major != 2 || v.minor > 2))
		return;
	o = ign_new(a, v3 ? &ign_type_CONFIG : &ign_type_V2_CONFIG);
	ign_decode_some(a, o, tree, (int)v.minor, &list);
	add_misfits(a, &list, out);
	if (!v3)
		return;
	out->config = o;
	check(a, (int)v.minor, tree, out);
	ign_up(a, o, (int)v.minor);
}
