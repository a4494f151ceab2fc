/*
 * op_status: what ClusterOperator "machine-config" and its Events say about a pass.
 *
 * The new status is a function of the live object, the pools and the outcome of the pass, so a pass
 * that changes nothing writes nothing. A write is a PUT of /status with the live resourceVersion;
 * after a conflict the caller passes again. Events that belong to a write come after it in a later
 * step, so a refused write sends none. Where the kind is not served these functions do nothing.
 *
 * What the caller calls and when, and which write upstream makes there:
 *
 * - At the start of each pass: operator_status_begin. It creates the object, then gives it its
 *   first status: Available, Progressing and Degraded False, Upgradeable Unknown, the versions of
 *   this release, the short list of relatedObjects. An object whose status has something is left
 *   as it is. It also announces a version change or a bring-up, once, without a write.
 * - At the end of each pass: operator_status, before the actions of the pass run.
 *     OPERATOR_PASS_GOES_ON  Writes only to clear Degraded when its reason is that of a step before
 *         `at`: those have succeeded. Progressing is then written too. Any other pass in
 *         mid-sync writes nothing, so an upgrade shows Progressing=True only when RequiredPools
 *         waits.
 *     OPERATOR_PASS_WAITS    RequiredPools waits, for each turn: Progressing, Upgradeable, the
 *         pools' texts and lastSyncError (text). Degraded stays as it is, except that it is
 *         cleared as above, or is MachineConfigurationFailed while that step fails (held).
 *     OPERATOR_PASS_FAILED   End of a sync with an error: Degraded=True <Step>Failed, Progressing
 *         keeps its status and says so; and all else as at the end of a successful sync.
 *     OPERATOR_PASS_DONE     End of a successful sync: everything. It writes the new versions while
 *         Progressing is still True and Available still has the old ones; the next pass then sets
 *         both. Likewise bring_up: set it to false only after a pass that was done and whose
 *         actions succeeded, and pass again.
 *   An error of a step keeps the versions while Progressing is True.
 */
#ifndef PLAN_OP_STATUS_H
#define PLAN_OP_STATUS_H

#include "mc/condition.h"
#include "plan/operator.h"

enum operator_pass {
	OPERATOR_PASS_GOES_ON, /* a step has actions, or waits for a rollout */
	OPERATOR_PASS_WAITS, /* RequiredPools waits: text is the wait's why */
	OPERATOR_PASS_FAILED, /* text is the error, or that of a wait past its limit */
	OPERATOR_PASS_DONE, /* no step has actions, waits or failed */
};

struct operator_outcome {
	enum operator_pass pass;
	enum operator_step at; /* the step with the actions, the wait or the error */
	struct str text;
	/* The error of MachineConfiguration, which does not end the wait of RequiredPools; or "". */
	struct str held;
};

/* Adds what is due before the first step. When that includes a request, run it and pass again. */
void operator_status_begin(struct arena *a, const struct operator_view *in,
			   struct operator_memory *m, struct actions *out);

/* Adds the write that the outcome makes due, and its Events. */
void operator_status(struct arena *a, const struct operator_view *in,
		     const struct operator_outcome *o, struct actions *out);

/*
 * Of a standalone cluster, whether it has ClusterOperators or not: conditions MachineConfigAvailable,
 * MachineConfigProgressing and MachineConfigDegraded in the status of the operator's own Deployment.
 * Adds a patch of those that change; the conditions of others stay. Without the Deployment it does
 * nothing.
 */
void operator_health(struct arena *a, const struct operator_view *in,
		     const struct operator_outcome *o, struct actions *out);

/* ---- parts, for tests ---------------------------------------------------- */

/* The status after the outcome over the live one (NULL: none yet). */
struct json *operator_status_next(struct arena *a, const struct operator_view *in,
				  const struct json *live, const struct operator_outcome *o);

/* The Upgradeable condition: reason "AsExpected", "DegradedPool", "InterruptedBuild" or
 * "ClusterBootImageSkewError". */
struct condition operator_upgradeable(struct arena *a, const struct operator_view *in);

/* The findings of EvaluationConditionsDetected, joined by "::"; or "". */
struct str operator_evaluations(struct arena *a, const struct operator_view *in);

/* A pool in one sentence, as status.extension and the texts of RequiredPools have it. */
struct str operator_pool_text(struct arena *a, const struct json *pool);

/* ---- shared by the files of the status ----------------------------------- */

#define OP_PROGRESSING S("Progressing")
#define OP_DEGRADED S("Degraded")
#define OP_AS_EXPECTED S("AsExpected")

/* This release's versions. */
struct json *op_versions(struct arena *a, const struct operator_view *in);
/* The list has exactly these, in any order. */
bool op_versions_ours(const struct operator_view *in, const struct json *list);
/* As Go prints the list. */
struct str op_versions_text(struct arena *a, const struct json *list);

/* Degraded (NULL: none) is True by the failure of a step before at. */
bool op_outlived(const struct condition *degraded, enum operator_step at);

/* The status of a new object. */
struct json *op_status_first(struct arena *a, const struct operator_view *in);

#endif
