/*
 * applet: parses the flags of a command and runs it.
 *
 * All output of a command goes through applet_flush, and all messages through applet_say. Both
 * escape control characters (the output only on a terminal), so that no manifest or server can
 * control a terminal. Flags are parsed completely before a command runs.
 */
#include "io/applet.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/terminal.h"
#include "io/file.h"
#include "io/log.h"
#include "io/no_core.h"
#include "io/relro.h"

struct common {
	bool help, version;
	int64_t verbosity, flush;
	struct str modules, colour;
};

/* Manifests may have klog's vmodule and log-flush-frequency. They have no effect: every
 * line is written at once. */
/* clang-format off */
#define COMMON_FLAGS                                             \
	{ .texts = FLAG_TEXT("help", "", "show this help"), .letter = 'h', .kind = FLAG_BOOL, .offset = offsetof(struct common, help) },                            \
	{ .texts = FLAG_TEXT("v", "N", "log verbosity, from 0 to 10 (default 0)"), .letter = 'v', .kind = FLAG_COUNT, .offset = offsetof(struct common, verbosity) }, \
	{ .texts = FLAG_TEXT("vmodule", "PATTERNS", "accepted for compatibility"), .kind = FLAG_STR, .offset = offsetof(struct common, modules), .hidden = true },                                      \
	{ .texts = FLAG_TEXT("log-flush-frequency", "DURATION", "accepted for compatibility"), .kind = FLAG_DURATION, .offset = offsetof(struct common, flush), .hidden = true },                                      \
	{ .texts = FLAG_TEXT("version", "", "print the version"), .kind = FLAG_BOOL, .offset = offsetof(struct common, version) }
/* clang-format on */

static const struct flag common_flags[] = { COMMON_FLAGS, { 0 } };

/* For applets with coloured output. */
static const struct flag colour_flags[] = {
	{ .texts = FLAG_TEXT("color", "WHEN", "colour the output"),
	  .kind = FLAG_CHOICE,
	  .offset = offsetof(struct common, colour),
	  .choices = "auto|always|never" },
	COMMON_FLAGS,
	{ 0 },
};

static const struct flag *flags_of(const struct applet *ap)
{
	return ap->colours ? colour_flags : common_flags;
}

static const struct common common_defaults = { .colour = S("auto") };

