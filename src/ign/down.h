/*
 * Private to ign: conversion to older specs, and its last step, to the 2.2 schema.
 */
#ifndef IGN_DOWN_H
#define IGN_DOWN_H

#include "ign/ign.h"

struct stepper {
	struct arena *a;
	struct ign_obj *config;
	struct err *err;
};

/* Refuse what 2.2 cannot express about references, and about files. */
int ign_22_check_references(struct stepper *s);
int ign_22_check_files(struct stepper *s);

/* A 3.2 config as a 2.2 one. */
struct ign_obj *ign_22_build(struct stepper *s);

/* A list of the config's storage section. */
static inline const struct ign_objs *stored(const struct stepper *s, int field)
{
	return ign_list(ign_sub(s->config, IGN_CONFIG_STORAGE), field);
}

#endif
