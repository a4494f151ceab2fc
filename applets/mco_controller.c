/*
 * mco-controller: the applet, and its command for authors of templates.
 */
#include <stdio.h>

#include "io/file.h"
#include "mco_controller.h"
#include "plan/template.h"

#define FILE_SIZE_MAX ((size_t)16 << 20)

struct opts {
	struct str data, render_config;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("data", "FILE", "JSON value of the template's dot (default {})"),
	  .letter = 'd',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, data) },
	{ .texts = FLAG_TEXT("render-config", "FILE",
			     "JSON with spec (a ControllerConfig's), pullSecret, "
			     "tlsMinVersion and tlsCipherSuites: the input of "
			     "upstream's templates"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, render_config) },
	{ 0 },
};

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
	bool typed = o->render_config.n;
	struct json *data = NULL;
	struct str text, out;
	const char *path;
	int rc;

	if (r->words.n != 1)
		return err_set(&r->err, ERR_INVALID, "give one template, or - for standard input");
	if (typed && o->data.n)
		return err_set(&r->err, ERR_INVALID,
			       "--data and --render-config exclude each other");
	path = str_z(r->a, r->words.v[0]);
	rc = load_data(r, typed ? o->render_config : o->data, &data);
	if (rc == 0)
		rc = file_read(r->a, path, FILE_SIZE_MAX, &text, &r->err);
	if (rc < 0)
		return rc;
	if (template_one(r->a, path, text, data, typed, &out, &r->err) < 0) {
		/* bare, as upstream's log has it */
		applet_say("%.*s\n", STRF(r->err.msg));
		return 1;
	}
	buf_add(&r->out, out);
	return 0;
}

static const struct command template_command = {
	.name = "template",
	.args = "FILE [--data FILE | --render-config FILE]",
	.summary = "evaluate one Go template over JSON data",
	.details =
		"Error messages are those of Go's text/template, with line and column. After an\n"
		"error nothing is printed.",
	.examples = "# A template over data of your own\n"
		    "@ template motd.tmpl --data data.json\n"
		    "# A template of MachineConfigs, as upstream's controller evaluates it\n"
		    "@ template chrony.yaml --render-config render-config.json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run_template,
};

static const struct command *const commands[] = { &start_command,    &bootstrap_command,
						  &template_command, &templates_command,
						  &version_command,  NULL };

const struct applet mco_controller_applet = {
	.name = "mco-controller",
	.summary = "renders the configs of nodes as upstream's controller does",
	.commands = commands,
	.holds_keys = true,
	.upstream = "MachineConfigController",
};
