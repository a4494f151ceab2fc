/*
 * The template controller.
 *
 * A new generation is acknowledged first, in a separate plan: later writes then start
 * from the server's answer.
 */
#include "plan/template_sync.h"

#include "base/codec.h"
#include "mc/cert.h"
#include "mc/condition.h"
#include "mc/tls_profile.h"
#include "plan/apply.h"

/* ---- certificates -------------------------------------------------------- */

static void add_bundle(struct arena *a, struct json *list, struct str name, const struct json *data)
{
	struct err err = ERR_INIT(a);
	struct certs certs = { 0 };
	struct str pem;

	if (base64_decode(a, json_text(data), &pem, &err) < 0)
		return;
	cert_bundle(a, pem, &certs);
	for (size_t i = 0; i < certs.n; i++) {
		const struct cert *c = &certs.v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		json_add(j, S("bundleFile"), json_new_str(a, name));
		json_add(j, S("notAfter"), json_new_str(a, condition_time(a, c->not_after)));
		json_add(j, S("notBefore"), json_new_str(a, condition_time(a, c->not_before)));
		json_add(j, S("signer"), json_new_str(a, c->issuer));
		json_add(j, S("subject"), json_new_str(a, c->subject));
		json_push(list, j);
	}
}

struct json *controller_certificates(struct arena *a, const struct json *controller_config)
{
	static const struct {
		const char *name, *path;
	} bundles[] = {
		{ "KubeAPIServerServingCAData", "kubeAPIServerServingCAData" },
		{ "CloudProviderCAData", "cloudProviderCAData" },
		{ "RootCAData", "rootCAData" },
		{ "AdditionalTrustBundle", "additionalTrustBundle" },
	};
	static const char *const lists[] = { "imageRegistryBundleData",
					     "imageRegistryBundleUserData" };
	const struct json *spec = json_at(controller_config, "spec");
	struct json *out = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < ARRAY_LEN(bundles); i++)
		add_bundle(a, out, str_of(bundles[i].name), json_at(spec, bundles[i].path));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (const struct json *e = json_first(json_at(spec, lists[i])); e;
		     e = json_next(e))
			add_bundle(a, out, json_str(e, "file"), json_at(e, "data"));
	return out;
}

/* ---- status -------------------------------------------------------------- */

struct status {
	struct arena *a;
	const struct template_view *in;
	struct conditions list;
	bool changed;
};

static void set(struct status *s, const char *type, bool yes, struct str text)
{
	struct condition c = { .type = str_of(type),
			       .status = yes ? CONDITION_TRUE : CONDITION_FALSE,
			       .reason = S(""),
			       .message = text };

	s->changed |= conditions_set(s->a, &s->list, CONDITION_NOT_MESSAGE, c, s->in->now);
}

static struct status status_begin(struct arena *a, const struct template_view *in)
{
	return (struct status){
		a, in, conditions_of(a, json_at(in->controller_config->tree, "status.conditions")),
		false
	};
}

/* Writes the status when it, the certificates or the generation differ. */
static struct action *status_write(struct status *s, struct str reason, struct actions *out)
{
	struct arena *a = s->a;
	const struct json *tree = s->in->controller_config->tree;
	struct json *certs = controller_certificates(a, tree);
	const struct json *now = json_at(tree, "status.controllerCertificates");
	int64_t generation = json_i64(tree, "metadata.generation", 0);
	struct json *j, *status;

	/* an empty list does not replace an existing one */
	if (!json_len(certs) || json_eq(certs, now))
		certs = NULL;
	if (!s->changed && !certs && json_i64(tree, "status.observedGeneration", 0) == generation)
		return NULL;
	j = json_clone(a, tree);
	status = json_at(j, "status");
	if (json_kind(status) != JSON_OBJECT) {
		status = json_new(a, JSON_OBJECT);
		json_set(j, S("status"), status);
	}
	json_set(status, S("conditions"), conditions_json(a, &s->list, true));
	if (certs)
		json_set(status, S("controllerCertificates"), certs);
	json_set(status, S("observedGeneration"), json_new_i64(a, generation));
	actions_step(out);
	return apply_replace(a, "controllerconfigs", j, "/status", reason, out);
}

static struct str towards(struct arena *a, const struct template_view *in, const char *verb)
{
	return str_fmt(a,
		       "%s towards (%lld) generation using controller version "
		       "%.*s",
		       verb,
		       (long long)json_i64(in->controller_config->tree, "metadata.generation", 0),
		       STRF(in->raw));
}

static void acknowledge(struct arena *a, const struct template_view *in, struct actions *out)
{
	struct status s = status_begin(a, in);
	struct str text = towards(a, in, "syncing");

	set(&s, "TemplateControllerRunning", true, text);
	if (conditions_true(&s.list, "TemplateControllerCompleted"))
		set(&s, "TemplateControllerCompleted", false,
		    str_fmt(a, "%.*s due to change in Generation", STRF(text)));
	(void)status_write(&s, S("new generation"), out);
	action_requeue(a, out, 0, S("sync the new generation"));
}

static int fail(struct arena *a, const struct template_view *in, struct actions *out,
		struct err *err)
{
	struct status s = status_begin(a, in);

