/*
 * run: mco-sandbox as a process.
 */
#ifndef SANDBOX_RUN_H
#define SANDBOX_RUN_H

#include "sandbox/server.h"

struct sb_run {
	struct str address; /* to listen on */
	struct str tokens; /* file of bearer tokens, or "" */
	struct str kubeconfig; /* file to write when ready, or "" */
	struct str eviction; /* "v1beta1", "v1" or "none" */
	struct str cert, key; /* files; both or none */
	struct str data; /* file that stores the objects, or "" */
	int64_t port; /* 0: the kernel chooses */
	int64_t seed; /* for uids and faults; 0: the clock */
	int64_t bookmark_ms, pod_reap_ms;
	bool collect; /* garbage collection */
	bool plain; /* without the kinds of OpenShift */
	bool open_network; /* listen anywhere without tokens or TLS */
	struct sb_faults faults;
};

/* Serves until SIGTERM or SIGINT. */
int sb_run(struct arena *a, const struct sb_run *o, struct err *err);

#endif
