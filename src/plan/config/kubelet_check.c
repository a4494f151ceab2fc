/*
 * Upstream's validation of a KubeletConfig, with its messages.
 */
#include "kubelet_parts.h"
#include "mc/types.h"
#include "plan/config/kubelet.h"

int kubelet_user(struct arena *a, const struct mc_object *kc, struct json **out, struct err *err)
{
	const struct json *raw = json_at(kc->tree, "spec.kubeletConfig");

	*out = NULL;
	if (json_kind(raw) == JSON_NULL)
		return 0;
	/* from a YAML manifest upstream gets JSON with sorted keys */
	return shape_hold(a, &mc_shapes, MC_T_KubeletConfiguration,
			  SHAPE_FOLD | (kc->doc.json ? 0 : SHAPE_SORTED), raw, out, err);
}

/* Prints a value as fmt's %v. */
static struct str go_print(struct arena *a, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	if (json_kind(j) == JSON_BOOL)
		return json_is_true(j) ? S("true") : S("false");
	if (json_kind(j) == JSON_STRING || json_kind(j) == JSON_NUMBER)
		return json_text(j);
	buf_addz(&b, json_kind(j) == JSON_ARRAY ? "[" : "map[");
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		if (e != json_first(j))
			buf_addc(&b, ' ');
		if (json_kind(j) == JSON_OBJECT)
			buf_addf(&b, "%.*s:", STRF(json_key(e)));
		buf_add(&b, go_print(a, e));
	}
	buf_addc(&b, ']');
	return buf_str(&b);
}

/* True when the member has a value that counts. */
static bool is_set(const struct json *j)
{
	switch (json_kind(j)) {
	case JSON_NULL:
		return false;
	case JSON_STRING:
		return json_text(j).n > 0;
	case JSON_ARRAY:
	case JSON_OBJECT:
		return json_len(j) > 0;
	case JSON_BOOL: /* a pointer in Go: false counts, too */
	case JSON_NUMBER:
		return true;
	}
	return false;
}

/* Settings that would make a node unreachable, or that other code owns. */
static int check_forbidden(struct arena *a, const struct json *user, struct err *err)
{
	static const char *const paths[] = {
		"cgroupDriver",	 "clusterDNS", "clusterDomain",		  "featureGates",
		"staticPodPath", "failSwapOn", "memorySwap.swapBehavior",
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const struct json *j = json_at(user, paths[i]);
		struct str name = str_of(paths[i]);

		if (!is_set(j))
			continue;
		return err_set(err, ERR_INVALID,
			       "KubeletConfiguration: %.*s is not allowed to be "
			       "set, but contains: %.*s",
			       STRF(str_from(name, (size_t)(str_rchr(name, '.') + 1))),
			       STRF(go_print(a, j)));
	}
	return 0;
}

int kubelet_cgroups(const struct json *conf, const char *what, struct err *err)
{
	struct str reserve = json_str(conf, "systemReservedCgroup");
	struct str system = json_str(conf, "systemCgroups");

	if (!reserve.n || !system.n || str_eq(reserve, system))
		return 0;
	return err_set(err, ERR_INVALID,
		       "%s: systemReservedCgroup (%.*s) must match "
		       "systemCgroups (%.*s)",
		       what, STRF(reserve), STRF(system));
}

int kubelet_validate(struct arena *a, const struct mc_object *kc, struct err *err)
{
	int64_t level = json_i64(kc->tree, "spec.logLevel", 0);
	struct json *user;
	int rc;

	if (level < 0 || level > 10)
		return err_set(err, ERR_INVALID,
			       "KubeletConfig's LogLevel is not valid [0,10]: "
			       "%lld",
			       (long long)level);
	rc = kubelet_user(a, kc, &user, err);
	if (rc < 0)
		return err_wrap(err, "KubeletConfig could not be unmarshalled, err");
	if (!user)
		return 0;
	rc = check_forbidden(a, user, err);
	if (rc < 0)
		return rc;
	if (json_len(json_at(user, "systemReserved")) &&
	    json_bool(kc->tree, "spec.autoSizingReserved", false))
		return err_set(err, ERR_INVALID,
			       "KubeletConfiguration: autoSizingReserved and "
			       "systemdReserved cannot be set together");
	return kubelet_cgroups(user, "KubeletConfiguration", err);
}