/* The default follows https://no-color.org and git. */
static bool colour_wanted(struct str when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (str_is(when, "always") || str_is(when, "never"))
		return str_is(when, "always");
	return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static const char *get_env(void *ctx, const char *name)
{
	(void)ctx;
	return getenv(name);
}

int applet_flush(struct run *r)
{
	struct str text = buf_str(&r->out);
	int rc;

	if (isatty(STDOUT_FILENO))
		text = r->colour ? terminal_safe_but_colours(r->a, text)
				 : terminal_safe(r->a, text);
	rc = file_write_fd(STDOUT_FILENO, text, "standard output", &r->err);

	r->out.n = 0;
	return rc;
}

void applet_say(const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);
	struct buf b;
	va_list ap;

	buf_init(&b, &a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	(void)file_write_fd(STDERR_FILENO, terminal_safe(&a, buf_str(&b)), "standard error",
			    &ignored);
}

void applet_warn(struct run *r, struct str text)
{
	VEC_PUSH(r->a, &r->warnings, text);
	applet_say("warning: %.*s\n", STRF(text));
}

static int print_error(struct run *r)
{
	/* upstream's reports end in a line feed */
	applet_say("Error: %.*s%s", STRF(r->err.msg), str_ends(r->err.msg, S("\n")) ? "" : "\n");
	return r->error_status ? r->error_status : 1;
}

static int usage_error(struct run *r, const char *command)
{
	int status = print_error(r);

	applet_say("See '%s%s%s --help'.\n", r->called_as, command ? " " : "",
		   command ? command : "");
	return status;
}

static const struct command *find(const struct applet *ap, struct str name)
{
	for (const struct command *const *c = ap->commands; *c; c++)
		if (str_is(name, (*c)->name))
			return *c;
	return NULL;
}

static int unknown_command(struct run *r, struct str word)
{
	struct strs names = { 0 };

	for (const struct command *const *c = r->applet->commands; *c; c++)
		VEC_PUSH(r->a, &names, str_of((*c)->name));
	(void)err_set(&r->err, ERR_INVALID, "unknown command \"%.*s\" for \"%s\"%.*s", STRF(word),
		      r->called_as, STRF(flag_hint(r->a, word, &names)));
	return usage_error(r, NULL);
}

static int finish(struct run *r, int rc)
{
	if (rc >= 0 && applet_flush(r) < 0)
		rc = -1;
	return rc < 0 ? print_error(r) : rc;
}

static void warn_unknown(const struct strs *names)
{
	for (size_t i = 0; i < names->n; i++)
		log_warn("ignoring unknown flag --%.*s: it may belong to a "
			 "newer release",
			 STRF(names->v[i]));
}

static int run_command(struct run *r, const struct command *c, struct common *common, int argc,
		       char **argv)
{
	void *opts = arena_alloc(r->a, c->opts_size);
	struct flag_table tables[] = { { flags_of(r->applet), common }, { c->flags, opts }, { 0 } };
	struct strs unknown = { 0 };
	struct flag_parse p = { .tables = tables,
				.env = get_env,
				.unknown = c->from_manifest ? &unknown : NULL };

	r->error_status = c->error_status;
	if (c->defaults)
		c->defaults(opts);
	if (flag_parse(r->a, &p, argc, argv, &r->words, &r->err) < 0)
		return usage_error(r, c->name);
	log_init(common->verbosity, STDERR_FILENO);
	r->colour = c->colours && colour_wanted(common->colour);
	if (common->help) {
		help_command(r, c, flags_of(r->applet), &common_defaults);
		return finish(r, 0);
	}
	if (common->version)
		return finish(r, version_print(r, false));
	warn_unknown(&unknown);
	return finish(r, c->run(r, opts));
}

/* "help" and "help COMMAND". */
static int help(struct run *r, const struct strs *words)
{
	const struct command *c = NULL;

	if (words->n > 1) {
		c = find(r->applet, words->v[1]);
		if (!c)
			return unknown_command(r, words->v[1]);
	}
	if (c)
		help_command(r, c, flags_of(r->applet), &common_defaults);
	else
		help_applet(r, flags_of(r->applet), &common_defaults);
	return finish(r, 0);
}

/*
 * Upstream's programs accept the flags of a command before its name. Returns that
 * command, with its name removed from argv; or NULL.
 */
static const struct command *late_command(struct run *r, int argc, char **argv, char **rest)
{
	for (const struct command *const *c = r->applet->commands; *c; c++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct common common = common_defaults;
		struct flag_table tables[] = { { flags_of(r->applet), &common },
					       { (*c)->flags, arena_alloc(&a, (*c)->opts_size) },
					       { 0 } };
		struct strs words = { 0 }, unknown = { 0 };
		struct flag_parse p = { .tables = tables,
					.unknown = (*c)->from_manifest ? &unknown : NULL };
		int n = 0;

		if (flag_parse(&a, &p, argc, argv, &words, &err) < 0 || !words.n ||
		    !str_is(words.v[0], (*c)->name))
			continue;
		for (int i = 0; i < argc; i++)
			if (argv[i] != words.v[0].p)
				rest[n++] = argv[i];
		return *c;
	}
	return NULL;
}

int applet_main(const struct applet *ap, const char *called_as, int argc, char **argv)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run r = { .a = &a,
			 .applet = ap,
			 .called_as = called_as,
			 .argc = argc,
			 .argv = argv,
			 .err = ERR_INIT(&a) };
	struct common common = common_defaults;
	struct flag_table tables[] = { { flags_of(ap), &common }, { 0 } };
	struct flag_parse p = { .tables = tables, .stop_at_word = true };
	struct strs words = { 0 };
	const struct command *c;

	if (ap->holds_keys)
		no_core();
	buf_init(&r.out, &a);
	if (relro_protect(&r.err) < 0)
		return print_error(&r);
	if (flag_parse(&a, &p, argc, argv, &words, &r.err) < 0) {
		char **rest = arena_array(&a, (size_t)argc, sizeof(char *));

		c = late_command(&r, argc, argv, rest);
		if (!c)
			return usage_error(&r, NULL);
		common = common_defaults;
		return run_command(&r, c, &common, argc - 1, rest);
	}
	if (!words.n && common.version)
		return finish(&r, version_print(&r, false));
	if (!words.n || str_is(words.v[0], "help"))
		return help(&r, &words);
	c = find(ap, words.v[0]);
	if (!c)
		return unknown_command(&r, words.v[0]);
	argv += argc - (int)words.n + 1;
	return run_command(&r, c, &common, (int)words.n - 1, argv);
}
