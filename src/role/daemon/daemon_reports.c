/*
 * daemon_reports: what an update's steps report in the MachineConfigNode.
 */
#include "daemon_own.h"

void daemon_report_files(struct daemon *d, bool done)
{
	struct daemon_report list[2];
	size_t n = plan_report_written(&d->turn, &d->update.plan.changes, d->gates.image_mode, done,
				       list);

	for (size_t i = 0; i < n; i++)
		daemon_report(d, &list[i]);
}

static void report_pull(struct daemon *d, const struct node_event *e)
{
	static const char status[] = {
		[NODE_PULL_STARTED] = 'U', [NODE_PULL_FAILED] = 'F', [NODE_PULL_DONE] = 'T'
	};
	const struct daemon_report r = { .type = "ImagePulledFromRegistry",
					 .status = status[e->pull],
					 .text = e->text };

	daemon_report(d, &r);
}

void daemon_report_image(struct daemon *d, const struct node_event *e)
{
	struct daemon_report failed;

	if (!d->gates.image_mode)
		return;
	if (e->kind == NODE_EVENT_PULL) {
		report_pull(d, e);
		return;
	}
	failed = plan_report_failed(&d->turn, e->part == NODE_PART_FILES, e->text);
	daemon_report(d, &failed);
}
