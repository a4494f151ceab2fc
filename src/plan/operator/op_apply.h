/*
 * op_apply: brings objects that the operator owns to their desired state.
 *
 * The comparison knows the API server's defaults: an object that the server completed does not
 * differ from the one that was sent, so at rest nothing is written.
 */
#ifndef PLAN_OP_APPLY_H
#define PLAN_OP_APPLY_H

#include "plan/operator.h"

/* The list that an object is in, or OPERATOR_KINDS when the operator watches none. */
enum operator_kind operator_kind_of(const struct json *object);

/*
 * Adds the write that brings the live object to the desired one, and the Event of it, in new steps:
 * POST when there is none, else a PUT of the live object with these changes:
 *
 *   all kinds         labels, annotations and owners are added, those of others stay
 *   roles, bindings   rules and subjects are replaced; another roleRef: DELETE and POST
 *   ConfigMap         data and binaryData are replaced
 *   Secret            data is replaced, of a service account's token added; another type: DELETE
 *                     and POST
 *   policies          spec is replaced
 *   workloads         selector, update strategy and containers are replaced; volumes, tolerations
 *                     and the node selector are added; other members of the pod are set; replicas
 *                     stay
 *   ControllerConfig  as upstream merges its spec: empty strings keep the live value, images are
 *                     added, all else is replaced
 *   others            nothing but the metadata
 *
 * wrap precedes the error message of the server. False, and nothing is added, when nothing differs
 * or the server does not have the kind of a policy.
 */
bool operator_apply_one(struct arena *a, const struct operator_view *in, const struct json *desired,
			const char *wrap, struct actions *out);

/* True when the live value has what desired says and nothing else but defaults. NULL: absent. */
bool operator_same(const struct json *desired, const struct json *live);

#endif
