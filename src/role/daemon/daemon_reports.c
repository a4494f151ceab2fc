/*
 * What an update's steps report in the MachineConfigNode, in upstream's words.
 */
#include "daemon_own.h"

/* What is written, as the reports have it: "Updating … will", "Updated … did". */
void daemon_report_files(struct daemon *d, bool done)
{
	const struct update_changes *c = &d->update.plan.changes;
	bool os = c->os_image || c->extensions || c->kernel_type;
	bool files = c->passwd || c->files;
	const char *verb = done ? "Updated" : "Updating";
	struct daemon_report r = { .type = "UpdateExecuted",
				   .status = done ? 'T' : 'U',
				   .child_status = done ? 'T' : 'U' };

	if (!d->gates.image_mode) {
		r.reason = r.child = "AppliedFilesAndOS";
		r.text = str_fmt(&d->turn,
				 "%s the Files and OS on disk as a part of the "
				 "in progress phase",
				 verb);
		r.child_text = str_fmt(&d->turn,
				       "%s files and new OS config to node. OS %s %s need an "
				       "update. SSH Keys %s %s need an update",
				       done ? "Applied" : "Applying", done ? "did" : "will",
				       os ? "" : "not", done ? "did" : "will", files ? "" : "not");
		daemon_report(d, &r);
		return;
	}
	if (files) {
		r.reason = r.child = "AppliedFiles";
		r.text = str_fmt(&d->turn,
				 "%s the Files on disk as a part of the in "
				 "progress phase",
				 verb);
		r.child_text = done ? S("Applied files. SSH Keys did need an "
					"update")
				    : S("Applying files to node.");
		daemon_report(d, &r);
	}
	if (os) {
		r.reason = r.child = "AppliedOSImage";
		r.text = str_fmt(&d->turn,
				 "%s the OS on disk as a part of the in "
				 "progress phase",
				 verb);
		r.child_text = done ? S("Applied new OS config to node.")
				    : S("Applying new OS config to node.");
		daemon_report(d, &r);
	}
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

static void report_failed_part(struct daemon *d, const struct node_event *e)
{
	bool files = e->part == NODE_PART_FILES;
	const char *part = files ? "AppliedFiles" : "AppliedOSImage";
	struct daemon_report r = { .type = "UpdateExecuted",
				   .status = 'U',
				   .reason = part,
				   .child = part,
				   .child_status = 'U' };

	r.text = files ? S("Error updating the Files on disk as a part of the in progress phase")
		       : S("Error the OS on disk as a part of the in progress phase");
	r.child_text = str_fmt(&d->turn, "Update failed %.*s", STRF(e->text));
	daemon_report(d, &r);
}

void daemon_report_image(struct daemon *d, const struct node_event *e)
{
	if (!d->gates.image_mode)
		return;
	if (e->kind == NODE_EVENT_PULL)
		report_pull(d, e);
	else
		report_failed_part(d, e);
}
