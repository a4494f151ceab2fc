/*
 * The tree. Every value is a cJSON node: cJSON allocates it (through its hooks, in
 * the caller's arena), keeps the list of children (the first child knows the last,
 * so appending takes constant time), and appends, replaces, detaches and counts.
 *
 * struct json adds what cJSON lacks: lengths, so that strings can contain NUL and
 * can be views of the input; the text of numbers; positions in the input.
 *
 * cJSON's parser and printer are not used. A rendered config is named by the hash
 * of its bytes, and upstream's error messages quote Go's parser, but cJSON
 *   - reads numbers as doubles: 9007199254740993 and 1e400 change,
 *   - ends a string at \u0000,
 *   - finds members without regard to case by default,
 *   - accepts duplicate keys, trailing bytes and invalid UTF-8,
 *   - copies every string, where we keep views of the input,
 *   - indents with tabs and does not escape < > & U+2028 as Go does.
 * json_parse.c and json_encode.c do that work.
 *
 * Invariants: a node belongs to one arena and one parent; cJSON never frees.
 */
#include "data/json.h"

#include <cJSON.h>

#include "base/num.h"
#include "base/map.h"

struct json {
	cJSON c; /* first, so that cJSON's pointers are ours */
	size_t text_n;
	/* 32 bits each: texts are smaller, and trees have many nodes */
	uint32_t key_n, key_pos, start, end;
};

_Static_assert(sizeof(struct json) <= 96, "a node is what memory is made of");

