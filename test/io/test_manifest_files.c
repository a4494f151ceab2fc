/* Files of manifests: those of a bootstrap, and those that fmt rewrites. */
#include "../test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/bootstrap_dir.h"
#include "io/file.h"
#include "io/format_files.h"
#include "io/template_dir.h"

static struct arena a = ARENA_INIT;
static struct err err = ERR_INIT(&a);
static char dir[] = "/tmp/manifest-files-XXXXXX";

static const char *at(const char *name)
{
	return str_fmt(&a, "%s/%s", dir, name).p;
}

static void put(const char *name, const char *text)
{
	if (file_replace(at(name), str_of(text), 0644, &err) < 0)
		abort();
}

static struct str get(const char *name)
{
	struct str text = S("(none)");

	(void)file_read(&a, at(name), 4096, &text, &err);
	return text;
}

/* ---- bootstrap ----------------------------------------------------------- */

TEST manifests_are_read_in_order_without_directories(void)
{
	struct bootstrap_files files = { 0 };

	ASSERT_INT(0, mkdir(at("in"), 0755));
	ASSERT_INT(0, mkdir(at("in/a"), 0755));
	put("in/c.yaml", "c");
	put("in/.b", "hidden files count");
	ASSERT_INT(0, bootstrap_dir_read(&a, str_fmt(&a, "%s/in//", dir), &files, &err));
	ASSERT_INT(2, files.n);
	ASSERT_STR(at("in/.b"), files.v[0].path);
	ASSERT_STR("hidden files count", files.v[0].text);
	ASSERT_STR(at("in/c.yaml"), files.v[1].path);
	PASS();
}

TEST a_missing_file_is_worded_as_go_does(void)
{
	struct bootstrap_files files = { 0 };
	struct str text;

	ASSERT_INT(-ERR_SYS, bootstrap_dir_read(&a, S("/no/such"), &files, &err));
	ASSERT_STR("failed to read dir \"/no/such\": open /no/such: no such file or directory",
		   err.msg);
	ASSERT_INT(-ERR_SYS, bootstrap_file_read(&a, "/no/such", &text, &err));
	ASSERT_STR("open /no/such: no such file or directory", err.msg);
	PASS();
}

TEST a_source_says_why_it_was_not_read(void)
{
	struct operator_source s;

	bootstrap_source_read(&a, S(""), &s);
	ASSERT(!s.path.n && !s.problem.n && !s.missing && !s.unknown);
	bootstrap_source_read(&a, S("/no/such"), &s);
	ASSERT_STR("no such file or directory", s.problem);
	ASSERT(s.missing && s.unknown);
	bootstrap_source_read(&a, str_of(dir), &s);
	ASSERT_STR("is a directory", s.problem);
	ASSERT(!s.missing && !s.unknown);
	put("source", "text");
	bootstrap_source_read(&a, str_of(at("source")), &s);
	ASSERT_STR("text", s.text);
	ASSERT(!s.problem.n && !s.missing && !s.unknown);
	ASSERT_INT(0, unlink(at("source")));
	PASS();
}

static struct bootstrap_files two(const char *second)
{
	struct bootstrap_files files = { 0 };

	VEC_PUSH(&a, &files, ((struct bootstrap_file){ S("pools/x"), S("1") }));
	VEC_PUSH(&a, &files, ((struct bootstrap_file){ str_of(second), S("2") }));
	return files;
}

static const struct bootstrap_modes modes = { 0750, 0640 };

TEST files_are_written_and_replaced(void)
{
	struct bootstrap_files files = two("configs/y");
	struct stat st;

	ASSERT_INT(0, bootstrap_dir_write(&a, str_fmt(&a, "%s/out", dir), &files, modes, &err));
	files.v[0].text = S("new");
	ASSERT_INT(0, bootstrap_dir_write(&a, str_fmt(&a, "%s/out", dir), &files, modes, &err));
	ASSERT_STR("new", get("out/pools/x"));
	ASSERT_STR("2", get("out/configs/y"));
	ASSERT_INT(0, stat(at("out/configs/y"), &st));
	ASSERT_INT(0640, st.st_mode & 07777);
	ASSERT_INT(0, stat(at("out/configs"), &st));
	ASSERT_INT(0750, st.st_mode & 07777);
	/* the staging directory is gone */
	ASSERT_INT(0, unlink(at("out/pools/x")));
	ASSERT_INT(0, unlink(at("out/configs/y")));
	ASSERT_INT(0, rmdir(at("out/pools")));
	ASSERT_INT(0, rmdir(at("out/configs")));
	ASSERT_INT(0, rmdir(at("out")));
	PASS();
}

TEST a_failed_write_leaves_no_staged_files(void)
{
	struct bootstrap_files files = two("blocked/y");

	ASSERT_INT(0, mkdir(at("out"), 0755));
	put("out/blocked", "a file where a directory is needed");
	ASSERT_INT(-ERR_SYS,
		   bootstrap_dir_write(&a, str_fmt(&a, "%s/out", dir), &files, modes, &err));
	ASSERT_STR(str_fmt(&a, "mkdir %s/out/blocked: not a directory", dir).p, err.msg);
	ASSERT_INT(0, unlink(at("out/blocked")));
	ASSERT_INT(0, unlink(at("out/pools/x")));
	ASSERT_INT(0, rmdir(at("out/pools")));
	ASSERT_INT(0, rmdir(at("out")));
	PASS();
}

