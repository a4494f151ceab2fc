/*
 * One binary, many names: the applet is found by argv[0], or else by the first
 * word.
 */
#include <stdio.h>

#include "applet.h"

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

#define NAMES (sizeof(names) / sizeof(names[0]))

static const struct applet *find(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].applet;
	return NULL;
}

/* Plugins are spoken of as kubectl and oc call them. */
static const char *spoken(const char *name)
{
	if (strcmp(name, "kubectl-mco") == 0)
		return "kubectl mco";
	return strcmp(name, "oc-mco") == 0 ? "oc mco" : name;
}

static void usage(FILE *to)
{
	(void)fputs("mco renders, rolls out and serves the configuration of "
		    "OpenShift nodes.\n\n"
		    "Usage:\n"
		    "  mco NAME [COMMAND] [flags]\n"
		    "  NAME [COMMAND] [flags]     through a link of that name\n"
		    "  mco --list | --version | --help\n\n"
		    "Names:\n",
		    to);
	for (size_t i = 0; i < NAMES; i++) {
		const struct applet *ap = names[i].applet;
		/* NOLINTNEXTLINE: list.def has no null entries */
		bool alias = strcmp(ap->name, names[i].name) != 0;

		(void)fprintf(to, "  %-27s%s%s\n", names[i].name,
			      alias ? "the same as " : ap->summary,
			      alias ? ap->name : "");
	}
	(void)fputs("\nUse \"mco NAME --help\" for more about a name.\n", to);
}

static int unknown(const char *word)
{
	static const char *const flags[] = { "--help", "--list", "--version",
					     NULL };
	const char *all[NAMES + 1] = { 0 };
	const char *near;

	for (size_t i = 0; i < NAMES; i++)
		all[i] = names[i].name;
	near = flag_nearest(str_of(word), word[0] == '-' ? flags : all);
	applet_say("Error: unknown %s \"%s\" for \"mco\"%s%s%s\n",
		   word[0] == '-' ? "flag" : "name", word,
		   near ? " (did you mean " : "", near ? near : "",
		   near ? "?)" : "");
	return 1;
}

static int print_version(bool json)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run r = { .a = &a, .called_as = "mco", .err = ERR_INIT(&a) };

	buf_init(&r.out, &a);
	if (version_print(&r, json) == 0 && applet_flush(&r) == 0)
		return 0;
	applet_say("Error: %.*s\n", STRF(r.err.msg));
	return 1;
}

static int written(void)
{
	if (fflush(stdout) == 0)
		return 0;
	perror("Error: write standard output");
	return 1;
}

static int by_first_word(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help";
	const struct applet *ap = find(word);

	if (ap)
		return applet_main(ap, spoken(word), argc - 2, argv + 2);
	if (strcmp(word, "--list") == 0) {
		for (size_t i = 0; i < NAMES; i++)
			(void)puts(names[i].name);
		return written();
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0)
		return print_version(argc > 3 && strcmp(argv[2], "-o") == 0 &&
				     strcmp(argv[3], "json") == 0);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0) {
		usage(stdout);
		return written();
	}
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
