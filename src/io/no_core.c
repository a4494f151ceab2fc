/*
 * Two settings: the limit of core files, and the dumpable flag, which also guards /proc/PID.
 */
#include "io/no_core.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void no_core(void)
{
	const struct rlimit none = { 0, 0 };

	/* neither can fail: lowering a limit is always allowed, and the flag is valid */
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
