/*
 * sandbox/schema: values against OpenAPI schemas.
 */
#ifndef SANDBOX_SCHEMA_H
#define SANDBOX_SCHEMA_H

#include "sandbox/sandbox.h"

/* What is wrong with v, in the words of the API server's validator. */
void schema_check(struct arena *a, const struct json *schema, const struct json *v,
		  struct sb_causes *causes);

/* A member that is true. */
bool schema_flag(const struct json *schema, const char *name);

#endif
