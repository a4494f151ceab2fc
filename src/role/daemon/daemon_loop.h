/*
 * daemon_loop: a node's daemon: its Node object followed, the plan's steps taken.
 */
#ifndef ROLE_DAEMON_LOOP_H
#define ROLE_DAEMON_LOOP_H

#include "daemon_job.h"
#include "data/url.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "kube/cache.h"
#include "kube/event.h"
#include "mc/gates.h"
#include "node/drift.h"
#include "plan/daemon.h"
#include "role/daemon.h"

struct reporting; /* a report for the MachineConfigNode */
struct pinning; /* images that are being pinned */
struct mcp_of_node;

/* Which file it was, and when it was written. */
struct disk_stamp {
	ino_t file;
	struct timespec at;
};

struct daemon {
	/* ---- set by whoever starts it ---- */
	struct arena *a; /* lives as long as it does */
	struct loop *loop;
	struct kube *kube, *writer; /* writer: the kubelet's own credentials */
	struct str name; /* the node's */
	struct str release; /* the feature gates' */
	struct str hosted; /* folder of a hosted node's configs, or "" */
	struct str healthz; /* the kubelet's; "": it is not asked */
	struct node *node; /* for looking at; changes are made by jobs */
	int64_t retry_ms; /* MCO_RETRY_MS, or 0 */
	/* ---- its own ---- */
	struct daemon_view v; /* what this process knows; the rest is read */
	struct daemon_next next; /* being carried out */
	struct arena turn; /* lives until the next step */
	struct arena held; /* of the update under way, or of the start */
	struct arena names; /* of the disk's config */
	struct arena facts; /* finalize */
	struct arena lines; /* of logs */
	struct mc_current from, to;
	struct update_plan plan;
	struct kube_cache *nodes, *configs, *pools, *gates, *versions;
	struct kube_cache *image_sets;
	struct pinning *pins;
	struct kube_call call;
	struct kube_events events;
	struct reporting *reports; /* the first is being sent */
	struct kube_call mcn_call;
	bool reporting;
	struct arena mcn_arena; /* of the report being sent */
	struct arena mcn_kept;
	struct str mcn_last; /* the last report, not to be repeated */
	struct strs logs; /* for the node's journal, by the next job */
	struct arena fault_arena;
	struct str fault; /* a failure, until the Node tells of it */
	bool untold; /* it does not yet: nothing else is done before */
	bool unreconcilable;
	bool calling, logged_wait;
	bool checked; /* the update can be reconciled */
	bool guarded; /* SIGTERM waits for the update */
	bool ostree; /* of a master: set up */
	struct mc_gates gate_names; /* as they were at the start */
	bool gates_known, no_gates, image_mode, irreconcilable;
	int64_t gates_due;
	bool deferred; /* the kubelet's restart, until a peer is distrusted */
	struct str distrust; /* why it is */
	struct job job;
	struct source timer, drift_source;
	struct drift drift;
	bool watching, drifted;
	struct disk_stamp disk_seen;
	struct arena watched_arena;
	struct str watched; /* the config, where the disk has none */
	int64_t not_before, waiting_since;
	unsigned failures, policy_tries;
	struct str booted, finalize;
	struct str first; /* currentConfig as the start found it */
	struct str bundle; /* for JOB_CERTIFICATES */
	bool finalize_known;
	/* for metrics */
	struct str os, os_version;
	int64_t packages;
	int64_t state_at, drift_at, update_at;
	uint64_t reboots_failed, pivot_errors;
	unsigned kubelet_failures;
	bool not_uncordoned;
	bool resumes; /* the MachineConfigNode was told that the update is over */
	/* the kubelet's health */
	struct http_client *http;
	struct http_call health;
	struct source health_timer;
	bool asking_health;
	struct source waits_timer, force_source;
	unsigned waits_logged; /* by daemon_waits */
	int64_t job_at; /* when the last job began */
};

void daemon_begin(struct daemon *d);
void daemon_end(struct daemon *d);
/* Of either client: a request got no answer. */
void daemon_unanswered(void *ctx, struct str why, bool untrusted);
/* False while an update must not be cut. */
bool daemon_may_stop(struct daemon *d);
void daemon_metrics(struct daemon *d, struct buf *b);
/* "MachineConfig: x / Image: y", of what is on the disk. */
struct str daemon_disk_text(const struct daemon *d, struct arena *a);

/* ---- for its parts: each ends in one of these, or in a call or job under way --- */

void daemon_loop_init(struct daemon *d);

/* The next step after ms; the same step again after a while, saying why. */
void daemon_wake(struct daemon *d, int64_t ms);
void daemon_later(struct daemon *d, struct str why);
/* Reads the Node into the view again. */
void daemon_look(struct daemon *d);
/* Fetches path; got must set calling to false. */
void daemon_get(struct daemon *d, struct str path,
		void (*got)(struct kube_call *c, const struct kube_answer *ans));
