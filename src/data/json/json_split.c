/*
 * Finds the end of each item by brackets and strings only; whether an item is valid
 * JSON is for its parser to check. Invariant: at most one item is buffered.
 */
#include "data/json_split.h"

void split_init(struct json_split *s, enum split_mode mode, size_t max,
		int (*on_item)(void *ctx, struct str text, struct err *err), void *ctx)
{
	*s = (struct json_split){
		.mode = mode,
		.max = max,
		.on_item = on_item,
		.ctx = ctx,
	};
	buf_init(&s->item, &s->a);
	buf_init(&s->rest, &s->a);
}

void split_free(struct json_split *s)
{
	arena_free(&s->a);
}

static bool blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Room for the next n bytes; NULL beyond the limit. */
static struct buf *room_for(struct json_split *s, size_t n, struct err *err)
{
	struct buf *b = s->item_depth || s->mode == SPLIT_VALUES ? &s->item : &s->rest;

	if (b->n + n <= s->max)
		return b;
	(void)err_set(err, ERR_LIMIT, "an object of more than %zu bytes", s->max);
	return NULL;
}

static int keep(struct json_split *s, struct str part, struct err *err)
{
	struct buf *b = room_for(s, part.n, err);

	if (!b)
		return -ERR_LIMIT;
	buf_add(b, part);
	return 0;
}

static int keep_char(struct json_split *s, char c, struct err *err)
{
	struct buf *b = room_for(s, 1, err);

	if (!b)
		return -ERR_LIMIT;
	buf_addc(b, c);
	return 0;
}

static int item_done(struct json_split *s, struct err *err)
{
	int rc = s->on_item(s->ctx, buf_str(&s->item), err);

	s->item.n = 0;
	s->item_depth = 0;
	/* One large item must not keep its memory forever. */
	if (s->mode == SPLIT_VALUES && s->item.cap > 65536) {
		arena_free(&s->a);
		buf_init(&s->item, &s->a);
		buf_init(&s->rest, &s->a);
	}
	return rc;
}

/* The rest of a string: up to its end or to the end of the part. */
static size_t string_end(struct json_split *s, struct str p, size_t i)
{
	for (; i < p.n; i++) {
		char c = p.p[i];

		if (s->escaped) {
			s->escaped = false;
		} else if (c == '\\') {
			s->escaped = true;
		} else if (c == '"') {
			s->in_string = false;
			return i + 1;
		}
		if (s->depth == 1 && !s->item_depth && s->key_n < 8)
			s->key[s->key_n++] = c;
	}
	return i;
}

static bool is_items(const struct json_split *s)
{
	return s->key_n == 5 && memcmp(s->key, "items", 5) == 0;
}

static int open_bracket(struct json_split *s, char c, struct err *err)
{
	if (s->depth >= 1000)
		return err_set(err, ERR_LIMIT, "nested more than 1000 deep");
	s->depth++;
	if (s->mode == SPLIT_VALUES)
		return keep_char(s, c, err);
	if (s->in_items && !s->item_depth)
		s->item_depth = s->depth;
	else if (c == '[' && s->depth == 2 && is_items(s))
		s->in_items = true;
	return keep_char(s, c, err);
}

static int close_bracket(struct json_split *s, char c, struct err *err)
{
	int rc;

	if (!s->depth)
		return err_set(err, ERR_INVALID,
			       "invalid character '%c' looking for beginning "
			       "of value",
			       c);
	if (s->in_items && s->depth == 2 && !s->item_depth)
		s->in_items = false;
	rc = keep_char(s, c, err);
	if (rc < 0)
		return rc;
	if ((s->mode == SPLIT_VALUES && s->depth == 1) ||
	    (s->item_depth && s->depth == s->item_depth)) {
		s->depth--;
		return item_done(s, err);
	}
	s->depth--;
	return 0;
}

/* Everything but strings and brackets. */
static int plain(struct json_split *s, char c, struct err *err)
{
	if (s->depth == 0 && s->mode == SPLIT_VALUES)
		return blank(c) ? 0
				: err_set(err, ERR_INVALID,
					  "invalid character '%c' looking for "
					  "beginning of value",
					  c);
	/* Between items: commas and blanks. */
	if (s->in_items && !s->item_depth)
		return blank(c) || c == ',' ? 0
					    : err_set(err, ERR_INVALID, "an item is not an object");
	return keep_char(s, c, err);
}

int split_feed(struct json_split *s, struct str part, struct err *err)
{
	size_t i = 0;
	int rc = 0;

	while (i < part.n && rc == 0) {
		char c = part.p[i];
		size_t from = i;

		if (s->in_string) {
			i = string_end(s, part, i);
			rc = keep(s, str_sub(part, from, i), err);
			continue;
		}
		i++;
		if (c == '"') {
			if (s->depth == 1 && !s->item_depth)
				s->key_n = 0;
			s->in_string = true;
			rc = s->depth || s->mode == SPLIT_ITEMS
				     ? keep_char(s, c, err)
				     : err_set(err, ERR_INVALID, "a value is not an object");
		} else if (c == '{' || c == '[') {
			rc = open_bracket(s, c, err);
		} else if (c == '}' || c == ']') {
			rc = close_bracket(s, c, err);
		} else {
			rc = plain(s, c, err);
		}
	}
	return rc;
}

bool split_between(const struct json_split *s)
{
	return !s->depth && !s->in_string;
}

struct str split_rest(const struct json_split *s)
{
	return buf_str(&s->rest);
}
