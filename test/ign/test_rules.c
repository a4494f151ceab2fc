/*
 * The rules of the spec versions, by example: configs that break them, and the
 * report that the reference's own libraries give. One row may break several.
 */
#include "../test.h"

#include "ign/ign.h"

#define V3 "parsing Ignition config spec v3"
#define V2 "parsing Ignition spec v2"

// clang-format off
static const struct {
	const char *config, *kind, *report;
} cases[] = {
	{ "{\"ignition\":{\"version\":5}}", V3,
	  "error at line 1 col 25: json: cannot unmarshal number into Go struct field .Ignition.Version of type string\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":1}", V3,
	  "error at line 1 col 44: json: cannot unmarshal number into Go struct field Config.systemd of type types.Systemd\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"Storage\":1}", V3,
	  "error at line 1 col 44: json: cannot unmarshal number into Go struct field Config.storage of type types.Storage\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\",\"config\":{\"merge\":[{}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\",\"timeouts\":{\"httpTotal\":\"str\"}}}", V3,
	  "error at line 1 col 61: json: cannot unmarshal string into Go struct field Timeouts.ignition.timeouts.httpTotal of type int\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"links\":[{\"path\":\"\"}]}}", V3,
	  "error at $.storage.links.0.target, line 1 col 54: link target is required\nerror at $.storage.links.0.path, line 1 col 61: path not specified\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"raid\":[{\"name\":\"r\"}]}}", V3,
	  "error at $.storage.raid.0.level, line 1 col 53: raid level is required\nerror at $.storage.raid.0.devices, line 1 col 53: raid devices required\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"luks\":[{\"name\":\"m\"}]}}", V3,
	  "error at $.storage.luks.0.device, line 1 col 53: disk device is required\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\",\"config\":{\"merge\":[{\"source\":\"x\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: invalid url scheme\nerror at $.ignition.config.merge.0.source, line 1 col 61: invalid url scheme\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"luks\":[{\"name\":\"a/b\"}]}}", V3,
	  "error at $.storage.luks.0.name, line 1 col 60: device names cannot contain slashes\nerror at $.storage.luks.0.device, line 1 col 53: disk device is required\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\"},\"storage\":{\"files\":[{\"path\":\"/a/\"}]}}", V3,
	  "error at $.storage.files.0.path, line 1 col 61: path is not fully simplified\n" },
	/* these are ours: a system call would take the name for a shorter one */
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"/etc/a\\u0000b\"}],\"directories\":[{\"path\":\"/\\u0000\"}],\"links\":[{\"path\":\"/l\\u0000\",\"target\":\"x\\u0000\"}]}}", V3,
	  "error at $.storage.directories.0.path, line 1 col 102: contains a NUL character\nerror at $.storage.files.0.path, line 1 col 61: contains a NUL character\nerror at $.storage.links.0.path, line 1 col 131: contains a NUL character\nerror at $.storage.links.0.target, line 1 col 151: contains a NUL character\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":{\"units\":[{\"name\":\"a\\u0000.service\",\"dropins\":[{\"name\":\"\\u0000.conf\"}]}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: contains a NUL character\nerror at $.systemd.units.0.dropins.0.name, line 1 col 98: contains a NUL character\n" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"root\",\"mode\":420,\"path\":\"/etc/a\\u0000b\"}]}}", V2,
	  "error at line 1, column 105\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"root\",\"mode\":420,\"path\":\"/etc/a\\u0000b\n                                                                                                              ^\ncontains a NUL character" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"source\":\":x\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: unable to parse url\nerror at $.ignition.config.merge.0.source, line 1 col 61: unable to parse url\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"links\":[{\"path\":\"rel\"}]}}", V3,
	  "error at $.storage.links.0.target, line 1 col 54: link target is required\nerror at $.storage.links.0.path, line 1 col 61: path not absolute\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\"}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\",\"config\":{\"merge\":[{\"source\":\"\"},{}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nerror at $.ignition.config.merge.1, line 1 col 66: source is required\nerror at $.ignition.config.merge.1, line 1 col 66: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"source\":\"DATA:,x\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: missing data prefix\nerror at $.ignition.config.merge.0.source, line 1 col 61: missing data prefix\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"compression\":\"zip\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nerror at $.ignition.config.merge.0.compression, line 1 col 66: invalid compression method\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\",\"config\":{\"merge\":[{\"source\":\"data:,%zz\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: rfc2396: invalid char 0x25 in unescape sequence\nerror at $.ignition.config.merge.0.source, line 1 col 61: rfc2396: invalid char 0x25 in unescape sequence\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\"},\"storage\":{\"raid\":[{\"name\":\"q\",\"level\":\"\"}]}}", V3,
	  "error at $.storage.raid.0.level, line 1 col 72: unrecognized raid level\nerror at $.storage.raid.0.devices, line 1 col 53: raid devices required\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\"},\"storage\":{\"files\":[{\"path\":\"\",\"mode\":4096}]}}", V3,
	  "error at $.storage.files.0.path, line 1 col 61: path not specified\nerror at $.storage.files.0.mode, line 1 col 71: illegal file mode\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"xource\":\"http://u:p@h/\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nwarning at $.ignition.config.merge.0.xource, line 1 col 52: Unused key xource\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\",\"config\":{\"merge\":[{\"source\":\"arn:aws:s3:::b\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: invalid S3 ARN format\nerror at $.ignition.config.merge.0.source, line 1 col 61: invalid S3 ARN format\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"links\":[{\"path\":\"/a//b\"},{\"path\":\"/a\"}]}}", V3,
	  "error at $.storage.links.0, line 1 col 54: link path includes link in config\nerror at $.storage.links.0.target, line 1 col 54: link target is required\nerror at $.storage.links.1.target, line 1 col 71: link target is required\nerror at $.storage.links.0.path, line 1 col 61: path is not fully simplified\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"/l\",\"overwrite\":true}]}}", V3,
	  "error at $.storage.files.0.overwrite, line 1 col 78: overwrite must be false if source is unspecified\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"filesystems\":[{\"device\":\"\",\"label\":\"x\"}]}}", V3,
	  "error at $.storage.filesystems.0.device, line 1 col 69: path not specified\nerror at $.storage.filesystems.0.format, line 1 col 60: format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified\nerror at $.storage.filesystems.0.label, line 1 col 80: filesystem must specify format if label is specified\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"source\":\"s3://b/k?versionId=\"}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: invalid S3 object VersionId\nerror at $.ignition.config.merge.0.source, line 1 col 61: invalid S3 object VersionId\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\",\"contents\":\"[Uni\"}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\nerror at $.systemd.units.0.contents, line 1 col 78: invalid unit content: unable to find end of section\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"filesystems\":[{\"device\":\"\",\"format\":\"zfs\"}]}}", V3,
	  "error at $.storage.filesystems.0.device, line 1 col 69: path not specified\nerror at $.storage.filesystems.0.format, line 1 col 81: invalid filesystem format\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\",\"config\":{\"merge\":[{},{\"verification\":{\"hash\":\"md5-x\"}}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nerror at $.ignition.config.merge.1, line 1 col 55: source is required\nerror at $.ignition.config.merge.1.verification.hash, line 1 col 78: source must be specified if verification is specified\nerror at $.ignition.config.merge.1.verification.hash, line 1 col 78: unrecognized hash function\nerror at $.ignition.config.merge.1, line 1 col 55: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"verification\":{\"hash\":\"sha512-1\"}}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nerror at $.ignition.config.merge.0.verification.hash, line 1 col 75: source must be specified if verification is specified\nerror at $.ignition.config.merge.0.verification.hash, line 1 col 75: incorrect size for hash sum\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\",\"contents\":\"[Unit] g\\n\"}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\nerror at $.systemd.units.0.contents, line 1 col 78: invalid unit content: found garbage after section name : \"g\"\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":{\"units\":[{\"name\":\"t.timer\",\"dropins\":[{\"name\":\"c\"}]}]}}", V3,
	  "error at $.systemd.units.0.dropins.0.name, line 1 col 90: invalid systemd drop-in extension\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\",\"contents\":\"[Service]\\nExec\"}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\nerror at $.systemd.units.0.contents, line 1 col 78: invalid unit content: EOF\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\",\"config\":{\"merge\":[],\"replace\":{\"verification\":{\"hash\":\"sha512\"}}}}}", V3,
	  "error at $.ignition.config.replace.verification.hash, line 1 col 87: source must be specified if verification is specified\nerror at $.ignition.config.replace.verification.hash, line 1 col 87: malformed hash specifier\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\"},\"storage\":{\"links\":[{\"path\":\"/a\",\"group\":{\"id\":3,\"name\":\"core\"}}]}}", V3,
	  "error at $.storage.links.0.group, line 1 col 75: cannot set both id and name\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"luks\":[{\"name\":\"a/b\",\"keyFile\":{\"source\":\"oem://x\"}}]}}", V3,
	  "error at $.storage.luks.0.name, line 1 col 60: device names cannot contain slashes\nerror at $.storage.luks.0.device, line 1 col 53: disk device is required\nerror at $.storage.luks.0.keys, line 1 col 53: invalid key-file source\nerror at $.storage.luks.0.keyFile.source, line 1 col 86: invalid url scheme\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\",\"proxy\":{\"httpProxy\":\"x\",\"httpsProxy\":\"ftp://x\",\"noProxy\":[\"a\",\"a\"]}}}", V3,
	  "error at $.ignition.proxy.httpProxy, line 1 col 53: proxies must be http(s)\nerror at $.ignition.proxy.httpsProxy, line 1 col 70: proxies must be http(s)\nerror at $.ignition.proxy.noProxy.1, line 1 col 95: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"proxy\":{\"httpProxy\":\"x\",\"httpsProxy\":\"http://p\",\"noProxy\":[\"a\",\"b\"]}}}", V3,
	  "error at $.ignition.proxy.httpProxy, line 1 col 53: proxies must be http(s)\nwarning at $.ignition.proxy.httpsProxy, line 1 col 70: insecure plaintext HTTP proxy specified for HTTPS resources\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\",\"contents\":\"[Unit]\\nA=b\\nnoeq\\n\"}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\nerror at $.systemd.units.0.contents, line 1 col 78: invalid unit content: unexpected newline encountered while parsing option name\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\",\"contents\":\"A=b\\n\",\"enabled\":true}]}}", V3,
	  "error at $.systemd.units.0.name, line 1 col 61: invalid systemd unit extension\nwarning at $.systemd.units.0.contents, line 1 col 78: unit \"bad\" is enabled, but has no install section so enable does nothing\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\"},\"storage\":{\"links\":[{\"path\":\"\",\"user\":{\"id\":8},\"target\":\"\",\"hard\":true}]}}", V3,
	  "warning at $.storage.links.0.user.id, line 1 col 77: user/group ignored for hard link\nerror at $.storage.links.0.path, line 1 col 61: path not specified\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[],\"replace\":{\"httpHeaders\":[{\"name\":\"\",\"value\":\"x\"}]}}}}", V3,
	  "error at $.ignition.config.replace.httpHeaders, line 1 col 79: unable to parse url\nerror at $.ignition.config.replace.httpHeaders.0.name, line 1 col 87: HTTP header name can't be empty\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"raid\":[{\"name\":\"r\",\"level\":\"linear\",\"devices\":[],\"spares\":1}]}}", V3,
	  "error at $.storage.raid.0.level, line 1 col 72: spares unsupported for linear and raid0 arrays\nerror at $.storage.raid.0.devices, line 1 col 92: raid devices required\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"httpHeaders\":[{\"name\":\"A\",\"value\":\"\"},{\"name\":\"B\"}]}]}}}", V3,
	  "error at $.ignition.config.merge.0, line 1 col 52: source is required\nerror at $.ignition.config.merge.0.httpHeaders, line 1 col 67: unable to parse url\nerror at $.ignition.config.merge.0.httpHeaders.0.value, line 1 col 87: unable to parse HTTP header\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\"},\"storage\":{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"startMiB\":20},{}]}]}}", V3,
	  "error at $.storage.disks.0.partitions.0, line 1 col 87: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.1, line 1 col 103: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.1, line 1 col 103: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[],\"replace\":{\"source\":\"ftp://h\",\"httpHeaders\":[{\"name\":\"A\"}]}}}}", V3,
	  "error at $.ignition.config.replace.source, line 1 col 73: invalid url scheme\nerror at $.ignition.config.replace.httpHeaders, line 1 col 98: cannot use HTTP headers with this source scheme\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"number\":0,\"label\":\"x:y\"}]}]}}", V3,
	  "error at $.storage.disks.0.partitions.0.label, line 1 col 106: partition label will be truncated to text before the colon\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"directories\":[{\"path\":\"/a//b\"}],\"links\":[{\"path\":\"/a/\",\"target\":\"/a/b\"}]}}", V3,
	  "error at $.storage.directories.0, line 1 col 60: directory path includes link in config\nerror at $.storage.directories.0.path, line 1 col 67: path is not fully simplified\nerror at $.storage.links.0.path, line 1 col 94: path is not fully simplified\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":null,\"kernelArguments\":{\"shouldExist\":[\"a\",\"b\"],\"shouldNotExist\":[\"a\",\"a\"]}}", V3,
	  "error at $.kernelArguments.shouldNotExist.0, line 1 col 109: duplicate entry defined\nerror at $.kernelArguments.shouldNotExist.1, line 1 col 113: duplicate entry defined\nwarning at $.storage, line 1 col 43: context tree does not match content tree at $.storage. Line and column reporting may be inconsistent. Unused keys may not be reported.\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\"},\"storage\":{\"luks\":[{\"name\":\"a/b\",\"clevis\":{\"tang\":[],\"tpm2\":true,\"custom\":{\"pin\":\"tpm2\"}}}]}}", V3,
	  "error at $.storage.luks.0.name, line 1 col 60: device names cannot contain slashes\nerror at $.storage.luks.0.device, line 1 col 53: disk device is required\nerror at $.storage.luks.0.clevis, line 1 col 76: cannot use custom clevis config with tpm2, tang, or threshold\nerror at $.storage.luks.0.clevis.custom.config, line 1 col 108: missing required custom clevis config\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"\",\"mode\":4096,\"contents\":{\"source\":\"DATA:,x\"}}]},\"systemd\":null}", V3,
	  "error at $.storage.files.0.path, line 1 col 61: path not specified\nerror at $.storage.files.0.mode, line 1 col 71: illegal file mode\nerror at $.storage.files.0.contents.source, line 1 col 97: missing data prefix\nwarning at $.systemd, line 1 col 121: context tree does not match content tree at $.systemd. Line and column reporting may be inconsistent. Unused keys may not be reported.\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"filesystems\":[{\"device\":\"/dev/c\",\"format\":\"xfs\",\"label\":\"zzzzzzzzzzzzzzzzzzzz\"}]}}", V3,
	  "error at $.storage.filesystems.0.label, line 1 col 101: filesystem labels cannot be longer than 12 characters when using xfs\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"luks\":[{\"name\":\"m\",\"label\":\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"}]}}", V3,
	  "error at $.storage.luks.0.label, line 1 col 72: luks device labels cannot be longer than 47 characters\nerror at $.storage.luks.0.device, line 1 col 53: disk device is required\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"filesystems\":[{\"device\":\"/dev/a\",\"format\":\"ext4\",\"label\":\"zzzzzzzzzzzzzzzzzzzz\"}]}}", V3,
	  "error at $.storage.filesystems.0.label, line 1 col 102: filesystem labels cannot be longer than 16 characters when using ext4\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"luks\":[{\"name\":\"a/b\",\"device\":\"x\",\"cex\":{\"enabled\":true},\"clevis\":{\"tpm2\":true}}]}}", V3,
	  "error at $.storage.luks.0.name, line 1 col 60: device names cannot contain slashes\nerror at $.storage.luks.0.device, line 1 col 75: path not absolute\nerror at $.storage.luks.0.cex, line 1 col 86: cannot use cex with clevis\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"links\":[],\"filesystems\":[{\"device\":\"/dev/a\",\"format\":\"vfat\",\"label\":\"zzzzzzzzzzzzzzzzzzzz\"}]}}", V3,
	  "error at $.storage.filesystems.0.label, line 1 col 113: filesystem labels cannot be longer than 11 characters when using vfat\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"label\":\"\",\"shouldExist\":false}],\"wipeTable\":false}]}}", V3,
	  "error at $.storage.disks.0.partitions, line 1 col 86: shouldExist is false for a partition and other partition(s) has start or size 0\nerror at $.storage.disks.0.partitions.0, line 1 col 87: shouldExist specified false with other options also specified\n" },
	{ "{\"ignition\":{\"version\":\"3.05.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"startMiB\":20},{\"startMiB\":20,\"typeGuid\":\"x\"}]}],\"luks\":[]}}", V3,
	  "error at $.storage.disks.0.device, line 1 col 64: disk device is required\nerror at $.storage.disks.0.partitions.0, line 1 col 82: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.1, line 1 col 98: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.1.typeGuid, line 1 col 123: doesn't match the form \"01234567-89AB-CDEF-EDCB-A98765432101\"\nerror at $.storage.disks.0.partitions.1, line 1 col 98: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"filesystems\":[],\"luks\":[{\"name\":\"l\",\"clevis\":{\"tang\":[{\"url\":\"ftp://t\"}]}}]},\"passwd\":{\"users\":[]}}", V3,
	  "error at $.storage.luks.0.device, line 1 col 70: disk device is required\nerror at $.storage.luks.0.clevis.tang.0.url, line 1 col 106: invalid url scheme\nerror at $.storage.luks.0.clevis.tang.0.thumbprint, line 1 col 100: thumbprint is required\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"luks\":[{\"name\":\"m\",\"device\":\"/dev/a\",\"openOptions\":[\"a\",\"b\"],\"clevis\":{\"custom\":{\"config\":\"c\"}}}]}}", V3,
	  "error at $.storage.luks.0.clevis.custom.pin, line 1 col 126: missing required custom clevis pin\n" },
	{ "{\"ignition\":{\"version\":\"3.0.0\"},\"storage\":{\"directories\":[],\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"sizeMiB\":15},{\"label\":\"a\"},{\"label\":\"a\"}]}]}}", V3,
	  "error at $.storage.disks.0.partitions.2, line 1 col 133: cannot use the same partition label twice\nerror at $.storage.disks.0.partitions.0, line 1 col 104: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.2, line 1 col 133: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"/a/b\",\"overwrite\":true,\"contents\":{}}],\"links\":[{\"path\":\"/a/\"},{\"path\":\"/a\",\"target\":\"\"}]}}", V3,
	  "error at $.storage.files.0, line 1 col 54: file path includes link in config\nerror at $.storage.links.0, line 1 col 111: link path includes link in config\nerror at $.storage.links.0.target, line 1 col 111: link target is required\nerror at $.storage.links.1.target, line 1 col 147: link target is required\nerror at $.storage.files.0.overwrite, line 1 col 80: overwrite must be false if source is unspecified\nerror at $.storage.links.0.path, line 1 col 118: path is not fully simplified\n" },
	{ "{\"ignition\":{\"version\":\"3.2.0\"},\"storage\":{\"directories\":[{\"path\":\"/a/b\"},{\"path\":\"/l\",\"mode\":493}],\"links\":[{\"path\":\"/a/b\",\"target\":\"../b\",\"hard\":true}]}}", V3,
	  "error at $.storage.links.0, line 1 col 111: hard link target is a directory\nerror at $.storage.links.0, line 1 col 111: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[],\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"label\":\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\",\"sizeMiB\":0}]}]}}", V3,
	  "error at $.storage.disks.0.partitions.0.label, line 1 col 106: partition labels may not exceed 36 characters\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"luks\":[{\"name\":\"l\",\"device\":\"\",\"clevis\":{\"tang\":[{\"thumbprint\":\"t\"}],\"custom\":{\"pin\":\"bad\",\"config\":\"c\",\"needsNetwork\":true}}}]}}", V3,
	  "error at $.storage.luks.0.device, line 1 col 73: disk device is required\nerror at $.storage.luks.0.clevis, line 1 col 86: cannot use custom clevis config with tpm2, tang, or threshold\nerror at $.storage.luks.0.clevis.custom.pin, line 1 col 130: unsupported clevis pin\nerror at $.storage.luks.0.clevis.tang.0.url, line 1 col 95: invalid url scheme\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"files\":[{\"path\":\"\",\"contents\":{\"source\":\"data:txt/plain;base64,aGk=\",\"compression\":\"zip\"}}]},\"systemd\":{\"units\":[]},\"passwd\":{\"users\":[]}}", V3,
	  "error at $.storage.files.0.path, line 1 col 61: path not specified\nerror at $.storage.files.0.contents.compression, line 1 col 128: invalid compression method\nerror at $.storage.files.0.contents.source, line 1 col 85: invalid media type\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"number\":2,\"label\":\"\",\"sizeMiB\":0},{\"number\":2,\"label\":\"x:y\",\"startMiB\":20,\"guid\":\"x\",\"typeGuid\":\"x\"}]}]}}", V3,
	  "error at $.storage.disks.0.partitions.1, line 1 col 123: partition numbers collide\nerror at $.storage.disks.0.partitions.1.label, line 1 col 142: partition label will be truncated to text before the colon\nerror at $.storage.disks.0.partitions.1.guid, line 1 col 169: doesn't match the form \"01234567-89AB-CDEF-EDCB-A98765432101\"\nerror at $.storage.disks.0.partitions.1.typeGuid, line 1 col 184: doesn't match the form \"01234567-89AB-CDEF-EDCB-A98765432101\"\nerror at $.storage.disks.0.partitions.1, line 1 col 123: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\"},\"storage\":{\"disks\":[{\"device\":\"dev\",\"partitions\":[{\"startMiB\":20,\"sizeMiB\":5},{\"number\":0,\"startMiB\":20,\"sizeMiB\":15}]}],\"filesystems\":[{\"device\":\"\",\"label\":\"x\"}]}}", V3,
	  "error at $.storage.disks.0.device, line 1 col 63: path not absolute\nerror at $.storage.disks.0.partitions.1, line 1 col 112: partitions overlap\nerror at $.storage.disks.0.partitions.0, line 1 col 84: a partition number >= 1 or a label must be specified\nerror at $.storage.disks.0.partitions.1, line 1 col 112: a partition number >= 1 or a label must be specified\nerror at $.storage.filesystems.0.device, line 1 col 179: path not specified\nerror at $.storage.filesystems.0.format, line 1 col 170: format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified\nerror at $.storage.filesystems.0.label, line 1 col 190: filesystem must specify format if label is specified\nerror at $.storage.disks.0.partitions.1, line 1 col 112: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.1.0\"},\"storage\":{\"links\":[{\"path\":\"/etc/systemd/system/u.service\",\"group\":{\"id\":6,\"name\":\"core\"},\"target\":\"\"}]},\"systemd\":{\"units\":[{\"name\":\"u.service\",\"contents\":\"A=b\\n\"}]}}", V3,
	  "error at $.storage.links.0.path, line 1 col 61: path conflicts with systemd unit or dropin\nerror at $.storage.links.0.group, line 1 col 102: cannot set both id and name\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{},\"systemd\":{\"units\":[{\"name\":\"x@.service\",\"contents\":\"[Unit]\\r\\nA=b\\r\\n\"},{\"name\":\"@b.service\",\"contents\":\"[Service]\\nExec\"},{\"name\":\"x@a.service\",\"enabled\":true}]}}", V3,
	  "warning at $.systemd.units.2.contents, line 1 col 171: template unit \"x@.service\" for \"x@a.service\" doesn't have Install section\nerror at $.systemd.units.1.contents, line 1 col 151: invalid unit content: EOF\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"files\":[],\"directories\":[],\"disks\":[{\"device\":\"\",\"partitions\":[],\"wipeTable\":true},{\"device\":\"/dev/a\"}],\"filesystems\":[{\"device\":\"\",\"format\":\"zfs\",\"options\":[\"-a\",\"-a\"]}]}}", V3,
	  "warning at $.storage.filesystems.0.device, line 1 col 174: device matches disk with wipeTable enabled; filesystem will be wiped\nerror at $.storage.disks.0.device, line 1 col 91: disk device is required\nerror at $.storage.filesystems.0.device, line 1 col 174: path not specified\nerror at $.storage.filesystems.0.format, line 1 col 186: invalid filesystem format\n" },
	{ "{\"ignition\":{\"version\":\"3.4.0\",\"timeouts\":{\"httpTotal\":5}},\"storage\":{\"luks\":[{\"name\":\"m\",\"device\":\"x\",\"openOptions\":[\"a\",\"b\"],\"clevis\":{\"tang\":[{\"url\":\":\",\"thumbprint\":\"t\",\"advertisement\":\"{\"},{\"url\":\":\",\"thumbprint\":\"\"}]}}]}}", V3,
	  "error at $.storage.luks.0.device, line 1 col 100: path not absolute\nerror at $.storage.luks.0.clevis.tang.0.url, line 1 col 153: unable to parse url\nerror at $.storage.luks.0.clevis.tang.0.advertisement, line 1 col 190: advertisement is not valid JSON\nerror at $.storage.luks.0.clevis.tang.1.url, line 1 col 202: unable to parse url\nerror at $.storage.luks.0.clevis.tang.1.thumbprint, line 1 col 219: thumbprint is required\nerror at $.storage.luks.0.clevis.tang.1, line 1 col 196: duplicate entry defined\n" },
	{ "{\"ignition\":{\"version\":\"3.3.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"number\":0,\"label\":\"\",\"startMiB\":0},{}]}],\"filesystems\":[{\"device\":\"/dev/a\",\"format\":\"vfat\",\"path\":\"\",\"mountOptions\":[\"ro\"],\"wipeFilesystem\":false},{\"device\":\"\"}]}}", V3,
	  "warning at $.storage.filesystems.1.device, line 1 col 239: filesystem overwrites partitioned device\nerror at $.storage.disks.0.device, line 1 col 63: disk device is required\nerror at $.storage.disks.0.partitions.1, line 1 col 118: a partition number >= 1 or a label must be specified\nerror at $.storage.filesystems.1.device, line 1 col 239: path not specified\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"links\":[],\"luks\":[{\"name\":\"m\",\"device\":\"\",\"keyFile\":{\"source\":\"x\",\"verification\":{\"hash\":\"sha256-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}},\"cex\":{\"enabled\":true},\"discard\":true,\"clevis\":{}}]}}", V3,
	  "error at $.storage.luks.0.device, line 1 col 84: disk device is required\nerror at $.storage.luks.0.keys, line 1 col 64: invalid key-file source\nerror at $.storage.luks.0.cex, line 1 col 217: cannot use key file with cex\nerror at $.storage.luks.0.keyFile.source, line 1 col 107: invalid url scheme\n" },
	{ "{\"ignition\":{\"version\":\"3.5.0\",\"config\":{\"merge\":[{\"source\":\"http://[::1]:80/\"}],\"replace\":{\"source\":\"data:%zz\",\"compression\":\"gzip\",\"verification\":{\"hash\":\"sha512\"}}}},\"storage\":{\"files\":[{\"path\":\"/l\",\"overwrite\":true,\"contents\":{\"source\":\"arn:aws:s3:::b/k?versionId=\"}}]}}", V3,
	  "error at $.ignition.config.replace.source, line 1 col 102: missing media type slash\nerror at $.ignition.config.replace.verification.hash, line 1 col 157: malformed hash specifier\nerror at $.storage.files.0.contents.source, line 1 col 241: invalid S3 object VersionId\n" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{}]}}", V2,
	  "error at line 1, column 53\ndisk device is required" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"path\":\"/a\"}]}}", V2,
	  "error at line 1, column 64\nno filesystem specified\nwarning at line 1, column 64\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\"}]}}", V2,
	  "error at line 1, column 64\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"name\":\"bad\n                                                                     ^\ninvalid systemd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"x\"}]}}", V2,
	  "error at line 1, column 64\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"x\n                                                                     ^\npath not absolute" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"name\":\"root\"}]}}", V2,
	  "warning at line 1, column 75\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"name\":\"root\"}]}\n                                                                                ^\nFilesystem \"root\" shadows exising filesystem definition\nerror at line 1, column 72\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"name\":\"root\"\n                                                                             ^\nfilesystem is missing mount or path" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"Mode\":5,\"path\":\"/b\"}]}}", V2,
	  "error at line 1, column 73\nno filesystem specified\nwarning at line 1, column 59\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"Mode\"\n                                                                ^\nConfig has unrecognized key: Mode\ninfo at line 1, column 59\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"Mode\"\n                                                                ^\nDid you mean mode instead of Mode" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"mode\":-1,\"path\":\"/a\"}]}}", V2,
	  "error at line 1, column 74\nno filesystem specified\nerror at line 1, column 61\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"mode\":-\n                                                                  ^\nillegal file mode" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"networkd\":{\"units\":[{\"contents\":\"\",\"name\":\"b\"}]}}", V2,
	  "error at line 1, column 78\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"networkd\":{\"units\":[{\"contents\":\"\",\"name\":\"b\"\n                                                                                   ^\ninvalid networkd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Uni\",\"name\":\"b\"}]}}", V2,
	  "error at line 1, column 82\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Uni\",\"name\":\"b\"\n                                                                                       ^\ninvalid unit content: unable to find end of section\nerror at line 1, column 82\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Uni\",\"name\":\"b\"\n                                                                                       ^\ninvalid networkd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"data\",\"path\":\"rel\"}]}}", V2,
	  "warning at line 1, column 88\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"data\",\"path\":\"rel\"}]}\n                                                                                             ^\nFile \"rel\" references nonexistent filesystem \"data\". (This is ok if it is defined in a referenced config)\nerror at line 1, column 84\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"data\",\"path\":\"rel\n                                                                                         ^\npath not absolute\nwarning at line 1, column 85\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Unit] gx\\n\",\"name\":\"b\"}]}}", V2,
	  "error at line 1, column 89\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Unit] gx\\n\",\"name\":\"b\"\n                                                                                              ^\ninvalid unit content: found garbage after section name : [103 120]\nerror at line 1, column 89\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Unit] gx\\n\",\"name\":\"b\"\n                                                                                              ^\ninvalid networkd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Service]\\nExec\",\"name\":\"b\"}]}}", V2,
	  "error at line 1, column 93\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Service]\\nExec\",\"name\":\"b\"\n                                                                                                  ^\ninvalid unit content: EOF\nerror at line 1, column 93\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"networkd\":{\"units\":[{\"contents\":\"[Service]\\nExec\",\"name\":\"b\"\n                                                                                                  ^\ninvalid networkd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"compression\":\"zip\"},\"path\":\"\"}]}}", V2,
	  "error at line 1, column 95\nno filesystem specified\nerror at line 1, column 94\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"compression\":\"zip\"},\"path\":\"\n                                                                                                   ^\npath not absolute\nerror at line 1, column 83\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"compression\":\"zip\n                                                                                        ^\ninvalid compression method\nwarning at line 1, column 95\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"links\":[{\"filesystem\":\"data\",\"path\":\"\",\"target\":\"/x\"}]}}", V2,
	  "warning at line 1, column 99\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"links\":[{\"filesystem\":\"data\",\"path\":\"\",\"target\":\"/x\"}]}\n                                                                                                        ^\nLink \"\" references nonexistent filesystem \"data\". (This is ok if it is defined in a referenced config)\nerror at line 1, column 81\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"links\":[{\"filesystem\":\"data\",\"path\":\"\n                                                                                      ^\npath not absolute" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"core\",\"system\":true}]}}", V2,
	  "warning at line 1, column 98\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"core\",\"system\":true\n                                                                                                       ^\nthe create object has been deprecated in favor of user-level options\nerror at line 1, column 98\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"core\",\"system\":true\n                                                                                                       ^\ncannot use both the create object and the user-level system field" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"data:,%zz\"},\"path\":\"/b\"}]}}", V2,
	  "error at line 1, column 98\nno filesystem specified\nerror at line 1, column 84\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"data:,%zz\n                                                                                         ^\nrfc2396: invalid char 0x25 in unescape sequence\nwarning at line 1, column 98\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"directories\":[{\"filesystem\":\"data\",\"mode\":493,\"path\":\"\"}]}}", V2,
	  "warning at line 1, column 102\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"directories\":[{\"filesystem\":\"data\",\"mode\":493,\"path\":\"\"}]}\n                                                                                                           ^\nDirectory \"\" references nonexistent filesystem \"data\". (This is ok if it is defined in a referenced config)\nerror at line 1, column 98\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"directories\":[{\"filesystem\":\"data\",\"mode\":493,\"path\":\"\n                                                                                                       ^\npath not absolute" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\":x\"},\"mode\":420,\"path\":\"\"}]}}", V2,
	  "error at line 1, column 100\nno filesystem specified\nerror at line 1, column 99\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\":x\"},\"mode\":420,\"path\":\"\n                                                                                                        ^\npath not absolute\nerror at line 1, column 77\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\":x\n                                                                                  ^\nunable to parse url" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"bob\",\"shell\":\"/bin/sh\"}]}}", V2,
	  "warning at line 1, column 101\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"bob\",\"shell\":\"/bin/sh\"\n                                                                                                          ^\nthe create object has been deprecated in favor of user-level options\nerror at line 1, column 101\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"passwd\":{\"users\":[{\"create\":{\"uid\":5},\"name\":\"bob\",\"shell\":\"/bin/sh\"\n                                                                                                          ^\ncannot use both the create object and the user-level shell field" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"],\"level\":\"x\",\"name\":\"r\",\"spares\":0}]}}", V2,
	  "error at line 1, column 66\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"\n                                                                       ^\npath not absolute\nerror at line 1, column 78\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"],\"level\":\"x\n                                                                                   ^\nunrecognized raid level" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"],\"level\":\"raid0\",\"name\":\"r\",\"spares\":1}]}}", V2,
	  "error at line 1, column 66\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"\n                                                                       ^\npath not absolute\nerror at line 1, column 82\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"raid\":[{\"devices\":[\"x\"],\"level\":\"raid0\n                                                                                       ^\nspares unsupported for arrays with a level greater than 0" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"contents\":\"[Unit]\\nA=b\\n\",\"enable\":true,\"name\":\"bad\"}]}}", V2,
	  "warning at line 1, column 78\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"contents\":\"[Unit]\\nA=b\\n\n                                                                                   ^\nunit \"bad\" is enabled, but has no install section so enable does nothing\nerror at line 1, column 105\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"contents\":\"[Unit]\\nA=b\\n\",\"enable\":true,\"name\":\"bad\n                                                                                                              ^\ninvalid systemd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"[Uni\",\"name\":\"c\"}],\"name\":\"bad\"}]}}", V2,
	  "error at line 1, column 93\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"[Uni\",\"name\":\"c\"\n                                                                                                  ^\ninvalid unit content: unable to find end of section\nerror at line 1, column 93\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"[Uni\",\"name\":\"c\"\n                                                                                                  ^\ninvalid systemd drop-in extension\nerror at line 1, column 107\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"[Uni\",\"name\":\"c\"}],\"name\":\"bad\n                                                                                                                ^\ninvalid systemd unit extension" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"ftp://h\"},\"mode\":4096,\"path\":\"/a//c\"}]}}", V2,
	  "error at line 1, column 111\nno filesystem specified\nerror at line 1, column 82\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"ftp://h\n                                                                                       ^\ninvalid url scheme\nerror at line 1, column 95\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"ftp://h\"},\"mode\":409\n                                                                                                    ^\nillegal file mode" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"root\",\"path\":\"/b\",\"user\":{\"id\":8,\"name\":\"core\"}}]}}", V2,
	  "error at line 1, column 113\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"root\",\"path\":\"/b\",\"user\":{\"id\":8,\"name\":\"core\"\n                                                                                                                      ^\ncannot set both id and name\nwarning at line 1, column 114\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"partitions\":[{\"label\":\"b:c\",\"number\":1,\"size\":0,\"start\":4096}]}]}}", V2,
	  "error at line 1, column 116\ndisk device is required\nwarning at line 1, column 80\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"partitions\":[{\"label\":\"b:c\n                                                                                     ^\npartition label will be truncated to text before the colon" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"append\":true,\"mode\":420,\"overwrite\":true,\"path\":\"/l\",\"user\":{}}]}}", V2,
	  "error at line 1, column 116\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"append\":true,\"mode\":420,\"overwrite\":true,\"path\":\"/l\",\"user\":{}\n                                                                                                                         ^\ncannot set both append and overwrite to true" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"s3://b/k?versionId=\"},\"path\":\"/b\",\"user\":{}}]}}", V2,
	  "error at line 1, column 118\nno filesystem specified\nerror at line 1, column 94\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"source\":\"s3://b/k?versionId=\n                                                                                                   ^\ninvalid S3 object VersionId" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"y\"}},\"filesystem\":\"\",\"path\":\"/a//c\"}]}}", V2,
	  "error at line 1, column 108\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"y\"}},\"filesystem\":\"\n                                                                                                                 ^\nno filesystem specified\nerror at line 1, column 91\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"y\"\n                                                                                                ^\nmalformed hash specifier\nwarning at line 1, column 124\npermissions unset, defaulting to 0000" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"sha256-x\"}},\"mode\":-1,\"path\":\"/a//c\"}]}}", V2,
	  "error at line 1, column 125\nno filesystem specified\nerror at line 1, column 98\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"sha256-x\"\n                                                                                                       ^\nunrecognized hash function\nerror at line 1, column 109\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"files\":[{\"contents\":{\"verification\":{\"hash\":\"sha256-x\"}},\"mode\":-\n                                                                                                                  ^\nillegal file mode" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":0,\"start\":5}]}]}}", V2,
	  "error at line 1, column 63\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"\n                                                                    ^\ndisk device is required\nerror at line 1, column 124\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":0,\"start\":5}\n                                                                                                                                 ^\npartitions misaligned\nwarning at line 1, column 92\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\n                                                                                                 ^\npartition label will be truncated to text before the colon" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"root\"}]}}", V2,
	  "warning at line 1, column 135\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"root\"}]}\n                                                                                                                                            ^\nFilesystem \"root\" shadows exising filesystem definition\nerror at line 1, column 117\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true\n                                                                                                                          ^\ninvalid filesystem format" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"data\",\"path\":\"q\"}]}}", V2,
	  "error at line 1, column 143\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"data\",\"path\":\"q\"\n                                                                                                                                                    ^\nfilesystem has both mount and path defined" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"partitions\":[{\"label\":\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\",\"number\":2,\"size\":4096,\"start\":5}]}]}}", V2,
	  "error at line 1, column 153\ndisk device is required\nerror at line 1, column 152\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"partitions\":[{\"label\":\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\",\"number\":2,\"size\":4096,\"start\":5}\n                                                                                                                                                             ^\npartitions misaligned\nerror at line 1, column 117\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"partitions\":[{\"label\":\"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n                                                                                                                          ^\npartition labels may not exceed 36 characters" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"create\":{\"force\":true},\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"data\"}]}}", V2,
	  "error at line 1, column 156\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"create\":{\"force\":true},\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"data\"\n                                                                                                                                                                 ^\ncannot use both create object and wipeFilesystem field\nwarning at line 1, column 156\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"create\":{\"force\":true},\"device\":\"x\",\"format\":\"zfs\",\"wipeFilesystem\":true},\"name\":\"data\"\n                                                                                                                                                                 ^\nthe create object has been deprecated in favor of mount-level options" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"/dev/a\",\"format\":\"ext4\",\"label\":\"llllllllllllllllllll\",\"wipeFilesystem\":true},\"name\":\"data\"}]}}", V2,
	  "error at line 1, column 131\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"filesystems\":[{\"mount\":{\"device\":\"/dev/a\",\"format\":\"ext4\",\"label\":\"llllllllllllllllllll\n                                                                                                                                        ^\nfilesystem labels cannot be longer than 16 characters when using ext4" },
	{ "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"x\",\"partitions\":[{\"label\":\"a\",\"number\":2,\"size\":0,\"start\":0},{\"label\":\"b:c\",\"number\":2,\"size\":2048,\"start\":0}]}]}}", V2,
	  "error at line 1, column 64\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"x\n                                                                     ^\npath not absolute\nerror at line 1, column 172\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"x\",\"partitions\":[{\"label\":\"a\",\"number\":2,\"size\":0,\"start\":0},{\"label\":\"b:c\",\"number\":2,\"size\":2048,\"start\":0}\n                                                                                                                                                                                 ^\npartition numbers collide\nwarning at line 1, column 137\n    1: {\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"disks\":[{\"device\":\"x\",\"partitions\":[{\"label\":\"a\",\"number\":2,\"size\":0,\"start\":0},{\"label\":\"b:c\n                                                                                                                                              ^\npartition label will be truncated to text before the colon" },
	{ "{\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":4096,\"start\":5},{\"label\":\"b:c\",\"number\":1,\"size\":4096,\"start\":5}]}]}}", V2,
	  "error at line 1, column 63\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\n                                                                    ^\ndisk device is required\nerror at line 1, column 176\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":4096,\"start\":5},{\"label\":\"b:c\",\"number\":1,\"size\":4096,\"start\":5}\n                                                                                                                                                                                     ^\npartitions overlap\nerror at line 1, column 176\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":4096,\"start\":5},{\"label\":\"b:c\",\"number\":1,\"size\":4096,\"start\":5}\n                                                                                                                                                                                     ^\npartitions misaligned\nwarning at line 1, column 92\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\n                                                                                                 ^\npartition label will be truncated to text before the colon\nwarning at line 1, column 141\n    1: {\"ignition\":{\"version\":\"2.1.0\"},\"storage\":{\"disks\":[{\"device\":\"\",\"partitions\":[{\"label\":\"b:c\",\"number\":2,\"size\":4096,\"start\":5},{\"label\":\"b:c\n                                                                                                                                                  ^\npartition label will be truncated to text before the colon" },
};
// clang-format on

TEST reports(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT(&a);
		struct ign_parsed p;

		ASSERT_INT_M(cases[i].config, -ERR_INVALID,
			     ign_parse(&a, str_of(cases[i].config), &p, &err));
		ASSERT_STR_M(cases[i].config,
			     str_fmt(&a,
				     "%s failed with error: config is not "
				     "valid\nReport: %s",
				     cases[i].kind, cases[i].report),
			     err.msg);
	}
	PASS();
}

/* Without messages the same is refused. */
TEST what_has_a_fault_is_not_taken(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json_opts go = { .flags = JSON_FIX_UTF8 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT(&a);
		struct ign_parsed p;
		struct json *tree;

		if (json_parse(&a, str_of(cases[i].config), &go, &tree, &err) ==
		    0)
			ASSERTm(cases[i].config, !ign_take(&a, tree, &p));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(reports);
	RUN_TEST(what_has_a_fault_is_not_taken);
}

TEST_MAIN(suite)
