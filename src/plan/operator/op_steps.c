/*
 * The table of the steps: each with the arguments that it takes.
 */
#include "op_sync.h"

#define STEP(name, ...)                                                             \
	static int run_##name(struct arena *a, const struct operator_view *in,      \
			      struct operator_memory *m, struct operator_render *r, \
			      struct operator_result *out, struct err *err)         \
	{                                                                           \
		(void)m;                                                            \
		(void)r;                                                            \
		return operator_##name(a, in, __VA_ARGS__, err);                    \
	}

STEP(os_image_stream, m, out)
STEP(render_config, m, r, out)
STEP(machine_configuration, m, out)
STEP(config_nodes, out)
STEP(pools, m, r, out)
STEP(daemon, m, r, out)
STEP(controller, m, r, out)
STEP(server, m, r, out)
STEP(os_builder, m, r, out)
STEP(required_pools, r, out)

static operator_step_run *const steps[OPERATOR_STEPS] = {
	[OPERATOR_OS_IMAGE_STREAM] = run_os_image_stream,
	[OPERATOR_RENDER_CONFIG] = run_render_config,
	[OPERATOR_MACHINE_CONFIGURATION] = run_machine_configuration,
	[OPERATOR_MACHINE_CONFIG_NODE] = run_config_nodes,
	[OPERATOR_MACHINE_CONFIG_POOLS] = run_pools,
	[OPERATOR_DAEMON] = run_daemon,
	[OPERATOR_CONTROLLER] = run_controller,
	[OPERATOR_SERVER] = run_server,
	[OPERATOR_OS_BUILDER] = run_os_builder,
	[OPERATOR_REQUIRED_POOLS] = run_required_pools,
};

int operator_pass(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		  struct operator_result *out, struct err *err)
{
	return operator_pass_over(steps, a, in, m, out, err);
}
