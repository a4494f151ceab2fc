/*
 * mcoctl convert: converts Ignition configs, alone or in MachineConfigs, to another
 * version of the spec. Prints nothing unless all of them convert.
 */
#include "mc/convert.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	struct str to, output;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("filename", "FILE",
			     "an Ignition config or MachineConfigs, or - for standard "
			     "input; may be repeated"),
	  .letter = 'f',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, files) },
	{ .texts = FLAG_TEXT("to", "VERSION", "3.5, 3.4, 3.3, 3.2, 3.1 or 2.2 (default 3.5)"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, to) },
	{ .texts = FLAG_TEXT("output", "FORMAT",
			     "output format (default yaml for MachineConfigs, json for "
			     "Ignition configs)"),
	  .letter = 'o',
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct opts, output),
	  .choices = "json|json-compact|yaml" },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->to = S("3.5");
}

static int convert_doc(struct run *r, const struct opts *o, struct semver to, const struct doc *d)
{
	struct str format = o->output;
	struct json *j = NULL;
	int rc = mc_convert(r->a, d, to, &j, &r->err);

	if (!format.n)
		format = mc_convert_object(d) ? S("yaml") : S("json");
	return rc < 0 ? rc : docs_write(&r->out, format, 0, j, &r->err);
}

static int convert_file(struct run *r, const struct opts *o, struct semver to, const char *path)
{
	struct docs docs = { 0 };
	struct str text;
	int rc = manifest_docs(r->a, path, &text, &docs, &r->err);

	if (rc < 0)
		return rc;
	if (!docs.n)
		return err_set(&r->err, ERR_NOTFOUND, "no configs found in %s",
			       strcmp(path, "-") ? path : "standard input");
	for (size_t i = 0; rc == 0 && i < docs.n; i++)
		rc = convert_doc(r, o, to, &docs.v[i]);
	return rc < 0 ? err_wrap(&r->err, "%s", path) : 0;
}

static int run(struct run *r, const void *p)
{
	struct opts o = *(const struct opts *)p;
	struct str to = o.to;
	struct semver v;

	for (size_t i = 0; i < r->words.n; i++)
		VEC_PUSH(r->a, &o.files, r->words.v[i]);
	if (!o.files.n)
		return err_set(&r->err, ERR_INVALID,
			       "no configs given: use -f FILE or -f - for "
			       "standard input");
	if (str_chr(to, '.') == str_rchr(to, '.'))
		to = str_fmt(r->a, "%.*s.0", STRF(to));
	if (!semver_parse(to, &v))
		return err_set(&r->err, ERR_INVALID,
			       "invalid version \"%.*s\": use 3.5, 3.4, 3.3, 3.2, "
			       "3.1 or 2.2",
			       STRF(o.to));
	for (size_t i = 0; i < o.files.n; i++) {
		int rc = convert_file(r, &o, v, str_z(r->a, o.files.v[i]));

		if (rc < 0)
			return rc;
	}
	return 0;
}

const struct command mcoctl_convert = {
	.name = "convert",
	.args = "[--to VERSION] [-f FILE]... [FILE]... [-o json|json-compact|yaml]",
	.summary = "convert Ignition configs to another version of the spec",
	.details =
		"Reads Ignition configs of spec 2.0 to 2.2 or 3.0 to 3.5. A MachineConfig stays a "
		"MachineConfig: only spec.config changes, and all its other fields are kept. A "
		"config that the target version cannot express is refused, and nothing is printed "
		"then.",
	.examples = "# For machines whose Ignition reads spec 3.2\n"
		    "@ convert --to 3.2 -f worker.ign\n"
		    "# An old config in the newest version, as YAML\n"
		    "@ convert -o yaml -f old.ign\n"
		    "# A MachineConfig of the cluster in the newest version\n"
		    "oc get mc 50-old -o yaml | @ convert -f -",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
