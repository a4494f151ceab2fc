/*
 * install: what the [Install] section of a unit says where it is to be linked.
 */
#ifndef PLAN_INSTALL_H
#define PLAN_INSTALL_H

#include "base/buf.h"
#include "base/vec.h"

struct install {
	struct strs wanted, required, upheld, alias, also;
	struct str instance; /* DefaultInstance */
};

/* Adds what text, a unit file or a dropin of unit, says to out. */
void install_parse(struct arena *a, struct str text, struct str unit, struct install *out);

/* "a@.service" of "a@b.service" and its instance; "" of a plain one. */
struct str install_template(struct arena *a, struct str unit, struct str *instance);

/* Whether a folder of this name has links that enable units: "x.target.wants". */
bool install_is_folder(struct str name);

#endif
