/*
 * What an update's steps report in the MachineConfigNode, in upstream's words.
 */
#include "daemon_loop.h"

/* What is written, as the reports have it: "Updating … will", "Updated … did". */
void daemon_report_files(struct daemon *d, bool done)
{
	const struct update_changes *c = &d->plan.changes;
	bool os = c->os_image || c->extensions || c->kernel_type;
	bool files = c->passwd || c->files;
	const char *verb = done ? "Updated" : "Updating";
	struct daemon_report r = { .type = "UpdateExecuted",
				   .status = done ? 'T' : 'U',
				   .child_status = done ? 'T' : 'U' };

	if (!d->image_mode) {
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

void daemon_report_image(struct daemon *d, struct str what, struct str text)
{
	struct daemon_report r = { .text = text };

	if (!d->image_mode)
		return;
	if (str_cut(what, ' ', &what, &r.child_text) && str_is(what, "pull")) {
		r.type = "ImagePulledFromRegistry";
		r.status = r.child_text.p[0];
	} else {
		r.type = "UpdateExecuted";
		r.status = r.child_status = 'U';
		r.reason = r.child = str_z(&d->turn, r.child_text);
		r.text = str_ends(r.child_text, S("Files"))
				 ? S("Error updating the Files on disk as a "
				     "part of the in progress phase")
				 : S("Error the OS on disk as a part of the "
				     "in progress phase");
		r.child_text = str_fmt(&d->turn, "Update failed %.*s", STRF(text));
	}
	daemon_report(d, &r);
}
