/*
 * daemon_own: the daemon's parts, and what they call of each other.
 *
 * The daemon is a state machine (daemon_states.h) around plan_daemon: when nothing is under
 * way, it reads the Node and the disk into a view, asks for the next step, and starts it.
 * Reports, pinned images, Events and the kubelet's health go on beside it and never block it.
 */
#ifndef ROLE_DAEMON_OWN_H
#define ROLE_DAEMON_OWN_H

#include "daemon_states.h"
#include "data/url.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "kube/cache.h"
#include "kube/event.h"
#include "kube/feature_gates.h"
#include "node/drift.h"
#include "plan/daemon.h"
#include "plan/daemon_report.h"
#include "role/daemon.h"

struct reporting; /* a report for the MachineConfigNode */
struct pinning; /* images that are being pinned */
struct mcp_of_node;

/* Followed by watches. A hosted node has only the first. */
struct daemon_caches {
	struct kube_cache *nodes, *configs, *pools, *gates, *versions, *image_sets;
};

/* The update under way; all zero when there is none. A drift check borrows from and a. */
struct daemon_update {
	struct arena a; /* of the configs, the plan and the view's pass */
	struct mc_current from, to;
	struct update_plan plan;
	unsigned policy_tries;
	bool checked; /* it can be reconciled */
	bool guarded; /* SIGTERM waits for it */
	bool resumes; /* the MachineConfigNode reports that it is over */
};

/* A failure that is not yet reported in the Node. The report comes before anything else: the failed
 * update is rolled back, and the next plan would take it for done. */
struct daemon_trouble {
	struct arena a;
	struct str text;
	bool unreconcilable, unreported;
};

/* The file that has the disk's config, as it was when it was read. */
struct daemon_disk {
	struct arena a; /* of the names in the view */
	ino_t file;
	struct timespec at;
};

/* The disk watched for drift. */
struct daemon_watch {
	struct arena a;
	struct drift drift;
	struct source source;
	struct str config; /* that it is compared with, where the disk has none; or "" */
	bool on, drifted;
};

/* As they were at the start: a change ends the process. */
struct daemon_gates {
	struct kube_gates all;
	bool absent; /* the server does not have the kind */
	bool image_mode, irreconcilable;
};

/* A kubelet whose restart was deferred until the server's certificate is refused. */
struct daemon_kubelet {
	bool deferred;
	struct str distrust; /* why the certificate is refused; or "" */
};

/* What jobs found out, for later jobs and annotations. */
struct daemon_facts {
	struct arena a; /* of finalize */
	struct str booted; /* the OS image */
	struct str finalize; /* why the last OS update was not finalized */
	struct str first; /* currentConfig as the start found it */
	bool finalize_known;
	bool ostree; /* a master's repository is set up */
};

struct daemon_figures {
	struct str os, os_version;
	int64_t packages;
	int64_t state_at, drift_at, update_at;
	uint64_t reboots_failed, pivot_errors;
	bool not_uncordoned;
};

/* Reports for the MachineConfigNode; the first one is being sent. */
struct daemon_mcn {
	struct reporting *first;
	struct kube_call call;
	struct arena a; /* of the report being sent */
	struct arena kept;
	struct str last; /* not to be repeated */
	bool sending;
};

struct daemon_health {
	struct loop *loop;
	struct str url; /* the kubelet's; "": do not ask */
	int64_t retry_ms;
	struct http_client *http;
	struct http_call call;
	struct source timer;
	unsigned failures;
	bool asking;
};

/* Lines for the node's journal; the next job writes them. */
struct daemon_logs {
	struct arena a;
	struct strs lines;
};

