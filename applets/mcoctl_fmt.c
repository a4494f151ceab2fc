/*
 * mcoctl fmt: manifests in the exact bytes upstream's encoders write.
 */
#include "data/docs.h"
#include "data/yml.h"
#include "io/file.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	struct str output;
};

static const struct flag flags[] = {
	{ .name = "filename",
	  .letter = 'f',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, files),
	  .value = "FILE",
	  .help = "a manifest, or - for standard input; may be repeated" },
	OUTPUT_FLAG(struct opts, "yaml|json|json-compact"),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("yaml");
}

static int add_doc(struct run *r, struct str format, const struct doc *d)
{
	if (!str_is(format, "yaml")) {
		json_encode(&r->out, d->tree,
			    JSON_SORTED |
				    (str_is(format, "json") ? JSON_INDENT : 0));
		buf_addc(&r->out, '\n');
		return 0;
	}
	if (r->out.n)
		buf_addz(&r->out, "---\n");
	return yml_emit(&r->out, d->tree, &r->err);
}

static int format_file(struct run *r, const struct opts *o, struct str path)
{
	const char *z = str_z(r->a, path);
	struct docs_fault fault = { 0 };
	struct docs docs = { 0 };
	struct str text;
	int rc = file_read(r->a, z, MANIFEST_MAX, &text, &r->err);

	if (rc < 0)
		return rc;
	rc = docs_parse(r->a, text, &docs, &fault, &r->err);
	if (rc == -ERR_INVALID)
		return err_set(&r->err, ERR_INVALID, "%s:%zu:%zu: %.*s", z,
			       fault.line, fault.col, STRF(fault.problem));
	if (rc < 0)
		return err_wrap(&r->err, "%s", z);
	for (size_t i = 0; i < docs.n && rc == 0; i++) {
		rc = add_doc(r, o->output, &docs.v[i]);
		if (rc < 0)
			return err_wrap(&r->err, "%s: document %zu", z,
					docs.v[i].number);
	}
	return rc;
}

static int run(struct run *r, const void *p)
{
	struct opts o = *(const struct opts *)p;

	for (size_t i = 0; i < r->words.n; i++)
		VEC_PUSH(r->a, &o.files, r->words.v[i]);
	if (!o.files.n)
		return err_set(&r->err, ERR_INVALID,
			       "no manifests given: use -f FILE or -f - for "
			       "standard input");
	for (size_t i = 0; i < o.files.n; i++) {
		int rc = format_file(r, &o, o.files.v[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

const struct command mcoctl_fmt = {
	.name = "fmt",
	.args = "[FILE]... [-f FILE]... [-o yaml|json|json-compact]",
	.summary = "rewrite manifests in upstream's exact YAML or JSON",
	.details =
		"Reads YAML or JSON, one document or many, as upstream reads "
		"it (YAML 1.1:\nyes and no are booleans, 0644 is 420), and "
		"prints it as upstream writes it.\nNothing is printed when any "
		"input is bad.",
	.examples = "# A manifest as upstream would write it\n"
		    "@ fmt -f 99-worker-ntp.yaml\n"
		    "# An object of the cluster as JSON\n"
		    "oc get mc 99-worker-ntp -o yaml | @ fmt -f - -o json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
