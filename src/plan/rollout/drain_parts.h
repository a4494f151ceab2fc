/*
 * drain_parts: shared by the files of a drain. drain.c has the phases, drain_steps.c what happens in
 * them, drain_cordon.c the cordon, drain_report.c the MachineConfigNode, drain_pods.c
 * the evictions.
 */
#ifndef PLAN_ROLLOUT_DRAIN_PARTS_H
#define PLAN_ROLLOUT_DRAIN_PARTS_H

#include "plan/drain.h"

#define DRAIN_TAG_MCN 1u
#define DRAIN_TAG_CORDON 2u
#define DRAIN_TAG_POD 3u /* plus the index of the pod */
#define DRAIN_TAGS (1u << 20) /* number of tags per attempt */

unsigned drain_tag(const struct drain *d, unsigned what);

enum drain_outcome { DRAIN_GOING_ON, DRAIN_DONE, DRAIN_FAILED };

int64_t drain_ms(struct instant t);

/* A step of the update, as the MachineConfigNode shows it. */
struct drain_step {
	const char *phase, *step; /* "UpdateExecuted", "Drained" */
	struct str parent_status, child_status;
	const char *parent_text;
	struct str child_text;
};

/* Reads the MachineConfigNode for the next report. True when the caller has to wait for it. */
bool drain_ask_mcn(struct arena *a, const struct drain_view *in, struct drain *d,
		   struct actions *out);
void drain_mcn_answered(struct drain *d, const struct drain_answer *answer);
/* Reports a step; the MachineConfigNode must have been read. */
void drain_report(struct arena *a, const struct drain_view *in, struct drain *d,
		  const struct drain_step *s, struct actions *out);

/* DONE when the node is (un)schedulable as required, FAILED after five attempts. */
enum drain_outcome drain_set_cordon(struct arena *a, const struct drain_view *in, struct drain *d,
				    bool want, struct actions *out);
/* Why FAILED. */
struct str drain_cordon_error(struct arena *a, const struct drain_view *in, const struct drain *d,
			      bool want);

/* Resets the attempt, but not the duration of the drain. */
void drain_rest(struct drain *d);
/* The request is fulfilled: writes the node's annotation. */
void drain_fulfil(struct arena *a, const struct drain_view *in, struct drain *d, struct str verb,
		  struct actions *out);

/* At the start of an attempt: raises the alarm if the drain takes more than an hour. */
void drain_alarm_if_late(struct arena *a, const struct drain_view *in, struct drain *d,
			 struct actions *out);
/* The ends of the phases of an attempt. */
void drain_is_cordoned(struct arena *a, const struct drain_view *in, struct drain *d,
		       struct actions *out);
void drain_cordon_failed(struct arena *a, const struct drain_view *in, struct drain *d,
			 struct actions *out);
void drain_start(struct arena *a, const struct drain_view *in, struct drain *d,
		 struct actions *out);
void drain_failed(struct arena *a, const struct drain_view *in, struct drain *d,
		  struct actions *out);
void drain_succeeded(struct arena *a, const struct drain_view *in, struct drain *d,
		     struct actions *out);

/* "true" or "false". */
const char *drain_boolean(bool b);

/* Copies the pods of the view into d. */
void drain_take_pods(struct drain *d, const struct drain_view *in);
/* Queries the DaemonSets; GOING_ON until all are answered. */
enum drain_outcome drain_sort_pods(struct arena *a, struct drain *d, struct actions *out,
				   struct str *error);
enum drain_outcome drain_evict_pods(struct arena *a, struct drain *d, const struct drain_view *in,
				    struct actions *out, struct str *error);
void drain_pod_reply(struct drain *d, struct drain_pod *p, struct instant now,
		     const struct drain_answer *answer);

#endif
