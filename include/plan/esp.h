/*
 * esp: the EFI system partitions that a boot loader is copied to.
 */
#ifndef PLAN_ESP_H
#define PLAN_ESP_H

#include "base/err.h"
#include "base/vec.h"

/*
 * From lsblk's JSON (NAME, PARTTYPE, FSTYPE) and the device of /boot. For a RAID: the
 * partition of every disk in it; for several disks: the one that holds /boot; otherwise
 * the first one. ERR_INVALID when there is none, or when the text is not JSON.
 */
int esp_choose(struct arena *a, struct str lsblk, struct str boot, struct strs *out,
	       struct err *err);

#endif
