/*
 * flag: command-line flags from one table, read as pflag reads them.
 *
 *	--flag=v  --flag v  -f v  -fv  --bool  --bool=false  -abc  --
 *
 * In long names '_' counts as '-'. Flags and other words may be mixed; "--"
 * ends the flags. The same table writes the help, so the two cannot disagree.
 */
#ifndef BASE_FLAG_H
#define BASE_FLAG_H

#include "base/err.h"
#include "base/vec.h"

enum flag_kind {
	FLAG_BOOL, /* bool */
	FLAG_STR, /* struct str */
	FLAG_STRS, /* struct strs: may be given several times */
	FLAG_INT, /* int64_t */
	FLAG_DURATION, /* int64_t nanoseconds: 1h30m, 250ms */
	FLAG_SIZE, /* int64_t bytes: 512, 64Ki, 10M */
	FLAG_COUNT, /* int64_t: -vv, or -v 2 as klog has it */
	FLAG_CHOICE, /* struct str: one of choices */
	FLAG_GROUP, /* the flags of another table, in a struct at offset */
};

/*
 * The texts of a flag: its long name without dashes, "FILE" or "N" ("" for bools), and its help. They
 * are one string, because in a position-independent program each pointer costs 32 bytes.
 */
#define FLAG_TEXT(name, value, help) name "\0" value "\0" help

struct flag {
	const char *texts; /* FLAG_TEXT; NULL ends a table */
	union {
		const char *env; /* used when the flag is not given; or NULL */
		const char *choices; /* FLAG_CHOICE: "yaml|json|name" */
		const struct flag *group; /* FLAG_GROUP */
	};
	uint16_t offset; /* of the field in the options */
	char letter; /* 0 when there is none */
	uint8_t kind : 7; /* enum flag_kind */
	uint8_t hidden : 1;
};

const char *flag_name(const struct flag *f);
const char *flag_value(const struct flag *f);
const char *flag_purpose(const struct flag *f); /* its help */

/* Looks up an environment variable; NULL when unset. The caller supplies it, so that
 * parsing stays pure. */
typedef const char *flag_env(void *ctx, const char *name);

/* A table of flags, ended by { 0 }, and the options that its offsets refer to. */
struct flag_table {
	const struct flag *flags;
	void *opts;
};

struct flag_parse {
	const struct flag_table *tables; /* ended by { 0 } */
	flag_env *env; /* may be NULL */
	void *env_ctx;
	/* Stop at the first argument that is not a flag (a subcommand's name). */
	bool stop_at_word;
	/* When not NULL: long flags that no table has are skipped with their values,
	 * and their names are appended here. A known flag with a typing error is still
	 * an error. */
	struct strs *unknown;
};

/*
 * Reads argv[0..argc). Arguments that are not flags are appended to *words. A field
 * keeps its value when neither flag nor variable is given. ERR_INVALID with a message
 * for the user ("unknown flag: --pol (did you mean --pool?)").
 */
int flag_parse(struct arena *a, const struct flag_parse *p, int argc, char **argv,
	       struct strs *words, struct err *err);

/*
 * A paragraph for each flag that is not hidden, in lines of at most width columns.
 * Defaults are read from opts, unless the help says "(default": NULL for none.
 * Groups are left out.
 */
void flag_help(struct buf *b, const struct flag *flags, const void *opts, size_t width);

/* "1h2m3.5s" as Go's time.ParseDuration; whole numbers with k, M, G, Ki, Mi, Gi
 * or nothing behind them. */
bool flag_duration(struct str s, int64_t *ns);
bool flag_size(struct str s, int64_t *bytes);

/* "yaml, json or name" for "yaml|json|name". */
void flag_choices(struct buf *b, const char *choices);

/* Whether v is one of the choices; if not, *near is the nearest one, or "". */
bool flag_choose(const char *choices, struct str v, struct str *near);

/* One wrong character, or two that changed places: a typing error. */
bool flag_slip(struct str typed, struct str name);

/* The name among candidates (NULL-ended) nearest to word, or NULL. */
const char *flag_nearest(struct str word, const char *const *names);

/* " (did you mean NAME?)" with the nearest of names, or "". */
struct str flag_hint(struct arena *a, struct str word, const struct strs *names);

#endif
