/*
 * The daemon's state machine: the move of every state at every event, and the
 * state of a real daemon afterwards. A new state or event without a row or a
 * column here does not compile, or fails.
 */
#include "../node/scratch.h"

#include <sys/wait.h>

#include "io/log.h"
#include "role/daemon/daemon_own.h"

_Static_assert(EVENT_COUNT == 7, "a new event needs a column in every row");

/* Short names for the columns. */
#define REF MOVE_REFUSE
#define IGN MOVE_IGNORE
#define DEC MOVE_DECIDE
#define RES MOVE_RESULT
#define TRO MOVE_TROUBLE
#define FAU MOVE_FAULT
#define RET MOVE_RETRY
#define REP MOVE_REPORT
#define STO MOVE_STOP

struct row {
	enum daemon_state state;
	const char *name;
	enum daemon_wait wait;
	enum daemon_move moves[7];
};

/* clang-format off */
static const struct row rows[] = {
	/*				TIMER DONE FAILED NOT_FOUND UNREACHABLE OVERDUE TERM */
	{ STATE_STARTING, "STARTING", WAIT_TIMER,	{ DEC, REF, REF, REF, REF, REF, STO } },
	{ STATE_IDLE, "IDLE", WAIT_TIMER,		{ DEC, REF, REF, REF, REF, REF, STO } },
	{ STATE_CONTROLLER, "CONTROLLER", WAIT_TIMER,	{ DEC, REF, REF, REF, REF, REF, STO } },
	{ STATE_RETRY, "RETRY", WAIT_TIMER,		{ DEC, REF, REF, REF, REF, REF, STO } },
	{ STATE_REBOOT, "REBOOT", WAIT_TIMER,		{ DEC, REF, REF, REF, REF, REF, STO } },
	{ STATE_LOG, "LOG", WAIT_JOB,			{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_RECOVER, "RECOVER", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_SECRET, "SECRET", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_PREPARE, "PREPARE", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_BOOT, "BOOT", WAIT_JOB,			{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_VERIFY, "VERIFY", WAIT_JOB,		{ IGN, RES, TRO, REF, REF, REP, STO } },
	{ STATE_DRIFT, "DRIFT", WAIT_JOB,		{ IGN, RES, TRO, REF, REF, REP, STO } },
	{ STATE_REVERT, "REVERT", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_UNREVERT, "UNREVERT", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_APPLY, "APPLY", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_ACT, "ACT", WAIT_JOB,			{ IGN, RES, TRO, REF, REF, REP, STO } },
	{ STATE_ROLL_BACK, "ROLL_BACK", WAIT_JOB,	{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_CERTIFICATES, "CERTIFICATES", WAIT_JOB,	{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_REBOOTSTRAP, "REBOOTSTRAP", WAIT_JOB,	{ IGN, RES, TRO, REF, REF, REP, STO } },
	{ STATE_HOSTED, "HOSTED", WAIT_JOB,		{ IGN, RES, FAU, REF, REF, REP, STO } },
	{ STATE_GET_TARGET, "GET_TARGET", WAIT_REQUEST,	{ IGN, RES, REF, TRO, RET, REP, STO } },
	{ STATE_GET_CURRENT, "GET_CURRENT", WAIT_REQUEST, { IGN, RES, REF, TRO, RET, REP, STO } },
	{ STATE_GET_OVERRIDES, "GET_OVERRIDES", WAIT_REQUEST, { IGN, RES, REF, TRO, RET, REP, STO } },
	{ STATE_GET_POLICIES, "GET_POLICIES", WAIT_REQUEST, { IGN, RES, REF, TRO, TRO, REP, STO } },
	{ STATE_CONFIRM_CURRENT, "CONFIRM_CURRENT", WAIT_REQUEST, { IGN, RES, REF, TRO, RES, REP, STO } },
	{ STATE_CONFIRM_TARGET, "CONFIRM_TARGET", WAIT_REQUEST, { IGN, RES, REF, TRO, RES, REP, STO } },
	{ STATE_GET_BUNDLE, "GET_BUNDLE", WAIT_REQUEST,	{ IGN, RES, REF, TRO, TRO, REP, STO } },
	{ STATE_GET_GENERATED, "GET_GENERATED", WAIT_REQUEST, { IGN, RES, REF, TRO, TRO, REP, STO } },
	{ STATE_NOTE, "NOTE", WAIT_REQUEST,		{ IGN, RES, REF, RET, RET, REP, STO } },
	{ STATE_NOTE_DONE, "NOTE_DONE", WAIT_REQUEST,	{ IGN, RES, REF, RET, RET, REP, STO } },
	{ STATE_NOTE_FAULT, "NOTE_FAULT", WAIT_REQUEST,	{ IGN, RES, REF, RET, RET, REP, STO } },
};
/* clang-format on */

_Static_assert(ARRAY_LEN(rows) == STATE_COUNT, "a new state needs a row");

TEST every_state_at_every_event(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct daemon_row *row = &daemon_states[i];

		ASSERT_INT_M(rows[i].name, (long long)i, rows[i].state);
		ASSERT_STR(rows[i].name, str_of(row->name));
		ASSERT_INT_M(rows[i].name, rows[i].wait, row->wait);
		for (int e = 0; e < EVENT_COUNT; e++) {
			ASSERT(row->moves[e] != MOVE_NONE);
			ASSERT_INT_M(rows[i].name, rows[i].moves[e], row->moves[e]);
		}
	}
	PASS();
}

/* Every state has a name, every state that waits for more than a timer has a deadline,
 * and no two states share a job. */
TEST every_wait_has_a_name_and_a_deadline(void)
{
	bool used[JOB_PIN + 1] = { false };

	for (size_t i = 0; i < STATE_COUNT; i++) {
		const struct daemon_row *row = &daemon_states[i];

		ASSERT(row->what && *row->what);
		ASSERT_INT(row->wait != WAIT_TIMER, row->deadline_ms > 0);
		if (row->wait != WAIT_JOB)
			continue;
		ASSERT(!used[row->job]);
		used[row->job] = true;
	}
	for (int k = 0; k <= JOB_PIN; k++)
		ASSERT_INT(k != JOB_SIZES && k != JOB_PIN, used[k]);
	for (int e = 0; e < EVENT_COUNT; e++)
		ASSERT(*daemon_event_name((enum daemon_event)e));
	PASS();
}

/* ---- a daemon whose loop never runs -------------------------------------- */

#define CONFIG(name)                                                                 \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"config\":{\"ignition\":{" \
	"\"version\":\"3.2.0\"}}}}"
#define NODE                                                                    \
	"{\"metadata\":{\"name\":\"n\",\"annotations\":{\"" ANNO_CURRENT_CONFIG \
	"\":\"r1\",\"" ANNO_DESIRED_CONFIG "\":\"r2\",\"" ANNO_STATE "\":\"Working\"}}}"
#define MACHINE "{\"metadata\":{\"generation\":1},\"status\":{\"observedGeneration\":1}}"

struct rig {
	struct arena a;
	struct err err;
	struct kube_conf conf;
	struct node node;
	struct daemon d;
	char *root;
};

static struct str copy(struct rig *r, const char *text)
{
	return str_dup(&r->a, str_of(text));
}

/* In the middle of an update from r1 to r2; requests are queued and never sent. */
static void rig_init(struct rig *r)
{
	struct kube_opts o = { .conf = &r->conf, .agent = "test" };
	struct daemon *d = &r->d;
	struct daemon_update *u = &d->update;

	*r = (struct rig){ .a = ARENA_INIT };
	r->err = ERR_INIT(&r->a);
	r->conf.server = S("http://127.0.0.1:1");
	r->root = scratch_new(&r->a);
	d->a = &r->a;
	d->loop = o.loop = loop_new(&r->err);
	if (node_open(&r->node, &r->a, r->root, &r->err) < 0 || kube_new(&o, &d->kube, &r->err) < 0)
		abort();
	d->writer = d->kube;
	d->node = &r->node;
	d->name = S("n");
	daemon_begin(d);
	kube_cache_put(d->caches.nodes, S(NODE));
	daemon_look(d);
	d->v.start = START_OVER;
	d->v.pass.target = str_dup(&u->a, S("r2"));
	d->v.pass.stage = STAGE_LOADED;
	if (mc_current_parse(&u->a, copy(r, CONFIG("r1")), &u->from, &r->err) < 0 ||
	    mc_current_parse(&u->a, copy(r, CONFIG("r2")), &u->to, &r->err) < 0)
		abort();
	d->next = (struct daemon_next){ .what = DAEMON_ANNOTATE, .n_pairs = 1 };
	d->next.pairs[0] = (struct daemon_pair){ .key = S("k"), .value = S("v") };
}

static void rig_free(struct rig *r)
{
	struct daemon *d = &r->d;

	daemon_end(d);
	kube_free(d->kube);
	loop_free(d->loop);
	node_close(&r->node);
	scratch_remove(r->root);
	arena_free(&r->a);
}

/* The state after a move that is the same for every state; STATE_COUNT: the handler decides. */
static enum daemon_state after_move(enum daemon_state s, enum daemon_move m)
{
	switch (m) {
	case MOVE_NONE:
	case MOVE_REFUSE:
	case MOVE_IGNORE:
	case MOVE_REPORT:
	case MOVE_STOP:
		return s;
	case MOVE_DECIDE: /* its caches are never synced */
		return STATE_STARTING;
	case MOVE_FAULT:
		return STATE_NOTE_FAULT;
	case MOVE_RETRY:
		return STATE_RETRY;
	case MOVE_RESULT:
	case MOVE_TROUBLE:
		break;
	}
	return STATE_COUNT;
}

/* What the handlers of MOVE_RESULT and MOVE_TROUBLE lead to. */
static const struct outcome {
	enum daemon_state state;
	enum daemon_event event;
	enum daemon_state next;
	const char *body;
} outcomes[] = {
	{ STATE_LOG, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_RECOVER, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_SECRET, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_PREPARE, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_BOOT, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_VERIFY, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_VERIFY, EVENT_FAILED, STATE_NOTE_FAULT, "" },
	{ STATE_DRIFT, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_DRIFT, EVENT_FAILED, STATE_NOTE_FAULT, "" },
	{ STATE_REVERT, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_UNREVERT, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_APPLY, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_ACT, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_ACT, EVENT_FAILED, STATE_NOTE_FAULT, "" },
	{ STATE_ROLL_BACK, EVENT_DONE, STATE_NOTE_FAULT, "" },
	{ STATE_CERTIFICATES, EVENT_DONE, STATE_NOTE, "" },
	{ STATE_REBOOTSTRAP, EVENT_DONE, STATE_COUNT, "" }, /* the process ends */
	{ STATE_REBOOTSTRAP, EVENT_FAILED, STATE_COUNT, "" },
	{ STATE_HOSTED, EVENT_DONE, STATE_NOTE, "" },
	{ STATE_GET_TARGET, EVENT_DONE, STATE_GET_CURRENT, CONFIG("r2") },
	{ STATE_GET_TARGET, EVENT_DONE, STATE_NOTE_FAULT, "{" },
	{ STATE_GET_TARGET, EVENT_NOT_FOUND, STATE_NOTE_FAULT, "" },
	{ STATE_GET_CURRENT, EVENT_DONE, STATE_IDLE, CONFIG("r1") },
	{ STATE_GET_CURRENT, EVENT_DONE, STATE_NOTE_FAULT, "{" },
	{ STATE_GET_CURRENT, EVENT_NOT_FOUND, STATE_NOTE_FAULT, "" },
	{ STATE_GET_OVERRIDES, EVENT_DONE, STATE_IDLE, MACHINE },
	{ STATE_GET_OVERRIDES, EVENT_DONE, STATE_NOTE_FAULT, "{" },
	{ STATE_GET_OVERRIDES, EVENT_NOT_FOUND, STATE_IDLE, "" },
	{ STATE_GET_POLICIES, EVENT_DONE, STATE_IDLE, MACHINE },
	{ STATE_GET_POLICIES, EVENT_DONE, STATE_RETRY, "{\"metadata\":{\"generation\":1}}" },
	{ STATE_GET_POLICIES, EVENT_NOT_FOUND, STATE_RETRY, "" },
	{ STATE_GET_POLICIES, EVENT_UNREACHABLE, STATE_RETRY, "" },
	{ STATE_CONFIRM_CURRENT, EVENT_DONE, STATE_CONFIRM_TARGET, "{}" },
	{ STATE_CONFIRM_CURRENT, EVENT_NOT_FOUND, STATE_ROLL_BACK, "" },
	{ STATE_CONFIRM_CURRENT, EVENT_UNREACHABLE, STATE_CONFIRM_TARGET, "" },
	{ STATE_CONFIRM_TARGET, EVENT_DONE, STATE_IDLE, "{}" },
	{ STATE_CONFIRM_TARGET, EVENT_NOT_FOUND, STATE_ROLL_BACK, "" },
	{ STATE_CONFIRM_TARGET, EVENT_UNREACHABLE, STATE_IDLE, "" },
	{ STATE_GET_BUNDLE, EVENT_DONE, STATE_CERTIFICATES, "{}" },
	{ STATE_GET_BUNDLE, EVENT_NOT_FOUND, STATE_CERTIFICATES, "" },
	{ STATE_GET_BUNDLE, EVENT_UNREACHABLE, STATE_CERTIFICATES, "" },
	{ STATE_GET_GENERATED, EVENT_DONE, STATE_NOTE_FAULT, CONFIG("r3") },
	{ STATE_GET_GENERATED, EVENT_NOT_FOUND, STATE_NOTE_FAULT, "" },
	{ STATE_GET_GENERATED, EVENT_UNREACHABLE, STATE_NOTE_FAULT, "" },
	{ STATE_NOTE, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_NOTE_DONE, EVENT_DONE, STATE_IDLE, "" },
	{ STATE_NOTE_FAULT, EVENT_DONE, STATE_RETRY, "" },
};

static const struct daemon_result *result_of(enum daemon_event e, const char *body)
{
	static struct daemon_result r;

	r = (struct daemon_result){ .rc = e == EVENT_DONE	 ? 0
					  : e == EVENT_NOT_FOUND ? -ERR_NOTFOUND
								 : -ERR_AGAIN,
				    .text = S("why"),
				    .body = str_of(body) };
	return &r;
}

/* The state of a daemon that was in s when e came. */
static enum daemon_state next_state(enum daemon_state s, enum daemon_event e, const char *body)
{
	enum daemon_state next;
	struct rig r;

	rig_init(&r);
	if (s == STATE_DRIFT) /* no pass runs in this state */
		r.d.v.pass = (struct daemon_pass){ 0 };
	daemon_go(&r.d, s);
	daemon_happens(&r.d, e, result_of(e, body));
	next = r.d.state;
	if (next == s) /* that started nothing */
		daemon_go(&r.d, STATE_IDLE);
	rig_free(&r);
	return next;
}

TEST common_moves_lead_to_one_state(void)
{
	for (size_t i = 0; i < STATE_COUNT; i++)
		for (int e = 0; e < EVENT_COUNT; e++) {
			enum daemon_state s = (enum daemon_state)i;
			enum daemon_state want = after_move(s, rows[i].moves[e]);

			if (want != STATE_COUNT)
				ASSERT_INT_M(rows[i].name, want,
					     next_state(s, (enum daemon_event)e, ""));
		}
	PASS();
}

TEST every_handler_has_an_outcome(void)
{
	for (size_t i = 0; i < STATE_COUNT; i++)
		for (int e = 0; e < EVENT_COUNT; e++) {
			bool own =
				after_move((enum daemon_state)i, rows[i].moves[e]) == STATE_COUNT;
			bool found = false;

			for (size_t k = 0; k < ARRAY_LEN(outcomes); k++)
				found |= outcomes[k].state == i && (int)outcomes[k].event == e;
			ASSERT_INT_M(rows[i].name, own, found);
		}
	PASS();
}

TEST handlers_lead_where_they_should(void)
{
	for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) {
		const struct outcome *o = &outcomes[i];

		if (o->next != STATE_COUNT)
			ASSERT_INT_M(rows[o->state].name, o->next,
				     next_state(o->state, o->event, o->body));
	}
	PASS();
}

TEST new_credentials_end_the_process(void)
{
	static const enum daemon_event events[] = { EVENT_DONE, EVENT_FAILED };

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			(void)next_state(STATE_REBOOTSTRAP, events[i], "");
			_exit(0);
		}
		ASSERT_INT(pid, waitpid(pid, &status, 0));
		ASSERT_INT(255, WEXITSTATUS(status));
	}
	PASS();
}