struct daemon {
	/* ---- set by daemon_run ---- */
	struct arena *a; /* lives as long as the daemon */
	struct loop *loop;
	struct kube *kube, *writer; /* writer: with the kubelet's credentials */
	struct str name; /* the node's */
	struct str release; /* the feature gates' */
	struct str hosted; /* directory of a hosted node's configs, or "" */
	struct node *node; /* to read; jobs change it */
	int64_t retry_ms; /* MCO_RETRY_MS, or 0 */
	/* ---- the state machine ---- */
	enum daemon_state state;
	struct source timer, overdue;
	int64_t not_before; /* the timer's earliest time */
	int64_t since; /* when the state was entered */
	int64_t waiting_since; /* for the controller; 0: not waiting */
	unsigned failures;
	bool logged_wait; /* the reason of the last rest */
	bool stopped; /* the loop ends */
	struct arena turn; /* lives until the next step */
	struct daemon_view v;
	struct daemon_next next; /* being carried out */
	struct kube_call call;
	struct job job;
	int64_t job_at; /* when it began */
	/* ---- its parts ---- */
	struct daemon_caches caches;
	struct daemon_update update;
	struct daemon_trouble fault;
	struct daemon_disk disk;
	struct daemon_watch watch;
	struct daemon_gates gates;
	struct daemon_kubelet kubelet;
	struct daemon_facts facts;
	struct daemon_figures figures;
	struct daemon_mcn mcn;
	struct daemon_health health;
	struct daemon_logs logs;
	struct pinning *pins;
	struct kube_events events;
	struct {
		struct source timer;
		unsigned logged;
	} waits;
	struct source force;
};

void daemon_begin(struct daemon *d);
void daemon_end(struct daemon *d);
/* kube's failed callback, of both clients. */
void daemon_unanswered(void *ctx, struct str why, bool untrusted);
void daemon_metrics(struct daemon *d, struct buf *b);
/* "MachineConfig: x / Image: y", of what is on the disk. */
struct str daemon_disk_text(const struct daemon *d, struct arena *a);

/* ---- the machine: daemon_loop -------------------------------------------- */

/* What came of a job or of a request; valid within the handler. */
struct daemon_result {
	int rc; /* 0 or -code */
	struct str text; /* why it failed */
	struct str body; /* the object of a GET */
};

void daemon_loop_init(struct daemon *d);
/* An event reaches the daemon; r is NULL for those without a result. */
void daemon_happens(struct daemon *d, enum daemon_event e, const struct daemon_result *r);
void daemon_go(struct daemon *d, enum daemon_state s);
/* Arms the timer: the next step is decided after ms, but not before the back-off ends. */
void daemon_wake(struct daemon *d, int64_t ms);
/* Enters STATE_RETRY, for the next back-off or for ms. */
void daemon_later(struct daemon *d, struct str why);
void daemon_retry(struct daemon *d, int64_t ms);
/* Starts the job of a state. Enters STATE_RETRY when that fails. */
void daemon_job(struct daemon *d, enum daemon_state s, struct str text);
/* Starts the request of a state: a GET of path, or a PATCH of the Node. */
void daemon_get(struct daemon *d, enum daemon_state s, struct str path);
void daemon_patch_node(struct daemon *d, enum daemon_state s, const struct daemon_pair *pairs,
		       size_t n);
/* Reads the Node into the view again: the cache may have replaced it. */
void daemon_look(struct daemon *d);
/* Forgets the update and the pass. */
void daemon_forget(struct daemon *d);

/* ---- steps: each ends in one of the above -------------------------------- */

/* daemon_steps: starts the step in d->next. */
void daemon_carry_out(struct daemon *d);

/* daemon_results: takes the result of a state's job or request, or its failure. */
void daemon_take(struct daemon *d, enum daemon_state s, const struct daemon_result *r);
void daemon_trouble(struct daemon *d, enum daemon_state s, const struct daemon_result *r);

/* daemon_gates: false until they are known; ends the process when they change. */
void daemon_gates_begin(struct daemon *d);
void daemon_no_gates(void *daemon); /* the server does not have the kind */
bool daemon_gates(struct daemon *d);

/* daemon_configs: loads both configs, checks that they are still there. */
void daemon_load(struct daemon *d);
void daemon_got_target(struct daemon *d, struct str body);
void daemon_got_current(struct daemon *d, struct str body);
void daemon_config_missing(struct daemon *d, struct str name);
void daemon_confirm(struct daemon *d);
void daemon_confirmed_current(struct daemon *d);
void daemon_confirmed(struct daemon *d);
/* Rolls the update back: a config it needs was deleted. */
void daemon_config_gone(struct daemon *d, struct str name);

/* daemon_plans: checks and plans the update. object is a MachineConfiguration; "": none. */
void daemon_plan(struct daemon *d);
void daemon_got_overrides(struct daemon *d, struct str object);
void daemon_got_policies(struct daemon *d, struct str object);

/* daemon_mismatch: the first config is not the cluster's. Writes the difference to the disk,
 * where the cluster's is known, and fails. */
