/*
 * The only writer of the Prometheus text format. Floats are written as Go's
 * FormatFloat 'g' does, because upstream's metrics are.
 */
#include "io/metrics_text.h"

#include "base/num.h"

void metrics_head(struct buf *b, const char *name, const char *type, const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n') {
			buf_addz(b, "\\n");
			continue;
		}
		if (s.p[i] == '\\' || s.p[i] == '"')
			buf_addc(b, '\\');
		buf_addc(b, s.p[i]);
	}
}

void metrics_series(struct buf *b, const char *name, const struct metrics_label *labels, size_t n)
{
	buf_addz(b, name);
	for (size_t i = 0; i < n; i++) {
		buf_addf(b, "%c%.*s=\"", i ? ',' : '{', STRF(labels[i].name));
		add_escaped(b, labels[i].value);
		buf_addc(b, '"');
	}
	if (n)
		buf_addc(b, '}');
}

void metrics_int(struct buf *b, int64_t value)
{
	buf_addf(b, " %lld\n", (long long)value);
}

void metrics_float(struct buf *b, double value)
{
	buf_addc(b, ' ');
	num_add_float_g(b, value, 64);
	buf_addc(b, '\n');
}
