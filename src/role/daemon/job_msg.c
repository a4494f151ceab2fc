/*
 * job_msg: the codec of the pipe between a job's child and the daemon. The decoder trusts no
 * byte: every length and every enum is checked before it is used.
 */
#include "job_msg.h"

#define LENGTH 4 /* bytes in front of a frame */
#define NUMBER 8

/* ---- writing ------------------------------------------------------------- */

static void put_bytes(struct buf *b, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		buf_addc(b, (char)(v >> (8 * i)));
}

static void put_number(struct buf *b, int64_t v)
{
	put_bytes(b, (uint64_t)v, NUMBER);
}

static void put_str(struct buf *b, struct str s)
{
	s = str_sub(s, 0, s.n < JOB_MSG_STR_MAX ? s.n : JOB_MSG_STR_MAX);
	put_number(b, (int64_t)s.n);
	buf_add(b, s);
}

static void put_event(struct buf *b, const struct node_event *e)
{
	put_number(b, (int64_t)e->kind);
	put_str(b, e->reason);
	put_str(b, e->text);
	put_number(b, (int64_t)e->pull);
	put_number(b, (int64_t)e->part);
	put_number(b, e->none);
	put_number(b, e->failed);
	put_number(b, e->deferred);
}

static void put_fields(struct buf *b, const struct job_msg *m)
{
	switch (m->kind) {
	case JOB_MSG_EVENT:
		put_event(b, &m->event);
		return;
	case JOB_MSG_OS:
		put_str(b, m->os.id);
		put_str(b, m->os.version);
		put_number(b, m->os.packages);
		put_number(b, m->os.supported);
		return;
	case JOB_MSG_HOSTED:
		put_number(b, (int64_t)m->hosted.state);
		put_str(b, m->hosted.hash);
		return;
	case JOB_MSG_SIZE:
		put_str(b, m->size.image);
		put_number(b, m->size.bytes);
		return;
	case JOB_MSG_RESULT:
		put_number(b, -m->result.rc);
		put_str(b, m->result.text);
		return;
	case JOB_MSG_BOOTED:
	case JOB_MSG_FINALIZE:
	case JOB_MSG_FATAL:
		put_str(b, m->text);
		return;
	case JOB_MSG_REBOOT:
	case JOB_MSG_OSTREE:
	case JOB_MSG_MISMATCH:
		return;
	}
}

void job_msg_encode(struct buf *b, const struct job_msg *m)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf fields;

	buf_init(&fields, &a);
	put_fields(&fields, m);
	put_bytes(b, fields.n + 1, LENGTH);
	buf_addc(b, (char)m->kind);
	buf_add(b, buf_str(&fields));
}

/* ---- reading ------------------------------------------------------------- */

struct reader {
	struct str rest;
	bool bad;
};

static uint64_t get_bytes(const char *p, int n)
{
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return v;
}

static int64_t get_number(struct reader *r)
{
	uint64_t v;

	if (r->bad || r->rest.n < NUMBER) {
		r->bad = true;
		return 0;
	}
	v = get_bytes(r->rest.p, NUMBER);
	r->rest = str_from(r->rest, NUMBER);
	return (int64_t)v;
}

/* A number from 0 to max: an enum or a bool. */
static unsigned get_small(struct reader *r, unsigned max)
{
	int64_t v = get_number(r);

	if (v < 0 || v > max) {
		r->bad = true;
		return 0;
	}
	return (unsigned)v;
}

static struct str get_str(struct reader *r)
{
	int64_t n = get_number(r);
	struct str s;

	if (r->bad || n < 0 || (uint64_t)n > r->rest.n || (uint64_t)n > JOB_MSG_STR_MAX) {
		r->bad = true;
		return S("");
	}
	s = str_sub(r->rest, 0, (size_t)n);
	r->rest = str_from(r->rest, (size_t)n);
	return s;
}

static void get_event(struct reader *r, struct node_event *e)
{
	e->kind = (enum node_event_kind)get_small(r, NODE_EVENT_KUBELET);
	e->reason = get_str(r);
	e->text = get_str(r);
	e->pull = (enum node_pull)get_small(r, NODE_PULL_DONE);
	e->part = (enum node_part)get_small(r, NODE_PART_OS);
	e->none = get_small(r, 1);
	e->failed = get_small(r, 1);
	e->deferred = get_small(r, 1);
}

static void get_fields(struct reader *r, struct job_msg *m)
{
	switch (m->kind) {
	case JOB_MSG_EVENT:
		get_event(r, &m->event);
		return;
	case JOB_MSG_OS:
		m->os.id = get_str(r);
		m->os.version = get_str(r);
		m->os.packages = get_number(r);
		m->os.supported = get_small(r, 1);
		return;
	case JOB_MSG_HOSTED:
		m->hosted.state = (enum hosted_state)get_small(r, HOSTED_DONE);
		m->hosted.hash = get_str(r);
		return;
	case JOB_MSG_SIZE:
		m->size.image = get_str(r);
		m->size.bytes = get_number(r);
		return;
	case JOB_MSG_RESULT:
		m->result.rc = -(int)get_small(r, ERR_SYS);
		m->result.text = get_str(r);
		return;
	case JOB_MSG_BOOTED:
	case JOB_MSG_FINALIZE:
	case JOB_MSG_FATAL:
		m->text = get_str(r);
		return;
	case JOB_MSG_REBOOT:
	case JOB_MSG_OSTREE:
	case JOB_MSG_MISMATCH:
		return;
	}
}

int job_msg_decode(struct str *in, struct job_msg *out, struct err *err)
{
	struct job_msg m = { 0 };
	struct reader r = { 0 };
	uint64_t n;

	if (in->n < LENGTH)
		return 0;
	n = get_bytes(in->p, LENGTH);
	if (n < 1 || n > JOB_MSG_MAX)
		return err_set(err, ERR_INVALID, "a message of %llu bytes", (unsigned long long)n);
	if (in->n - LENGTH < n)
		return 0;
	if ((unsigned char)in->p[LENGTH] > JOB_MSG_RESULT)
		return err_set(err, ERR_INVALID, "a message of unknown kind %d",
			       (unsigned char)in->p[LENGTH]);
	m.kind = (enum job_msg_kind)(unsigned char)in->p[LENGTH];
	r.rest = str_sub(*in, LENGTH + 1, LENGTH + (size_t)n);
	get_fields(&r, &m);
	if (r.bad || r.rest.n)
		return err_set(err, ERR_INVALID, "a malformed message of kind %d", (int)m.kind);
	*in = str_from(*in, LENGTH + (size_t)n);
	*out = m;
	return 1;
}
