/*
 * RenderConfig: collects the input of all later steps from the cluster's configuration and from
 * images.json, in upstream's order, so that of several faults the same one is reported.
 */
#include "op_render.h"

#include "base/codec.h"
#include "mc/api.h"

#define OS_IMAGES "machine-config-osimageurl"
#define VERSION_CHECK_MS 3000

/* ---- images -------------------------------------------------------------- */

/* *out->wait is on while images.json is that of another release. */
static int read_images(struct arena *a, const struct operator_view *in, struct operator_render *r,
		       struct operator_result *out, struct err *err)
{
	struct json_fault fault = { 0 };
	struct json_opts opts = { .flags = JSON_DUP_LAST, .fault = &fault };
	struct json *j = NULL;
	struct str version;
	int rc;

	if (in->images_error.n)
		return err_set(err, ERR_AGAIN, "%.*s", STRF(in->images_error));
	rc = json_parse(a, in->images, &opts, &j, err);
	if (rc < 0)
		return err_set(err, ERR_INVALID, "could not parse images.json bytes: %.*s",
			       STRF(fault.problem.n ? fault.problem : err->msg));
	version = json_str(j, "releaseVersion");
	if (!str_eq(version, in->release))
		out->wait = (struct operator_wait){
			.on = true,
			.limit_ms = VERSION_CHECK_MS,
			.what = S("error during operator version check"),
			.why = str_fmt(
				a,
				"refusing to read images.json version %.*s, operator version "
				"%.*s",
				STRF(go_quoted(a, version)), STRF(go_quoted(a, in->release))),
		};
	r->images = j;
	return 0;
}

/* From the default stream of OSImageStream "cluster". */
static int stream_images(const struct operator_view *in, struct operator_render *r, struct err *err)
{
	const struct json *o = op_need(in, OPERATOR_OS_IMAGE_STREAMS, "osimagestream." GROUP_MC,
				       S(NAME_CLUSTER), err);
	struct str name = json_str(o, "status.defaultStream");
	const struct json *s = op_stream(o, "name", name);

	if (o && !s)
		(void)err_set(err, ERR_NOTFOUND, "osimagestreams." GROUP_MC " \"%.*s\" not found",
			      STRF(name));
	if (!s)
		return err_wrap(err, "could not get OSImageStream");
	r->os_image = json_str(s, "osImage");
	r->os_extensions = json_str(s, "osExtensionsImage");
	return 0;
}

static int map_images(struct arena *a, const struct operator_view *in, struct operator_render *r,
		      struct err *err)
{
	static const char *const keys[] = { "baseOSContainerImage",
					    "baseOSExtensionsContainerImage", "osImageURL",
					    "releaseVersion" };
	const struct json *map = op_need(in, OPERATOR_CONFIG_MAPS, "configmap", S(OS_IMAGES), err);
	const struct json *data = json_at(map, "data");

	if (!map)
		return -ERR_NOTFOUND;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!json_member(data, str_of(keys[i])))
			return err_set(err, ERR_INVALID,
				       "configmap \"" OS_IMAGES "\" has no key \"%s\"", keys[i]);
	if (!str_eq(json_str(data, "releaseVersion"), in->release))
		return err_set(err, ERR_INVALID,
			       "refusing to read osImageURL version %.*s, operator version %.*s",
			       STRF(go_quoted(a, json_str(data, "releaseVersion"))),
			       STRF(go_quoted(a, in->release)));
	r->os_image = json_str(data, keys[0]);
	r->os_extensions = json_str(data, keys[1]);
	return 0;
}

static int os_images(struct arena *a, const struct operator_view *in, struct operator_render *r,
		     struct err *err)
{
	int rc;

	/* Without a payload the OS of the nodes is not ours to update. */
	if (in->standalone && !in->get(in, OPERATOR_CONFIG_MAPS, S(OS_IMAGES)))
		return 0;
	rc = mc_gate(&in->gates, "OSStreams") ? stream_images(in, r, err)
					      : map_images(a, in, r, err);

	return rc < 0 ? err_wrap(err, "could not get OS images") : 0;
}

/* ---- the cluster --------------------------------------------------------- */

