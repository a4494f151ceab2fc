/*
 * mco-operator manifests: shows what the operator applies: the texts, and the objects for given
 * values. It reads no cluster.
 */
#include <unistd.h>

#include "data/docs.h"
#include "io/bootstrap_dir.h"
#include "io/file.h"
#include "mc/api.h"
#include "mco_operator.h"
#include "plan/operator_manifests.h"
#include "view/table.h"

#define IMAGES_MAX ((size_t)1 << 20)

struct opts {
	struct str images, output;
	struct strs set, gates;
	bool standalone, force;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("force", "", "export: replace files that exist"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force) },
	{ .texts = FLAG_TEXT("images-json", "FILE", "render: the images of the release"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, images) },
	{ .texts = FLAG_TEXT("set", "NAME=VALUE", "render: the value of ${NAME}; may be repeated"),
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, set) },
	{ .texts = FLAG_TEXT("feature-gate", "NAME",
			     "render: a feature gate that is on; may be repeated"),
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, gates) },
	{ .texts = FLAG_TEXT("standalone", "", "render: as on a cluster that is not OpenShift"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, standalone) },
	OUTPUT_FLAG(struct opts, "yaml|json|name"),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("yaml");
}

/* ---- list and export ----------------------------------------------------- */

static int list(struct run *r, const struct operator_file *files)
{
	static const char *const headings[] = { "FILE", "KIND", "NAMESPACE", "NAME", "GATE", NULL };
	struct table t;

	table_init(&t, r->a, headings);
	for (size_t i = 0; i < COMPONENTS; i++) {
		struct docs docs = { 0 };
		int rc = docs_parse(r->a, files[i].text, &docs, NULL, &r->err);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < docs.n; k++) {
			const struct json *j = docs.v[k].tree;
			const struct json *annotations = json_at(j, "metadata.annotations");

			table_cell(&t, files[i].name);
			table_cell(&t, json_str(j, "kind"));
			table_cell(&t, json_str(j, "metadata.namespace"));
			table_cell(&t, json_str(j, "metadata.name"));
			table_cell(&t, json_text(json_member(annotations, S(ANNO_FEATURE_GATE))));
		}
	}
	table_print(&r->out, &t);
	return 0;
}

static int export(struct run *r, const struct opts *o, const struct operator_file *files)
{
	const struct bootstrap_modes modes = { 0777, 0666 };
	struct bootstrap_files out = { 0 };

	for (size_t i = 0; i < COMPONENTS; i++) {
		struct str path =
			str_fmt(r->a, "%.*s/%.*s", STRF(r->words.v[1]), STRF(files[i].name));

		if (!o->force && access(path.p, F_OK) == 0)
			return err_set(&r->err, ERR_INVALID,
				       "%.*s exists: nothing is written; replace it with --force",
				       STRF(path));
		VEC_PUSH(r->a, &out, ((struct bootstrap_file){ files[i].name, files[i].text }));
	}
	return bootstrap_dir_write(r->a, r->words.v[1], &out, modes, &r->err);
}

/* ---- render -------------------------------------------------------------- */

static int read_images(struct run *r, const char *path, struct operator_values *v)
{
	struct json *j = NULL;
	struct str text;
	int rc = file_read(r->a, path, IMAGES_MAX, &text, &r->err);

	if (rc == 0)
		rc = json_parse(r->a, text, NULL, &j, &r->err);
	if (rc < 0)
		return err_wrap(&r->err, "%s", path);
	v->machineConfigOperator = json_str(j, "machineConfigOperator");
	v->kubeRbacProxy = json_str(j, "kubeRbacProxy");
	v->release = json_str(j, "releaseVersion");
	return 0;
}

static int set_values(struct run *r, const struct opts *o, struct operator_values *v)
{
#define X(name) " " #name
	static const char names[] = OPERATOR_VALUES(X);
#undef X
	int rc = o->images.n ? read_images(r, str_z(r->a, o->images), v) : 0;
	for (size_t i = 0; i < o->set.n && rc == 0; i++) {
		struct str name, value;

		if (!str_cut(o->set.v[i], '=', &name, &value) ||
		    !operator_value_set(v, name, value))
			return err_set(&r->err, ERR_INVALID,
				       "--set %.*s: give NAME=VALUE; the names are%s",
				       STRF(o->set.v[i]), names);
	}
	return rc;
}

static int print(struct run *r, struct str format, const struct json *j)
{
	struct str ns = json_str(j, "metadata.namespace");

	if (!str_is(format, "name"))
		return docs_write(&r->out, format, 0, j, &r->err);
	buf_addf(&r->out, "%.*s %.*s%s%.*s\n", STRF(json_str(j, "kind")), STRF(ns), ns.n ? "/" : "",
		 STRF(json_str(j, "metadata.name")));
	return 0;
}

static int render(struct run *r, const struct opts *o, const struct operator_file *files)
{
	struct mc_gates gates = { .enabled = o->gates };
	struct operator_values v = { .httpProxy = S(""),
				     .httpsProxy = S(""),
				     .noProxy = S(""),
				     .gates = &gates,
				     .standalone = o->standalone };
	int rc = set_values(r, o, &v);

	for (size_t i = 0; i < COMPONENTS && rc == 0; i++) {
		struct operator_objects objects = { 0 };

		operator_objects(r->a, &files[i], &v, &objects);
		for (size_t k = 0; k < objects.n && rc == 0; k++)
			rc = print(r, o->output, objects.v[k]);
	}
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct str verb = r->words.n ? r->words.v[0] : S("");
	bool to_dir = str_is(verb, "export");
	struct operator_file files[COMPONENTS];

	operator_manifests(r->a, files);
	if (r->words.n == (to_dir ? 2U : 1U)) {
		if (to_dir)
			return export(r, o, files);
		if (str_is(verb, "list"))
			return list(r, files);
		if (str_is(verb, "render"))
			return render(r, o, files);
	}
	return err_set(&r->err, ERR_INVALID, "manifests: say list, export DIR, or render");
}

const struct command operator_manifests_command = {
	.name = "manifests",
	.args = "list\nexport DIR [--force]\nrender [flags]",
	.summary = "show the objects that the operator applies",
	.details = "list names the objects of the manifests that are part of this program, in the "
		   "order in which they are applied; export writes the manifests to a directory; "
		   "render prints the objects for given values. An object with a gate is applied "
		   "while that feature gate is on. The operator keeps what others add to labels, "
		   "annotations, tolerations and volumes.",
	.examples = "# The objects of each component\n"
		    "@ manifests list\n"
		    "# A copy to read\n"
		    "@ manifests export manifests\n"
		    "# What a release would apply\n"
		    "@ manifests render --images-json images.json --set verbosity=4",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
