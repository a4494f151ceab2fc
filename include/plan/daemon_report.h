/*
 * daemon_report: what the daemon reports about an update in the MachineConfigNode, and how it
 * words a first config that is not the cluster's. All texts are upstream's.
 */
#ifndef PLAN_DAEMON_REPORT_H
#define PLAN_DAEMON_REPORT_H

#include "plan/update.h"

/* A condition, and one below it. A status is 'T'rue, 'F'alse or 'U'nknown. */
struct daemon_report {
	const char *type, *reason; /* reason NULL: the type */
	char status;
	struct str text;
	const char *child; /* or NULL */
	char child_status;
	struct str child_text;
	bool spec; /* the spec, too */
	struct str sets; /* JSON of pinnedImageSets; "": as they were */
};

/*
 * The reports that files and OS are being written, or are (done): one, or with image_mode one
 * for each part that changes. Returns how many.
 */
size_t plan_report_written(struct arena *a, const struct update_changes *c, bool image_mode,
			   bool done, struct daemon_report out[2]);

/* The report that files, or else the OS, could not be written. */
struct daemon_report plan_report_failed(struct arena *a, bool files, struct str why);

/* "Node x upgrade failure. why", or the success when why is "". */
struct daemon_report plan_report_outcome(struct arena *a, struct str node, struct str why);

/*
 * Why the node fails whose first config the cluster did not generate; generated is the
 * cluster's, "" when it is not known; diff_file has the difference.
 */
struct str plan_mismatch(struct arena *a, struct str current, struct str generated,
			 const char *diff_file);

/* The difference in a few lines, without contents, which may be secret. */
struct str plan_mismatch_changes(struct arena *a, struct str current, struct str generated,
				 const struct update_changes *c);

#endif
