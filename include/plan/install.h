/*
 * install: the links that the [Install] section of a unit asks for.
 */
#ifndef PLAN_INSTALL_H
#define PLAN_INSTALL_H

#include "base/buf.h"
#include "base/vec.h"

struct install {
	struct strs wanted, required, upheld, alias, also;
	struct str instance; /* DefaultInstance */
};

/* Adds the [Install] section of text, a unit file or a dropin of unit, to out. */
void install_parse(struct arena *a, struct str text, struct str unit, struct install *out);

/* Splits "a@b.service" into "a@.service" and its instance, "" for a plain unit. */
struct str install_template(struct arena *a, struct str unit, struct str *instance);

/* True when links in a directory of this name enable units: "x.target.wants". */
bool install_is_links_dir(struct str name);

#endif
