/*
 * op_rollout: the steps MachineConfigDaemon, MachineConfigController and MachineConfigServer.
 *
 * Upstream writes its workloads in every sync and waits after each write. Here a workload is written
 * when it differs, and the wait asks only for the live object: a rollout that is complete passes at
 * once, and a node that loses its pod shows as it does upstream: not while RequiredPools waits, or a
 * reboot of more than ten minutes would fail an upgrade.
 */
#include "op_rollout.h"

#include "mc/condition.h"
#include "mc/object.h"
#include "op_apply.h"

#define MINUTE_MS ((int64_t)60000)
#define ROLLOUT_MS (10 * MINUTE_MS)
#define COMPLETION_MS (5 * MINUTE_MS)

/* ---- the objects --------------------------------------------------------- */

static struct str join(struct arena *a, const struct strs *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++) {
		if (i)
			buf_addc(&b, ',');
		buf_add(&b, list->v[i]);
	}
	return buf_str(&b);
}

void operator_component_objects(struct arena *a, const struct operator_view *in,
				const struct operator_render *r, enum operator_component c,
				struct operator_objects *out)
{
	struct operator_file files[COMPONENTS];
	struct operator_values v = {
		.machineConfigOperator = json_str(r->images, "machineConfigOperator"),
		.kubeRbacProxy = json_str(r->images, "kubeRbacProxy"),
		.release = in->release,
		.verbosity = str_fmt(a, "%d", r->verbosity),
		.tlsCipherSuites = join(a, &r->tls.suites),
		.tlsMinVersion = r->tls.min_version,
		.apiServerInternalURI = r->api_url,
		.httpProxy = json_str(r->proxy, "httpProxy"),
		.httpsProxy = json_str(r->proxy, "httpsProxy"),
		.noProxy = json_str(r->proxy, "noProxy"),
		.gates = &in->gates,
		.standalone = in->standalone,
	};

	operator_manifests(a, files);
	operator_objects(a, &files[c], &v, out);
}

/* ---- waits --------------------------------------------------------------- */

void operator_wait_for(struct operator_memory *m, enum operator_step step, int64_t change)
{
	if (m->waits_for[step] == change)
		return;
	m->waits_for[step] = change;
	m->waits_since[step] = 0;
}

static int wait_rollout(struct arena *a, const struct operator_view *in, struct operator_memory *m,
			enum operator_step step, const struct json *workload,
			struct operator_result *out, struct err *err)
{
	enum { TOTAL, UPDATED, READY, UNAVAILABLE, COUNTS };
	static const char members[2][COUNTS][25] = {
		{ "desiredNumberScheduled", "updatedNumberScheduled", "numberReady",
		  "numberUnavailable" },
		{ "replicas", "updatedReplicas", "readyReplicas", "unavailableReplicas" },
	};
	enum operator_kind kind = operator_kind_of(workload);
	bool deployment = kind == OPERATOR_DEPLOYMENTS;
	const char *name = str_z(a, json_str(workload, "metadata.name"));
	const struct json *live = in->get(in, kind, str_of(name));
	const struct json *status = json_at(live, "status");
	int64_t generation = json_i64(live, "metadata.generation", 0);
	long long n[COUNTS];

	for (size_t i = 0; i < COUNTS; i++)
		n[i] = json_i64(status, members[deployment][i], 0);
	if (json_at(live, "metadata.deletionTimestamp")) /* upstream's word for both kinds */
		return err_set(err, ERR_AGAIN, "deployment %s is being deleted", name);
	/* While RequiredPools waits nodes reboot, and upstream does nothing else. */
	if (generation <= json_i64(status, "observedGeneration", 0) && n[UPDATED] == n[TOTAL] &&
	    (!n[UNAVAILABLE] || m->waits_since[OPERATOR_REQUIRED_POOLS]))
		return 0;
	operator_wait_for(m, step, generation);
	out->wait = (struct operator_wait){
		.on = true,
		.limit_ms = ROLLOUT_MS,
		.what = str_fmt(a, "error during waitFor%sRollout",
				deployment ? "Deployment" : "Daemonset"),
		.why = str_fmt(a,
			       "%s %s is not ready. status: (%s: %lld, updated: %lld, "
			       "ready: %lld, unavailable: %lld)",
			       deployment ? "deployment" : "daemonset", name,
			       deployment ? "replicas" : "desired", n[TOTAL], n[UPDATED], n[READY],
			       n[UNAVAILABLE]),
	};
	return 0;
}

int operator_roll_out(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		      enum operator_step step, const char *wrap,
		      const struct operator_objects *objects, struct operator_result *out,
		      struct err *err)
{
	const struct json *workload = objects->v[objects->n - 1];

	for (size_t i = 0; i < objects->n; i++)
		operator_apply_one(a, in, objects->v[i], objects->v[i] == workload ? "" : wrap,
				   &out->actions);
	if (out->actions.n)
		return 0;
	return wait_rollout(a, in, m, step, workload, out, err);
}

static int sync_component(struct arena *a, const struct operator_view *in,
			  struct operator_memory *m, const struct operator_render *r,
			  enum operator_step step, enum operator_component c, const char *wrap,
			  struct operator_result *out, struct err *err)
{
	struct operator_objects objects = { 0 };

	operator_component_objects(a, in, r, c, &objects);
	return operator_roll_out(a, in, m, step, wrap, &objects, out, err);
}

