/*
 * Unified diffs by Myers' greedy algorithm on lines, after removal of the common
 * beginning and end. Texts that need more than EDITS_MAX edits are shown as removed and
 * added as a whole, which bounds time and memory.
 */
#include "view/udiff.h"

#include "base/map.h"
#include "base/terminal.h"
#include "base/vec.h"

#define CONTEXT 3
#define EDITS_MAX 2000

struct line {
	struct str text;
	uint32_t id; /* equal lines have equal ids */
};

struct lines {
	struct line *v;
	size_t n, cap;
};

struct edit {
	char op; /* ' ', '-' or '+' */
	struct str text;
	bool no_newline;
};

struct edits {
	struct edit *v;
	size_t n, cap;
};

struct job {
	struct arena a;
	struct map ids;
	struct lines x, y;
	bool x_open, y_open; /* the last line has no line feed */
	struct edits out;
	size_t lines, bytes; /* of the hunks: shown */
	size_t cut_lines, cut_bytes; /* and not shown */
};

static void split(struct job *j, struct str text, struct lines *out, bool *open)
{
	struct str l;

	*open = text.n && text.p[text.n - 1] != '\n';
	while (str_line(&text, &l)) {
		struct map_entry *e = map_find(&j->ids, l);
		struct line line = { .text = l };

		if (!e) {
			(void)map_put(&j->ids, l, (void *)(uintptr_t)(j->ids.n + 1));
			e = map_find(&j->ids, l);
		}
		line.id = (uint32_t)(uintptr_t)e->value;
		VEC_PUSH(&j->a, out, line);
	}
}

static bool same(const struct job *j, size_t i, size_t k)
{
	bool last_x = i + 1 == j->x.n && j->x_open;
	bool last_y = k + 1 == j->y.n && j->y_open;

	return j->x.v[i].id == j->y.v[k].id && last_x == last_y;
}

static void put(struct job *j, char op, size_t i)
{
	const struct lines *l = op == '+' ? &j->y : &j->x;
	struct edit e = { .op = op, .text = l->v[i].text };

	e.no_newline = i + 1 == l->n && (op == '+' ? j->y_open : j->x_open);
	VEC_PUSH(&j->a, &j->out, e);
}

/* All of x[i, n) removed, all of y[k, m) added. */
static void replace(struct job *j, size_t i, size_t n, size_t k, size_t m)
{
	for (; i < n; i++)
		put(j, '-', i);
	for (; k < m; k++)
		put(j, '+', k);
}

/*
 * Records the furthest points reached with d edits, for every d, to trace the path
 * back. False when more than EDITS_MAX edits are needed.
 */
static bool search(struct job *j, size_t i0, size_t n, size_t k0, size_t m, int32_t ***trace,
		   int *edits)
{
	int limit = (int)(n + m) < EDITS_MAX ? (int)(n + m) : EDITS_MAX;
	int32_t *v = arena_array(&j->a, 2 * (size_t)limit + 3, sizeof(*v));

	*trace = arena_array(&j->a, (size_t)limit + 1, sizeof(int32_t *));
	for (int d = 0; d <= limit; d++) {
		int32_t *copy = arena_array(&j->a, 2 * (size_t)d + 3, sizeof(*copy));

		/* the row before d: diagonals -d-1 .. d+1 */
		memcpy(copy, v + limit - d, (2 * (size_t)d + 3) * sizeof(*v));
		(*trace)[d] = copy;
		for (int k = -d; k <= d; k += 2) {
			int32_t *at = v + limit + 1;
			int32_t x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1]
										 : at[k - 1] + 1;
			int32_t y = x - k;

			while ((size_t)x < n && (size_t)y < m &&
			       same(j, i0 + (size_t)x, k0 + (size_t)y)) {
				x++;
				y++;
			}
			at[k] = x;
			if ((size_t)x >= n && (size_t)y >= m) {
				*edits = d;
				return true;
			}
		}
	}
	return false;
}

struct step {
	int32_t x, y;
	char op;
};

/* Traces the path back to the beginning, then emits the edits forward. */
static void walk_back(struct job *j, size_t i0, size_t n, size_t k0, size_t m, int32_t **trace,
		      int edits)
{
	VEC(struct step) steps = { 0 };
	int32_t x = (int32_t)n, y = (int32_t)m;

	for (int d = edits; d >= 0; d--) {
		const int32_t *v = trace[d] + d + 1;
		int32_t k = x - y, from_k, px, py;

		if (d == 0) {
			px = py = 0;
		} else {
			from_k = k == -d || (k != d && v[k - 1] < v[k + 1]) ? k + 1 : k - 1;
			px = v[from_k];
			py = px - from_k;
		}
		while (x > px && y > py) {
			x--;
			y--;
			VEC_PUSH(&j->a, &steps, ((struct step){ x, y, ' ' }));
		}
		if (d > 0) {
			char op = x == px ? '+' : '-';

			VEC_PUSH(&j->a, &steps, ((struct step){ px, py, op }));
			x = px;
			y = py;
		}
	}
	for (size_t s = steps.n; s-- > 0;)
		put(j, steps.v[s].op,
		    steps.v[s].op == '+' ? k0 + (size_t)steps.v[s].y : i0 + (size_t)steps.v[s].x);
}

