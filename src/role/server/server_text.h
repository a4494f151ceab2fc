/*
 * server_text: objects of the API kept as JSON text: a tenth of the memory of a tree. They are
 * parsed only when an answer is made.
 */
#ifndef ROLE_SERVER_SERVER_TEXT_H
#define ROLE_SERVER_SERVER_TEXT_H

#include "data/json.h"

struct text {
	size_t n;
	char p[];
};

/* For kube_cache_opts: the value is a struct text, freed with free. */
void *text_make(const struct json *tree, void *ctx);

int text_parse(struct arena *a, const struct text *t, struct json **out, struct err *err);

#endif