static uint32_t small(size_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct json *ours(cJSON *c)
{
	return (struct json *)c;
}

/* The arena that cJSON's next node goes to: cJSON's hooks take no context. */
static struct arena *node_arena;

static void *alloc_node(size_t n)
{
	(void)n; /* of a cJSON node, which ours begins with */
	return ARENA_NEW(node_arena, struct json);
}

/* A node's memory is freed with its arena. */
static void free_node(void *node)
{
	(void)node;
}

static struct json *new_node(struct arena *a)
{
	static bool hooked;

	if (!hooked)
		cJSON_InitHooks(&(cJSON_Hooks){ alloc_node, free_node });
	hooked = true;
	node_arena = a;
	return ours(cJSON_CreateNull());
}

enum json_kind json_kind(const struct json *j)
{
	if (!j)
		return JSON_NULL;
	switch (j->c.type & 0xFF) {
	case cJSON_True:
	case cJSON_False:
		return JSON_BOOL;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	case cJSON_Object:
		return JSON_OBJECT;
	default:
		return JSON_NULL;
	}
}

const char *json_kind_name(const struct json *j)
{
	switch (json_kind(j)) {
	case JSON_NULL:
		return "null";
	case JSON_BOOL:
		return "bool";
	case JSON_NUMBER:
		return "number";
	case JSON_STRING:
		return "string";
	case JSON_ARRAY:
		return "array";
	case JSON_OBJECT:
		return "object";
	}
	return "";
}

struct json *json_first(const struct json *j)
{
	return j ? ours(j->c.child) : NULL;
}

struct json *json_next(const struct json *j)
{
	return ours(j->c.next);
}

size_t json_len(const struct json *j)
{
	return j ? (size_t)cJSON_GetArraySize(&j->c) : 0;
}

struct str json_key(const struct json *j)
{
	return (struct str){ j->c.string, j->key_n };
}

struct str json_text(const struct json *j)
{
	if (!j || !j->c.valuestring)
		return S("");
	return (struct str){ j->c.valuestring, j->text_n };
}

bool json_is_true(const struct json *j)
{
	return j && cJSON_IsTrue(&j->c);
}

void json_span(const struct json *j, size_t *start, size_t *end)
{
	*start = j->start;
	*end = j->end;
}

size_t json_key_pos(const struct json *j)
{
	return j->key_pos;
}

struct json *json_member(const struct json *j, struct str key)
{
	struct json *found = NULL;

	if (json_kind(j) != JSON_OBJECT)
		return NULL;
	for (struct json *m = json_first(j); m; m = json_next(m))
		if (str_eq(json_key(m), key))
			found = m;
	return found;
}

struct json *json_at(const struct json *j, const char *path)
{
	struct str rest = str_of(path), name;
	struct json *at = NULL;

	while (str_cut(rest, '.', &name, &rest)) {
		at = json_member(j, name);
		if (!at)
			return NULL;
		j = at;
	}
	return json_member(j, rest);
}

static bool find_path(struct buf *b, const struct json *j, const struct json *value)
{
	size_t i = 0, before = b->n;

	for (const struct json *m = json_first(j); m; m = json_next(m), i++) {
		buf_addz(b, b->n ? "." : "");
		if (json_kind(j) == JSON_OBJECT)
			buf_add(b, json_key(m));
		else
			buf_addf(b, "%zu", i);
		if (m == value || find_path(b, m, value))
			return true;
		b->n = before;
	}
	return false;
}

struct str json_path_of(struct arena *a, const struct json *j, const struct json *value)
{
	struct buf b;

	buf_init(&b, a);
	(void)find_path(&b, j, value);
	return buf_str(&b);
}

bool json_bool(const struct json *j, const char *path, bool dflt)
{
	const struct json *v = json_at(j, path);

	return json_kind(v) == JSON_BOOL ? json_is_true(v) : dflt;
}

struct str json_str_or(const struct json *j, const char *path, struct str dflt)
{
	const struct json *v = json_at(j, path);

	return json_kind(v) == JSON_STRING ? json_text(v) : dflt;
}

struct str json_str(const struct json *j, const char *path)
{
	return json_str_or(j, path, S(""));
}

int64_t json_i64(const struct json *j, const char *path, int64_t dflt)
{
	const struct json *v = json_at(j, path);
	int64_t n;

	if (json_kind(v) != JSON_NUMBER || !str_to_i64(json_text(v), &n))
		return dflt;
	return n;
}

struct json *json_new(struct arena *a, enum json_kind kind)
{
	static const int types[] = {
		[JSON_NULL] = cJSON_NULL,     [JSON_BOOL] = cJSON_False,
		[JSON_NUMBER] = cJSON_Number, [JSON_STRING] = cJSON_String,
		[JSON_ARRAY] = cJSON_Array,   [JSON_OBJECT] = cJSON_Object,
	};
	struct json *j = new_node(a);

	j->c.type = types[kind];
	return j;
}

struct json *json_new_bool(struct arena *a, bool value)
{
	struct json *j = json_new(a, JSON_BOOL);

	j->c.type = value ? cJSON_True : cJSON_False;
	return j;
}

static struct json *new_text(struct arena *a, enum json_kind kind, struct str s)
{
	struct json *j = json_new(a, kind);

	j->c.valuestring = (char *)(uintptr_t)s.p; /* never written through */
	j->text_n = s.n;
	return j;
}

struct json *json_new_str(struct arena *a, struct str s)
{
	return new_text(a, JSON_STRING, s.p ? s : S(""));
}

struct json *json_new_num(struct arena *a, struct str text)
{
	return new_text(a, JSON_NUMBER, text);
}

struct json *json_new_strs(struct arena *a, const struct strs *list)
{
	struct json *j = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++)
		json_push(j, json_new_str(a, list->v[i]));
	return j;
}

struct json *json_new_i64(struct arena *a, int64_t value)
{
	struct num_int v = { value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value };
	struct buf b;

	buf_init(&b, a);
	num_add_int(&b, v);
	return json_new_num(a, buf_str(&b));
}

void json_push(struct json *array, struct json *item)
{
	(void)cJSON_AddItemToArray(&array->c, &item->c);
}

void json_add(struct json *object, struct str key, struct json *item)
{
	item->c.string = (char *)(uintptr_t)key.p;
	item->key_n = small(key.n);
	json_push(object, item);
}

