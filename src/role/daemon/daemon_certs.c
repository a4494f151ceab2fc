/*
 * daemon_certs: what a ControllerConfig gives a node besides its config: certificates, the pull
 * secret and the CAs of the API servers.
 */
#include "base/codec.h"
#include "daemon_own.h"
#include "io/repeat.h"
#include "node/certificates.h"

#define BUNDLE "ca-bundle.crt"
#define SECRET_MAX ((size_t)4 << 20)

const struct json *daemon_controller(const struct daemon *d)
{
	struct str key = S(NAME_CONTROLLER);
	const struct kube_tree *t = kube_cache_get(d->caches.configs, key);

	return t ? t->tree : NULL;
}

bool daemon_secret_differs(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);
	struct str want, have;

	return certificates_secret(&a, daemon_controller(d), &want, &ignored) < 0 ||
	       tree_read(&a, &d->node->tree, STEPS_PULL_SECRET, SECRET_MAX, &have, &ignored) < 0 ||
	       !str_eq(want, have);
}

static struct str rotate_note(const struct json *controller)
{
	return json_text(
		json_member(json_at(controller, "metadata.annotations"), S(ANNO_CA_ROTATE)));
}

static void note(struct daemon *d, const char *key, struct str value)
{
	struct daemon_next *n = &d->next;

	n->pairs[n->n_pairs++] = (struct daemon_pair){ .key = str_of(key), .value = value };
}

static void write_all(struct daemon *d, struct str bundle)
{
	const struct json *c = daemon_controller(d);

	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE };
	note(d, ANNO_SYNCED_CONTROLLER, str_dup(&d->turn, json_str(c, "metadata.resourceVersion")));
	if (!str_eq(rotate_note(c), daemon_note(d, ANNO_OBSERVED_CA)))
		note(d, ANNO_OBSERVED_CA, str_dup(&d->turn, rotate_note(c)));
	daemon_job(d, STATE_CERTIFICATES, bundle);
}

void daemon_got_bundle(struct daemon *d, const struct daemon_result *r)
{
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct str bundle = S("");
	const struct json *data = NULL;
	struct json *j = NULL;

	if (r->rc == 0)
		(void)json_parse(a, str_dup(a, r->body), NULL, &j, &err);
	data = json_member(json_at(j, "binaryData"), S(BUNDLE));
	if (!data)
		data = json_member(json_at(j, "data"), S(BUNDLE));
	if (!data)
		log_again(LOG_ERROR, S("kubeconfig-data"),
			  "kubeconfig-data ConfigMap not populated yet: %.*s",
			  STRF(r->rc < 0 ? r->text : S("no " BUNDLE)));
	else if (base64_decode(a, json_text(data), &bundle, &err) < 0)
		bundle = json_text(data);
	write_all(d, bundle);
}

bool daemon_certificates(struct daemon *d)
{
	const struct json *c = daemon_controller(d);
	struct str rotate = rotate_note(c);

	if (!c || (str_eq(daemon_note(d, ANNO_SYNCED_CONTROLLER),
			  json_str(c, "metadata.resourceVersion")) &&
		   str_eq(rotate, daemon_note(d, ANNO_OBSERVED_CA))))
		return false;
	if (str_is(rotate, "true") && !str_is(daemon_note(d, ANNO_OBSERVED_CA), "true"))
		daemon_get(d, STATE_GET_BUNDLE,
			   S(PATH_CORE "namespaces/" NS_MCO "/configmaps/kubeconfig-data"));
	else
		write_all(d, S(""));
	return true;
}