/* ---- what results write into the view ------------------------------------ */

TEST results_move_the_pass_on(void)
{
	struct rig r;
	struct daemon_view *v = &r.d.v;

	rig_init(&r);
	v->start = START_RECOVER;
	daemon_take(&r.d, STATE_RECOVER, result_of(EVENT_DONE, ""));
	ASSERT_INT(START_PREPARE, v->start);
	daemon_take(&r.d, STATE_PREPARE, result_of(EVENT_DONE, ""));
	ASSERT_INT(START_NOTE, v->start);
	daemon_take(&r.d, STATE_VERIFY, result_of(EVENT_DONE, ""));
	ASSERT(v->pass.verified);
	daemon_take(&r.d, STATE_REVERT, result_of(EVENT_DONE, ""));
	ASSERT_INT(REVERT_READY, v->revert);
	daemon_take(&r.d, STATE_GET_OVERRIDES, result_of(EVENT_DONE, MACHINE));
	ASSERT(r.d.update.checked && r.d.update.guarded);
	daemon_take(&r.d, STATE_GET_POLICIES, result_of(EVENT_DONE, MACHINE));
	ASSERT_INT(STAGE_PLANNED, v->pass.stage);
	r.d.next.note = NOTE_DRAIN;
	daemon_take(&r.d, STATE_NOTE, result_of(EVENT_DONE, ""));
	ASSERT(v->pass.asked);
	daemon_take(&r.d, STATE_APPLY, result_of(EVENT_DONE, ""));
	ASSERT_INT(STAGE_APPLIED, v->pass.stage);
	r.d.next.note = NOTE_REBOOTING;
	daemon_take(&r.d, STATE_NOTE, result_of(EVENT_DONE, ""));
	ASSERT_INT(STAGE_ANNOUNCED, v->pass.stage);
	ASSERT(!r.d.update.guarded);
	daemon_take(&r.d, STATE_ACT, result_of(EVENT_DONE, ""));
	ASSERT_INT(STAGE_ACTED, v->pass.stage);
	daemon_take(&r.d, STATE_CONFIRM_TARGET, result_of(EVENT_DONE, ""));
	ASSERT_INT(STAGE_CONFIRMED, v->pass.stage);
	daemon_take(&r.d, STATE_NOTE_DONE, result_of(EVENT_DONE, ""));
	ASSERT_INT(START_OVER, v->start);
	ASSERT_INT(STAGE_NONE, v->pass.stage);
	ASSERT_INT(0, v->pass.target.n);
	ASSERT_INT(REVERT_LEFT, v->revert);
	daemon_take(&r.d, STATE_UNREVERT, result_of(EVENT_DONE, ""));
	ASSERT_INT(REVERT_NONE, v->revert);
	rig_free(&r);
	PASS();
}

