/*
 * daemon_work: the parts of a child's work.
 */
#ifndef ROLE_DAEMON_WORK_H
#define ROLE_DAEMON_WORK_H

#include "daemon_job.h"

int job_recover(struct node *n, struct arena *a, const struct job_in *in, struct err *err);
int job_prepare(struct node *n, struct arena *a, const struct job_in *in, struct err *err);
int job_boot(struct node *n, struct arena *a, const struct job_in *in, struct err *err);

/* Compares the disk with the update's first config; finalize is a possible root cause, or "". */
int job_verify(struct node *n, struct arena *a, const struct job_in *in, struct str finalize,
	       struct err *err);

/* Tells the parent why the last OS update was not finalized, where that is known. */
void job_look_back(struct node *n, struct arena *a, struct str *out);

#endif