void daemon_mismatch(struct daemon *d);
void daemon_got_generated(struct daemon *d, struct str body);
void daemon_no_generated(struct daemon *d);

/* daemon_notes: writes the annotations of d->next; Degraded or Unreconcilable, with a reason;
 * the first annotations. */
void daemon_annotate(struct daemon *d, enum daemon_state s);
void daemon_noted(struct daemon *d);
void daemon_done(struct daemon *d);
void daemon_fail(struct daemon *d, struct str text, bool unreconcilable);
void daemon_report_fault(struct daemon *d);
void daemon_fault_reported(struct daemon *d);
void daemon_initial(struct daemon *d);
/* A job requested a reboot: announce it, unless that is done. */
void daemon_rebooting(struct daemon *d);

/* daemon_reports: files and OS are being written, or are (done); an image is pulled, or a part
 * was not applied. */
void daemon_report_files(struct daemon *d, bool done);
void daemon_report_image(struct daemon *d, const struct node_event *e);

/* daemon_jobs: the loop's side of jobs. */
void daemon_job_init(struct daemon *d);
bool daemon_is_master(const struct daemon *d);

/* daemon_disk: the disk's config, read again when the file is another one; drift. */
void daemon_read_disk(struct daemon *d);
void daemon_disk_changed(struct daemon *d);
void daemon_watch(struct daemon *d);
void daemon_unwatch(struct daemon *d);
void daemon_watch_end(struct daemon *d);
/* Starts the check when something changed; false when nothing did. */
bool daemon_check_drift(struct daemon *d);
void daemon_no_drift(struct daemon *d);
void daemon_drift_found(struct daemon *d, struct str text);

/* daemon_certs: what the ControllerConfig asks for; true when that takes a step. */
bool daemon_certificates(struct daemon *d);
void daemon_got_bundle(struct daemon *d, const struct daemon_result *r);
bool daemon_secret_differs(struct daemon *d);
const struct json *daemon_controller(const struct daemon *d);

/* daemon_hosted: the next step of a hosted cluster's node; what its job found; its end. */
void daemon_hosted(struct daemon *d);
void daemon_hosted_found(struct daemon *d, enum hosted_state state, struct str hash);
void daemon_hosted_over(struct daemon *d);

/* ---- beside the steps ---------------------------------------------------- */

/* daemon_events.c: Events, metrics; which OS a job found. */
void daemon_found_os(struct daemon *d, struct str id, struct str version, bool supported);
void daemon_emit(struct daemon *d, struct str reason, struct str text);
/* The Node in the cache, or NULL; and one of its annotations, or "". */
const struct json *daemon_node(const struct daemon *d);
struct str daemon_note(const struct daemon *d, const char *key);
/* Reports that the node resumes work in that config. */
void daemon_resumes(struct daemon *d, struct str config);
/* Adds a line for the node's journal. */
void daemon_log(struct daemon *d, struct str text);

/* daemon_mcn: reports in the MachineConfigNode, sent one after the other. */
void daemon_report(struct daemon *d, const struct daemon_report *r);
/* How the target differs from what the node was installed with. */
void daemon_report_changes(struct daemon *d);
void daemon_report_end(struct daemon *d);
/* The pools of this node; ERR_INVALID when there are two of its own. */
int daemon_pools(struct daemon *d, struct arena *a, struct mcp_of_node *out, struct err *err);
/* The first one's name; whether any has pinned images. */
int daemon_pool(struct daemon *d, struct arena *a, struct str *name, bool *pinned, struct err *err);

/* daemon_pin: pulls and pins images. daemon_pin: something changed that they may depend on. */
void daemon_pin_begin(struct daemon *d);
void daemon_pin_end(struct daemon *d);
void daemon_pin(struct daemon *d);

/* daemon_waits: logs what the first step waits for, once that takes long. */
void daemon_waits_begin(struct daemon *d);

/* daemon_force: notices the force file when it is created. */
void daemon_force_begin(struct daemon *d);
void daemon_force_end(struct daemon *d);

/* daemon_enter: where the node's kubelet finds the API. */
int daemon_kubelet_server(struct arena *a, const struct tree *t, struct url *out, struct err *err);

/* daemon_health: asks the kubelet every 30 s whether it is healthy. */
void daemon_health_begin(struct daemon_health *h);
void daemon_health_end(struct daemon_health *h);

#endif
