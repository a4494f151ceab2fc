#include "mc/known.h"

#include "mc/crd_types.h"
#include "mc/types.h"

#define MC "machineconfiguration.openshift.io"
#define CONFIG "config.openshift.io"
#define OPERATOR "operator.openshift.io"

/* Columns: group, version, kind, fields. Kinds without fields are there so that
 * they are not taken for misspelt names of others. */
static const struct mc_known known[] = {
#define ROW(group, version, kind, shapes, type, written)                   \
	{                                                                  \
		group, version, #kind, (shapes), (uint16_t)(type), written \
	}
#define T(group, version, kind) \
	ROW(group, version, kind, &mc_shapes, MC_T_##kind, false)
#define TW(group, version, kind) \
	ROW(group, version, kind, &mc_shapes, MC_T_##kind, true)
#define C(group, version, kind) \
	ROW(group, version, kind, &crd_shapes, CRD_T_##kind, false)
#define CW(group, version, kind) \
	ROW(group, version, kind, &crd_shapes, CRD_T_##kind, true)
#define O(group, version, kind) ROW(group, version, kind, NULL, 0, true)
	T(MC, "v1", MachineConfig),
	T(MC, "v1", MachineConfigPool),
	T(MC, "v1", KubeletConfig),
	T(MC, "v1", ContainerRuntimeConfig),
	TW(MC, "v1", ControllerConfig),
	T(MC, "v1", MachineOSConfig),
	CW(MC, "v1", MachineOSBuild),
	CW(MC, "v1", MachineConfigNode),
	C(MC, "v1", PinnedImageSet),
	C(MC, "v1", InternalReleaseImage),
	C(MC, "v1alpha1", InternalReleaseImage),
	C(MC, "v1alpha1", OSImageStream),
	C(OPERATOR, "v1", MachineConfiguration),
	T(OPERATOR, "v1alpha1", ImageContentSourcePolicy),
	T(CONFIG, "v1", ImageDigestMirrorSet),
	T(CONFIG, "v1", ImageTagMirrorSet),
	T(CONFIG, "v1", ClusterImagePolicy),
	T(CONFIG, "v1", ImagePolicy),
	T(CONFIG, "v1", FeatureGate),
	T(CONFIG, "v1", Node),
	T(CONFIG, "v1", APIServer),
	T(CONFIG, "v1", Image),
	TW(CONFIG, "v1", Infrastructure),
	TW(CONFIG, "v1", DNS),
	C(CONFIG, "v1alpha1", CRIOCredentialProviderConfig),
	O(CONFIG, "v1", Authentication),
	O(CONFIG, "v1", Build),
	O(CONFIG, "v1", ClusterOperator),
	O(CONFIG, "v1", ClusterVersion),
	O(CONFIG, "v1", Console),
	O(CONFIG, "v1", ImageContentPolicy),
	O(CONFIG, "v1", Ingress),
	O(CONFIG, "v1", Network),
	O(CONFIG, "v1", OAuth),
	O(CONFIG, "v1", OperatorHub),
	O(CONFIG, "v1", Project),
	O(CONFIG, "v1", Proxy),
	O(CONFIG, "v1", Scheduler),
#undef ROW
#undef T
#undef TW
#undef C
#undef CW
#undef O
};

#define KNOWN_N (sizeof(known) / sizeof(known[0]))
/* Up to here a name is nobody else's, whatever group it is said to be of. */
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

const struct mc_known *mc_known_find(struct str api, struct str kind)
{
	struct str group, version;

	cut_api(api, &group, &version);
	for (size_t i = 0; i < KNOWN_N; i++)
		if (str_is(group, known[i].group) &&
		    str_is(version, known[i].version) &&
		    str_is(kind, known[i].kind))
			return &known[i];
	return NULL;
}

/* Whether have is what was most likely meant by name; farther is another word. */
static bool is_near(struct str name, const char *have, size_t *best)
{
	struct str s = str_of(have);
	size_t d = str_eq_fold(name, s) ? 0 : str_distance(name, s);

	if (d > 1 + name.n / 6 || d >= *best)
		return false;
	*best = d;
	return true;
}

/* The kind is right: which apiVersion has it? */
static const struct mc_known *find_group(struct str group, struct str kind)
{
	bool plausible = !group.n || str_ends(group, S(".openshift.io"));
	const struct mc_known *best = NULL;

	for (size_t i = 0; i < KNOWN_N; i++) {
		size_t d = SIZE_MAX;

		if (!str_is(kind, known[i].kind))
			continue;
		if (str_is(group, known[i].group) || (plausible && i < OURS) ||
		    is_near(group, known[i].group, &d))
			best = best ? best : &known[i];
	}
	return best;
}

static const struct mc_known *find_kind(struct str group, struct str kind)
{
	const struct mc_known *best = NULL;
	size_t d = SIZE_MAX;

	for (size_t i = 0; i < KNOWN_N; i++)
		if (str_is(group, known[i].group) &&
		    is_near(kind, known[i].kind, &d))
			best = &known[i];
	return best;
}

static struct str problem(struct arena *a, struct str api, struct str kind,
			  struct str meant)
{
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%.*s has no kind %.*s", STRF(str_clip(a, api, 100)),
		 STRF(str_clip(a, kind, 100)));
	if (meant.n)
		buf_addf(&b, " (did you mean %.*s?)", STRF(meant));
	return buf_str(&b);
}

struct str mc_known_problem(struct arena *a, struct str api, struct str kind,
			    bool *of_kind)
{
	const struct mc_known *k;
	struct str group, version;

	cut_api(api, &group, &version);
	k = find_group(group, kind);
	*of_kind = !k;
	if (k)
		return problem(a, api, kind,
			       str_fmt(a, "%s/%s", k->group, k->version));
	k = find_kind(group, kind);
	if (k || str_is(group, MC))
		return problem(a, api, kind, str_of(k ? k->kind : ""));
	return S("");
}
