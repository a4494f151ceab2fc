/*
 * mco-daemon firstboot: applies an Ignition config, fetched or from a file, to a new root,
 * without Ignition.
 */
#include "data/http.h"
#include "io/fetch.h"
#include "io/file.h"
#include "io/log.h"
#include "kube/config.h"
#include "mco_daemon.h"
#include "node/guard.h"
#include "node/ignite.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define ACCEPT                                                         \
	"Accept: application/vnd.coreos.ignition+json;version=3.5.0, " \
	"*/*;q=0.1\r\n"

struct opts {
	struct str root, config, url, ca;
	int64_t timeout;
	bool insecure, force;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("root", "DIR", "the new system's root (default /sysroot)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, root) },
	{ .texts = FLAG_TEXT("url", "URL", "URL of the config: https://HOST:22623/config/POOL"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, url) },
	{ .texts = FLAG_TEXT("ca", "FILE", "CA certificates to trust, in PEM"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, ca) },
	{ .texts = FLAG_TEXT("insecure", "", "do not verify the server's certificate; for tests"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, insecure) },
	{ .texts = FLAG_TEXT("timeout", "TIME", "stop retrying after this time (default never)"),
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct opts, timeout) },
	{ .texts = FLAG_TEXT("config", "FILE",
			     "file with the Ignition config, or - for standard input"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, config) },
	{ .texts = FLAG_TEXT("force", "", "apply even if the root is that of the running machine"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force) },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->root = S("/sysroot");
}

/* Fetches what a config refers to. */
static int get_resource(void *ctx, const struct ign_obj *resource, const struct sink *to,
			struct err *err)
{
	const struct ign_objs *l = ign_list(resource, IGN_RESOURCE_HEADERS);
	bool accept = false; /* the config replaces the default */
	struct buf b;
	int rc;

	buf_init(&b, err->a);
	for (size_t i = 0; i < l->n; i++)
		accept |= str_eq_fold(ign_str(l->v[i], IGN_HEADER_NAME), S("accept"));
	if (!accept)
		buf_addz(&b, ACCEPT);
	for (size_t i = 0; i < l->n; i++)
		http_add_field(&b, ign_str(l->v[i], IGN_HEADER_NAME),
			       ign_str(l->v[i], IGN_HEADER_VALUE));
	rc = fetch_get(ctx, ign_str(resource, IGN_RESOURCE_SOURCE), buf_str(&b), to, err);
	return rc < 0 ? err_set(err, ERR_INVALID, "%.*s", STRF(err->msg)) : 0;
}

static int trust(void *ctx, struct str pem, struct err *err)
{
	return fetch_trust(ctx, pem, err);
}

int daemon_fetch(struct run *r, struct str url, struct str *out)
{
	const struct fetch_opts once = { .fields = S("Accept: */*\r\n"), .once = true };
	struct fetch *f = fetch_open(r->a, &once, &r->err);
	int rc = f ? 0 : -ERR_SYS;

	if (rc == 0 && str_starts(url, S("https")))
		rc = fetch_trust(f, kube_system_ca(r->a), &r->err);
	if (rc == 0)
		rc = fetch_text(f, url, once.fields, CONFIG_MAX, out, &r->err);
	fetch_close(f);
	return rc;
}

static int ignite(struct run *r, const struct opts *o, struct fetch *f, struct str text)
{
	const struct ignite_source from = { get_resource, trust, f };
	struct node n;
	int rc = daemon_open(r, o->root, false, &n);

	if (rc < 0)
		return rc;
	n.offline = true;
	rc = ignite_apply(&n, r->a, text, &from, &r->err);
	if (rc == 0)
		log_info("The config is applied to %.*s", STRF(o->root));
	node_close(&n);
	return rc;
}

static int load_config(struct run *r, const struct opts *o, struct fetch *f, struct str *text)
{
	struct str pem;
	int rc = 0;

	if (o->ca.n) {
		rc = file_read(r->a, str_z(r->a, o->ca), CONFIG_MAX, &pem, &r->err);
		if (rc == 0)
			rc = fetch_trust(f, pem, &r->err);
	}
	if (rc == 0 && o->url.n)
		rc = fetch_text(f, o->url, S(ACCEPT), CONFIG_MAX, text, &r->err);
	else if (rc == 0)
		rc = file_read(r->a, str_z(r->a, o->config), CONFIG_MAX, text, &r->err);
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	const struct fetch_opts opts = { .fields = S(ACCEPT),
					 .timeout_ms = o->timeout / 1000000,
					 .insecure = o->insecure };
	struct str text = S("");
	struct fetch *f;
	int rc;

	if (r->words.n || !o->config.n == !o->url.n)
		return err_set(&r->err, ERR_INVALID, "give either --url URL or --config FILE");
	rc = guard_new_root(r->a, o->root, o->force, &r->err);
	if (rc < 0)
		return rc;
	f = fetch_open(r->a, &opts, &r->err);
	rc = f ? load_config(r, o, f, &text) : -ERR_SYS;
	if (rc == 0)
		rc = ignite(r, o, f, text);
	fetch_close(f);
	return rc;
}

const struct command daemon_firstboot = {
	.name = "firstboot",
	.args = "--url URL [--ca FILE] [--root DIR]\n--config FILE [--root DIR]",
	.summary = "fetch an Ignition config and apply it to a new root",
	.details =
		"Applies files, directories, links, users, groups, units and kernel arguments.\n"
		"Configs and files that the config refers to are fetched first. Configs with "
		"disks, raid,\nfilesystems or luks are refused before the first write. A fetch "
		"that fails is retried, with\nthe error on the console, until it succeeds or the "
		"server refuses it (status 4xx). A run\nthat was interrupted can be repeated.",
	.examples = "# From the machine config server\n"
		    "@ firstboot --url https://api-int.example.com:22623/config/worker \\\n"
		    "    --ca root-ca.pem\n"
		    "# From a file, to a mounted root\n"
		    "@ firstboot --config worker.ign --root /mnt",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
