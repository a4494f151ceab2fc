/*
 * kernel: the running kernel and the kernel arguments of the tuning file.
 */
#ifndef NODE_KERNEL_H
#define NODE_KERNEL_H

#include "node/node.h"

/* A file of lines "ADD <argument>" and "DELETE <argument>". */
#define KERNEL_TUNING "/etc/pivot/kernel-args"

/* Whether a file of the kernel, in /proc or /sys, reads 1. */
bool kernel_flag(struct node *n, struct arena *a, const char *file);
bool kernel_fips(struct node *n, struct arena *a);
/* ERR_INVALID when the config has another FIPS mode than the kernel. */
int kernel_check_fips(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err);

/* The arguments that the kernel was started with; "" when they cannot be read. */
struct str kernel_cmdline(struct node *n, struct arena *a);

/* Stages the arguments that text, the contents of KERNEL_TUNING, asks for. */
int kernel_tune(struct node *n, struct arena *a, struct str text, struct err *err);
/* Reverts kernel_tune: each argument that text names is present as it is in before, an earlier
 * kernel_cmdline. */
int kernel_tune_back(struct node *n, struct arena *a, struct str text, struct str before,
		     struct err *err);

#endif