void json_add_str(struct arena *a, struct json *object, const char *key, struct str value)
{
	json_add(object, str_of(key), json_new_str(a, value));
}

void json_add_opt(struct arena *a, struct json *object, const char *key, struct str value)
{
	json_add(object, str_of(key), value.p ? json_new_str(a, value) : json_new(a, JSON_NULL));
}

struct json *json_add_object(struct arena *a, struct json *object, const char *key)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(object, str_of(key), j);
	return j;
}

void json_replace(struct json *parent, struct json *old, struct json *item)
{
	item->c.string = old->c.string;
	item->key_n = old->key_n;
	(void)cJSON_ReplaceItemViaPointer(&parent->c, &old->c, &item->c);
}

void json_set(struct json *object, struct str key, struct json *item)
{
	struct json *old = json_member(object, key);

	if (old)
		json_replace(object, old, item);
	else
		json_add(object, key, item);
}

struct json *json_make(struct arena *a, struct json *root, const char *path)
{
	struct str rest = str_of(path), name;
	struct json *at = root;
	bool more = true;

	while (more) {
		struct json *next;

		more = str_cut(rest, '.', &name, &rest);
		next = json_member(at, more ? name : rest);
		if (json_kind(next) != JSON_OBJECT) {
			next = json_new(a, JSON_OBJECT);
			json_set(at, more ? name : rest, next);
		}
		at = next;
	}
	return at;
}

void json_detach(struct json *parent, struct json *item)
{
	(void)cJSON_DetachItemViaPointer(&parent->c, &item->c);
}

void json_set_null(struct json *j)
{
	j->c.type = cJSON_NULL;
	j->c.child = NULL;
}

bool json_remove(struct json *object, struct str key)
{
	bool any = false;
	struct json *next;

	for (struct json *m = json_first(object); m; m = next) {
		next = json_next(m);
		if (str_eq(json_key(m), key)) {
			json_detach(object, m);
			any = true;
		}
	}
	return any;
}

void json_set_span(struct json *j, size_t key_pos, size_t start, size_t end)
{
	j->key_pos = small(key_pos);
	j->start = small(start);
	j->end = small(end);
}

struct json *json_clone(struct arena *a, const struct json *j)
{
	struct json *copy = new_node(a);

	*copy = *j;
	copy->c.next = copy->c.prev = copy->c.child = NULL;
	for (const struct json *m = json_first(j); m; m = json_next(m))
		json_push(copy, json_clone(a, m));
	return copy;
}

static void index_of(struct map *m, struct arena *a, const struct json *j)
{
	map_init(m, a);
	for (struct json *v = json_first(j); v; v = json_next(v))
		(void)map_put(m, json_key(v), v);
}

/* Members are paired through maps, so large objects compare in linear time; of
 * equal keys the last counts, as for json_member. */
static bool eq_members(const struct json *x, const struct json *y)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct map in_x, in_y;

	index_of(&in_x, &a, x);
	index_of(&in_y, &a, y);
	if (in_x.n != in_y.n)
		return false;
	for (size_t i = 0; i < in_x.n; i++) {
		const struct json *other = map_get(&in_y, in_x.v[i].key);

		if (!other || !json_eq(in_x.v[i].value, other))
			return false;
	}
	return true;
}

bool json_eq(const struct json *x, const struct json *y)
{
	const struct json *p, *q;

	if (json_kind(x) != json_kind(y))
		return false;
	switch (json_kind(x)) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
		return json_is_true(x) == json_is_true(y);
	case JSON_NUMBER:
	case JSON_STRING:
		return str_eq(json_text(x), json_text(y));
	case JSON_OBJECT:
		return eq_members(x, y);
	case JSON_ARRAY:
		break;
	}
	p = json_first(x);
	q = json_first(y);
	for (; p && q; p = json_next(p), q = json_next(q))
		if (!json_eq(p, q))
			return false;
	return !p && !q;
}
