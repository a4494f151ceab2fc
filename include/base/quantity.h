/*
 * quantity: Kubernetes resource quantities: "500m", "1Gi", "12e6".
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "base/err.h"

struct quantity {
	struct str text; /* as the API machinery writes it back */
	int sign; /* -1, 0, 1 */
	int64_t value; /* whole, rounded away from zero, capped to int64 */
};

/*
 * ERR_INVALID in the API machinery's words; ERR_LIMIT beyond 20 digits. text is
 * a view of s, or in a.
 */
int quantity_parse(struct arena *a, struct str s, struct quantity *out, struct err *err);

#endif
