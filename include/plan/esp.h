/*
 * esp: the EFI system partitions that a boot loader is copied to.
 */
#ifndef PLAN_ESP_H
#define PLAN_ESP_H

#include "base/err.h"
#include "base/vec.h"

/*
 * From lsblk's JSON (NAME, PARTTYPE, FSTYPE) and the device that /boot is on. Of
 * a RAID, the partition of every disk in it; of several disks, the one /boot is
 * on; else the first there is. ERR_INVALID when there is none, or no JSON.
 */
int esp_choose(struct arena *a, struct str lsblk, struct str boot, struct strs *out,
	       struct err *err);

#endif