static int read_config(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
		       struct json **infra, struct err *err)
{
	if (in->standalone && op_standalone_config(a, in, s, err) < 0)
		return -ERR_NOTFOUND;
	if (!in->standalone)
		s->infra = op_need(in, OPERATOR_INFRASTRUCTURES, "infrastructure." GROUP_CONFIG,
				   S(NAME_CLUSTER), err);
	if (s->infra && !s->network)
		s->network = op_need(in, OPERATOR_NETWORKS, "network." GROUP_CONFIG,
				     S(NAME_CLUSTER), err);
	if (s->network && !s->dns)
		s->dns = op_need(in, OPERATOR_DNSES, "dns." GROUP_CONFIG, S(NAME_CLUSTER), err);
	if (!s->dns)
		return -ERR_NOTFOUND;
	/* upstream waits for this cache: without the proxy every node would reboot */
	if (!in->standalone && !in->served(in, OPERATOR_PROXIES))
		return err_set(err, ERR_AGAIN, "the server does not have proxies." GROUP_CONFIG);
	s->proxy = in->get(in, OPERATOR_PROXIES, S(NAME_CLUSTER));
	return operator_infra(a, s->infra, infra, err);
}

int operator_verbosity(const struct operator_view *in)
{
	static const char *const levels[] = { "Debug", "Trace", "TraceAll" };
	struct str level = json_str(in->get(in, OPERATOR_CONFIGURATIONS, S(NAME_CLUSTER)),
				    "spec.operatorLogLevel");

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (str_is(level, levels[i]))
			return (int)(4 + 2 * i);
	return 2;
}

static int read_cas(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
		    struct err *err)
{
	const struct json *dns = in->get(in, OPERATOR_DNSES, S(NAME_CLUSTER));
	int rc = op_root_ca(a, in, &s->root_ca, err);

	if (rc >= 0)
		rc = op_kube_ca(a, in, &s->kube_ca, err);
	if (rc >= 0)
		rc = op_registry_auth(a, in, dns, &s->registry_pull_secret, err);
	return rc;
}

static int build_spec(struct arena *a, const struct operator_view *in, struct operator_inputs *s,
		      struct operator_render *r, struct err *err)
{
	struct json *infra = NULL;
	int rc = read_config(a, in, s, &infra, err);

	if (rc >= 0)
		rc = op_trust_bundle(a, in, s->proxy, &s->trust_bundle, err);
	if (rc >= 0)
		rc = op_cloud_config(a, in, infra, &s->cloud_config, &s->cloud_ca, err);
	if (rc < 0)
		return rc;
	s->live = true;
	s->images = r->images;
	s->os_image = r->os_image;
	s->os_extensions = r->os_extensions;
	rc = operator_spec(a, s, &r->spec, err);
	if (rc >= 0 && in->standalone && !in->get(in, OPERATOR_SECRETS_CONFIG, S("pull-secret")))
		(void)json_remove(r->spec, S("pullSecret"));
	return rc;
}

int operator_render_config(struct arena *a, const struct operator_view *in,
			   struct operator_memory *m, struct operator_render *r,
			   struct operator_result *out, struct err *err)
{
	struct operator_inputs s = { 0 };
	int rc;

	*r = (struct operator_render){ .ca_rotated = m->ca_rotated,
				       .verbosity = operator_verbosity(in) };
	rc = read_images(a, in, r, out, err);
	if (rc < 0 || out->wait.on)
		return rc;
	rc = op_registry_cas(a, in, &s, &out->actions, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = read_cas(a, in, &s, err);
	if (rc >= 0)
		rc = os_images(a, in, r, err);
	if (rc >= 0)
		rc = build_spec(a, in, &s, r, err);
	if (rc < 0)
		return rc;
	r->root_ca = s.root_ca;
	r->infra = json_member(r->spec, S("infra"));
	r->proxy = json_at(r->spec, "proxy");
	if (json_kind(r->proxy) != JSON_OBJECT)
		r->proxy = NULL;
	r->api_url = json_str(r->infra, "status.apiServerInternalURI");
	r->tls = mc_tls_profile(a, json_at(in->get(in, OPERATOR_API_SERVERS, S(NAME_CLUSTER)),
					   "spec.tlsSecurityProfile"));
	return 0;
}