TEST a_tree_of_templates_has_a_name(void)
{
	struct template_tree tree = { 0 };

	ASSERT_INT(0, template_dir_named(&a, S(TEMPLATES_BUILTIN), &tree, &err));
	ASSERT(tree.n > 0);
	ASSERT_INT(0, template_dir_named(&a, str_of(at("in")), &tree, &err));
	ASSERT_INT(-ERR_NOTFOUND, template_dir_named(&a, str_of(at("none")), &tree, &err));
	PASS();
}

/* ---- fmt ----------------------------------------------------------------- */

static struct strs paths(const char *x, const char *y)
{
	struct strs out = { 0 };

	VEC_PUSH(&a, &out, str_of(at(x)));
	if (y)
		VEC_PUSH(&a, &out, str_of(at(y)));
	return out;
}

TEST text_joins_the_documents_of_all_files(void)
{
	struct strs list = paths("x.yaml", "y.json");
	struct buf b;

	put("x.yaml", "b: 0644\na: yes\n---\nc: 1\n");
	put("y.json", "{\"z\":1,\"y\":2}");
	buf_init(&b, &a);
	ASSERT_INT(0, format_text(&a, &list, S(""), &b, &err));
	ASSERT_STR("a: true\nb: 420\n---\nc: 1\n---\n\"y\": 2\nz: 1\n", buf_str(&b));
	buf_init(&b, &a);
	ASSERT_INT(0, format_text(&a, &list, S("json-compact"), &b, &err));
	ASSERT_STR("{\"a\":true,\"b\":420}\n{\"c\":1}\n{\"y\":2,\"z\":1}\n", buf_str(&b));
	PASS();
}

TEST errors_have_the_position(void)
{
	struct strs list = paths("bad.yaml", NULL);
	struct buf b;

	put("bad.yaml", "a: 1\nb: [\n");
	buf_init(&b, &a);
	ASSERT_INT(-ERR_INVALID, format_text(&a, &list, S(""), &b, &err));
	ASSERT(str_starts(err.msg, str_fmt(&a, "%s:3:1: ", at("bad.yaml"))));
	PASS();
}

TEST only_changed_files_are_written_in_their_own_format(void)
{
	struct strs list = paths("y.json", "same.yaml");
	struct formatted_files changed = { 0 };
	struct buf b;

	put("y.json", "{\"z\":1,\"y\":2}");
	put("same.yaml", "a: 1\n");
	ASSERT_INT(0, format_changes(&a, &list, S(""), &changed, &err));
	ASSERT_INT(1, changed.n);
	buf_init(&b, &a);
	ASSERT_INT(0, format_write(&a, &changed, false, &b, &err));
	ASSERT_STR(str_fmt(&a, "%s\n", at("y.json")).p, buf_str(&b));
	ASSERT_STR("{\n  \"y\": 2,\n  \"z\": 1\n}\n", get("y.json"));
	PASS();
}

TEST a_comment_keeps_every_file_from_being_written(void)
{
	struct strs list = paths("x.yaml", "comment.yaml");
	struct formatted_files changed = { 0 };
	struct buf b;

	put("x.yaml", "b: 1\na: 2\n");
	put("comment.yaml", "a: 1\n# why\nb: 2\n");
	ASSERT_INT(0, format_changes(&a, &list, S(""), &changed, &err));
	ASSERT_INT(2, changed.n);
	buf_init(&b, &a);
	ASSERT_INT(-ERR_INVALID, format_write(&a, &changed, false, &b, &err));
	ASSERT_STR(str_fmt(&a,
			   "%s:2: fmt does not keep comments: give --drop-comments to write the "
			   "file without them",
			   at("comment.yaml"))
			   .p,
		   err.msg);
	ASSERT_STR("b: 1\na: 2\n", get("x.yaml"));
	ASSERT_INT(0, format_write(&a, &changed, true, &b, &err));
	ASSERT_STR("a: 2\nb: 1\n", get("x.yaml"));
	ASSERT_STR("a: 1\nb: 2\n", get("comment.yaml"));
	PASS();
}

static void suite(void)
{
	if (!mkdtemp(dir))
		abort();
	RUN_TEST(manifests_are_read_in_order_without_directories);
	RUN_TEST(a_missing_file_is_worded_as_go_does);
	RUN_TEST(a_source_says_why_it_was_not_read);
	RUN_TEST(files_are_written_and_replaced);
	RUN_TEST(a_failed_write_leaves_no_staged_files);
	RUN_TEST(a_tree_of_templates_has_a_name);
	RUN_TEST(text_joins_the_documents_of_all_files);
	RUN_TEST(errors_have_the_position);
	RUN_TEST(only_changed_files_are_written_in_their_own_format);
	RUN_TEST(a_comment_keeps_every_file_from_being_written);
	(void)system(str_fmt(&a, "rm -rf %s", dir).p);
	arena_free(&a);
}

TEST_MAIN(suite)
