/*
 * mcoctl fmt: writes manifests in the exact bytes of upstream's encoders.
 */
#include "data/docs.h"
#include "data/yml.h"
#include "io/file.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	struct str output;
	bool write, check, drop_comments;
};

static const struct flag flags[] = {
	{ .name = "filename",
	  .letter = 'f',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, files),
	  .value = "FILE",
	  .help = "a manifest, or - for standard input; may be repeated" },
	{ .name = "output",
	  .letter = 'o',
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct opts, output),
	  .value = "FORMAT",
	  .choices = "yaml|json|json-compact",
	  .help = "output format (default yaml; with -w and --check the "
		  "format that each file has)" },
	{ .name = "write",
	  .letter = 'w',
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, write),
	  .help = "write the result back to each file, and list the files "
		  "that change" },
	{ .name = "check",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, check),
	  .help = "only list the files that -w would change" },
	{ .name = "drop-comments",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, drop_comments),
	  .help = "let -w drop comments" },
	{ 0 },
};

struct formatted {
	const char *path;
	struct str before, after;
};

struct formatted_files {
	struct formatted *v;
	size_t n, cap;
};

static int add_doc(struct run *r, struct buf *b, struct str format, const struct doc *d)
{
	if (str_starts(format, S("json"))) {
		json_encode(b, d->tree, JSON_SORTED | (str_is(format, "json") ? JSON_INDENT : 0));
		buf_addc(b, '\n');
		return 0;
	}
	if (b->n)
		buf_addz(b, "---\n");
	return yml_emit(b, d->tree, &r->err);
}

/* The format of -o; with -w and --check the default is that of the file. */
static struct str format_of(const struct opts *o, const struct docs *docs)
{
	if (o->output.n || !docs->n || !(o->write || o->check))
		return o->output;
	return docs->v[0].json ? S("json") : S("yaml");
}

static int format_file(struct run *r, const struct opts *o, struct str path, struct buf *to,
		       struct formatted *out)
{
	const char *z = str_z(r->a, path);
	struct docs_fault fault = { 0 };
	struct docs docs = { 0 };
	int rc = file_read(r->a, z, MANIFEST_MAX, &out->before, &r->err);

	if (rc < 0)
		return rc;
	out->path = z;
	rc = docs_parse(r->a, out->before, &docs, &fault, &r->err);
	if (rc == -ERR_INVALID)
		return err_set(&r->err, ERR_INVALID, "%s:%zu:%zu: %.*s", z, fault.line, fault.col,
			       STRF(fault.problem));
	if (rc < 0)
		return err_wrap(&r->err, "%s", z);
	for (size_t i = 0; i < docs.n && rc == 0; i++) {
		rc = add_doc(r, to, format_of(o, &docs), &docs.v[i]);
		if (rc < 0)
			return err_wrap(&r->err, "%s: document %zu", z, docs.v[i].number);
	}
	return rc;
}

/* Collects the files that change. Every file is read before the first is written. */
static int find_changes(struct run *r, const struct opts *o, struct formatted_files *out)
{
	for (size_t i = 0; i < o->files.n; i++) {
		struct formatted f = { 0 };
		struct buf b;
		int rc;

		buf_init(&b, r->a);
		rc = format_file(r, o, o->files.v[i], &b, &f);
		if (rc < 0)
			return rc;
		f.after = buf_str(&b);
		if (!str_eq(f.before, f.after))
			VEC_PUSH(r->a, out, f);
	}
	return 0;
}

static int refuse_comments(struct run *r, const struct formatted *f)
{
	size_t line = docs_comment(r->a, f->before);

	if (!line)
		return 0;
	return err_set(&r->err, ERR_INVALID,
		       "%s:%zu: fmt does not keep comments: give "
		       "--drop-comments to write the file without them",
		       f->path, line);
}

static int write_back(struct run *r, const struct opts *o)
{
	struct formatted_files list = { 0 };
	int rc = 0;

	for (size_t i = 0; i < o->files.n; i++)
		if (str_is(o->files.v[i], "-"))
			return err_set(&r->err, ERR_INVALID,
				       "-w writes to files: standard input is "
				       "none");
	rc = find_changes(r, o, &list);
	for (size_t i = 0; rc == 0 && !o->drop_comments && i < list.n; i++)
		rc = refuse_comments(r, &list.v[i]);
	for (size_t i = 0; rc == 0 && i < list.n; i++) {
		rc = file_rewrite(list.v[i].path, list.v[i].after, &r->err);
		if (rc == 0)
			buf_addf(&r->out, "%s\n", list.v[i].path);
	}
	/* list the files written even if a later one fails */
	if (rc < 0 && r->out.n)
		(void)applet_flush(r);
	return rc;
}

static int check(struct run *r, const struct opts *o)
{
	struct formatted_files list = { 0 };
	int rc = find_changes(r, o, &list);

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
	for (size_t i = 0; i < o.files.n; i++) {
		struct formatted f = { 0 };
		int rc = format_file(r, &o, o.files.v[i], &r->out, &f);

		if (rc < 0)
			return rc;
	}
	return 0;
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
