/*
 * mco-controller templates: writes the built-in tree of templates, or the MachineConfigs
 * of a tree.
 */
#include "data/docs.h"
#include "io/file.h"
#include "io/template_dir.h"
#include "io/version.h"
#include "manifest_flags.h"
#include "mc/tls_profile.h"
#include "mco_controller.h"
#include "plan/template.h"

#define SECRET_MAX ((size_t)1 << 20)

struct opts {
	struct str templates, pull_secret, output;
	struct strs files;
	bool recursive;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("templates", "DIR", "a tree of templates (default builtin)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, templates) },
	MANIFEST_FLAGS(struct opts),
	{ .texts = FLAG_TEXT("pull-secret", "FILE",
			     "render: the registry credentials, as .dockerconfigjson "
			     "has them (default {})"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, pull_secret) },
	OUTPUT_FLAG(struct opts, "yaml|json|name"),
	{ 0 },
};

static void defaults(void *p)
{
	struct opts *o = p;

	o->output = S("yaml");
	o->templates = S(TEMPLATES_BUILTIN);
}

static int list(struct run *r, const struct template_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		if (!str_ends(tree->v[i].path, S("/")))
			buf_addf(&r->out, "%.*s\n", STRF(tree->v[i].path));
	return 0;
}

static int print(struct run *r, struct str format, const struct mc *mc)
{
	if (!str_is(format, "name"))
		return docs_write(&r->out, format, 0, mc->doc.tree, &r->err);
	buf_addf(&r->out, "%.*s\n", STRF(mc->meta.name));
	return 0;
}

static int render(struct run *r, const struct opts *o, const struct template_tree *tree)
{
	struct template_input in = { .tree = tree,
				     .pull_secret = S("{}"),
				     .hash = str_of(version_hash()) };
	struct tls_profile tls = mc_tls_profile(r->a, NULL);
	struct mc_set set = { 0 };
	struct mc_list mcs = { 0 };
	int rc = manifests_load(r->a, &o->files, o->recursive, &set, &r->err);

	if (rc == 0 && !set.controller_config)
		return err_set(&r->err, ERR_INVALID,
			       "no ControllerConfig among the manifests: give "
			       "one with -f");
	if (rc == 0 && o->pull_secret.n)
		rc = file_read(r->a, str_z(r->a, o->pull_secret), SECRET_MAX, &in.pull_secret,
			       &r->err);
	if (rc < 0)
		return rc;
	in.controller_config = set.controller_config;
	in.tls_min_version = tls.min_version;
	in.tls_cipher_suites = tls.suites;
	rc = plan_template(r->a, &in, &mcs, &r->err);
	for (size_t i = 0; i < mcs.n && rc == 0; i++)
		rc = print(r, o->output, mcs.v[i]);
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct str verb = r->words.n ? r->words.v[0] : S(""), near;
	bool export = str_is(verb, "export");
	struct template_tree tree;
	int rc;

	if (r->words.n && !flag_choose("list|export|render", verb, &near))
		return err_set(&r->err, ERR_INVALID,
			       "templates: unknown word \"%.*s\"%s%.*s%s: say "
			       "list, export DIR, or render -f FILE",
			       STRF(verb), near.n ? " (did you mean " : "", STRF(near),
			       near.n ? "?)" : "");
	if (r->words.n != (export ? 2U : 1U))
		return err_set(&r->err, ERR_INVALID, "say list, export DIR, or render -f FILE");
	rc = template_dir_named(r->a, o->templates, &tree, &r->err);
	if (rc < 0)
		return rc;
	if (export)
		return template_dir_write(r->a, &tree, str_z(r->a, r->words.v[1]), &r->err);
	return str_is(verb, "list") ? list(r, &tree) : render(r, o, &tree);
}

const struct command templates_command = {
	.name = "templates",
	.args = "list\nexport DIR\nrender -f FILE",
	.summary = "list, export or render the templates",
	.details = "list names the templates; export writes them to a new "
		   "directory, for editing and for use\nwith --templates; "
		   "render prints the MachineConfigs that every role gets for a\n"
		   "ControllerConfig.",
	.examples = "# The templates that are part of this program\n"
		    "@ templates list\n"
		    "# A copy to change\n"
		    "@ templates export my-templates\n"
		    "# The MachineConfigs that the copy renders\n"
		    "@ templates render -f config.yaml --templates my-templates",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
