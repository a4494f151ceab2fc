/*
 * The multi-call binary: selects the applet by argv[0], or else by the first
 * argument.
 */
#include "applet.h"
#include "base/wrap.h"

static const struct {
	const char *name;
	const struct applet *applet;
} names[] = {
#define APPLET(name, symbol) { name, &symbol##_applet },
#define ALIAS(name, symbol) { name, &symbol##_applet },
#include "list.def"
#undef APPLET
#undef ALIAS
};

#define NAMES (ARRAY_LEN(names))

static const struct applet *find(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].applet;
	return NULL;
}

/* The name for messages: plugins appear as kubectl and oc call them. */
static const char *spoken(const char *name)
{
	if (strcmp(name, "kubectl-mco") == 0)
		return "kubectl mco";
	return strcmp(name, "oc-mco") == 0 ? "oc mco" : name;
}

#define NAME_COLUMN 29

static void add_name(struct run *r, const char *name, const struct applet *ap, size_t width)
{
	/* NOLINTNEXTLINE: list.def has no null entries */
	bool alias = strcmp(ap->name, name) != 0;

	buf_addf(&r->out, "  %-*s", NAME_COLUMN - 2, name);
	wrap_add(&r->out, alias ? str_fmt(r->a, "the same as %s", ap->name) : str_of(ap->summary),
		 NAME_COLUMN, NAME_COLUMN, width);
}

static int usage(struct run *r)
{
	size_t width = help_width();

	buf_addz(&r->out, "mco renders, rolls out and serves the configuration of "
			  "OpenShift nodes.\n\n"
			  "Usage:\n"
			  "  mco NAME [COMMAND] [flags]\n"
			  "  NAME [COMMAND] [flags]     when called by that name\n"
			  "  mco --list | --version | --help\n\n"
			  "Names:\n");
	for (size_t i = 0; i < NAMES; i++)
		add_name(r, names[i].name, names[i].applet, width);
	buf_addz(&r->out, "\nExamples:\n"
			  "  # What a change does to the nodes of the cluster\n"
			  "  mco mcoctl diff -f 99-worker-ntp.yaml\n"
			  "  # Create a link for each name\n"
			  "  for n in $(mco --list); do ln -s mco $n; done\n"
			  "\nUse \"mco NAME --help\" for more about a name.\n");
	return 0;
}

static int list(struct run *r)
{
	for (size_t i = 0; i < NAMES; i++)
		buf_addf(&r->out, "%s\n", names[i].name);
	return 0;
}

static int unknown(const char *word)
{
	static const char *const flags[] = { "--help", "--list", "--version" };
	AUTO(arena) struct arena a = ARENA_INIT;
	bool flag = word[0] == '-';
	struct strs known = { 0 };

	for (size_t i = 0; i < (flag ? 3 : NAMES); i++)
		VEC_PUSH(&a, &known, str_of(flag ? flags[i] : names[i].name));
	applet_say("Error: unknown %s \"%s\" for \"mco\"%.*s\n", flag ? "flag" : "name", word,
		   STRF(flag_hint(&a, str_of(word), &known)));
	return 1;
}

/* For `mco version`; not one of the names. */
static const struct command *const own_commands[] = { &version_command, NULL };
static const struct applet own = {
	.name = "mco",
	.summary = "renders, rolls out and serves the configuration of "
		   "OpenShift nodes",
	.commands = own_commands,
};

static int version(struct run *r)
{
	return version_print(r, false);
}

static int print(int (*page)(struct run *r))
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run r = { .a = &a, .called_as = "mco", .err = ERR_INIT(&a) };

	buf_init(&r.out, &a);
	if (page(&r) == 0 && applet_flush(&r) == 0)
		return 0;
	applet_say("Error: %.*s\n", STRF(r.err.msg));
	return 1;
}

/* "mco help NAME [COMMAND]". */
static int help_of(int argc, char **argv)
{
	static char help[] = "help";
	const struct applet *ap = find(argv[0]);
	const char *name = argv[0];

	if (!ap)
		return unknown(argv[0]);
	argv[0] = help;
	return applet_main(ap, spoken(name), argc, argv);
}

static int by_first_word(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help";
	const struct applet *ap = find(word);

	if (ap)
		return applet_main(ap, spoken(word), argc - 2, argv + 2);
	if (strcmp(word, "--list") == 0)
		return print(list);
	if (strcmp(word, "version") == 0)
		return applet_main(&own, own.name, argc - 1, argv + 1);
	if (strcmp(word, "--version") == 0)
		return print(version);
	if (strcmp(word, "help") == 0 && argc > 2)
		return help_of(argc - 2, argv + 2);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return print(usage);
	return unknown(word);
}

int main(int argc, char **argv)
{
	const char *slash, *name = argc > 0 ? argv[0] : "mco";
	const struct applet *ap;

	slash = strrchr(name, '/');
	if (slash)
		name = slash + 1;
	ap = find(name);
	if (ap)
		return applet_main(ap, spoken(name), argc - 1, argv + 1);
	return by_first_word(argc, argv);
}
