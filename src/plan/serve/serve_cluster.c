/*
 * What the server needs of a cluster's pools, OS builds, registry and credentials.
 */
#include "base/codec.h"
#include "data/yml.h"
#include "plan/serve.h"

void serve_pool_decode(const struct json *tree, struct serve_pool *out)
{
	out->name = json_str(tree, "metadata.name");
	out->spec_config = json_str(tree, "spec.configuration.name");
	out->status_config = json_str(tree, "status.configuration.name");
	out->tried = json_i64(tree, "status.updatedMachineCount", 0) > 0;
}

bool serve_pool_eq(const struct serve_pool *x, const struct serve_pool *y)
{
	return str_eq(x->name, y->name) && str_eq(x->spec_config, y->spec_config) &&
	       str_eq(x->status_config, y->status_config) && x->tried == y->tried;
}

/*
 * New machines get the new config as soon as one machine runs it: the old one may be
 * broken, and they would have to update at once.
 */
struct str serve_pool_config(const struct serve_pool *pool, bool cluster)
{
	return cluster && pool->tried ? pool->spec_config : pool->status_config;
}

void serve_registry_hosts(struct arena *a, const struct serve_objects *services,
			  const struct serve_objects *routes, struct strs *out)
{
	for (size_t i = 0; i < services->n; i++) {
		const struct json *s = services->v[i];
		int64_t port = json_i64(json_first(json_at(s, "spec.ports")), "port", 0);
		struct str host = str_fmt(a, "%.*s.%.*s.svc", STRF(json_str(s, "metadata.name")),
					  STRF(json_str(s, "metadata.namespace")));

		if (port)
			host = str_fmt(a, "%.*s:%lld", STRF(host), (long long)port);
		VEC_PUSH(a, out, host);
	}
	for (size_t i = 0; i < routes->n; i++)
		VEC_PUSH(a, out, json_str(routes->v[i], "spec.host"));
}

static const struct json *find(const struct serve_objects *list, const char *path, struct str want,
			       const char *path2, struct str want2)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(json_str(list->v[i], path), want) &&
		    (!path2 || str_eq(json_str(list->v[i], path2), want2)))
			return list->v[i];
	return NULL;
}

static bool has_succeeded(const struct json *build)
{
	const struct json *c = json_first(json_at(build, "status.conditions"));

	for (; c; c = json_next(c))
		if (str_is(json_str(c, "type"), "Succeeded"))
			return str_is(json_str(c, "status"), "True");
	return false;
}

struct str serve_layered_image(const struct serve_pool *pool,
			       const struct serve_objects *os_configs,
			       const struct serve_objects *os_builds,
			       const struct strs *registry_hosts)
{
	const struct json *config =
		find(os_configs, "spec.machineConfigPool.name", pool->name, NULL, S(""));
	struct str image = json_str(config, "status.currentImagePullSpec");
	const struct json *build =
		find(os_builds, "spec.machineOSConfig.name", json_str(config, "metadata.name"),
		     "spec.machineConfig.name", serve_pool_config(pool, true));

	if (!config || !image.n || !has_succeeded(build) || !pool->tried)
		return S("");
	/* a machine that has not joined cannot reach the cluster's registry */
	for (size_t i = 0; i < registry_hosts->n; i++)
		if (str_starts(image, registry_hosts->v[i]))
			return S("");
	return image;
}

static struct json *named(struct arena *a, const char *name, const char *key, struct json *value)
{
	struct json *o = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);

	json_add(o, str_of(key), value);
	json_add(o, S("name"), json_new_str(a, str_of(name)));
	json_push(list, o);
	return list;
}

int serve_make_kubeconfig(struct arena *a, struct str server, struct str ca, struct str token,
			  struct str *out, struct err *err)
{
	struct json *cluster = json_new(a, JSON_OBJECT);
	struct json *context = json_new(a, JSON_OBJECT);
	struct json *user = json_new(a, JSON_OBJECT);
	struct json *all = json_new(a, JSON_OBJECT);
	struct buf b, data;
	int rc;

	buf_init(&data, a);
	base64_add(&data, ca);
	if (ca.n)
		json_add(cluster, S("certificate-authority-data"), json_new_str(a, buf_str(&data)));
	json_add(cluster, S("server"), json_new_str(a, server));
	json_add(context, S("cluster"), json_new_str(a, S("local")));
	json_add(context, S("user"), json_new_str(a, S("kubelet")));
	if (token.n)
		json_add(user, S("token"), json_new_str(a, token));
	json_add(all, S("clusters"), named(a, "local", "cluster", cluster));
	json_add(all, S("contexts"), named(a, "kubelet", "context", context));
	json_add(all, S("current-context"), json_new_str(a, S("kubelet")));
	json_add(all, S("users"), named(a, "kubelet", "user", user));
	buf_init(&b, a);
	rc = yml_emit(&b, all, err);
	if (rc < 0)
		return err_wrap(err, "kubeconfig");
	*out = buf_str(&b);
	return 0;
}
