/*
 * The values of the build, unless the environment overrides them; it is read at each call.
 */
#include "io/version.h"

#include <stdlib.h>

#include "version.h"

static const char *or_env(const char *name, const char *built)
{
	const char *v = getenv(name);

	return v && *v ? v : built;
}

const char *version_raw(void)
{
	return or_env("MCO_RAW", MCO_BUILD_RAW);
}

const char *version_hash(void)
{
	return or_env("MCO_HASH", MCO_BUILD_HASH);
}

struct render_version version_render(void)
{
	return (struct render_version){ .raw = str_of(version_raw()),
					.hash = str_of(version_hash()),
					.adopt = !getenv("MCO_RAW") && !getenv("MCO_HASH") };
}

bool version_given(void)
{
	return MCO_BUILD_GIVEN || *or_env("MCO_RAW", "") || *or_env("MCO_HASH", "");
}

bool version_scos(void)
{
	return *or_env("MCO_SCOS", "");
}
