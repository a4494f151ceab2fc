/*
 * mcoctl fmt: writes manifests in the exact bytes of upstream's encoders.
 */
#include "io/format_files.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	struct str output;
	bool write, check, drop_comments;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("filename", "FILE",
			     "a manifest, or - for standard input; may be repeated"),
	  .letter = 'f',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, files) },
	{ .texts = FLAG_TEXT("output", "FORMAT",
			     "output format (default yaml; with -w and --check the "
			     "format that each file has)"),
	  .letter = 'o',
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct opts, output),
	  .choices = "yaml|json|json-compact" },
	{ .texts = FLAG_TEXT("write", "",
			     "write the result back to each file, and list the files "
			     "that change"),
	  .letter = 'w',
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, write) },
	{ .texts = FLAG_TEXT("check", "", "only list the files that -w would change"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, check) },
	{ .texts = FLAG_TEXT("drop-comments", "", "let -w drop comments"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, drop_comments) },
	{ 0 },
};

static int write_back(struct run *r, const struct opts *o)
{
	struct formatted_files list = { 0 };
	int rc;

	for (size_t i = 0; i < o->files.n; i++)
		if (str_is(o->files.v[i], "-"))
			return err_set(&r->err, ERR_INVALID,
				       "-w writes to files: standard input is "
				       "none");
	rc = format_changes(r->a, &o->files, o->output, &list, &r->err);
	if (rc == 0)
		rc = format_write(r->a, &list, o->drop_comments, &r->out, &r->err);
	/* list the files written even if a later one fails */
	if (rc < 0 && r->out.n)
		(void)applet_flush(r);
	return rc;
}

static int check(struct run *r, const struct opts *o)
{
	struct formatted_files list = { 0 };
	int rc = format_changes(r->a, &o->files, o->output, &list, &r->err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list.n; i++)
		buf_addf(&r->out, "%s\n", list.v[i].path);
	return list.n ? 1 : 0;
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
	if (o.write && o.check)
		return err_set(&r->err, ERR_INVALID, "give -w or --check, not both");
	if (o.write || o.check)
		return o.write ? write_back(r, &o) : check(r, &o);
	return format_text(r->a, &o.files, o.output, &r->out, &r->err);
}

const struct command mcoctl_fmt = {
	.name = "fmt",
	.args = "[FILE]... [-f FILE]... [-w | --check] [-o yaml|json|json-compact]",
	.summary = "rewrite manifests in upstream's exact YAML or JSON",
	.details =
		"Reads YAML or JSON, one document or many, as upstream reads it (YAML 1.1: yes "
		"and no are booleans, 0644 is 420), and prints it as upstream writes it. Nothing "
		"is printed or written when any input is invalid. -w replaces each file "
		"atomically and keeps its mode and owner. Comments are lost: -w refuses files "
		"with comments.",
	.examples = "# A manifest as upstream would write it\n"
		    "@ fmt -f 99-worker-ntp.yaml\n"
		    "# An object of the cluster as JSON\n"
		    "oc get mc 99-worker-ntp -o yaml | @ fmt -f - -o json\n"
		    "# Rewrite manifests in place\n"
		    "@ fmt -w *.yaml\n"
		    "# In CI: fail if a manifest is not formatted\n"
		    "@ fmt --check *.yaml",
	.exits = "0 on success, 1 on an error, or when --check found files to change",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run,
};