/* ---- the ControllerConfig ------------------------------------------------ */

static struct json *controller_config(struct arena *a, const struct operator_view *in,
				      const struct operator_render *r)
{
	struct json *j = mc_object_new(a, API_MC, "ControllerConfig", NULL, S(NAME_CONTROLLER));
	struct json *annotations = json_make(a, j, "metadata.annotations");

	json_add_str(a, annotations, ANNO_BY_VERSION, in->raw);
	json_add_str(a, annotations, ANNO_RELEASE_VERSION, in->release);
	json_add_str(a, annotations, ANNO_CA_ROTATE, r->ca_rotated ? S("true") : S("false"));
	json_add(j, S("spec"), json_clone(a, r->spec));
	return j;
}

/* Why the template controller has not completed it, or "". */
static struct str incomplete(struct arena *a, const struct json *live)
{
	struct conditions list = conditions_of(a, json_at(live, "status.conditions"));
	bool completed = conditions_true(&list, "TemplateControllerCompleted");
	bool running = conditions_true(&list, "TemplateControllerRunning");
	bool failing = conditions_true(&list, "TemplateControllerFailing");
	int64_t observed = json_i64(live, "status.observedGeneration", 0);
	int64_t generation = json_i64(live, "metadata.generation", 0);

	if (observed != generation)
		return str_fmt(a,
			       "status for ControllerConfig " NAME_CONTROLLER
			       " is being reported for %lld, expecting it for %lld",
			       (long long)observed, (long long)generation);
	if (completed && !running && !failing)
		return S("");
	return str_fmt(a,
		       "ControllerConfig has not completed: completed(%s) running(%s) failing(%s)",
		       completed ? "true" : "false", running ? "true" : "false",
		       failing ? "true" : "false");
}

/* Writes kubeconfig-data or the ControllerConfig. False when neither differs. */
static bool write_controller_config(struct arena *a, const struct operator_view *in,
				    struct operator_memory *m, const struct operator_render *r,
				    struct operator_result *out)
{
	struct err err = ERR_INIT(a);
	size_t before = out->actions.n;
	struct action *log;

	if (operator_kubeconfig_data(a, in, m, out, &err) < 0) {
		log = action_log(a, &out->actions, "Could not get in-cluster server-ca data %.*s",
				 STRF(err.msg));
		log->error = log->state = true;
	} else if (out->actions.n > before) {
		return true; /* the next pass writes the mark of the rotation */
	}
	return operator_apply_one(a, in, controller_config(a, in, r), "", &out->actions);
}

static void sync_controller_config(struct arena *a, const struct operator_view *in,
				   struct operator_memory *m, const struct operator_render *r,
				   struct operator_result *out)
{
	const struct json *live;
	struct str why;

	if (write_controller_config(a, in, m, r, out))
		return;
	live = in->get(in, OPERATOR_CONTROLLER_CONFIGS, S(NAME_CONTROLLER));
	why = incomplete(a, live);
	if (!why.n) {
		/* the mark is there: the next pass takes it off */
		if (r->ca_rotated)
			out->again_ms = 1000;
		m->ca_rotated = false;
		return;
	}
	/* negative: not a rollout's generation */
	operator_wait_for(m, OPERATOR_CONTROLLER, -json_i64(live, "metadata.generation", 0));
	out->wait = (struct operator_wait){
		.on = true,
		.limit_ms = COMPLETION_MS,
		.what = S("error during waitForControllerConfigToBeCompleted"),
		.why = str_fmt(a, "controllerconfig is not completed: %.*s", STRF(why)),
	};
}

void operator_safety_config(struct arena *a, const struct operator_view *in,
			    struct operator_memory *m, const struct operator_render *r,
			    struct operator_result *out)
{
	const struct json *live = in->get(in, OPERATOR_CONTROLLER_CONFIGS, S(NAME_CONTROLLER));
	const struct json *by =
		json_member(json_at(live, "metadata.annotations"), S(ANNO_BY_VERSION));

	if (live && str_eq(json_text(by), in->raw))
		(void)write_controller_config(a, in, m, r, out);
}

/* ---- the steps ----------------------------------------------------------- */

int operator_daemon(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		    const struct operator_render *r, struct operator_result *out, struct err *err)
{
	return sync_component(a, in, m, r, OPERATOR_DAEMON, COMPONENT_DAEMON,
			      "failed to apply machine config daemon manifests", out, err);
}

int operator_controller(struct arena *a, const struct operator_view *in, struct operator_memory *m,
			const struct operator_render *r, struct operator_result *out,
			struct err *err)
{
	int rc = sync_component(a, in, m, r, OPERATOR_CONTROLLER, COMPONENT_CONTROLLER,
				"failed to apply machine config controller manifests", out, err);

	if (rc == 0 && !out->actions.n && !out->wait.on)
		sync_controller_config(a, in, m, r, out);
	return rc;
}

int operator_server(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		    const struct operator_render *r, struct operator_result *out, struct err *err)
{
	/* Nothing but the installer makes its certificate: its pods would wait for it. */
	if (in->standalone && !in->get(in, OPERATOR_SECRETS, S("machine-config-server-tls")))
		return 0;
	return sync_component(a, in, m, r, OPERATOR_SERVER, COMPONENT_SERVER,
			      "failed to apply machine config server manifests", out, err);
}
