/*
 * condition: the list of conditions in an object's status.
 */
#ifndef MC_CONDITION_H
#define MC_CONDITION_H

#include "base/rfc3339.h"
#include "base/vec.h"
#include "data/json.h"

struct condition {
	struct str type, status, reason, message;
	struct str time; /* lastTransitionTime as text */
};

struct conditions {
	struct condition *v;
	size_t n, cap;
};

/* From a JSON list (NULL: none); texts are views of it. */
struct conditions conditions_of(struct arena *a, const struct json *list);

/* The first of that type, or NULL. */
const struct condition *conditions_find(const struct conditions *list, struct str type);
bool conditions_true(const struct conditions *list, const char *type);

/* Which changes are written: for a ControllerConfig not a change of the message alone. */
enum condition_rule { CONDITION_ALL, CONDITION_NOT_MESSAGE };

/*
 * Sets a condition as upstream does: without a relevant difference the list stays as it is; else
 * the old entry is removed and the new one appended, with the old time if the status is the same.
 * True when the list changed.
 */
bool conditions_set(struct arena *a, struct conditions *list, enum condition_rule rule,
		    struct condition c, struct instant now);

/* brief: omit empty reasons and messages, as the types of ControllerConfigs, KubeletConfigs and
 * ContainerRuntimeConfigs do. */
struct json *conditions_json(struct arena *a, const struct conditions *list, bool brief);

/* now as metav1.Time writes it. */
struct str condition_time(struct arena *a, struct instant now);

#define CONDITION_TRUE S("True")
#define CONDITION_FALSE S("False")
#define CONDITION_UNKNOWN S("Unknown")

#endif
