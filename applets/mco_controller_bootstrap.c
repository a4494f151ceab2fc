/*
 * mco-controller bootstrap: generates and renders the configs of a cluster that is being
 * installed, from its manifests.
 *
 * Nothing is written before everything is generated, and no file is replaced before all
 * are written.
 */
#include "io/bootstrap_dir.h"
#include "io/log.h"
#include "io/template_dir.h"
#include "io/version.h"
#include "mco_controller.h"

struct opts {
	struct str manifest_dir, dest_dir, pull_secret, templates, release;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("manifest-dir", "DIR",
			     "the ControllerConfig, pools and all other manifests"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, manifest_dir) },
	{ .texts = FLAG_TEXT("dest-dir", "DIR", "where rendered configs and pools are written"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, dest_dir) },
	{ .texts = FLAG_TEXT("pull-secret", "FILE", "the pull secret, a Secret's manifest"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, pull_secret) },
	{ .texts = FLAG_TEXT("templates", "DIR",
			     "the templates (default " TEMPLATES_DIR
			     "); builtin: those that are part of this program"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, templates) },
	{ .texts = FLAG_TEXT("payload-version", "VERSION",
			     "version of the release (default 0.0.1-snapshot)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, release),
	  .env = "RELEASE_VERSION" },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->release = S("0.0.1-snapshot");
}

static int bootstrap(struct run *r, const struct opts *o)
{
	struct template_tree tree = { 0 };
	struct bootstrap_in in = { .manifest_dir = o->manifest_dir,
				   .templates = &tree,
				   .raw = str_of(version_raw()),
				   .adopt_raw = !version_given(),
				   .hash = str_of(version_hash()),
				   .release = o->release };
	struct bootstrap_out out = { 0 };
	int rc = bootstrap_dir_read(r->a, o->manifest_dir, &in.manifests, &r->err);

	if (rc == 0)
		rc = bootstrap_file_read(r->a, str_z(r->a, o->pull_secret), &in.pull_secret,
					 &r->err);
	if (rc == 0)
		rc = template_dir_named(r->a, o->templates, &tree, &r->err);
	if (rc == 0)
		rc = plan_bootstrap(r->a, &in, &out, &r->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < out.notes.n; i++)
		log_warn("%.*s", STRF(out.notes.v[i]));
	rc = bootstrap_dir_write(r->a, o->dest_dir, &out.files,
				 (struct bootstrap_modes){ 0764, 0664 }, &r->err);
	if (rc == 0)
		log_info("wrote %zu files to %.*s", out.files.n, STRF(o->dest_dir));
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;

	log_info("Version: %s (%s)", version_raw(), version_hash());
	if (!o->manifest_dir.n || !o->dest_dir.n) {
		log_line(LOG_FATAL, __FILE__, __LINE__, "--dest-dir or --manifest-dir not set");
		return 255;
	}
	if (bootstrap(r, o) == 0)
		return 0;
	log_line(LOG_FATAL, __FILE__, __LINE__, "error running MCC[BOOTSTRAP]: %.*s",
		 STRF(r->err.msg));
	return 255;
}

const struct command bootstrap_command = {
	.name = "bootstrap",
	.args = "--manifest-dir DIR --dest-dir DIR --pull-secret FILE",
	.summary = "render the configs of a cluster that is being installed",
	.details = "Reads the ControllerConfig, FeatureGate, pools, MachineConfigs, "
		   "KubeletConfigs,\nContainerRuntimeConfigs, Image, mirror sets, "
		   "image policies and the rest from the\nmanifests, and writes "
		   "machine-pools, machine-configs, api-server and\n"
		   "controller-config. Nothing is written unless all of it could "
		   "be made.",
	.examples = "# On the bootstrap machine, before the cluster exists\n"
		    "@ bootstrap --manifest-dir manifests \\\n"
		    "    --dest-dir /etc/mcs/bootstrap --pull-secret pull-secret.yaml",
	.exits = "0 done, 255 an error, which the last line of the log tells",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
