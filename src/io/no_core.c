#include "io/no_core.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void no_core(void)
{
	const struct rlimit none = { 0, 0 };

	/* neither can fail: a limit is lowered, and the value is a valid one */
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
