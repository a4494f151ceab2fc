/*
 * The step MachineConfiguration: the object exists and its status has the disruption policies in
 * force, the boot images and the last generation.
 *
 * Nodes do not update before the status has observed the last change of the spec. The controller
 * writes the policies while no operator leads (plan/rollout/settings.c); both use settings_next.
 */
#include "mc/api.h"
#include "mc/condition.h"
#include "op_configuration.h"
#include "plan/settings.h"

#define PATH PATH_OPERATOR "machineconfigurations/" NAME_CLUSTER
/* An opt-in that was stamped this recently is the one whose status is still to be written. */
#define OPT_IN_S 60

static void create(struct arena *a, struct actions *out)
{
	static const char body[] =
		"{\"apiVersion\":\"" API_OPERATOR
		"\",\"kind\":\"MachineConfiguration\",\"metadata\":{\"name\":\"" NAME_CLUSTER
		"\"},\"spec\":{\"managementState\":\"Managed\"}}";

	(void)action_add(a, out, ACTION_APPLY, S(PATH "?" FIELD_MANAGER "&force=false"),
			 str_of(body), S("it is missing"));
}

/* Adds the time of the opt-in; false when it is there. */
static bool stamp_opt_in(struct arena *a, const struct operator_view *in, const struct json *live,
			 struct actions *out)
{
	const struct json *note =
		json_member(json_at(live, "metadata.annotations"), S(ANNO_BOOT_OPT_IN));
	struct json *j = json_new(a, JSON_OBJECT);
	struct instant at;

	if (rfc3339_parse(json_text(note), &at) && in->now.sec - at.sec < OPT_IN_S)
		return false;
	json_add_str(a, json_make(a, j, "metadata.annotations"), ANNO_BOOT_OPT_IN,
		     condition_time(a, in->now));
	(void)action_add(a, out, ACTION_MERGE, S(PATH), json_format(a, j, 0),
			 S("boot images are updated from now on"));
	return true;
}

static void write_status(struct arena *a, const struct operator_view *in, const struct json *live,
			 struct actions *out)
{
	struct json *next = settings_next(a, live);
	struct json *status = json_member(next, S("status"));
	bool opts_in = op_boot_images(a, in, live, status);

	/* The annotation changes the resourceVersion, so the status follows in the next pass. */
	if (opts_in && stamp_opt_in(a, in, live, out))
		return;
	if (!json_eq(json_at(live, "status"), status))
		(void)action_add(a, out, ACTION_REPLACE, S(PATH "/status"), json_format(a, next, 0),
				 S("the status differs"));
}

int operator_machine_configuration(struct arena *a, const struct operator_view *in,
				   struct operator_memory *m, struct operator_result *out,
				   struct err *err)
{
	const struct json *live = in->get(in, OPERATOR_CONFIGURATIONS, S(NAME_CLUSTER));
	struct conditions list = conditions_of(a, json_at(live, "status.conditions"));
	const struct condition *c = conditions_find(&list, S("BootImageUpdateDegraded"));

	(void)m;
	if (!in->served(in, OPERATOR_CONFIGURATIONS))
		return 0;
	if (live)
		write_status(a, in, live, &out->actions);
	else
		create(a, &out->actions);
	op_boot_stamp(a, in, &out->actions);
	if (out->actions.n || !c || !str_eq(c->status, CONDITION_TRUE))
		return 0;
	return err_set(err, ERR_AGAIN, "bootimage update failed: %.*s", STRF(c->message));
}
