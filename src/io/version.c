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

bool version_given(void)
{
	return MCO_BUILD_GIVEN || *or_env("MCO_RAW", "") || *or_env("MCO_HASH", "");
}

bool version_scos(void)
{
	return *or_env("MCO_SCOS", "");
}
