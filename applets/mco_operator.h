/*
 * The commands of mco-operator.
 */
#ifndef APPLETS_MCO_OPERATOR_H
#define APPLETS_MCO_OPERATOR_H

#include "applet.h"

extern const struct command operator_bootstrap_command;
extern const struct command operator_start_command;
extern const struct command operator_manifests_command;

/* The flags that upstream's program has for every command; type has them as common. */
struct operator_flags {
	struct str release; /* --payload-version */
	struct str image; /* --operator-image */
};
#define OPERATOR_FLAGS(type)                                                                        \
	{ .texts = FLAG_TEXT("payload-version", "VERSION",                                          \
			     "version of the release (default 0.0.1-snapshot)"),                    \
	  .kind = FLAG_STR,                                                                         \
	  .offset = offsetof(type, common.release),                                                 \
	  .env = "RELEASE_VERSION" },                                                               \
	{                                                                                           \
		.texts = FLAG_TEXT(                                                                 \
			"operator-image", "IMAGE",                                                  \
			"image of the operator, as the release names it (default: a placeholder)"), \
		.kind = FLAG_STR, .offset = offsetof(type, common.image)                            \
	}

void operator_flag_defaults(struct operator_flags *o);

#endif
