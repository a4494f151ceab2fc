/*
 * The documents of a manifest. A stream of JSON values that turns out not to be JSON after at most
 * one value may be YAML in flow style and is parsed again as that. Positions of faults are those of
 * the file.
 */
#include "data/docs.h"

#include "data/yml.h"

#define SNIFF 1024

static bool looks_like_json(struct str text)
{
	struct str head = str_trim(str_sub(text, 0, SNIFF));

	return head.n && head.p[0] == '{';
}

static int refuse(struct docs_fault *f, struct err *err)
{
	return err_set(err, ERR_INVALID, "line %zu, column %zu: %.*s", f->line, f->col,
		       STRF(f->problem));
}

static void keep(struct arena *a, struct docs *out, struct doc d)
{
	if (json_kind(d.tree) != JSON_NULL)
		VEC_PUSH(a, out, d);
}

/* Records the fault of one document if the caller wants the other documents too. */
static bool pass_over(struct arena *a, struct docs_faults *faults, const struct docs_fault *f)
{
	if (faults)
		VEC_PUSH(a, faults, *f);
	return faults != NULL;
}

static int yaml_docs(struct arena *a, struct str text, size_t line, struct docs *out,
		     struct docs_faults *faults, struct docs_fault *f, struct err *err)
{
	size_t number = out->n;
	struct yml_docs docs;

	yml_docs_init(a, &docs, text);
	for (;;) {
		struct doc d = { 0 };
		struct yml_fault yf = { 0 }, twice = { 0 };
		struct yml_opts opts = { .fault = &yf, .twice = &twice };
		int rc = yml_docs_next(&docs, &d.text, &d.line, err);

		if (rc == 0)
			return 0;
		d.line += line - 1;
		d.number = ++number;
		if (rc < 0) {
			*f = (struct docs_fault){ .line = docs.line + line - 2,
						  .col = 1,
						  .number = number,
						  .problem = err->msg,
						  .upstream = err->msg };
			/* the start of the next document is unknown */
			return pass_over(a, faults, f) ? 0 : refuse(f, err);
		}
		rc = yml_parse(a, d.text, &opts, &d.tree, err);
		if (rc == -ERR_INVALID) {
			*f = (struct docs_fault){ .line = d.line + yf.line - 1,
						  .col = yf.col,
						  .number = number,
						  .problem = yf.problem,
						  .upstream = yf.upstream };
			if (pass_over(a, faults, f))
				continue;
			return refuse(f, err);
		}
		if (rc < 0)
			return rc;
		if (twice.line) {
			d.twice = twice.problem;
			d.twice_line = d.line + twice.line - 1;
			d.twice_col = twice.col;
		}
		keep(a, out, d);
	}
}

static struct str skip_space(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\n' || s.p[0] == '\t' || s.p[0] == '\r'))
		s = str_from(s, 1);
	return s;
}

/* The number of line breaks between two positions of a text. */
static size_t lines_between(const char *from, const char *to)
{
	struct str s = { from, (size_t)(to - from) }, line;
	size_t n = 0;

	while (str_line(&s, &line))
		n++;
	return n && to[-1] != '\n' ? n - 1 : n;
}

/*
 * A stream of JSON values. A text that turns out not to be JSON after at most one value may be YAML
 * in flow style, and is parsed as that.
 */
static int json_docs(struct arena *a, struct str text, struct docs *out, struct docs_faults *faults,
		     struct docs_fault *f, struct err *err)
{
	struct str rest = skip_space(text);
	size_t line = 1 + lines_between(text.p, rest.p), number = 0;

	while (rest.n) {
		struct json_fault jf = { 0 };
		size_t used = 0;
		struct json_opts opts = { .flags = JSON_FIX_UTF8, .used = &used, .fault = &jf };
		struct doc d = { .line = line, .json = true };
		int rc = json_parse(a, rest, &opts, &d.tree, err);
		const char *before = rest.p;

		d.number = ++number;
		if (rc == -ERR_INVALID && number <= 2) {
			struct err second = ERR_INIT(a);
			size_t kept = out->n;

			if (yaml_docs(a, rest, line, out, NULL, f, &second) == 0)
				return 0;
			out->n = kept;
		}
		if (rc == -ERR_INVALID) {
			*f = (struct docs_fault){ .line = line + jf.line - 1,
						  .col = jf.col,
						  .number = number,
						  .problem = jf.problem,
						  .upstream = jf.problem };
			return pass_over(a, faults, f) ? 0 : refuse(f, err);
		}
		if (rc < 0)
			return rc;
		d.text = str_sub(rest, 0, used);
		keep(a, out, d);
		rest = skip_space(str_from(rest, used));
		line += lines_between(before, rest.p);
	}
	return 0;
}

static int parse(struct arena *a, struct str text, struct docs *out, struct docs_faults *faults,
		 struct docs_fault *fault, struct err *err)
{
	if (looks_like_json(text))
		return json_docs(a, text, out, faults, fault, err);
	return yaml_docs(a, text, 1, out, faults, fault, err);
}

int docs_parse(struct arena *a, struct str text, struct docs *out, struct docs_fault *fault,
	       struct err *err)
{
	struct docs_fault scratch;

	return parse(a, text, out, NULL, fault ? fault : &scratch, err);
}

int docs_parse_all(struct arena *a, struct str text, struct docs *out, struct docs_faults *faults,
		   struct err *err)
{
	struct docs_fault scratch;

	return parse(a, text, out, faults, &scratch, err);
}
