/*
 * version: what upstream calls version.Raw and version.Hash. Set when building
 * (make RAW= HASH=), and overridden by MCO_RAW and MCO_HASH in the environment,
 * so that one binary can take over a cluster rendered by another build.
 */
#ifndef IO_VERSION_H
#define IO_VERSION_H

#include <stdbool.h>

#include "plan/render_set.h"

/* The release whose behaviour this is. */
#define VERSION_RELEASE "4.22"

const char *version_raw(void);
const char *version_hash(void);

/* The version to render as: this one, or that of the objects unless the environment names one. */
struct render_version version_render(void);

/* Whether they were set explicitly. Otherwise they are git's, and no cluster was
 * rendered by such a version. */
bool version_given(void);

/* Whether to act as OKD's build, on CentOS Stream CoreOS: MCO_SCOS is set. */
bool version_scos(void);

#endif
