/*
 * The state of a machine's own API server, from its health checks.
 */
#include "plan/api_health.h"

#define FAILURES 8

bool api_health_note(struct api_health *h, bool ok)
{
	enum api_health_state before = h->state;

	h->failed = ok ? 0 : h->failed + 1;
	if (ok)
		h->state = API_HEALTH_UP;
	else if (h->failed >= FAILURES)
		h->state = API_HEALTH_DOWN;
	return h->state != before;
}