static void compare(struct job *j)
{
	size_t head = 0, n = j->x.n, m = j->y.n;
	int32_t **trace;
	int edits;

	while (head < n && head < m && same(j, head, head))
		head++;
	while (n > head && m > head && same(j, n - 1, m - 1)) {
		n--;
		m--;
	}
	for (size_t i = 0; i < head; i++)
		put(j, ' ', i);
	if (search(j, head, n - head, head, m - head, &trace, &edits))
		walk_back(j, head, n - head, head, m - head, trace, edits);
	else
		replace(j, head, n, head, m);
	for (size_t i = n; i < j->x.n; i++)
		put(j, ' ', i);
}

/* ---- hunks --------------------------------------------------------------- */

static void add_line(struct buf *b, const struct udiff_opts *o, const char *on, const char *text,
		     struct str s)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (o->colour) /* escape colour codes of the text itself */
		s = terminal_safe(&a, s);
	buf_addf(b, "%s%s%s%.*s%s\n", o->indent ? o->indent : "", o->colour ? on : "", text,
		 STRF(s), o->colour && *on ? TERMINAL_OFF : "");
}

static bool is_full(const struct job *j, const struct udiff_opts *o)
{
	return o->whole && (j->cut_lines || j->lines == UDIFF_LINES);
}

/* Whether the line is beyond the limit; all later lines are, too. */
static bool cut(struct job *j, const struct udiff_opts *o, struct str line)
{
	if (!o->whole)
		return false;
	if (!is_full(j, o) && line.n <= UDIFF_BYTES - j->bytes) {
		j->lines++;
		j->bytes += line.n;
		return false;
	}
	j->cut_lines++;
	j->cut_bytes += line.n;
	return true;
}

static void add_cut(struct buf *b, const struct job *j, const struct udiff_opts *o)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	bool one = j->cut_lines == 1;

	if (j->cut_lines)
		add_line(b, o, "", "",
			 str_fmt(&a, "... %zu more line%s, %zu bytes: %s shows %s", j->cut_lines,
				 one ? "" : "s", j->cut_bytes, o->whole, one ? "it" : "them"));
}

static void add_hunk(struct buf *b, struct job *j, const struct udiff_opts *o, size_t from,
		     size_t to, size_t line_x, size_t line_y)
{
	size_t nx = 0, ny = 0;

	for (size_t i = from; i < to; i++) {
		nx += j->out.v[i].op != '+';
		ny += j->out.v[i].op != '-';
	}
	if (!is_full(j, o)) {
		AUTO(arena) struct arena a = ARENA_INIT;

		add_line(b, o, TERMINAL_CYAN, "",
			 str_fmt(&a, "@@ -%zu,%zu +%zu,%zu @@", nx ? line_x + 1 : line_x, nx,
				 ny ? line_y + 1 : line_y, ny));
	}
	for (size_t i = from; i < to; i++) {
		const struct edit *e = &j->out.v[i];
		char op[2] = { e->op, '\0' };

		if (cut(j, o, e->text))
			continue;
		add_line(b, o,
			 e->op == '-'	? TERMINAL_RED
			 : e->op == '+' ? TERMINAL_GREEN
					: "",
			 op, e->text);
		if (e->no_newline)
			add_line(b, o, "", "\\ No newline at end of file", S(""));
	}
}

static void hunks(struct buf *b, struct job *j, const struct udiff_opts *o)
{
	size_t x = 0, y = 0, i = 0, n = j->out.n;

	while (i < n) {
		size_t from, to, last, hx, hy;

		if (j->out.v[i].op == ' ') {
			i++;
			x++;
			y++;
			continue;
		}
		from = i < CONTEXT ? 0 : i - CONTEXT;
		hx = x - (i - from);
		hy = y - (i - from);
		last = i;
		for (to = i; to < n && to - last <= 2 * CONTEXT; to++)
			if (j->out.v[to].op != ' ')
				last = to;
		to = last + 1 + CONTEXT < n ? last + 1 + CONTEXT : n;
		add_hunk(b, j, o, from, to, hx, hy);
		for (; i < to; i++) {
			x += j->out.v[i].op != '+';
			y += j->out.v[i].op != '-';
		}
	}
}

void udiff(struct buf *b, struct str x, struct str y, const struct udiff_opts *o)
{
	struct job j = { 0 };

	if (str_eq(x, y))
		return;
	map_init(&j.ids, &j.a);
	split(&j, x, &j.x, &j.x_open);
	split(&j, y, &j.y, &j.y_open);
	compare(&j);
	add_line(b, o, TERMINAL_BOLD, "--- ", str_of(o->from));
	add_line(b, o, TERMINAL_BOLD, "+++ ", str_of(o->to));
	hunks(b, &j, o);
	add_cut(b, &j, o);
	arena_free(&j.a);
}
