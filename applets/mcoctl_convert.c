/*
 * mcoctl convert: an Ignition config in another version of the spec.
 */
#include "data/yml.h"
#include "io/file.h"
#include "mcoctl.h"

struct convert_opts {
	struct str to, output;
};

static const struct flag convert_flags[] = {
	{ .name = "to",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct convert_opts, to),
	  .value = "VERSION",
	  .help = "3.5, 3.4, 3.3, 3.2, 3.1 or 2.2 (default 3.5)" },
	OUTPUT_FLAG(struct convert_opts, "json|json-compact|yaml"),
	{ 0 },
};

static void convert_defaults(void *p)
{
	struct convert_opts *o = p;

	o->to = S("3.5");
	o->output = S("json");
}

/* The Ignition config of a file: the whole of it, or a MachineConfig's. */
static int config_text(struct run *r, const char *path, struct str *out)
{
	struct docs_fault fault = { 0 };
	struct docs docs = { 0 };
	struct str text;
	struct buf b;
	struct mc mc = { 0 };
	int rc = file_read(r->a, path, MANIFEST_MAX, &text, &r->err);

	if (rc < 0)
		return rc;
	rc = docs_parse(r->a, text, &docs, &fault, &r->err);
	if (rc < 0)
		return err_set(&r->err, ERR_INVALID, "%s:%zu:%zu: %.*s", path,
			       fault.line, fault.col, STRF(fault.problem));
	if (docs.n != 1)
		return err_set(&r->err, ERR_INVALID,
			       "%s: %zu documents, not one config", path,
			       docs.n);
	if (str_is(json_str(docs.v[0].tree, "kind", S("")), "MachineConfig")) {
		rc = mc_decode(r->a, &docs.v[0], &mc, &r->err);
		*out = mc_config_text(r->a, &mc);
		return rc < 0 ? err_wrap(&r->err, "%s", path) : 0;
	}
	if (docs.v[0].json) {
		*out = docs.v[0].text;
		return 0;
	}
	buf_init(&b, r->a);
	json_encode(&b, docs.v[0].tree, JSON_SORTED);
	*out = buf_str(&b);
	return 0;
}

static int run_convert(struct run *r, const void *p)
{
	const struct convert_opts *o = p;
	struct str text = S(""), to = o->to;
	struct ign_obj *config = NULL;
	struct semver v;
	struct json *j = NULL;
	int rc;

	if (r->words.n != 1)
		return err_set(&r->err, ERR_INVALID,
			       "give one file, or - for standard input");
	if (str_chr(to, '.') == str_rchr(to, '.'))
		to = str_fmt(r->a, "%.*s.0", STRF(to));
	if (!semver_parse(to, &v))
		return err_set(
			&r->err, ERR_INVALID,
			"\"%.*s\" is no version: use 3.5, 3.4, 3.3, 3.2, "
			"3.1 or 2.2",
			STRF(o->to));
	rc = config_text(r, str_z(r->a, r->words.v[0]), &text);
	if (rc == 0)
		rc = ign_parse_35(r->a, text, &config, &r->err);
	if (rc == 0)
		rc = ign_down(r->a, config, v, &j, &r->err);
	if (rc < 0)
		return err_wrap(&r->err, "%.*s", STRF(r->words.v[0]));
	if (str_is(o->output, "yaml"))
		return yml_emit(&r->out, j, &r->err);
	json_encode(&r->out, j, str_is(o->output, "json") ? JSON_INDENT : 0);
	buf_addc(&r->out, '\n');
	return 0;
}

const struct command mcoctl_convert = {
	.name = "convert",
	.args = "[--to VERSION] FILE [-o json|json-compact|yaml]",
	.summary = "write an Ignition config in another version of the spec",
	.details =
		"FILE is an Ignition config of spec 2.0 to 2.2 or 3.0 to 3.5, "
		"or a MachineConfig.\nWhat the target cannot say is refused.",
	.examples = "# For machines whose Ignition reads spec 3.2\n"
		    "@ convert --to 3.2 worker.ign\n"
		    "# An old config in the newest version, as YAML\n"
		    "@ convert -o yaml old.ign",
	.flags = convert_flags,
	.opts_size = sizeof(struct convert_opts),
	.defaults = convert_defaults,
	.run = run_convert,
};
