/*
 * Builds a tree of nodes from libyaml's events. libyaml's marks count characters; a cursor that
 * only moves forward, as marks do, converts them to byte offsets.
 */
#include <yaml.h>

#include "base/map.h"
#include "yml_fast.h"
#include "yml_mend.h"

struct loader {
	struct yml_decode d;
	yaml_parser_t parser;
	struct str text;
	bool ascii; /* marks are byte offsets */
	size_t byte, chars; /* the cursor, for other texts */
	struct map anchors;
	unsigned depth;
	char flow; /* the end of the current flow collection; 0 outside */
	struct yml_mend mend;
	bool again; /* the text has been mended: parse it again */
};

static bool is_ascii(struct str s)
{
	uint64_t high = 0, w;
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		memcpy(&w, s.p + i, 8);
		high |= w;
	}
	for (; i < s.n; i++)
		high |= (unsigned char)s.p[i];
	return !(high & 0x8080808080808080u);
}

static size_t char_len(unsigned char c)
{
	return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* A byte order mark does not count as a character. */
static size_t first_byte(struct str text)
{
	return str_starts(text, S("\xEF\xBB\xBF")) ? 3 : 0;
}

/* The byte offset of a mark, which must not be before the previous one. */
static size_t offset_of(struct loader *l, const yaml_mark_t *m)
{
	if (l->ascii)
		return m->index < l->text.n ? m->index : l->text.n;
	while (l->chars < m->index && l->byte < l->text.n) {
		l->byte += char_len((unsigned char)l->text.p[l->byte]);
		l->chars++;
	}
	return l->byte < l->text.n ? l->byte : l->text.n;
}

/* The same without that condition. */
static size_t first_offset(const struct loader *l, size_t index)
{
	struct loader from = { .text = l->text, .ascii = l->ascii, .byte = first_byte(l->text) };

	return offset_of(&from, &(yaml_mark_t){ .index = index });
}

/* The library counts lines from 0, and upstream prints some of them unchanged. */
static size_t upstream_line(const yaml_parser_t *p)
{
	if (p->problem_mark.line)
		return p->problem_mark.line + (p->error == YAML_SCANNER_ERROR);
	return p->context_mark.line;
}

static int parser_fault(struct loader *l)
{
	const yaml_parser_t *p = &l->parser;
	struct yml_fault *f = &l->d.fault;
	size_t line = upstream_line(p);

	f->problem = str_dup(l->d.a, str_of(p->problem ? p->problem : ""));
	if (!f->problem.n)
		f->problem = S("unknown problem parsing YAML content");
	if (p->error == YAML_READER_ERROR) {
		json_line_col(l->text, p->problem_offset, &f->line, &f->col);
		line = 0;
	} else {
		f->line = p->problem_mark.line + 1;
		f->col = p->problem_mark.column + 1;
	}
	l->again = p->error == YAML_SCANNER_ERROR &&
		   yml_mend_fault(&l->mend, f->problem, first_offset(l, p->context_mark.index),
				  first_offset(l, p->problem_mark.index));
	f->upstream = line ? str_fmt(l->d.a, "yaml: line %zu: %.*s", line, STRF(f->problem))
			   : str_fmt(l->d.a, "yaml: %.*s", STRF(f->problem));
	return err_set(l->d.err, ERR_INVALID, "line %zu, column %zu: %.*s", f->line, f->col,
		       STRF(f->problem));
}

static int next_event(struct loader *l, yaml_event_t *e)
{
	if (!yaml_parser_parse(&l->parser, e))
		return parser_fault(l);
	return 0;
}

static struct str copy_text(struct loader *l, const yaml_char_t *z)
{
	return z ? str_dup(l->d.a, str_of((const char *)z)) : S("");
}

static struct yml_node *new_node(struct loader *l, const yaml_event_t *e, enum yml_kind kind)
{
	struct yml_node *n = ARENA_NEW(l->d.a, struct yml_node);

	n->kind = kind;
	n->line = e->start_mark.line;
	n->col = e->start_mark.column;
	n->start = offset_of(l, &e->start_mark);
	n->end = offset_of(l, &e->end_mark);
	return n;
}

static void set_anchor(struct loader *l, const yaml_char_t *name, struct yml_node *n)
{
	if (name)
		(void)map_put(&l->anchors, copy_text(l, name), n);
}

/*
 * In a flow collection, a '?' inside a plain scalar ends the scalar for upstream's older reader and
 * is then an error.
 */
static int check_plain(struct loader *l, const struct yml_node *n)
{
	struct str value = n->value;
	size_t line, col, at = n->end, marks = 0;
	int rc;

	for (size_t i = 0; l->flow && i < value.n; i++)
		marks += value.p[i] == '?';
	if (!marks)
		return 0;
	while (marks && at-- > n->start)
		marks -= l->text.p[at] == '?';
	json_line_col(l->text, at, &line, &col);
	rc = yml_fail(&l->d, n, "did not find expected ',' or '%c'", l->flow);
	if (line > 1)
		l->d.fault.upstream =
			str_fmt(l->d.a, "yaml: line %zu: %.*s", line - 1, STRF(l->d.fault.problem));
	return rc;
}

/* Upstream does not support \/; it fails when the scalar is scanned. */
static int check_quoted(struct loader *l, const struct yml_node *n)
{
	size_t at = yml_mend_bad_escape(l->text, n->start, n->end);
	struct yml_node there = *n;

	if (at == n->end)
		return 0;
	json_line_col(l->text, at, &there.line, &there.col);
	there.line--;
	there.col--;
	(void)yml_fail(&l->d, &there, "found unknown escape character");
	if (there.line)
		l->d.fault.upstream = str_fmt(l->d.a, "yaml: line %zu: %.*s", there.line + 1,
					      STRF(l->d.fault.problem));
	return -ERR_INVALID;
}

/* A tag can contain a comma in upstream's reader; libyaml ends it there. */
static int check_tag(struct loader *l, const struct yml_node *n)
{
	l->again = l->flow && n->tag.n && yml_mend_tag(&l->mend, n);
	return l->again ? yml_fail(&l->d, n, "invalid tag") : 0;
}

static int scalar(struct loader *l, const yaml_event_t *e, struct yml_node **out)
{
	struct yml_node *n = new_node(l, e, YML_SCALAR);
	struct str value = { (char *)e->data.scalar.value, e->data.scalar.length };
	int rc;

	n->value = value;
	if (l->mend.mended.n)
		yml_mend_restore(&l->mend, n, (char *)e->data.scalar.value);
	n->value = str_dup(l->d.a, value);
	n->tag = copy_text(l, e->data.scalar.tag);
	n->implicit = e->data.scalar.plain_implicit;
	set_anchor(l, e->data.scalar.anchor, n);
	*out = n;
	rc = check_tag(l, n);
	if (rc < 0)
		return rc;
	if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		return check_plain(l, n);
	if (e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
		return check_quoted(l, n);
	return 0;
}

static int alias(struct loader *l, const yaml_event_t *e, struct yml_node **out)
{
	struct yml_node *n = new_node(l, e, YML_ALIAS);

	n->value = copy_text(l, e->data.alias.anchor);
	n->target = map_get(&l->anchors, n->value);
	if (!n->target)
		return yml_fail(&l->d, n, "unknown anchor '%.*s' referenced", STRF(n->value));
	*out = n;
	return 0;
}

static int node(struct loader *l, yaml_event_t *e, struct yml_node **out);

static void append_child(struct yml_node *parent, struct yml_node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->n++;
}

/* Children up to the event that ends the collection. */
static int children(struct loader *l, struct yml_node *parent, yaml_event_type_t end)
{
	for (;;) {
		struct yml_node *child = NULL;
		yaml_event_t e;
		int rc = next_event(l, &e);

		if (rc < 0)
			return rc;
		if (e.type == end) {
			parent->end = offset_of(l, &e.end_mark);
			yaml_event_delete(&e);
			return 0;
		}
		rc = node(l, &e, &child);
		if (rc < 0)
			return rc;
		append_child(parent, child);
	}
}

static int collection(struct loader *l, const yaml_event_t *e, struct yml_node **out)
{
	bool map = e->type == YAML_MAPPING_START_EVENT;
	struct yml_node *n = new_node(l, e, map ? YML_MAPPING : YML_SEQUENCE);
	char outer = l->flow;
	int rc;

	if (l->depth == YML_DEPTH_MAX)
		return err_set(l->d.err, ERR_LIMIT, "line %zu: nested more than %d levels deep",
			       n->line + 1, YML_DEPTH_MAX);
	n->tag = copy_text(l, map ? e->data.mapping_start.tag : e->data.sequence_start.tag);
	set_anchor(l, map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor, n);
	*out = n;
	rc = check_tag(l, n);
	if (rc < 0)
		return rc;
	if (map && e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
		l->flow = '}';
	if (!map && e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
		l->flow = ']';
	l->depth++;
	rc = children(l, n, map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT);
	l->depth--;
	l->flow = outer;
	return rc;
}

/* Takes ownership of the event. */
static int node(struct loader *l, yaml_event_t *e, struct yml_node **out)
{
	int rc = 0;

	if (e->type == YAML_SCALAR_EVENT)
		rc = scalar(l, e, out);
	else if (e->type == YAML_ALIAS_EVENT)
		rc = alias(l, e, out);
	else
		rc = collection(l, e, out);
	yaml_event_delete(e);
	return rc;
}

/* Upstream accepts only YAML 1.1, libyaml also 1.2. */
static int check_version(struct loader *l)
{
	size_t off = yml_mend_bad_version(l->text);
	struct yml_node at = { 0 };

	if (off == l->text.n)
		return 0;
	json_line_col(l->text, off, &at.line, &at.col);
	at.line--;
	at.col--;
	(void)yml_fail(&l->d, &at, "upstream reads only YAML 1.1: remove the %%YAML line");
	l->d.fault.upstream = at.line ? str_fmt(l->d.a,
						"yaml: line %zu: found incompatible YAML "
						"document",
						at.line)
				      : S("yaml: found incompatible YAML document");
	return -ERR_INVALID;
}

/* The root of the first document; NULL in a stream without one. */
static int document(struct loader *l, struct yml_node **out)
{
	for (;;) {
		yaml_event_t e;
		int rc = next_event(l, &e);

		if (rc < 0)
			return rc;
		switch (e.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_START_EVENT:
			yaml_event_delete(&e);
			continue;
		case YAML_STREAM_END_EVENT:
			yaml_event_delete(&e);
			return 0;
		default:
			rc = node(l, &e, out);
			if (rc < 0)
				return rc;
			/* the next event must at least end the document */
			rc = next_event(l, &e);
			if (rc == 0)
				yaml_event_delete(&e);
			return rc;
		}
	}
}

/* One pass over the text, mended so far. */
static int read_once(struct loader *l, struct yml_node **root)
{
	const char *from = l->mend.copy ? l->mend.copy : l->text.p;
	int rc;

	l->again = false;
	l->byte = first_byte(l->text);
	l->chars = l->depth = 0;
	l->flow = 0;
	map_init(&l->anchors, l->d.a);
	*root = NULL;
	if (!yaml_parser_initialize(&l->parser))
		return err_set(l->d.err, ERR_SYS, "out of memory");
	yaml_parser_set_input_string(&l->parser, (const unsigned char *)from, l->text.n);
	rc = document(l, root);
	yaml_parser_delete(&l->parser);
	return rc;
}

static int load_document(struct loader *l, struct json **out)
{
	struct yml_node *root = NULL;
	int rc = check_version(l);

	if (rc < 0)
		return rc;
	do
		rc = read_once(l, &root);
	while (rc < 0 && l->again);
	if (rc < 0)
		return rc;
	if (!root) {
		*out = json_new(l->d.a, JSON_NULL);
		return 0;
	}
	return yml_decode(&l->d, l->text, root, out);
}

int yml_parse_events(struct arena *a, struct str text, const struct yml_opts *opts,
		     struct json **out, struct err *err)
{
	struct err mine = ERR_INIT(a); /* err stays unchanged if a mended text parses */
	struct loader l = { .d = { .a = a, .err = &mine },
			    .text = text,
			    .ascii = is_ascii(text),
			    .mend = { .a = a, .text = text } };
	int rc;

	if (opts) {
		l.d.flags = opts->flags;
		l.d.twice = opts->twice;
	}
	rc = load_document(&l, out);
	if (rc == -ERR_INVALID && opts && opts->fault)
		*opts->fault = l.d.fault;
	return rc < 0 ? err_set(err, mine.code, "%.*s", STRF(mine.msg)) : 0;
}

int yml_parse(struct arena *a, struct str text, const struct yml_opts *opts, struct json **out,
	      struct err *err)
{
	if (opts && opts->size_max && text.n > opts->size_max)
		return err_set(err, ERR_LIMIT, "%zu bytes of YAML, more than the limit of %zu",
			       text.n, opts->size_max);
	if (yml_fast(a, text, out))
		return 0;
	return yml_parse_events(a, text, opts, out, err);
}
