/*
 * A table of hashes, without the texts: two failures with the same hash would count as one, which
 * costs at most a log line.
 */
#include "io/repeat.h"

#include "base/backoff.h"
#include "base/buf.h"
#include "io/clock.h"

static uint64_t hash(struct str s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return h ? h : 1;
}

/* The entry of this failure, or the one to replace. */
static struct repeat *find(struct repeats *r, uint64_t object, uint64_t text)
{
	struct repeat *old = &r->v[0];

	for (size_t i = 0; i < REPEATS; i++) {
		struct repeat *e = &r->v[i];

		if (e->object == object && e->text == text)
			return e;
		if (old->object && (!e->object || e->logged < old->logged))
			old = e;
	}
	return old;
}

bool repeat_due(struct repeats *r, enum log_level level, struct str object, struct str text,
		int64_t now, unsigned *held)
{
	uint64_t o = hash(object), t = hash(text);
	struct repeat *e = find(r, o, t);

	*held = 0;
	if (e->object != o || e->text != t) {
		*e = (struct repeat){ o, t, now, 0, 0, level };
		return true;
	}
	if (now - e->logged < backoff_ms(REPEAT_FIRST_MS, REPEAT_LAST_MS, e->repeats)) {
		e->held++;
		return false;
	}
	*held = e->held;
	e->held = 0;
	e->logged = now;
	e->repeats++;
	return true;
}

bool repeat_over(struct repeats *r, struct str object)
{
	uint64_t o = hash(object);
	bool known = false;

	for (size_t i = 0; i < REPEATS; i++)
		if (r->v[i].object == o) {
			known |= r->v[i].level > LOG_INFO;
			r->v[i] = (struct repeat){ 0 };
		}
	return known;
}

static struct repeats own;

static bool own_due(enum log_level level, struct str object, struct str text, unsigned *held)
{
	return repeat_due(&own, level, object, text, clock_ms(), held);
}

void log_repeat(enum log_level level, const char *file, int line, struct str object,
		const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	unsigned held;
	struct buf b;
	va_list ap;

	buf_init(&b, &a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (!own_due(level, object, buf_str(&b), &held))
		return;
	if (held)
		buf_addf(&b, " (repeated %u times since it was last logged)", held);
	log_line(level, file, line, "%.*s", STRF(buf_str(&b)));
}

bool log_due(enum log_level level, struct str object, struct str text)
{
	unsigned held;

	return own_due(level, object, text, &held);
}

bool log_over(struct str object)
{
	return repeat_over(&own, object);
}
