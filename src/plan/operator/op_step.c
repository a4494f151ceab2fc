/*
 * The names of the steps, as the reasons of the ClusterOperator have them.
 */
#include "plan/operator.h"

const char *operator_step_name(enum operator_step step)
{
	static const char *const names[OPERATOR_STEPS] = {
		[OPERATOR_OS_IMAGE_STREAM] = "OSImageStream",
		[OPERATOR_RENDER_CONFIG] = "RenderConfig",
		[OPERATOR_MACHINE_CONFIGURATION] = "MachineConfiguration",
		[OPERATOR_MACHINE_CONFIG_NODE] = "MachineConfigNode",
		[OPERATOR_MACHINE_CONFIG_POOLS] = "MachineConfigPools",
		[OPERATOR_DAEMON] = "MachineConfigDaemon",
		[OPERATOR_CONTROLLER] = "MachineConfigController",
		[OPERATOR_SERVER] = "MachineConfigServer",
		[OPERATOR_OS_BUILDER] = "MachineOSBuilder",
		[OPERATOR_REQUIRED_POOLS] = "RequiredPools",
	};

	return names[step];
}
