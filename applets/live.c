#include "live.h"

#include <stdio.h>
#include <unistd.h>

#include "kube/client.h"
#include "mc/ref.h"

/* The server must have the first NEEDED of these. */
#define NEEDED 2
static const char *const paths[] = {
	PATH_MC "machineconfigpools",
	PATH_MC "machineconfigs",
	PATH_MC "controllerconfigs",
	PATH_MC "kubeletconfigs",
	PATH_MC "containerruntimeconfigs",
	PATH_MC "machineosconfigs",
	PATH_MC_ALPHA "osimagestreams",
	PATH_OPERATOR "machineconfigurations",
	PATH_OPERATOR_ALPHA "imagecontentsourcepolicies",
	PATH_CONFIG "clusterversions",
	PATH_CONFIG "featuregates",
	PATH_CONFIG "nodes",
	PATH_CORE "nodes",
	PATH_CONFIG "apiservers",
	PATH_CONFIG "images",
	PATH_CONFIG "imagedigestmirrorsets",
	PATH_CONFIG "imagetagmirrorsets",
	PATH_CONFIG "clusterimagepolicies",
	PATH_CONFIG "imagepolicies",
	PATH_CONFIG_ALPHA "criocredentialproviderconfigs",
};

bool live_asked(const struct kube_flags *f)
{
	const struct str *const given[] = {
		&f->kubeconfig, &f->context,   &f->cluster,	    &f->user,  &f->server,   &f->ns,
		&f->ca_file,	&f->cert_file, &f->tls_server_name, &f->token, &f->username, &f->as,
	};

	for (size_t i = 0; i < ARRAY_LEN(given); i++)
		if (given[i]->n)
			return true;
	return f->insecure;
}

bool live_is_file(struct run *r, struct str word)
{
	if (str_is(word, "-") || access(str_z(r->a, word), F_OK) == 0)
		return true;
	/* a name has no slash; an unknown type may be a missing file */
	return str_chr(word, '/') >= 0 && !mc_ref_typed(word);
}

/* Reads one page of a list, and the token of the next one. */
static int get_page(struct run *r, struct kube *k, const char *path, const char *limit,
		    struct str *next, struct str *text)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct json *page = NULL;
	struct buf b;
	int rc;

	buf_init(&b, &scratch);
	buf_addf(&b, "%s?limit=%s", path, limit);
	if (next->n) {
		buf_addz(&b, "&continue=");
		kube_escape(&b, *next);
	}
	rc = kube_get(k, r->a, buf_str(&b), text, &r->err);
	if (rc == 0)
		rc = json_parse(&scratch, *text, NULL, &page, &r->err);
	*next = str_dup(r->a, json_str(page, "metadata.continue"));
	return rc;
}

/* Reads in pages: a list may exceed the limit of one response. */
static int get_pages(struct run *r, struct kube *k, const char *path, const char *limit,
		     struct strs *out)
{
	struct str next = S(""), text;
	int rc;

	do {
		rc = get_page(r, k, path, limit, &next, &text);
		if (rc < 0)
			return rc;
		VEC_PUSH(r->a, out, text);
	} while (next.n);
	return 0;
}

static int list_kind(struct run *r, struct kube *k, const char *path, const struct live_sink *to)
{
	struct strs pages = { 0 };
	int rc = get_pages(r, k, path, "100", &pages);

	/* the continue token has expired: read the whole list at once */
	if (rc == -ERR_GONE) {
		pages.n = 0;
		rc = get_pages(r, k, path, "0", &pages);
	}
	for (size_t i = 0; rc == 0 && i < pages.n; i++)
		rc = to->take(to->ctx, r, pages.v[i]);
	return rc;
}

static struct str kind_of(const char *path)
{
	struct str s = str_of(path);

	return str_from(s, (size_t)str_rchr(s, '/') + 1);
}

/* Connection errors already contain the address. */
static int blame(struct run *r, struct str server, const char *path)
{
	(void)err_wrap(&r->err, "listing %.*s", STRF(kind_of(path)));
	return str_find(r->err.msg, server) < 0 ? err_wrap(&r->err, "%.*s", STRF(server))
						: -(int)r->err.code;
}

static int list_all(struct run *r, struct kube *k, const struct live_sink *to)
{
	struct str server = url_public(r->a, kube_conf(k)->server);

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		int rc = list_kind(r, k, paths[i], to);

		if (rc == 0 || (rc == -ERR_NOTFOUND && i >= NEEDED))
			continue;
		if (rc == -ERR_NOTFOUND)
			return err_set(&r->err, ERR_NOTFOUND,
				       "%.*s has no %.*s: is it an OpenShift "
				       "cluster?",
				       STRF(server), STRF(kind_of(paths[i])));
		if (rc != -ERR_INVALID || i < NEEDED)
			return blame(r, server, paths[i]);
		applet_warn(r, str_fmt(r->a, "left out: %.*s: %.*s", STRF(kind_of(paths[i])),
				       STRF(r->err.msg)));
	}
	return 0;
}

/* "10s", or a number of seconds; "0" or "": no limit. */
static int timeout_of(struct run *r, struct str text, int *ms)
{
	int64_t ns = 0, seconds;

	if (str_to_i64(text, &seconds) && seconds >= 0 && seconds < 1000000)
		ns = seconds * 1000000000;
	else if (text.n && (!flag_duration(text, &ns) || ns < 0))
		return err_set(&r->err, ERR_INVALID,
			       "--request-timeout: invalid duration %.*s: use a value like 10s",
			       STRF(text));
	ns = (ns + 999999) / 1000000;
	*ms = ns > 1000000000 ? 1000000000 : (int)ns;
	return 0;
}

int live_lists(struct run *r, const struct kube_flags *flags, const char *instead,
	       const struct live_sink *to)
{
	struct kube_conf conf = { 0 };
	struct kube_opts o = { .conf = &conf, .agent = "mcoctl", .tool = true };
	struct kube *k;
	int rc = timeout_of(r, flags->request_timeout, &o.timeout_ms);

	if (rc == 0)
		rc = kube_config_load(r->a, flags, false, &conf, &r->err);
	if (rc == -ERR_NOTFOUND && !live_asked(flags))
		return err_set(&r->err, ERR_NOTFOUND, "%.*s; or give %s", STRF(r->err.msg),
			       instead);
	if (rc < 0)
		return rc;
	o.loop = loop_new(&r->err);
	if (!o.loop)
		return -(int)r->err.code;
	rc = kube_new(&o, &k, &r->err);
	if (rc == 0) {
		rc = list_all(r, k, to);
		kube_free(k);
	}
	loop_free(o.loop);
	return rc;
}

static int take_into_set(void *ctx, struct run *r, struct str text)
{
	struct mc_fault fault = { 0 };
	int rc = mc_load(r->a, S("cluster"), text, ctx, &fault, &r->err);

	if (rc == -ERR_INVALID && fault.problem.n)
		/* not ERR_INVALID, for which list_all omits the kind with a warning */
		return err_set(&r->err, ERR_SYS, "%.*s: %.*s", STRF(fault.object),
			       STRF(fault.problem));
	return rc;
}

int live_load(struct run *r, const struct kube_flags *flags, const char *instead,
	      struct mc_set *set)
{
	const struct live_sink to = { take_into_set, set };

	set->live = true;
	return live_lists(r, flags, instead, &to);
}
