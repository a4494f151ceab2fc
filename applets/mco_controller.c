/*
 * mco-controller: for now what the authors of templates need of it.
 */
#include <stdio.h>

#include "applet.h"
#include "data/tmpl.h"
#include "io/file.h"

#define FILE_SIZE_MAX ((size_t)16 << 20)

struct opts {
	struct str data;
};

static const struct flag flags[] = {
	{ .name = "data",
	  .letter = 'd',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, data),
	  .value = "FILE",
	  .help = "JSON that the template sees as its dot (default {})" },
	{ 0 },
};

/* Template errors are printed bare, as upstream's log has them. */
static int refuse(const char *what, const struct err *err)
{
	(void)fprintf(stderr, "%s: %.*s\n", what, STRF(err->msg));
	return 1;
}

static int load_data(struct run *r, struct str path, struct json **out)
{
	struct str text = S("{}");
	const char *z = str_z(r->a, path);
	int rc = 0;

	if (path.n)
		rc = file_read(r->a, z, FILE_SIZE_MAX, &text, &r->err);
	if (rc < 0)
		return rc;
	rc = json_parse(r->a, text, NULL, out, &r->err);
	return rc < 0 ? err_wrap(&r->err, "%s", z) : 0;
}

static int run_template(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct json *data = NULL;
	const char *path;
	struct tmpl *t = NULL;
	struct str text;
	int rc;

	if (r->words.n != 1)
		return err_set(&r->err, ERR_INVALID,
			       "give one template, or - for standard input");
	path = str_z(r->a, r->words.v[0]);
	rc = load_data(r, o->data, &data);
	if (rc == 0)
		rc = file_read(r->a, path, FILE_SIZE_MAX, &text, &r->err);
	if (rc < 0)
		return rc;
	if (tmpl_parse(r->a, path, text, tmpl_common_funcs, &t, &r->err) < 0)
		return refuse(
			str_fmt(r->a, "failed to parse template %s", path).p,
			&r->err);
	if (tmpl_run(r->a, t, tmpl_from_json(r->a, data), NULL, &r->out,
		     &r->err) < 0)
		return refuse("failed to execute template", &r->err);
	return 0;
}

static const struct command template_command = {
	.name = "template",
	.args = "FILE [--data FILE]",
	.summary = "evaluate one Go template over JSON data",
	.details =
		"Errors are worded as Go's text/template words them, with line "
		"and column; nothing is\nprinted when there is one.",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run_template,
};

static const struct command *const commands[] = { &template_command,
						  &version_command, NULL };

const struct applet mco_controller_applet = {
	.name = "mco-controller",
	.summary = "evaluates templates as upstream's controller does",
	.commands = commands,
};
