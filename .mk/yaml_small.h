/*
 * Put into libyaml's sources by .mk/deps.sh, after their macros.
 *
 * libyaml writes each test of a character, each step over one and each token
 * out in full wherever it needs it: as functions the same steps take a third of
 * the room. What documents usually look like is read by data/yml_fast.c; this is the rest.
 */
#include <stdlib.h>

/* Four arguments and three texts per place would tell where. */
#undef assert
#define assert(x) ((x) ? (void)0 : abort())

#define OUTLINE static __attribute__((noinline, unused))

/* CR, LF, NEL, LS or PS. */
OUTLINE int at_break(const yaml_char_t *p)
{
	return p[0] == '\r' || p[0] == '\n' || (p[0] == 0xC2 && p[1] == 0x85) ||
	       (p[0] == 0xE2 && p[1] == 0x80 && (p[2] & 0xFE) == 0xA8);
}

OUTLINE int at_breakz(const yaml_char_t *p)
{
	return !p[0] || at_break(p);
}

OUTLINE int at_blankz(const yaml_char_t *p)
{
	return p[0] == ' ' || p[0] == '\t' || at_breakz(p);
}

OUTLINE int at_alpha(const yaml_char_t *p)
{
	yaml_char_t c = p[0] | 0x20;

	return (c >= 'a' && c <= 'z') || (p[0] >= '0' && p[0] <= '9') ||
	       p[0] == '_' || p[0] == '-';
}

OUTLINE size_t width_at(const yaml_char_t *p)
{
	return p[0] < 0x80   ? 1
	       : p[0] < 0xC0 ? 0
	       : p[0] < 0xE0 ? 2
	       : p[0] < 0xF0 ? 3
	       : p[0] < 0xF8 ? 4
			     : 0;
}

#undef IS_BREAK_AT
#define IS_BREAK_AT(string, offset) at_break((string).pointer + (offset))
#undef IS_BREAKZ_AT
#define IS_BREAKZ_AT(string, offset) at_breakz((string).pointer + (offset))
#undef IS_BLANKZ_AT
#define IS_BLANKZ_AT(string, offset) at_blankz((string).pointer + (offset))
#undef IS_ALPHA_AT
#define IS_ALPHA_AT(string, offset) at_alpha((string).pointer + (offset))
#undef WIDTH_AT
#define WIDTH_AT(string, offset) width_at((string).pointer + (offset))

OUTLINE int string_init(yaml_parser_t *parser, yaml_string_t *s, size_t size)
{
	return STRING_INIT(parser, *s, size);
}

OUTLINE int string_extend(yaml_parser_t *parser, yaml_string_t *s)
{
	return STRING_EXTEND(parser, *s);
}

OUTLINE void string_clear(yaml_string_t *s)
{
	CLEAR(0, *s);
}

OUTLINE int string_join(yaml_parser_t *parser, yaml_string_t *a,
			yaml_string_t *b)
{
	return JOIN(parser, *a, *b);
}

#undef STRING_INIT
#define STRING_INIT(context, string, size) string_init(context, &(string), size)
#undef STRING_EXTEND
#define STRING_EXTEND(context, string) string_extend(context, &(string))
#undef CLEAR
#define CLEAR(context, string) string_clear(&(string))
#undef JOIN
#define JOIN(context, a, b) string_join(context, &(a), &(b))

OUTLINE void token_init(yaml_token_t *t, yaml_token_type_t type,
			const yaml_mark_t *start, const yaml_mark_t *end)
{
	TOKEN_INIT(*t, type, *start, *end);
}

OUTLINE void event_init(yaml_event_t *e, yaml_event_type_t type,
			const yaml_mark_t *start, const yaml_mark_t *end)
{
	EVENT_INIT(*e, type, *start, *end);
}

#undef TOKEN_INIT
#define TOKEN_INIT(token, type, start, end) \
	token_init(&(token), type, &(start), &(end))
#undef EVENT_INIT
#define EVENT_INIT(event, type, start, end) \
	event_init(&(event), type, &(start), &(end))

#ifdef CACHE /* scanner.c */
OUTLINE int cache(yaml_parser_t *parser, size_t length)
{
	return CACHE(parser, length);
}

OUTLINE void skip(yaml_parser_t *parser)
{
	SKIP(parser);
}

OUTLINE void skip_line(yaml_parser_t *parser)
{
	SKIP_LINE(parser);
}

OUTLINE int read_char(yaml_parser_t *parser, yaml_string_t *s)
{
	return READ(parser, *s);
}

OUTLINE int read_line(yaml_parser_t *parser, yaml_string_t *s)
{
	return READ_LINE(parser, *s);
}

#undef CACHE
#define CACHE(parser, length) cache(parser, length)
#undef SKIP
#define SKIP(parser) skip(parser)
#undef SKIP_LINE
#define SKIP_LINE(parser) skip_line(parser)
#undef READ
#define READ(parser, string) read_char(parser, &(string))
#undef READ_LINE
#define READ_LINE(parser, string) read_line(parser, &(string))
#endif

#ifdef PEEK_TOKEN /* parser.c */
OUTLINE yaml_token_t *peek_token(yaml_parser_t *parser)
{
	return PEEK_TOKEN(parser);
}

OUTLINE void skip_token(yaml_parser_t *parser)
{
	SKIP_TOKEN(parser);
}

#undef PEEK_TOKEN
#define PEEK_TOKEN(parser) peek_token(parser)
#undef SKIP_TOKEN
#define SKIP_TOKEN(parser) skip_token(parser)
#endif
