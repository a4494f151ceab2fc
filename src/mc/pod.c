/*
 * The fields of a Pod that a drain needs.
 */
#include "mc/pod.h"

#include "mc/api.h"

void pod_decode(const struct json *tree, struct mc_pod *out)
{
	const struct json *owners = json_at(tree, "metadata.ownerReferences");
	struct str phase = json_str(tree, "status.phase");
	struct mc_pod p = {
		.ns = json_str(tree, "metadata.namespace"),
		.name = json_str(tree, "metadata.name"),
		.uid = json_str(tree, "metadata.uid"),
		.mirror = json_member(json_at(tree, "metadata.annotations"), S(ANNO_MIRROR_POD)) !=
			  NULL,
		.finished = str_is(phase, "Succeeded") || str_is(phase, "Failed"),
		.deleting = json_at(tree, "metadata.deletionTimestamp") != NULL,
	};

	for (const struct json *o = json_first(owners); o; o = json_next(o)) {
		if (!json_bool(o, "controller", false))
			continue;
		if (str_is(json_str(o, "kind"), "DaemonSet"))
			p.daemonset = json_str(o, "name");
		break;
	}
	*out = p;
}

struct mc_pod pod_copy(struct arena *a, const struct mc_pod *p)
{
	struct mc_pod out = *p;

	out.ns = str_dup(a, p->ns);
	out.name = str_dup(a, p->name);
	out.uid = str_dup(a, p->uid);
	out.daemonset = str_dup(a, p->daemonset);
	return out;
}
