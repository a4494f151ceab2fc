/*
 * applet: one name of the binary, and its commands with a flag table each.
 *
 * applet_main parses the flags, runs the command and prints its output. Exit status: 0 on
 * success, 1 on an error (also for invalid flags, as upstream's programs do); a command
 * documents any other.
 */
#ifndef IO_APPLET_H
#define IO_APPLET_H

#include "base/err.h"
#include "base/flag.h"

/* One run of a command. Output goes to out, and is written when the command ends or
 * calls applet_flush. */
struct run {
	struct arena *a;
	const struct applet *applet;
	const char *called_as; /* "mcoctl", "kubectl mco" */
	int argc; /* the arguments after the applet's name */
	char **argv;
	struct strs words; /* the arguments that are not flags */
	struct buf out;
	bool colour; /* --color: out may have colours */
	struct strs warnings; /* what applet_warn wrote, for -o json */
	struct err err;
	int error_status; /* the command's, or 0 */
};

struct command {
	const char *name;
	const char *args; /* "[-f FILE]... [-o yaml|json]"; a line per form */
	const char *summary; /* one line, lower case, no full stop */
	const char *details; /* more help, or NULL; paragraphs are wrapped */
	/* Lines of at most 80 columns when shown: "# what it does", then the command, in which
	 * a word "@" stands for the program's name. The tests parse each. */
	const char *examples;
	const char *exits; /* "0 same, 1 differs"; NULL: "0 on success, 1 on an error" */
	const struct flag *flags; /* ends in { 0 }; or NULL */
	size_t opts_size;
	void (*defaults)(void *opts); /* or NULL: all zero */
	int error_status; /* exit status of errors, when it is not 1 */
	/* Log and ignore unknown flags: the command runs from a manifest, which may be a
	 * newer release's. */
	bool from_manifest;
	bool colours; /* it writes colours when r->colour is set */
	/* Returns the exit status; for a negative error code the caller prints r->err and
	 * exits with error_status. */
	int (*run)(struct run *r, const void *opts);
};

struct applet {
	const char *name, *summary;
	const struct command *const *commands; /* ends in NULL */
	const char *upstream; /* upstream's name for it in `version`, or NULL */
	bool colours; /* commands take --color */
	bool holds_keys; /* it has keys in memory, and must not dump core */
};

/* Runs one applet with the arguments after its name. */
int applet_main(const struct applet *ap, const char *called_as, int argc, char **argv);

/* Writes r->out to standard output and empties it. On a terminal, control characters
 * are escaped: see base/terminal.h. */
int applet_flush(struct run *r);

/* Add the page of --help to r->out, with the flags that all commands have, and the
 * defaults. */
void help_applet(struct run *r, const struct flag *common, const void *defaults);
void help_command(struct run *r, const struct command *c, const struct flag *common,
		  const void *defaults);
/* The width of a page: $COLUMNS, the terminal's, or 80. */
size_t help_width(void);

/* Writes to standard error at once, control characters escaped. */
void applet_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "warning: text" on standard error; the text is kept in r->warnings. */
void applet_warn(struct run *r, struct str text);

/* -o, for commands with several output formats: "yaml|json|name". The flag parser
 * refuses others. */
#define OUTPUT_FLAG(type, formats)                                                        \
	{                                                                                 \
		.texts = FLAG_TEXT("output", "FORMAT", "output format"), .letter = 'o',   \
		.kind = FLAG_CHOICE, .offset = offsetof(type, output), .choices = formats \
	}

/* The version command, which every applet has. */
extern const struct command version_command;
int version_print(struct run *r, bool json);

#endif
