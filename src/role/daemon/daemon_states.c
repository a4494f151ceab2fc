/*
 * daemon_states: the transition table, made of daemon_states.def. The timer of a state that
 * waits has the deadline: a minute for the feature gates, an hour for a drain, ten minutes for
 * an uncordon, the back-off of a retry.
 */
#include "daemon_states.h"

#define JOB_MS (30 * 60 * 1000) /* an OS image takes minutes to pull */
#define REQUEST_MS (2 * 60 * 1000)

#define WAIT(id, text)                                                 \
	[STATE_##id] = { .name = #id,                                  \
			 .what = text,                                 \
			 .wait = WAIT_TIMER,                           \
			 .moves = { [EVENT_TIMER] = MOVE_DECIDE,       \
				    [EVENT_DONE] = MOVE_REFUSE,        \
				    [EVENT_FAILED] = MOVE_REFUSE,      \
				    [EVENT_NOT_FOUND] = MOVE_REFUSE,   \
				    [EVENT_UNREACHABLE] = MOVE_REFUSE, \
				    [EVENT_OVERDUE] = MOVE_REFUSE,     \
				    [EVENT_TERM] = MOVE_STOP } },
#define JOB(id, kind, text, done, failed)                              \
	[STATE_##id] = { .name = #id,                                  \
			 .what = text,                                 \
			 .wait = WAIT_JOB,                             \
			 .job = kind,                                  \
			 .deadline_ms = JOB_MS,                        \
			 .moves = { [EVENT_TIMER] = MOVE_IGNORE,       \
				    [EVENT_DONE] = MOVE_##done,        \
				    [EVENT_FAILED] = MOVE_##failed,    \
				    [EVENT_NOT_FOUND] = MOVE_REFUSE,   \
				    [EVENT_UNREACHABLE] = MOVE_REFUSE, \
				    [EVENT_OVERDUE] = MOVE_REPORT,     \
				    [EVENT_TERM] = MOVE_STOP } },
#define REQUEST(id, text, done, not_found, unreachable)                       \
	[STATE_##id] = { .name = #id,                                         \
			 .what = text,                                        \
			 .wait = WAIT_REQUEST,                                \
			 .deadline_ms = REQUEST_MS,                           \
			 .moves = { [EVENT_TIMER] = MOVE_IGNORE,              \
				    [EVENT_DONE] = MOVE_##done,               \
				    [EVENT_FAILED] = MOVE_REFUSE,             \
				    [EVENT_NOT_FOUND] = MOVE_##not_found,     \
				    [EVENT_UNREACHABLE] = MOVE_##unreachable, \
				    [EVENT_OVERDUE] = MOVE_REPORT,            \
				    [EVENT_TERM] = MOVE_STOP } },

const struct daemon_row daemon_states[STATE_COUNT] = {
#include "daemon_states.def"
};

const char *daemon_event_name(enum daemon_event e)
{
	switch (e) {
	case EVENT_TIMER:
		return "TIMER";
	case EVENT_DONE:
		return "DONE";
	case EVENT_FAILED:
		return "FAILED";
	case EVENT_NOT_FOUND:
		return "NOT_FOUND";
	case EVENT_UNREACHABLE:
		return "UNREACHABLE";
	case EVENT_OVERDUE:
		return "OVERDUE";
	case EVENT_TERM:
		return "TERM";
	case EVENT_COUNT:
		break;
	}
	return "";
}
