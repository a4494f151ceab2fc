/*
 * The pages of --help, wrapped to the terminal. They come from the tables by which
 * flags are parsed, so both agree. test/golden/help has every page.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/applet.h"
#include "base/wrap.h"

#define WIDTH 80
#define WIDTH_MIN 40
#define WIDTH_MAX 120 /* longer lines are hard to read */

/* Longer command names get a line of their own. */
#define COMMAND_COLUMN 14

size_t help_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	int64_t width = 0;

	if (!columns || !str_to_i64(str_of(columns), &width) || width <= 0)
		width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
										    : WIDTH;
	return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (size_t)width;
}

static void add_summary(struct buf *b, const struct command *c, size_t width)
{
	size_t n = strlen(c->name);

	buf_addf(b, "  %s", c->name);
	if (n + 4 > COMMAND_COLUMN) {
		buf_addc(b, '\n');
		buf_fill(b, ' ', COMMAND_COLUMN);
	} else {
		buf_fill(b, ' ', COMMAND_COLUMN - 2 - n);
	}
	wrap_add(b, str_of(c->summary), COMMAND_COLUMN, COMMAND_COLUMN, width);
}

void help_applet(struct run *r, const struct flag *common, const void *defaults)
{
	size_t width = help_width();
	struct buf *b = &r->out;

	wrap_add(b, str_fmt(r->a, "%s %s.", r->applet->name, r->applet->summary), 0, 0, width);
	buf_addf(b, "\nUsage:\n  %s COMMAND [flags]\n\nCommands:\n", r->called_as);
	for (const struct command *const *c = r->applet->commands; *c; c++)
		add_summary(b, *c, width);
	buf_addz(b, "\nFlags:\n");
	flag_help(b, common, defaults, width);
	buf_addc(b, '\n');
	wrap_add(b,
		 str_fmt(r->a, "Use \"%s COMMAND --help\" for more about a command.", r->called_as),
		 0, 0, width);
}

/* Takes the next line from *text; false when none is left. */
static bool next_line(struct str *text, struct str *line)
{
	if (!text->n)
		return false;
	if (!str_cut(*text, '\n', line, text)) {
		*line = *text;
		*text = S("");
	}
	return true;
}

static void add_usage(struct run *r, const struct command *c, size_t width)
{
	struct str forms = str_of(c->args), form;

	buf_addz(&r->out, "\nUsage:\n");
	do {
		if (!next_line(&forms, &form))
			form = S("");
		buf_addz(&r->out, "  ");
		wrap_add(&r->out, str_fmt(r->a, "%s %s %.*s", r->called_as, c->name, STRF(form)), 2,
			 6, width);
	} while (forms.n);
}

static void add_examples(struct run *r, const char *text)
{
	struct str rest = str_of(text), line, word;

	buf_addz(&r->out, "\nExamples:\n");
	while (next_line(&rest, &line)) {
		bool more = true;

		if (str_starts(line, S("#")) && line.p > text)
			buf_addc(&r->out, '\n');
		buf_addc(&r->out, ' ');
		while (more) {
			more = str_cut(line, ' ', &word, &line);
			if (!more)
				word = line;
			buf_addc(&r->out, ' ');
			if (str_is(word, "@"))
				buf_addz(&r->out, r->called_as);
			else
				buf_add(&r->out, word);
		}
		buf_addc(&r->out, '\n');
	}
}

static void add_exits(struct run *r, const struct command *c, size_t width)
{
	struct str text = c->exits ? str_of(c->exits)
				   : str_fmt(r->a, "0 on success, %d on an error",
					     c->error_status ? c->error_status : 1);

	buf_addc(&r->out, '\n');
	wrap_add(&r->out, str_fmt(r->a, "Exit status: %.*s.", STRF(text)), 0, 0, width);
}

/* Flags that many commands share are on a page of their own. */
static void add_groups(struct run *r, const struct command *c, size_t width)
{
	for (const struct flag *f = c->flags; f && f->texts; f++)
		if (f->kind == FLAG_GROUP && strcmp(flag_name(f), c->name) != 0) {
			buf_addc(&r->out, '\n');
			wrap_add(&r->out,
				 str_fmt(r->a, "Use \"%s %s\" for %s.", r->called_as, flag_name(f),
					 flag_purpose(f)),
				 0, 0, width);
		}
}

void help_command(struct run *r, const struct command *c, const struct flag *common,
		  const void *defaults)
{
	void *opts = arena_alloc(r->a, c->opts_size);
	size_t width = help_width();
	struct buf *b = &r->out;
	size_t start = b->n;

	if (c->defaults)
		c->defaults(opts);
	wrap_add(b, str_fmt(r->a, "%s.", c->summary), 0, 0, width);
	if (b->p[start] >= 'a' && b->p[start] <= 'z')
		b->p[start] = (char)(b->p[start] - 'a' + 'A');
	add_usage(r, c, width);
	if (c->details) {
		buf_addc(b, '\n');
		wrap_paragraphs(b, str_of(c->details), width);
	}
	if (c->examples)
		add_examples(r, c->examples);
	buf_addz(b, "\nFlags:\n");
	if (c->flags)
		flag_help(b, c->flags, opts, width);
	flag_help(b, common, defaults, width);
	add_exits(r, c, width);
	add_groups(r, c, width);
}
