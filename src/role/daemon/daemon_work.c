/*
 * daemon_work: what a job's child does to the node. All of it blocks, and may be cut at any
 * point: what must survive that goes through the journal.
 */
#include "daemon_work.h"
#include "node/certificates.h"
#include "node/deployment.h"
#include "node/extensions.h"
#include "node/hosted.h"
#include "node/node_pin.h"
#include "node/node_update.h"
#include "node/post_action.h"
#include "node/revert.h"
#include "node/rotate.h"
#include "plan/pin.h"

static int act(struct node *n, struct arena *a, const struct node_update *u, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct str finalize;
	int rc = post_action_run_all(n, a, u->plan, u->to->name, err);

	if (rc == 0 && !u->plan->reboot) {
		if (n->os.core_os)
			job_look_back(n, a, &finalize);
		rc = extensions_check(n, a, &u->to->spec, err);
		if (rc < 0)
			rc = err_wrap(err, "could not apply update: setting "
					   "node's state to Done failed. "
					   "Error");
	}
	if (rc < 0 && node_update_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	if (rc == 0)
		node_update_finished(n, a);
	if (rc == 0 && u->plan->reboot)
		job_send_text(JOB_MSG_REBOOT, S(""));
	return rc;
}

/* Removes the revert unit when the update failed. */
static int forget_revert(struct node *n, struct arena *a, int rc)
{
	struct err ignored = ERR_INIT(a);

	if (rc < 0)
		(void)revert_drop(n, a, &ignored);
	return rc;
}

static int hosted(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	enum hosted_state state = HOSTED_DONE;
	struct str hash = S("");
	int rc = hosted_step(n, a, str_z(a, in->text), in->asked, &hash, &state, err);

	if (rc == 0)
		job_send(&(struct job_msg){ .kind = JOB_MSG_HOSTED,
					    .hosted = { .state = state, .hash = hash } });
	return rc;
}

/* Sends the size of each image that is not here and whose size is not known. */
static int sizes(struct node *n, struct arena *a, const struct pins *p, struct err *err)
{
	struct map seen;
	int64_t size;
	int rc = 0;

	map_init(&seen, a);
	for (size_t i = 0; rc == 0 && i < p->images.n; i++) {
		const struct pin_image *im = &p->images.v[i];

		if (im->here || im->size >= 0)
			continue;
		rc = node_pin_size(n, a, im->name, &seen, &size, err);
		if (rc == 0)
			job_send(&(struct job_msg){ .kind = JOB_MSG_SIZE,
						    .size = { .image = im->name, .bytes = size } });
	}
	return rc;
}

int job_work(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	const struct node_update *u = &in->update;

	switch (in->kind) {
	case JOB_LOG:
		return 0;
	case JOB_RECOVER:
		return job_recover(n, a, in, err);
	case JOB_SECRET:
		return certificates_write_secret(n, a, in->controller, err);
	case JOB_PREPARE:
		return job_prepare(n, a, in, err);
	case JOB_BOOT:
		return job_boot(n, a, in, err);
	case JOB_VERIFY:
	case JOB_DRIFT:
		return job_verify(n, a, in, in->finalize, err);
	case JOB_REVERT:
		return forget_revert(n, a, revert_prepare(n, a, in->controller, u->to, err));
	case JOB_UNREVERT:
		return revert_drop(n, a, err);
	case JOB_APPLY:
		return forget_revert(n, a, node_update_apply(n, a, u, err));
	case JOB_ACT:
		return forget_revert(n, a, act(n, a, u, err));
	case JOB_ROLL_BACK:
		return node_update_rollback(n, a, in->text, err);
	case JOB_HOSTED:
		return hosted(n, a, in, err);
	case JOB_REBOOTSTRAP:
		return rotate_rebootstrap(n, a, err);
	case JOB_SIZES:
		return sizes(n, a, in->pins, err);
	case JOB_PIN:
		return node_pin(n, a, in->text, err);
	case JOB_CERTIFICATES:
		break;
	}
	return certificates_write(n, a, in->controller, in->text, err);
}
