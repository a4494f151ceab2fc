/* What a dump of a cluster contains. */
#include "../test.h"

#include "view/dump.h"

#define MC "'apiVersion':'machineconfiguration.openshift.io/v1'"

static const struct {
	const char *name, *list, *want;
} cases[] = {
	{ "items of built-in kinds get what their list says",
	  "{'apiVersion':'v1','kind':'NodeList','items':[{'metadata':{'name':'a',"
	  "'managedFields':[1]},'status':{'images':[1],'x':1}}]}",
	  "[{'apiVersion':'v1','kind':'Node','metadata':{'name':'a'},'status':"
	  "{'x':1}}]" },
	{ "others have it",
	  "{'apiVersion':'v1','kind':'XList','items':[{'metadata':{'name':'a'},"
	  "'kind':'Y','apiVersion':'v2','n':1.50}]}",
	  "[{'apiVersion':'v2','kind':'Y','metadata':{'name':'a'},'n':1.50}]" },
	{ "rendered configs that are in use",
	  "{" MC ",'kind':'L','items':["
	  "{" MC ",'kind':'MachineConfigPool','spec':{'configuration':{'name':"
	  "'r1'}},'status':{'configuration':{'name':'r2'}}},"
	  "{'apiVersion':'v1','kind':'Node','metadata':{'annotations':{"
	  "'machineconfiguration.openshift.io/currentConfig':'r3'}}},"
	  "{" MC ",'kind':'MachineConfig','metadata':{'name':'r0',"
	  "'ownerReferences':[{'kind':'MachineConfigPool'}]}},"
	  "{" MC ",'kind':'MachineConfig','metadata':{'name':'r1',"
	  "'ownerReferences':[{'kind':'MachineConfigPool'}]}},"
	  "{" MC ",'kind':'MachineConfig','metadata':{'name':'r2',"
	  "'ownerReferences':[{'kind':'MachineConfigPool'}]}},"
	  "{" MC ",'kind':'MachineConfig','metadata':{'name':'r3',"
	  "'ownerReferences':[{'kind':'MachineConfigPool'}]}},"
	  "{" MC ",'kind':'MachineConfig','metadata':{'name':'50-mine'}}]}",
	  "r1 r2 r3 50-mine" },
};

static struct str quoted(struct arena *a, const char *text)
{
	char *z = arena_dup(a, text, strlen(text));

	for (char *p = z; *p; p++)
		if (*p == '\'')
			*p = '"';
	return str_of(z);
}

/* The items; for MachineConfigs only the names. */
static struct str items(struct arena *a, const struct json *list)
{
	const struct json *all = json_at(list, "items");
	struct buf b, names;

	buf_init(&names, a);
	for (const struct json *o = json_first(all); o; o = json_next(o))
		if (str_is(json_str(o, "kind"), "MachineConfig"))
			buf_addf(&names, "%s%.*s", names.n ? " " : "",
				 STRF(json_str(o, "metadata.name")));
	buf_init(&b, a);
	json_encode(&b, all, 0);
	return names.n ? buf_str(&names) : buf_str(&b);
}

TEST dumps(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct json *list = NULL, *out;
		struct dump d;

		ASSERT_INT_M(cases[i].name, 0,
			     json_parse(&a, quoted(&a, cases[i].list), NULL, &list, &err));
		dump_init(&d, &a);
		dump_add(&d, list);
		out = dump_list(&d);
		ASSERT_STR_M(cases[i].name, quoted(&a, cases[i].want), items(&a, out));
		ASSERT_STR("List", json_str(out, "kind"));
		ASSERT_STR("v1", json_str(out, "apiVersion"));
	}
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(dumps);
	GREATEST_MAIN_END();
}