	set(&s, "TemplateControllerFailing", true,
	    str_fmt(a, "%.*s: %.*s", STRF(towards(a, in, "failed to syncing")), STRF(err->msg)));
	set(&s, "TemplateControllerCompleted", false, S(""));
	set(&s, "TemplateControllerRunning", false, S(""));
	(void)status_write(&s, S("sync failed"), out);
	err->code = ERR_AGAIN;
	return -ERR_AGAIN;
}

static void complete(struct arena *a, const struct template_view *in, struct actions *out)
{
	struct status s = status_begin(a, in);
	struct action *act;

	set(&s, "TemplateControllerCompleted", true, towards(a, in, "sync completed"));
	set(&s, "TemplateControllerRunning", false, S(""));
	set(&s, "TemplateControllerFailing", false, S(""));
	act = status_write(&s, S("sync completed"), out);
	if (act)
		act->if_ok = true;
}

/* ---- the MachineConfigs -------------------------------------------------- */

static int read_pull_secret(struct arena *a, const struct template_view *in, struct str *out,
			    struct err *err)
{
	const struct json *wanted = json_at(in->controller_config->tree, "spec.pullSecret");
	struct str type = json_str(in->pull_secret, "type");
	const struct json *data = json_at(in->pull_secret, "data");

	/* A standalone cluster may have none; upstream fails then. */
	*out = S("{}");
	if (json_kind(wanted) != JSON_OBJECT)
		return 0;
	if (!in->pull_secret)
		return err_set(err, ERR_AGAIN, "%.*s", STRF(in->pull_secret_error));
	if (!str_is(type, SECRET_DOCKER_JSON))
		return err_set(err, ERR_AGAIN,
			       "expected secret type " SECRET_DOCKER_JSON " found %.*s",
			       STRF(type));
	return base64_decode(a, json_text(json_member(data, S(".dockerconfigjson"))), out, err);
}

int template_pull_secret(struct arena *a, const struct template_view *in, struct str *out,
			 struct err *err)
{
	int rc;

	*out = in->first_secret;
	if (in->first_run)
		return 0;
	rc = read_pull_secret(a, in, out, err);
	return rc < 0 ? rc : template_release_auth(a, in, out, err);
}

/* Older releases put image URLs into generated MachineConfigs. */
static void clear_images(struct arena *a, const struct template_view *in, struct actions *out)
{
	for (size_t i = 0; i < in->mcs->n; i++) {
		const struct mc *mc = in->mcs->v[i];
		struct json *j;

		if (!mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n ||
		    str_starts(mc->meta.name, S("rendered-")) ||
		    (!mc->os_image.n && !mc->extensions_image.n))
			continue;
		j = json_clone(a, mc->doc.tree);
		json_set(json_at(j, "spec"), S("osImageURL"), json_new_str(a, S("")));
		json_set(json_at(j, "spec"), S("baseOSExtensionsContainerImage"),
			 json_new_str(a, S("")));
		apply_replace(a, "machineconfigs", j, "",
			      S("remove the images from generated configs"), out)
			->fail = ACTION_SHRUG;
	}
	actions_step(out);
}

static const struct json *existing(const struct template_view *in, struct str name)
{
	for (size_t i = 0; i < in->mcs->n; i++)
		if (str_eq(in->mcs->v[i]->meta.name, name))
			return in->mcs->v[i]->doc.tree;
	return NULL;
}

static int make(struct arena *a, const struct template_view *in, struct mc_list *out,
		struct err *err)
{
	struct template_input t = { .tree = in->tree,
				    .controller_config = in->controller_config,
				    .hash = in->hash,
				    .cache = in->cache };
	struct tls_profile tls;
	int rc = template_pull_secret(a, in, &t.pull_secret, err);

	if (rc < 0)
		return rc;
	tls = mc_tls_profile(a, json_at(in->api_server, "spec.tlsSecurityProfile"));
	t.tls_min_version = tls.min_version;
	t.tls_cipher_suites = tls.suites;
	return plan_template(a, &t, out, err);
}

int plan_template_sync(struct arena *a, const struct template_view *in, struct actions *out,
		       struct err *err)
{
	const struct json *tree = in->controller_config->tree;
	struct mc_list list = { 0 };

	if (!in->first_run && json_i64(tree, "metadata.generation", 0) !=
				      json_i64(tree, "status.observedGeneration", 0)) {
		acknowledge(a, in, out);
		return 0;
	}
	if (in->failed.n) {
		(void)err_set(err, ERR_AGAIN, "%.*s", STRF(in->failed));
		return fail(a, in, out, err);
	}
	if (make(a, in, &list, err) < 0)
		return in->first_run ? -(int)err->code : fail(a, in, out, err);
	clear_images(a, in, out);
	for (size_t i = 0; i < list.n; i++) {
		const struct mc *mc = list.v[i];
		const struct json *is = existing(in, mc->meta.name);

		if (!apply_mc(a, is, mc->doc.tree, S("differs from its template"), out))
			continue;
		out->v[out->n - 1].fail = ACTION_GO_ON;
		out->v[out->n - 1].mc = is ? NULL : mc;
		action_state_metric(a, out, "template", S("Sync Controller Config"), mc->meta.name);
	}
	if (!in->first_run)
		complete(a, in, out);
	return 0;
}