/* Forgets the update, whatever came of it. */
void daemon_forget(struct daemon *d);

/* daemon_gates: nothing is done before they are known, which is waited for a
 * minute; with others another process begins. */
void daemon_gates_begin(struct daemon *d);
void daemon_no_gates(void *daemon); /* the server does not know the kind */
bool daemon_gates(struct daemon *d);

/* daemon_configs: fetches both configs; fetches the policies and plans. */
void daemon_load(struct daemon *d);
/* Looks whether they are still there; without them an update is undone. */
void daemon_confirm(struct daemon *d);
void daemon_plan(struct daemon *d);

/* daemon_mismatch: fails, as the first config is not the cluster's; look: and
 * writes down how it differs from that. */
void daemon_mismatch(struct daemon *d, bool look);

/* daemon_notes: annotates what next says; Degraded or Unreconcilable, with a
 * reason; the first annotations. */
void daemon_annotate(struct daemon *d);
void daemon_fail(struct daemon *d, struct str text, bool unreconcilable);
void daemon_tell_fault(struct daemon *d); /* once more: see untold */
void daemon_initial(struct daemon *d);
/* A reboot has been asked for. */
void daemon_rebooting(struct daemon *d);

/* daemon_reports: files and OS are being written, or are (done); an image is pulled, or a
 * part was not applied. */
void daemon_report_files(struct daemon *d, bool done);
void daemon_report_image(struct daemon *d, const struct node_event *e);

/* daemon_jobs: what blocks; the disk's config read, and watched for drift. */
void daemon_job(struct daemon *d, enum job_kind kind, struct str text);
void daemon_job_init(struct daemon *d);
void daemon_read_disk(struct daemon *d);
/* The same, when it is another file by now. */
void daemon_disk_changed(struct daemon *d);
void daemon_watch(struct daemon *d);
void daemon_unwatch(struct daemon *d);
bool daemon_check_drift(struct daemon *d);
bool daemon_is_master(const struct daemon *d);

/* daemon_certs: what the ControllerConfig asks for; true when that takes a step. */
bool daemon_certificates(struct daemon *d);
bool daemon_secret_differs(struct daemon *d);
const struct json *daemon_controller(const struct daemon *d);

/* daemon_tell: events, metrics; which OS a job found. */
void daemon_found_os(struct daemon *d, struct str id, struct str version, bool supported);
void daemon_tell(struct daemon *d, struct str reason, struct str text);
/* The Node as it is known, or NULL; and one of its annotations, or "". */
const struct json *daemon_node(const struct daemon *d);
struct str daemon_note(const struct daemon *d, const char *key);
/* Reports that the node resumes work in that config. */
void daemon_resumes(struct daemon *d, struct str config);
/* To the node's journal, in the order it was said. */
void daemon_log(struct daemon *d, struct str text);

/*
 * daemon_mcn: reports in the MachineConfigNode, sent one after the other.
 * status is of the type: 'T'rue, 'F'alse or 'U'nknown; reason NULL is the type.
 */
struct daemon_report {
	const char *type, *reason;
	char status;
	struct str text;
	const char *child; /* or NULL */
	char child_status;
	struct str child_text;
	bool spec; /* the spec, too */
	struct str sets; /* JSON of pinnedImageSets; "": as they were */
};
void daemon_report(struct daemon *d, const struct daemon_report *r);
/* How the target differs from what the node was installed with. */
void daemon_report_changes(struct daemon *d);
void daemon_report_no_more(struct daemon *d);
/* The pools of this node; ERR_INVALID when there are two of its own. */
int daemon_pools(struct daemon *d, struct arena *a, struct mcp_of_node *out, struct err *err);
/* The first one's name; whether any has pinned images. */
int daemon_pool(struct daemon *d, struct arena *a, struct str *name, bool *pinned, struct err *err);

/* daemon_hosted: the next step of a node of a hosted cluster; what a job found
 * out; a step that is over. */
void daemon_hosted(struct daemon *d);
void daemon_hosted_found(struct daemon *d, enum hosted_state state, struct str hash);
void daemon_hosted_over(struct daemon *d, int rc, struct str text);

/* daemon_pin: pulls and pins images; something has changed that they may depend
 * on. */
void daemon_pin_begin(struct daemon *d);
void daemon_pin_end(struct daemon *d);
void daemon_pin(struct daemon *d);

/* daemon_waits: logs what the first step waits for, once that takes long. */
void daemon_waits_begin(struct daemon *d);

/* daemon_force: the force file is noticed when it is made. */
void daemon_force_begin(struct daemon *d);
void daemon_force_end(struct daemon *d);

/* daemon_enter: where the node's kubelet finds the API. */
int daemon_kubelet_server(struct arena *a, const struct tree *t, struct url *out, struct err *err);

/* daemon_health: asks the kubelet how it is, every 30 s. */
void daemon_health_begin(struct daemon *d);
void daemon_health_end(struct daemon *d);

#endif
