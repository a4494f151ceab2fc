/*
 * Private to data/tmpl: the state of a running template.
 */
#ifndef DATA_TMPL_STATE_H
#define DATA_TMPL_STATE_H

#include "tmpl_node.h"

#define DEPTH_MAX 500
#define STEPS_MAX 1000000
#define MADE_MAX ((size_t)64 << 20)

struct variable {
	struct str name;
	struct tmpl_value v;
};

struct state {
	struct arena *a;
	const struct tmpl *t;
	struct str current; /* name of the current template */
	struct buf *out;
	VEC(struct variable) vars;
	const struct node *at;
	unsigned depth;
	size_t steps;
	size_t made; /* size of the values computed so far */
	void *ctx;
	struct err *err;
};

enum flow { FAILED = -1, GO_ON, BREAK, CONTINUE };

/* Both set the error, which names the node s->at, and return FAILED. */
int tmpl_stop(struct state *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int tmpl_limit(struct state *s, const char *what);

/* Counts a step, in which v was made, or NULL. */
int tmpl_step(struct state *s, const struct tmpl_value *v);

/* The value of a pipe; the second function also sets its variables. */
int tmpl_run_pipe(struct state *s, struct tmpl_value dot, const struct node *pipe,
		  struct tmpl_value *out);
int tmpl_eval_pipe(struct state *s, struct tmpl_value dot, const struct node *pipe,
		   struct tmpl_value *out);

/* Sets the innermost variable of that name. */
int tmpl_assign(struct state *s, struct str name, struct tmpl_value v);

#endif
