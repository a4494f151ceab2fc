/*
 * TYPE/NAME arguments, resolved without a server: the types are fixed.
 */
#include "mc/ref.h"

#include "base/flag.h"
#include "mc/api.h"

static const char *const names[] = {
	"machineconfigpool",
	"machineconfigpools",
	"mcp",
	"machineconfig",
	"machineconfigs",
	"mc",
	"node",
	"nodes",
	"no",
	NULL,
};

/* By their index in names: three for each type. */
static const struct {
	const char *group;
	enum mc_ref_type type;
} types[] = {
	{ GROUP_MC, MC_REF_POOL },
	{ GROUP_MC, MC_REF_CONFIG },
	{ "", MC_REF_NODE },
};

/* RESOURCE, RESOURCE.GROUP or RESOURCE.VERSION.GROUP. */
static enum mc_ref_type find_type(struct str word)
{
	struct str name = word, group = S("");
	bool qualified = str_cut(word, '.', &name, &group);

	if (str_starts(group, S("v1.")))
		group = str_from(group, 3);
	for (size_t i = 0; names[i]; i++)
		if (str_eq_fold(name, str_of(names[i])) &&
		    (!qualified || str_is(group, types[i / 3].group)))
			return types[i / 3].type;
	return MC_REF_ANY;
}

int mc_ref_parse(struct str word, struct mc_ref *out, struct err *err)
{
	struct mc_ref ref = { MC_REF_ANY, word };
	struct str type;
	const char *near;

	if (str_cut(word, '/', &type, &ref.name)) {
		ref.type = find_type(type);
		near = flag_nearest(type, names);
		if (ref.type == MC_REF_ANY)
			return err_set(err, ERR_INVALID,
				       "no resource type \"%.*s\" has configs%s%s%s: "
				       "use mcp/NAME, mc/NAME or node/NAME",
				       STRF(type), near ? " (did you mean " : "", near ? near : "",
				       near ? "?)" : "");
	}
	if (!ref.name.n || str_chr(ref.name, '/') >= 0)
		return err_set(err, ERR_INVALID,
			       "\"%.*s\" has no name: use mcp/NAME, mc/NAME "
			       "or node/NAME",
			       STRF(word));
	*out = ref;
	return 0;
}

bool mc_ref_typed(struct str word)
{
	struct str type, name;

	return str_cut(word, '/', &type, &name) && name.n && str_chr(name, '/') < 0 &&
	       find_type(type) != MC_REF_ANY;
}

/* NAME, or NAME:/PATH. */
static bool may_be_name(struct str word)
{
	ptrdiff_t slash = str_chr(word, '/');

	return word.n && (slash < 0 || (slash > 1 && word.p[slash - 1] == ':'));
}

struct strs mc_ref_join(struct arena *a, const struct strs *words)
{
	struct strs out = { 0 };
	size_t i = 0;

	if (words->n > 1 && find_type(words->v[0]) != MC_REF_ANY && may_be_name(words->v[1])) {
		VEC_PUSH(a, &out, str_fmt(a, "%.*s/%.*s", STRF(words->v[0]), STRF(words->v[1])));
		i = 2;
	}
	for (; i < words->n; i++)
		VEC_PUSH(a, &out, words->v[i]);
	return out;
}
