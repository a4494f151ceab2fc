/*
 * The credential provider config of the built-in pools.
 *
 * The platform's file and the user's images are merged; an image that a provider of the
 * platform matches is skipped and reported in the status.
 */
#include "plan/credentials.h"

#include <stdlib.h>

#include "base/duration.h"
#include "data/yml.h"
#include "mc/condition.h"
#include "mc/generated.h"
#include "mc/scope.h"

#define DIR "/etc/kubernetes/credential-providers/"
#define GENERIC DIR "generic-credential-provider.yaml"
#define DROP_IN                                  \
	"/etc/systemd/system/kubelet.service.d/" \
	"40-kubelet-crio-image-credential-provider.conf"
#define PROVIDER "crio-credential-provider"
#define FLAGS                                                                  \
	"[Service]\n# Prepends the credential provider flags to the existing " \
	"Kubelet arguments\nEnvironment=\""                                    \
	"KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS="                        \
	"--image-credential-provider-bin-dir=/usr/libexec/"                    \
	"kubelet-image-credential-provider-plugins "                           \
	"--image-credential-provider-config=" GENERIC "\"\n"

/* The platform's credential provider file, or NULL. */
static const char *own_file(struct str platform)
{
	if (str_is(platform, "AWS"))
		return DIR "ecr-credential-provider.yaml";
	if (str_is(platform, "GCP"))
		return DIR "gcr-credential-provider.yaml";
	if (str_is(platform, "Azure"))
		return DIR "acr-credential-provider.yaml";
	return NULL;
}

static bool is_ours(const struct json *provider)
{
	return str_is(json_str(provider, "name"), PROVIDER);
}

/* Durations in Go's format, as its types print them. */
static void tidy(struct arena *a, struct json *providers)
{
	for (struct json *p = json_first(providers); p; p = json_next(p)) {
		struct str text = json_str(p, "defaultCacheDuration");
		struct err err = ERR_INIT(a);
		struct buf b;
		int64_t ns;

		if (!text.n || duration_parse(text, &ns, &err) < 0)
			continue;
		buf_init(&b, a);
		duration_add(&b, ns);
		json_set(p, S("defaultCacheDuration"), json_new_str(a, buf_str(&b)));
	}
}

/* True when a provider of the platform already matches the image. */
static bool taken(const struct json *providers, struct str image)
{
	for (const struct json *p = json_first(providers); p; p = json_next(p)) {
		const struct json *m = json_first(json_at(p, "matchImages"));

		for (; m && !is_ours(p); m = json_next(m))
			if (scope_inside(image, json_text(m)) || scope_inside(json_text(m), image))
				return true;
	}
	return false;
}

static int by_text(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Appends each member of a set once, in order. */
static void sort(struct strs *list)
{
	size_t kept = 0;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_text);
	for (size_t i = 0; i < list->n; i++)
		if (!kept || !str_eq(list->v[kept - 1], list->v[i]))
			list->v[kept++] = list->v[i];
	list->n = kept;
}

static struct json *fresh_file(struct arena *a)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, j, "apiVersion", S(API_KUBELET_PROVIDERS));
	json_add_str(a, j, "kind", S("CredentialProviderConfig"));
	json_add(j, S("providers"), json_new(a, JSON_ARRAY));
	return j;
}

static struct json *fresh_provider(struct arena *a)
{
	struct json *j = json_new(a, JSON_OBJECT), *token;

	json_add_str(a, j, "name", S(PROVIDER));
	json_add_str(a, j, "apiVersion", S(API_CREDENTIAL_PROVIDER));
	json_add_str(a, j, "defaultCacheDuration", S("1s"));
	token = json_make(a, j, "tokenAttributes");
	json_add_str(a, token, "serviceAccountTokenAudience", S("https://kubernetes.default.svc"));
	json_add_str(a, token, "cacheType", S("Token"));
	json_add(token, S("requireServiceAccount"), json_new_bool(a, false));
	return j;
}

static void add_provider(struct arena *a, struct json *providers, const struct strs *images)
{
	struct json *list = json_new(a, JSON_ARRAY);
	struct json *p = json_first(providers);

	for (size_t i = 0; i < images->n; i++)
		json_push(list, json_new_str(a, images->v[i]));
	while (p && !is_ours(p))
		p = json_next(p);
	if (!p) {
		p = fresh_provider(a);
		json_push(providers, p);
	}
	json_set(p, S("matchImages"), list);
}

/* skipped: images that another provider already matches. */
static int make_files(struct arena *a, const char *path, struct str base, const struct json *config,
		      struct mc_files *out, struct strs *skipped, struct err *err)
{
	const struct json *m = json_first(json_at(config, "spec.matchImages"));
	struct json *j = NULL, *providers;
	struct strs images = { 0 };
	struct buf b;
	int rc = 0;

	if (path)
		rc = yml_parse(a, base, NULL, &j, err);
	else
		j = fresh_file(a);
	if (rc < 0)
		return err_wrap(err, "error unmarshalling credential provider config");
	providers = json_at(j, "providers");
	for (; m; m = json_next(m)) {
		struct strs *to = taken(providers, json_text(m)) ? skipped : &images;

		VEC_PUSH(a, to, json_text(m));
	}
	sort(&images);
	sort(skipped);
	if (!images.n)
		return 0;
	tidy(a, providers);
	buf_init(&b, a);
	add_provider(a, providers, &images);
	rc = yml_emit(&b, j, err);
	if (rc < 0)
		return rc;
	mc_files_add(a, out, path ? path : GENERIC, buf_str(&b));
	if (!path)
		mc_files_add(a, out, DROP_IN, S(FLAGS));
	return 0;
}

/* ---- the object's status ------------------------------------------------- */

