/*
 * version: the command that every applet has.
 *
 * Upstream's programs print one line; an applet with an upstream name prints the same line unless
 * -o json is given. --version always prints the long form.
 */
#include <stdlib.h>

#include "io/applet.h"
#include "data/json.h"
#include "io/version.h"
#include "mc/gates.h"

struct opts {
	struct str output;
};

static const struct flag flags[] = {
	OUTPUT_FLAG(struct opts, "json"),
	{ 0 },
};

/* The version of the release payload, from the role's manifest. */
static const char *payload(void)
{
	const char *v = getenv("RELEASE_VERSION");

	return v && *v ? v : MC_GATES_SNAPSHOT;
}

static void add_json(struct run *r)
{
	struct json *j = json_new(r->a, JSON_OBJECT);

	json_add_str(r->a, j, "raw", str_of(version_raw()));
	json_add_str(r->a, j, "hash", str_of(version_hash()));
	json_add_str(r->a, j, "release", S(VERSION_RELEASE));
	json_add_str(r->a, j, "payload", str_of(payload()));
	json_add_str(r->a, j, "ignition", S("3.5.0"));
	json_encode(&r->out, j, JSON_INDENT);
	buf_addc(&r->out, '\n');
}

int version_print(struct run *r, bool json)
{
	if (json) {
		add_json(r);
		return 0;
	}
	buf_addf(&r->out,
		 "%s %s (%s)\nImplements:  OpenShift Machine Config Operator " VERSION_RELEASE "\n"
		 "Renders as:  %s%s%s%s\n"
		 "Payload:     %s\n"
		 "Ignition:    3.5.0 (reads 2.0 to 2.2 and 3.0 to 3.5)\n",
		 r->applet ? r->applet->name : "mco", version_raw(), version_hash(),
		 version_given() ? version_raw() : "",
		 version_given() ? " (" : "the version of the objects that it reads",
		 version_given() ? version_hash() : "", version_given() ? ")" : "", payload());
	return 0;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;

	if (o->output.n || !r->applet->upstream)
		return version_print(r, o->output.n > 0);
	buf_addf(&r->out, "%s %s-%s\n", r->applet->upstream, version_raw(), version_hash());
	return 0;
}

const struct command version_command = {
	.name = "version",
	.args = "[-o json]",
	.summary = "print the version and the upstream release it implements",
	.examples = "# The version of this build\n"
		    "@ version\n"
		    "# The same as JSON\n"
		    "@ version -o json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.run = run,
};
