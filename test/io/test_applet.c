/* Applets: how a command is found, its flags and exit status, and the pages of --help. */
#include "../test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "io/applet.h"

struct opts {
	struct str size;
	bool fail;
};

static const struct flag flags[] = {
	{ .texts = FLAG_TEXT("size", "SIZE", "how large it is"),
	  .letter = 's',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, size) },
	{ .texts = FLAG_TEXT("fail", "", "return an error"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, fail) },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->size = S("small");
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;

	if (o->fail)
		return err_set(&r->err, ERR_INVALID, "it \033[1mfails");
	buf_addf(&r->out, "size %.*s", STRF(o->size));
	for (size_t i = 0; i < r->words.n; i++)
		buf_addf(&r->out, " %.*s", STRF(r->words.v[i]));
	buf_addc(&r->out, '\n');
	return 0;
}

static const struct command measure = {
	.name = "measure",
	.args = "[--size SIZE] THING\n--fail",
	.summary = "measure a thing",
	.details = "Prints the size and the thing.",
	.examples = "# A large thing\n@ measure --size large house",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.error_status = 2,
	.run = run,
};
static const struct command lenient = {
	.name = "measure-leniently",
	.args = "",
	.summary = "measure from a manifest",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.from_manifest = true,
	.run = run,
};
static const struct command *const commands[] = { &measure, &lenient, NULL };
static const struct applet applet = { .name = "ruler",
				      .summary = "measures things",
				      .commands = commands };

/* What the last call wrote. */
static char text[2][4096];

/* Replaces descriptor fd by a file in memory; returns the former one. */
static int redirect(int fd, int *file)
{
	int old = dup(fd);

	*file = memfd_create("output", MFD_CLOEXEC);
	if (old < 0 || *file < 0 || dup2(*file, fd) < 0)
		abort();
	return old;
}

static void restore(int fd, int old, int file, char *to, size_t cap)
{
	ssize_t n = pread(file, to, cap - 1, 0);

	to[n > 0 ? n : 0] = '\0';
	if (dup2(old, fd) < 0)
		abort();
	(void)close(old);
	(void)close(file);
}

/* Runs the applet; words ends in NULL. Returns the exit status. */
static int call(const char *const *words)
{
	char *argv[8];
	int argc = 0, status, old[2], file[2];

	for (; words[argc]; argc++)
		argv[argc] = strdup(words[argc]);
	(void)fflush(stdout);
	old[0] = redirect(STDOUT_FILENO, &file[0]);
	old[1] = redirect(STDERR_FILENO, &file[1]);
	status = applet_main(&applet, "ruler", argc, argv);
	restore(STDOUT_FILENO, old[0], file[0], text[0], sizeof(text[0]));
	restore(STDERR_FILENO, old[1], file[1], text[1], sizeof(text[1]));
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return status;
}

static const struct {
	const char *name;
	const char *words[6];
	int status;
	const char *out, *err;
} cases[] = {
	{ "defaults apply", { "measure", "x" }, 0, "size small x\n", "" },
	{ "flags and words mix", { "measure", "x", "-s", "big", "y" }, 0, "size big x y\n", "" },
	{ "flags may precede the command", { "--size=big", "measure" }, 0, "size big\n", "" },
	{ "an error has the command's status, and control characters are escaped",
	  { "measure", "--fail" },
	  2,
	  "",
	  "Error: it \\x1b[1mfails\n" },
	{ "an unknown command gets a hint",
	  { "mesure" },
	  1,
	  "",
	  "Error: unknown command \"mesure\" for \"ruler\" (did you mean measure?)\n"
	  "See 'ruler --help'.\n" },
	{ "an unknown flag gets a hint, and the status of the command",
	  { "measure", "--siz", "x" },
	  2,
	  "",
	  "Error: unknown flag: --siz (did you mean --size?)\nSee 'ruler measure --help'.\n" },
	{ "an unknown flag before the command",
	  { "--nothing", "measure" },
	  1,
	  "",
	  "Error: unknown flag: --nothing\nSee 'ruler --help'.\n" },
};

TEST commands_are_found_and_run(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int status = call(cases[i].words);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].err), str_of(text[1]));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].out), str_of(text[0]));
		ASSERT_INT_M(cases[i].name, cases[i].status, status);
	}
	PASS();
}

TEST a_command_of_a_manifest_ignores_unknown_flags(void)
{
	static const char *const words[] = { "measure-leniently", "--newer=1", NULL };

	ASSERT_INT(0, call(words));
	ASSERT_STR("size \n", str_of(text[0]));
	ASSERT(strstr(text[1], "ignoring unknown flag --newer: it may belong to a newer release"));
	PASS();
}

#define COMMON                                                                    \
	"  -h, --help                  show this help\n"                          \
	"  -v, --v N                   log verbosity, from 0 to 10 (default 0)\n" \
	"      --version               print the version\n"

TEST help_shows_the_tables(void)
{
	static const char *const whole[] = { "--help", NULL };
	static const char *const one[] = { "help", "measure", NULL };

	ASSERT_INT(0, call(whole));
	ASSERT_STR("ruler measures things.\n\n"
		   "Usage:\n  ruler COMMAND [flags]\n\n"
		   "Commands:\n"
		   "  measure     measure a thing\n"
		   "  measure-leniently\n"
		   "              measure from a manifest\n\n"
		   "Flags:\n" COMMON "\nUse \"ruler COMMAND --help\" for more about a command.\n",
		   str_of(text[0]));
	ASSERT_INT(0, call(one));
	ASSERT_STR("Measure a thing.\n\n"
		   "Usage:\n  ruler measure [--size SIZE] THING\n  ruler measure --fail\n\n"
		   "Prints the size and the thing.\n\n"
		   "Examples:\n  # A large thing\n  ruler measure --size large house\n\n"
		   "Flags:\n"
		   "  -s, --size SIZE             how large it is (default small)\n"
		   "      --fail                  return an error\n" COMMON
		   "\nExit status: 0 on success, 2 on an error.\n",
		   str_of(text[0]));
	PASS();
}

TEST the_width_follows_the_environment_within_bounds(void)
{
	(void)setenv("COLUMNS", "100", 1);
	ASSERT_INT(100, help_width());
	(void)setenv("COLUMNS", "10", 1);
	ASSERT_INT(40, help_width());
	(void)setenv("COLUMNS", "1000", 1);
	ASSERT_INT(120, help_width());
	(void)setenv("COLUMNS", "80", 1);
	ASSERT_INT(80, help_width());
	PASS();
}

static void suite(void)
{
	RUN_TEST(the_width_follows_the_environment_within_bounds);
	RUN_TEST(commands_are_found_and_run);
	RUN_TEST(a_command_of_a_manifest_ignores_unknown_flags);
	RUN_TEST(help_shows_the_tables);
}

TEST_MAIN(suite)
