/*
 * daemon_states: the daemon's states, the events that reach it, and the move that each pair
 * makes. One call or one job is under way at most, and the state says which.
 */
#ifndef ROLE_DAEMON_STATES_H
#define ROLE_DAEMON_STATES_H

#include "daemon_job.h"

enum daemon_state {
#define WAIT(name, what) STATE_##name,
#define JOB(name, job, what, done, failed) STATE_##name,
#define REQUEST(name, what, done, not_found, unreachable) STATE_##name,
#include "daemon_states.def"
#undef WAIT
#undef JOB
#undef REQUEST
	STATE_COUNT,
};

enum daemon_event {
	EVENT_TIMER, /* something changed, or a deadline passed */
	EVENT_DONE, /* the job or the request succeeded */
	EVENT_FAILED, /* the job failed */
	EVENT_NOT_FOUND, /* the server does not have the object */
	EVENT_UNREACHABLE, /* the request failed otherwise */
	EVENT_OVERDUE, /* the job or the request takes longer than its deadline */
	EVENT_TERM, /* SIGTERM or SIGINT */
	EVENT_COUNT,
};

enum daemon_move {
	MOVE_NONE, /* in no row: the table has a hole */
	MOVE_REFUSE, /* the event cannot happen in this state: log the bug, change nothing */
	MOVE_IGNORE, /* what is under way goes on; its result decides again */
	MOVE_DECIDE, /* decide the next step */
	MOVE_RESULT, /* the step is over: its handler takes the result */
	MOVE_TROUBLE, /* the step failed: its own failure handler decides */
	MOVE_FAULT, /* the step failed: mark the Node Degraded */
	MOVE_RETRY, /* back off, then decide again */
	MOVE_REPORT, /* log what is awaited, and go on waiting */
	MOVE_STOP, /* end the process, unless an update must not be cut */
};

enum daemon_wait { WAIT_TIMER, WAIT_JOB, WAIT_REQUEST };

struct daemon_row {
	const char *name;
	const char *what; /* that the state waits for */
	enum daemon_wait wait;
	enum job_kind job; /* WAIT_JOB */
	int64_t deadline_ms; /* until EVENT_OVERDUE; 0: the timer has the deadline, if any */
	enum daemon_move moves[EVENT_COUNT];
};

extern const struct daemon_row daemon_states[STATE_COUNT];

const char *daemon_event_name(enum daemon_event e);

#endif
