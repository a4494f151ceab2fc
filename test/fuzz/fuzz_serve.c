/*
 * A method, a target and an Accept header, one per line, then a MachineConfig:
 * routed and served in every version, twice with the same bytes.
 */
#include "fuzz.h"

#include "data/yml.h"
#include "plan/serve.h"

static void serve(struct arena *a, const struct serve_in *in, struct semver v)
{
	struct err err = ERR_INIT(a);
	struct str one = S(""), two = S("");
	struct json *j;
	int rc = serve_config(a, in, v, &one, &err);

	MUST(rc == serve_config(a, in, v, &two, &err));
	MUST(str_eq(one, two));
	if (rc == 0)
		MUST(json_parse(a, one, NULL, &j, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str rest = { (const char *)data, size };
	struct serve_request req = { S(""), S(""), S("") };
	struct serve_answer got;
	struct err err = ERR_INIT(&a);
	struct json *mc = NULL;

	(void)(str_line(&rest, &req.method) && str_line(&rest, &req.target) &&
	       str_line(&rest, &req.accept));
	serve_route(&a, &req, &got);
	MUST(got.status || (got.version.major >= 2 && got.version.major <= 3));
	MUST(str_chr(got.location, '\r') < 0 || str_chr(req.target, '\r') >= 0);
	if (rest.n > 65536 || yml_parse(&a, rest, NULL, &mc, &err) < 0)
		return 0;
	for (int minor = 0; minor <= 6; minor++) {
		struct serve_in in = {
			.config_name = got.pool,
			.mc = mc,
			.controller_config = mc,
			.kubeconfig = rest,
			.image = minor & 1 ? got.pool : S(""),
			.cluster = minor & 1,
		};

		serve(&a, &in,
		      (struct semver){ .major = minor == 6 ? 2 : 3,
				       .minor = minor == 6 ? 2 : minor });
	}
	return 0;
}
