/*
 * schema: validates values by OpenAPI schemas.
 */
#ifndef SANDBOX_SCHEMA_H
#define SANDBOX_SCHEMA_H

#include "sandbox/sandbox.h"

/* Adds the faults of v, with the texts of the API server's validator. */
void schema_check(struct arena *a, const struct json *schema, const struct json *v,
		  struct sb_causes *causes);

/* Whether a member is true. */
bool schema_flag(const struct json *schema, const char *name);

#endif