/* Replaces the condition of its type, or appends it. True when that is a change. */
static bool set_condition(struct arena *a, struct instant now, const struct json *config,
			  struct json *list, struct condition *c)
{
	struct conditions one = { .v = c, .n = 1 };
	struct json *old = json_first(list), *j;

	while (old && !str_eq(json_str(old, "type"), c->type))
		old = json_next(old);
	c->time = condition_time(a, now);
	if (str_eq(json_str(old, "status"), c->status))
		c->time = json_str_or(old, "lastTransitionTime", c->time);
	j = json_clone(a, json_first(conditions_json(a, &one, false)));
	json_set(j, S("observedGeneration"),
		 json_new_i64(a, json_i64(config, "metadata.generation", 0)));
	if (json_eq(old, j))
		return false;
	for (struct json *m = json_first(old ? j : NULL); m; m = json_next(m))
		json_set(old, json_key(m), json_clone(a, m));
	if (!old)
		json_push(list, j);
	return true;
}

/* NULL: the status already says so. */
static struct action *tell(struct arena *a, struct instant now, const struct json *config,
			   struct condition *v, size_t n, struct actions *out)
{
	struct json *j = json_clone(a, config), *list;
	bool changed = false;

	if (!json_at(j, "status"))
		json_set(j, S("status"), json_new(a, JSON_OBJECT));
	list = json_at(j, "status.conditions");
	if (!list) {
		list = json_new(a, JSON_ARRAY);
		json_set(json_at(j, "status"), S("conditions"), list);
	}
	for (size_t i = 0; i < n; i++)
		changed |= set_condition(a, now, config, list, &v[i]);
	if (!changed)
		return NULL;
	actions_step(out);
	return action_add(a, out, ACTION_REPLACE,
			  S(PATH_CONFIG_ALPHA "criocredentialproviderconfigs/cluster/status"),
			  json_format(a, j, 0), v[n - 1].message);
}

void credentials_failed(struct arena *a, struct instant now, const struct json *config,
			struct str why, struct actions *out)
{
	struct condition made = { .type = S("MachineConfigRendered"),
				  .status = CONDITION_FALSE,
				  .reason = S("MachineConfigRenderingFailed"),
				  .message = why };
	struct action *act = tell(a, now, config, &made, 1, out);

	if (act)
		act->fail = ACTION_SHRUG;
}

static void succeeded(struct arena *a, struct instant now, const struct json *config,
		      const struct strs *skipped, struct actions *out)
{
	struct condition c[] = {
		{ .type = S("Validated"),
		  .status = CONDITION_TRUE,
		  .reason = S("Succeeded"),
		  .message = S("Success") },
		{ .type = S("MachineConfigRendered"),
		  .status = CONDITION_TRUE,
		  .reason = S("MachineConfigRenderingSucceeded"),
		  .message = S("Success") },
	};
	struct action *act;
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "CRIOCredentialProviderConfig has one or multiple entries "
		     "that overlap with the original credential provider "
		     "config. Skip rendering entries: [");
	for (size_t i = 0; i < skipped->n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(skipped->v[i]));
	buf_addz(&b, "].");
	if (skipped->n) {
		c[0].status = CONDITION_FALSE;
		c[0].reason = S("ConfigurationPartiallyApplied");
		c[0].message = buf_str(&b);
	}
	act = tell(a, now, config, c, 2, out);
	if (act)
		act->if_ok = true;
}

static int for_pool(struct arena *a, const struct runtime_view *in, const struct json *config,
		    struct str pool, struct strs *skipped, struct actions *out, struct err *err)
{
	struct str base = S("");
	struct generated_base want = {
		.credentials = &base,
		.path = own_file(json_str(in->templates->controller_config->tree,
					  "spec.infra.status.platformStatus.type")),
	};
	struct mc_files files = { 0 };
	struct mc *mc;
	int rc = 0;

	if (want.path && generated_base(a, in->templates, pool, &want, err) < 0)
		return err_wrap(err,
				"could not generate original "
				"CRIOCredentialProvider config for role %.*s",
				STRF(pool));
	skipped->n = 0;
	rc = make_files(a, want.path, base, config, &files, skipped, err);
	if (rc < 0)
		return rc;
	mc = mc_generated(a, mc_generated_name(a, "97", pool, "credentialproviderconfig"), pool,
			  &files);
	mc_annotate(a, mc, S(ANNO_BY_CONTROLLER), in->owned.hash);
	mc_set_owner(a, mc, S(API_CONFIG_ALPHA), S("CRIOCredentialProviderConfig"),
		     json_str(config, "metadata.name"), json_str(config, "metadata.uid"), false);
	if (!generated_write(a, in->owned.mcs, mc,
			     str_fmt(a, "credential providers of pool %.*s", STRF(pool)), out))
		return 0;
	out->v[out->n - 1].wrap = S("could not Create/Update MachineConfig");
	action_state_metric(a, out, "container-runtime-config",
			    S("Sync CRIO Credential Provider Config"), pool);
	return 0;
}

int plan_credentials_sync(struct arena *a, const struct runtime_view *in, const struct json *config,
			  struct actions *out, struct err *err)
{
	const struct mcp_list *pools = in->owned.pools;
	struct strs skipped = { 0 };
	bool any = false;

	for (size_t i = 0; i < pools->n; i++) {
		if (!pool_built_in(pools->v[i]))
			continue;
		any = true;
		if (for_pool(a, in, config, pools->v[i]->meta.name, &skipped, out, err) == 0)
			continue;
		(void)err_wrap(err, "could not Create/Update MachineConfig");
		credentials_failed(a, in->owned.now, config, err->msg, out);
		err->code = ERR_AGAIN;
		return -ERR_AGAIN;
	}
	if (any)
		succeeded(a, in->owned.now, config, &skipped, out);
	return 0;
}
