/*
 * A depth-first search from the leaf upwards. Every candidate counts against one limit, so that
 * certificates with equal names cannot make the search long. The checks of Go's isValid are made
 * when a certificate is added to the path; those of a whole chain (extended key usage, name
 * constraints, policies) when a root is reached. After a failed check the next candidate is tried;
 * the first failure is reported.
 */
#include "data/x509_chain.h"

#define CANDIDATES_MAX 100 /* Go's limit of signature checks */
#define COMPARISONS_MAX 250000 /* of names with constraints */

struct search {
	const struct x509_trust *trust;
	const struct x509 *shown;
	size_t n;
	const struct x509 *path[X509_CHAIN_MAX + 1]; /* leaf first */
	size_t depth; /* certificates in path */
	size_t candidates, comparisons;
	bool failed; /* why and fault describe the first failure */
	struct err *why;
	enum x509_fault fault;
};

static void note_failure(struct search *s, enum x509_fault fault, const struct err *why)
{
	if (s->failed)
		return;
	s->failed = true;
	s->fault = fault;
	s->why->code = why->code;
	s->why->msg = why->msg;
}

/* ---- one certificate ----------------------------------------------------- */

/* As Go's CheckSignatureFrom: only version 1 may lack basic constraints. */
static bool may_sign(const struct x509 *c)
{
	if (c->has_constraints ? !c->ca : c->version == 3)
		return false;
	return c->may_sign;
}

/* The checks of a single certificate of the path. */
static int check_one(const struct search *s, const struct x509 *c, size_t below,
		     enum x509_fault *fault, struct err *err)
{
	int rc = x509_check_time(c, s->trust->now, err);

	*fault = rc < 0 ? X509_EXPIRED : X509_BAD;
	if (rc == 0 && c->odd_critical)
		rc = err_set(err, ERR_INVALID,
			     "certificate has a critical extension that is not supported");
	if (rc == 0 && c->has_constraints && c->path_len >= 0 && below &&
	    below - 1 > (size_t)c->path_len)
		rc = err_set(err, ERR_INVALID,
			     "certificate has too many intermediates: its authority allows %d",
			     c->path_len);
	return rc;
}

/* ---- a whole chain ------------------------------------------------------- */

static int check_usage(const struct search *s, struct err *err)
{
	for (size_t i = 0; i < s->depth; i++) {
		const struct x509 *c = s->path[i];

		if (c->has_eku && !(c->eku & (s->trust->eku | X509_EKU_ANY)))
			return err_set(err, ERR_INVALID,
				       "certificate specifies an incompatible key usage");
		if (c->wants_policy)
			return err_set(err, ERR_INVALID,
				       "certificate requires a certificate policy: not supported");
	}
	return 0;
}

/* Constraints apply to certificates below their owner, not to the owner. */
static int check_limits(struct search *s, struct err *err)
{
	for (size_t up = 1; up < s->depth; up++)
		for (size_t i = 0; i < up; i++) {
			int rc = x509_check_limits(s->path[up], s->path[i], &s->comparisons, err);

			if (rc < 0)
				return rc;
		}
	return 0;
}

static bool chain_holds(struct search *s)
{
	struct err err = ERR_INIT(s->why->a);
	int rc = check_usage(s, &err);

	if (rc == 0)
		rc = check_limits(s, &err);
	if (rc < 0)
		note_failure(s, X509_BAD, &err);
	return rc == 0;
}

/* ---- the search ---------------------------------------------------------- */

static bool on_path(const struct search *s, const struct x509 *c)
{
	for (size_t i = 0; i < s->depth; i++)
		if (str_eq(s->path[i]->subject, c->subject) &&
		    x509_same_key(&s->path[i]->key, &c->key) && str_eq(s->path[i]->san, c->san))
			return true;
	return false;
}

/* Whether c can be the issuer of the end of the path. */
static bool can_issue(struct search *s, const struct x509 *c, bool is_root)
{
	const struct x509 *child = s->path[s->depth - 1];
	struct err err = ERR_INIT(s->why->a);
	enum x509_fault fault;

	if (!str_eq(c->subject, child->issuer) || s->candidates >= CANDIDATES_MAX)
		return false;
	s->candidates++;
	if (on_path(s, c) || !may_sign(c) || (!is_root && !c->ca) ||
	    !s->trust->is_signed(child, &c->key))
		return false;
	if (check_one(s, c, s->depth, &fault, &err) == 0)
		return true;
	note_failure(s, fault, &err);
	return false;
}

static bool climb_chain(struct search *s); /* the two call each other */

static bool climb_to(struct search *s, const struct x509 *c, bool is_root)
{
	bool found;

	if (s->depth > X509_CHAIN_MAX || !can_issue(s, c, is_root))
		return false;
	s->path[s->depth++] = c;
	found = is_root ? chain_holds(s) : climb_chain(s);
	if (!found)
		s->depth--;
	return found;
}

static bool climb_chain(struct search *s)
{
	for (size_t i = 0; i < s->trust->n_roots; i++)
		if (climb_to(s, &s->trust->roots[i], true))
			return true;
	for (size_t i = 1; i < s->n; i++)
		if (climb_to(s, &s->shown[i], false))
			return true;
	return false;
}

static bool is_root(const struct search *s, const struct x509 *c)
{
	for (size_t i = 0; i < s->trust->n_roots; i++)
		if (str_eq(s->trust->roots[i].der, c->der))
			return true;
	return false;
}

/* ---- the answer ---------------------------------------------------------- */

/* The last certificate that the leaf leads to, by names only. */
static const struct x509 *topmost(const struct search *s)
{
	const struct x509 *c = &s->shown[0];

	for (size_t steps = 0; steps < s->n; steps++)
		for (size_t i = 1; i < s->n; i++)
			if (!str_eq(c->issuer, c->subject) &&
			    str_eq(s->shown[i].subject, c->issuer)) {
				c = &s->shown[i];
				break;
			}
	return c;
}

static int set_unknown(const struct search *s, enum x509_fault *fault, struct err *err)
{
	const struct x509 *c = topmost(s);
	struct buf b;

	if (c->hash == SIGN_SHA1 || c->hash == SIGN_OTHER)
		return err_set(err, ERR_INVALID,
			       "certificate is signed with an algorithm that is not supported (%s)",
			       c->hash == SIGN_SHA1 ? "SHA-1" : "RSA and ECDSA with SHA-2 are");
	*fault = X509_UNKNOWN;
	buf_init(&b, err->a);
	x509_add_name(&b, c->issuer);
	return err_set(err, ERR_INVALID, "certificate signed by unknown authority (%.*s%s)",
		       STRF(buf_str(&b)), str_eq(c->issuer, c->subject) ? ", self-signed" : "");
}

int x509_chain_check(const struct x509_trust *trust, const struct x509 *shown, size_t n,
		     enum x509_fault *fault, struct err *err)
{
	struct err why = ERR_INIT(err->a);
	struct search s = { .trust = trust,
			    .shown = shown,
			    .n = n < X509_CHAIN_MAX ? n : X509_CHAIN_MAX,
			    .path = { &shown[0] },
			    .depth = 1,
			    .comparisons = COMPARISONS_MAX,
			    .why = &why };
	int rc = check_one(&s, &shown[0], 0, fault, err);

	if (rc < 0)
		return rc;
	if (is_root(&s, &shown[0]) ? chain_holds(&s) : climb_chain(&s))
		return 0;
	*fault = s.fault;
	if (!s.failed)
		return set_unknown(&s, fault, err);
	err->code = why.code;
	err->msg = why.msg;
	return -(int)err->code;
}