TEST sigterm_waits_for_an_update(void)
{
	struct rig r;

	rig_init(&r);
	r.d.update.guarded = true;
	daemon_go(&r.d, STATE_CONTROLLER);
	daemon_happens(&r.d, EVENT_TERM, NULL);
	ASSERT(!r.d.stopped);
	r.d.v.rebooting = true;
	daemon_happens(&r.d, EVENT_TERM, NULL);
	ASSERT(r.d.stopped);
	rig_free(&r);
	PASS();
}

/* A failure report that the server refuses is sent again before anything else. */
TEST a_fault_is_told_before_the_next_step(void)
{
	struct rig r;

	rig_init(&r);
	daemon_fail(&r.d, S("why"), false);
	ASSERT_INT(STATE_NOTE_FAULT, r.d.state);
	kube_cancel(&r.d.call);
	daemon_happens(&r.d, EVENT_UNREACHABLE, result_of(EVENT_UNREACHABLE, ""));
	ASSERT_INT(STATE_RETRY, r.d.state);
	ASSERT(r.d.fault.unreported);
	ASSERT(r.d.not_before > clock_ms());
	ASSERT_INT(r.d.not_before, r.d.timer.due);
	rig_free(&r);
	PASS();
}

SUITE(daemon_states_suite)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(every_state_at_every_event);
	RUN_TEST(every_wait_has_a_name_and_a_deadline);
	RUN_TEST(common_moves_lead_to_one_state);
	RUN_TEST(every_handler_has_an_outcome);
	RUN_TEST(handlers_lead_where_they_should);
	RUN_TEST(new_credentials_end_the_process);
	RUN_TEST(results_move_the_pass_on);
	RUN_TEST(sigterm_waits_for_an_update);
	RUN_TEST(a_fault_is_told_before_the_next_step);
}

TEST_MAIN(daemon_states_suite)
