/*
 * Every kind that manifests of a cluster may have, as one table without pointers, and
 * the nearest name for a misspelt one.
 */
#include "mc/known.h"

#include "mc/crd_types.h"
#include "mc/types.h"
#include "mc/api.h"

enum { MC, CONFIG, OPERATOR };
static const char groups[][36] = {
	[MC] = GROUP_MC,
	[CONFIG] = GROUP_CONFIG,
	[OPERATOR] = GROUP_OPERATOR,
};

enum { V1, V1ALPHA1 };
static const char versions[][9] = { [V1] = "v1", [V1ALPHA1] = "v1alpha1" };

enum { OTHER, TYPES, CRD_TYPES };

/* No pointers: each one would need a relocation, which is longer than most names. */
struct row {
	uint16_t type; /* of TYPES or CRD_TYPES */
	uint8_t group, version, table;
	bool written;
	char kind[30];
};

/* Columns: group, version, kind. Kinds without fields are listed so that they do not count as
 * misspelt names of others; W: see mc_known.written. */
static const struct row known[] = {
#define T(group, version, kind)                                  \
	{                                                        \
		MC_T_##kind, group, version, TYPES, false, #kind \
	}
#define TW(group, version, kind)                                \
	{                                                       \
		MC_T_##kind, group, version, TYPES, true, #kind \
	}
#define C(group, version, kind)                                       \
	{                                                             \
		CRD_T_##kind, group, version, CRD_TYPES, false, #kind \
	}
#define CW(group, version, kind)                                     \
	{                                                            \
		CRD_T_##kind, group, version, CRD_TYPES, true, #kind \
	}
#define O(group, version, kind)                       \
	{                                             \
		0, group, version, OTHER, true, #kind \
	}
	T(MC, V1, MachineConfig),
	T(MC, V1, MachineConfigPool),
	T(MC, V1, KubeletConfig),
	T(MC, V1, ContainerRuntimeConfig),
	TW(MC, V1, ControllerConfig),
	T(MC, V1, MachineOSConfig),
	CW(MC, V1, MachineOSBuild),
	CW(MC, V1, MachineConfigNode),
	C(MC, V1, PinnedImageSet),
	C(MC, V1, InternalReleaseImage),
	C(MC, V1ALPHA1, InternalReleaseImage),
	C(MC, V1ALPHA1, OSImageStream),
	C(OPERATOR, V1, MachineConfiguration),
	T(OPERATOR, V1ALPHA1, ImageContentSourcePolicy),
	T(CONFIG, V1, ImageDigestMirrorSet),
	T(CONFIG, V1, ImageTagMirrorSet),
	T(CONFIG, V1, ClusterImagePolicy),
	T(CONFIG, V1, ImagePolicy),
	T(CONFIG, V1, FeatureGate),
	T(CONFIG, V1, Node),
	T(CONFIG, V1, APIServer),
	T(CONFIG, V1, Image),
	TW(CONFIG, V1, Infrastructure),
	TW(CONFIG, V1, DNS),
	C(CONFIG, V1ALPHA1, CRIOCredentialProviderConfig),
	O(CONFIG, V1, Authentication),
	O(CONFIG, V1, Build),
	O(CONFIG, V1, ClusterOperator),
	O(CONFIG, V1, ClusterVersion),
	O(CONFIG, V1, Console),
	O(CONFIG, V1, ImageContentPolicy),
	O(CONFIG, V1, Ingress),
	O(CONFIG, V1, Network),
	O(CONFIG, V1, OAuth),
	O(CONFIG, V1, OperatorHub),
	O(CONFIG, V1, Project),
	O(CONFIG, V1, Proxy),
	O(CONFIG, V1, Scheduler),
#undef T
#undef TW
#undef C
#undef CW
#undef O
};

#define KNOWN_N (ARRAY_LEN(known))
/* The kinds up to here are unique to this operator in every group. */
#define OURS 18

static void cut_api(struct str api, struct str *group, struct str *version)
{
	if (!str_cut(api, '/', group, version)) {
		/* "v1" is the core group's; a group alone lacks its version */
		bool core = str_chr(api, '.') < 0;

		*group = core ? S("") : api;
		*version = core ? api : S("");
	}
}

bool mc_known_find(struct str api, struct str kind, struct mc_known *out)
{
	struct str group, version;

	cut_api(api, &group, &version);
	for (size_t i = 0; i < KNOWN_N; i++) {
		const struct row *r = &known[i];

		if (!str_is(group, groups[r->group]) || !str_is(version, versions[r->version]) ||
		    !str_is(kind, r->kind))
			continue;
		*out = (struct mc_known){ .type = r->type, .written = r->written };
		if (r->table != OTHER)
			out->shapes = r->table == TYPES ? &mc_shapes : &crd_shapes;
		return true;
	}
	return false;
}

/* Whether have is the most likely meaning of name; a larger distance is another word. */
static bool is_near(struct str name, const char *have, size_t *best)
{
	struct str s = str_of(have);
	size_t d = str_eq_fold(name, s) ? 0 : str_distance(name, s);

	if (d > 1 + name.n / 6 || d >= *best)
		return false;
	*best = d;
	return true;
}

/* The row of an existing kind, for its apiVersion. */
static const struct row *find_group(struct str group, struct str kind)
{
	bool plausible = !group.n || str_ends(group, S(".openshift.io"));
	const struct row *best = NULL;

	for (size_t i = 0; i < KNOWN_N; i++) {
		size_t d = SIZE_MAX;

		if (!str_is(kind, known[i].kind))
			continue;
		if (str_is(group, groups[known[i].group]) || (plausible && i < OURS) ||
		    is_near(group, groups[known[i].group], &d))
			best = best ? best : &known[i];
	}
	return best;
}

static const struct row *find_kind(struct str group, struct str kind)
{
	const struct row *best = NULL;
	size_t d = SIZE_MAX;

	for (size_t i = 0; i < KNOWN_N; i++)
		if (str_is(group, groups[known[i].group]) && is_near(kind, known[i].kind, &d))
			best = &known[i];
	return best;
}

static struct str problem(struct arena *a, struct str api, struct str kind, struct str meant)
{
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%.*s has no kind %.*s", STRF(str_clip(a, api, 100)),
		 STRF(str_clip(a, kind, 100)));
	if (meant.n)
		buf_addf(&b, " (did you mean %.*s?)", STRF(meant));
	return buf_str(&b);
}

struct str mc_known_problem(struct arena *a, struct str api, struct str kind, bool *of_kind)
{
	const struct row *k;
	struct str group, version;

	cut_api(api, &group, &version);
	k = find_group(group, kind);
	*of_kind = !k;
	if (k)
		return problem(a, api, kind,
			       str_fmt(a, "%s/%s", groups[k->group], versions[k->version]));
	k = find_kind(group, kind);
	if (k || str_is(group, groups[MC]))
		return problem(a, api, kind, str_of(k ? k->kind : ""));
	return S("");
}
