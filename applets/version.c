#include <stdlib.h>

#include "applet.h"
#include "data/json.h"
#include "io/version.h"

struct opts {
	struct str output;
};

static const struct flag flags[] = {
	OUTPUT_FLAG(struct opts, "json"),
	{ 0 },
};

int version_print(struct run *r, bool json)
{
	struct json *j;

	if (!json) {
		buf_addf(&r->out, "%s\n%s\n", version_raw(), version_hash());
		return 0;
	}
	j = json_new(r->a, JSON_OBJECT);
	json_add(j, S("raw"), json_new_str(r->a, str_of(version_raw())));
	json_add(j, S("hash"), json_new_str(r->a, str_of(version_hash())));
	json_encode(&r->out, j, JSON_INDENT);
	buf_addc(&r->out, '\n');
	return 0;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;

	if (o->output.n || !r->applet->upstream)
		return version_print(r, o->output.n > 0);
	buf_addf(&r->out, "%s %s-%s\n", r->applet->upstream, version_raw(),
		 version_hash());
	return 0;
}

const struct command version_command = {
	.name = "version",
	.args = "[-o json]",
	.summary = "print the version this build stands for",
	.examples = "# What this build is, and what it stands for\n"
		    "@ version\n"
		    "# The same for a program to read\n"
		    "@ version -o json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run,
};
