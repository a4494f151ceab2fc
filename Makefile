# mco: one static binary. `make help` lists the targets.
#
# Everything comes from Debian 12 by package name; test/tools/need.sh installs missing
# packages and test/tools/deps.sh builds the libraries once, into ~/.cache/mco.

SHELL	:= /bin/bash
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
# V=1 shows the commands.
Q	:= $(if $(V),,@)
say	= $(if $(V),,@echo '  $1' $(patsubst $(CURDIR)/%,%,$2))
MAKEFLAGS += --no-builtin-rules
# Without -j a single goal uses all cores. Several goals, and their parts, run one
# after the other.
ifeq ($(MAKELEVEL)$(filter check fuzz bench,$(MAKECMDGOALS))$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# ---- Debian packages, all of them, as package:probe ------------------------
# The probe is a command on PATH or a file; the package is installed only when
# the probe finds nothing.
PKGS_BUILD := gcc:gcc binutils:strip dpkg-dev:dpkg-source \
	debian-keyring:/usr/share/keyrings/debian-keyring.gpg gpgv:gpgv xz-utils:xz bzip2:bzip2 gzip:gzip git:git
PKGS_TEST  := openssl:openssl curl:curl jq:jq perl:/usr/share/perl/5.36/JSON/PP.pm
PKGS_SAN   := gcc:gcc libc6-dev:/usr/include/stdlib.h
PKGS_ARCH  := qemu-user:qemu-s390x
PKGS_CHECK := shellcheck:shellcheck clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck clang:clang
PKGS_MAN   := mandoc:mandoc groff-base:groff
PKGS_FUZZ  := clang:clang libclang-rt-14-dev:/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.fuzzer-x86_64.a
PKGS_VALGRIND := valgrind:valgrind libc6-dbg:/usr/share/doc/libc6-dbg
PKGS_BENCH := python3:/usr/bin/python3 python3-yaml:/usr/lib/python3/dist-packages/yaml/__init__.py \
	nginx-light:/usr/sbin/nginx wrk:wrk openssl:openssl curl:curl
PKGS_NODE  := $(PKGS_SAN) ignition:ignition-validate systemd:systemctl passwd:useradd containerd:containerd
PKGS_BOOT  := qemu-system-x86:qemu-system-x86_64 busybox-static:busybox cpio:cpio openssl:openssl
PKGS_SERVER := ignition:ignition-validate openssl:openssl curl:curl
PKGS_PEER  := golang-go:go \
	golang-gopkg-yaml.v2-dev:/usr/share/gocode/src/gopkg.in/yaml.v2/yaml.go \
	golang-github-ghodss-yaml-dev:/usr/share/gocode/src/github.com/ghodss/yaml/yaml.go \
	golang-github-vincent-petithory-dataurl-dev:/usr/share/gocode/src/github.com/vincent-petithory/dataurl/dataurl.go
PKGS_CLUSTER := curl:curl openssl:openssl jq:jq
PKGS_DEBIAN := etcd-server:etcd golang-1.19-go:/usr/lib/go-1.19/bin/go \
	golang-github-modern-go-reflect2-dev:/usr/share/gocode/src/github.com/modern-go/reflect2/reflect2.go \
	rsync:rsync

# Source packages of the libraries; the pins have their versions.
SOURCES := bearssl cjson libyaml zlib fzy
PINS	:= test/tools/sources.sha256

# ---- The version of this build ---------------------------------------------
GIT	:= git -c safe.directory='*'
RAW	?= $(or $(shell $(GIT) describe --tags --always --dirty 2>/dev/null),v0.0.0-unknown)
HASH	?= $(or $(shell $(GIT) rev-parse -q --verify HEAD 2>/dev/null),0000000000000000000000000000000000000000)

CACHE	?= $(HOME)/.cache/mco
ARCHIVES ?= $(CACHE)/sources
DEPS_DIR ?=
BUILD	:= build

# ---- Architectures, named as uname -m names them ----------------------------
ARCHES	:= x86_64 aarch64 ppc64le s390x
HOST	:= $(shell uname -m)
ARCH	?= $(HOST)
GNU_x86_64 := x86_64
DEB_x86_64 := amd64
# Packs relocations; src/base/relr_entry.c applies them. Debian 12's linkers for aarch64 and
# s390x cannot pack them.
LD_x86_64 := -Wl,-z,pack-relative-relocs,-e,relr_entry
# A page may have 64 KiB on the next two, and RELRO must end at a page boundary.
GNU_aarch64 := aarch64
DEB_aarch64 := arm64
LD_aarch64 := -Wl,-z,max-page-size=65536,-z,common-page-size=65536
# musl's long double is a double on ppc64le; Debian's gcc has 128 bits there.
GNU_ppc64le := powerpc64le
DEB_ppc64le := ppc64el
CC_ppc64le := -mlong-double-64
LD_ppc64le := $(LD_aarch64)
# GNU ld leaves relocations by symbol in a static PIE of s390x, and musl's start code
# applies only relative ones. Without visible symbols all of them are relative.
GNU_s390x := s390x
DEB_s390x := s390x
LD_s390x := -Wl,--version-script=test/tools/hidden.ver
GNU	:= $(GNU_$(ARCH))
DEB	:= $(DEB_$(ARCH))
$(if $(GNU),,$(error ARCH=$(ARCH): mco is built for $(ARCHES)))
ifneq ($(ARCH),$(HOST))
# Debian's cross compiler, and musl-dev unpacked in the cache.
CROSS	:= $(GNU)-linux-gnu-
MUSL_DEB := $(shell sed -n 's/^\([0-9a-f]\{16\}\).*  musl-dev_.*_$(DEB)\.deb$$/\1/p' $(PINS))
SYSROOT	:= $(CACHE)/musl/$(DEB)-$(MUSL_DEB)
endif

# ---- Variants, each in its own directory -----------------------------------
WARN	:= -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef
CPPFLAGS = -Iinclude -Isrc -I$(OUT)/gen -isystem $(DEPS)/include -D_GNU_SOURCE
CFLAGS	= -std=c11 -g $(WARN) $(OPT) -fno-strict-aliasing -ffunction-sections \
	-fdata-sections -ffile-prefix-map=$(CURDIR)=. \
	-ffile-prefix-map=$(abspath $(DEPS))=deps $(if $(CROSS),-ffile-prefix-map=$(SYSROOT)=musl)
LDFLAGS	= -Wl,--gc-sections
LDLIBS	= $(DEPS)/lib/libbearssl.a $(DEPS)/lib/libcjson.a \
	$(DEPS)/lib/libyaml.a $(DEPS)/lib/libz.a -lm

DEPS_OPT = $(OPT)

ifdef SAN
VARIANT	:= san
CC	:= gcc
OPT	:= -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all -DARENA_MALLOC
LDFLAGS	+= -fsanitize=address,undefined
PKGS	:= $(PKGS_BUILD) $(PKGS_SAN)
else ifdef COV
VARIANT	:= cov
CC	:= gcc
OPT	:= -O0 --coverage
LDFLAGS	+= --coverage
PKGS	:= $(PKGS_BUILD) $(PKGS_SAN)
else ifdef HOSTED
# glibc and dynamic, so that valgrind can follow every allocation. Its fortified headers
# warn about ignored results even after a cast to void.
VARIANT	:= host
CC	:= gcc
OPT	:= -O1 -DARENA_MALLOC -D_FORTIFY_SOURCE=2 -Wno-unused-result
PKGS	:= $(PKGS_BUILD) $(PKGS_SAN)
else ifdef FUZZ
VARIANT	:= fuzz
CC	:= clang
OPT	:= -O1 -fno-omit-frame-pointer -DARENA_MALLOC \
	-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
LDFLAGS	+= -fsanitize=address,undefined
PKGS	:= $(PKGS_BUILD) $(PKGS_FUZZ)
else
VARIANT	:= musl$(if $(CROSS),-$(ARCH))
MUSL	:= $(SYSROOT)/usr/lib/$(GNU)-linux-musl
CC	= $(CROSS)gcc $(CC_$(ARCH)) -nostdinc -isystem $(SYSROOT)/usr/include/$(GNU)-linux-musl -isystem $(GCC_DIR)/include
# Expanded once, and not before `tools` has installed the compiler.
GCC_DIR	= $(eval GCC_DIR := $(patsubst %/crtbeginS.o,%,$(shell $(CROSS)gcc -print-file-name=crtbeginS.o)))$(GCC_DIR)
# musl has no _FORTIFY_SOURCE. Nothing unwinds the stack here, and gdb reads
# .debug_frame from mco.debug, so the program needs no unwind tables.
HARDEN	:= -fPIE -fstack-protector-strong -fno-asynchronous-unwind-tables
# Optimise code that every byte passes through (JSON, YAML, HTTP, cryptography) for speed,
# the rest for size.
FAST_LAYERS := base data/json data/yml data/http
OPT	= $(if $(filter $(FAST_LAYERS:%=src/%/%),$<),-O2,-Oz) $(HARDEN)
DEPS_OPT := -Os $(HARDEN)
# A static position-independent executable with musl. gcc can link one with glibc
# only, so the start files and libraries are named here.
START	= $(MUSL)/rcrt1.o $(MUSL)/crti.o $(GCC_DIR)/crtbeginS.o
END	= -Wl,--start-group -lc -lgcc -Wl,--end-group $(GCC_DIR)/crtendS.o $(MUSL)/crtn.o
LDFLAGS	+= -nostdlib -static -L$(MUSL) \
	-Wl,-pie,--no-dynamic-linker,-z,text,-z,relro,-z,now,-z,separate-code,-z,noexecstack $(LD_$(ARCH))
PKGS	:= $(PKGS_BUILD) $(if $(CROSS),gcc-$(GNU)-linux-gnu:$(CROSS)gcc,musl-tools:musl-gcc)
endif

OUT	:= $(BUILD)$(if $(filter-out musl%,$(VARIANT)),/$(VARIANT))$(if $(CROSS),/$(ARCH))
$(if $(CROSS),$(if $(filter-out musl%,$(VARIANT)),$(error ARCH=$(ARCH) has no variant $(VARIANT))))
# Other pins or another build script: other libraries.
DEPS_KEY := $(shell { sed -n $(SOURCES:%=-e '/  %_/p') $(PINS); cat test/tools/deps.sh; \
	echo '$(VARIANT) $(CC_$(ARCH)) $(MUSL_DEB) $(DEPS_OPT)'; } | sha256sum | cut -c1-16)
DEPS	:= $(if $(DEPS_DIR),$(BUILD),$(CACHE))/deps/$(VARIANT)-$(DEPS_KEY)
DEPS_STAMP = $(DEPS)/SHA256SUMS

# ---- Sources, by layer; the order is the order of the layers ----------------
PURE_LAYERS := base data ign mc plan view
LOWER_LAYERS := io kube node
LAYERS	:= $(PURE_LAYERS) $(LOWER_LAYERS) role sandbox
# A layer's sources: its own directory and the directories in it.
sources	= $(foreach l,$1,$(wildcard src/$l/*.c src/$l/*/*.c))
PURE_SRC := $(call sources,$(PURE_LAYERS))
LOWER_SRC := $(call sources,$(LOWER_LAYERS))
ROLE_SRC := $(call sources,role)
SANDBOX_SRC := $(call sources,sandbox)
APPLET_SRC := $(wildcard applets/*.c)
HEADERS	:= $(wildcard include/*/*.h src/*/*.h src/*/*/*.h applets/*.h)
TEST_SRC := $(foreach l,$(LAYERS) applets,$(wildcard test/$l/test_*.c))
FUZZ_SRC := $(wildcard test/fuzz/fuzz_*.c)
BENCH_SRC := $(wildcard test/bench/*.c)
TIDY_SRC := $(PURE_SRC) $(LOWER_SRC) $(ROLE_SRC) $(SANDBOX_SRC) $(APPLET_SRC)

obj	= $(patsubst %.c,$(OUT)/obj/%.o,$1)
PURE_LIB := $(OUT)/lib/libpure.a
LOWER_LIB := $(OUT)/lib/liblower.a
ROLE_LIB := $(OUT)/lib/librole.a
SANDBOX_LIB := $(OUT)/lib/libsandbox.a
APPLET_LIB := $(OUT)/lib/libapplets.a
LIBS	:= $(PURE_LIB) $(LOWER_LIB) $(ROLE_LIB) $(SANDBOX_LIB) $(APPLET_LIB)
TESTS	:= $(patsubst test/%.c,$(OUT)/test/%,$(TEST_SRC))
REPLAYS	:= $(patsubst test/fuzz/fuzz_%.c,$(OUT)/test/fuzz/replay_%,$(FUZZ_SRC))
HELPERS	:= $(OUT)/test/cluster/agents $(OUT)/test/kube/churn
CUT_HELPERS := $(OUT)/test/node-cut/inject $(OUT)/test/node-cut/host
BENCHES	:= $(patsubst test/bench/%.c,$(OUT)/bench/%,$(BENCH_SRC))

# The version header changes only when the version does.
VERSION_H := $(OUT)/gen/version.h
RELEASE_GIVEN := $(if $(filter file,$(origin RAW)),0,1)
$(shell test/tools/version.sh '$(VERSION_H)' '$(RAW)' '$(HASH)' $(RELEASE_GIVEN))

# The default tree of templates, packed.
TEMPLATES := src/plan/template/tree
TEMPLATES_H := $(OUT)/gen/templates.h
TEMPLATE_FILES := $(shell find -L $(TEMPLATES) -type f 2>/dev/null)
$(TEMPLATES_H): test/tools/templates.sh $(TEMPLATE_FILES)
	$(call say,PACK,$(TEMPLATES))
	$(Q)test/tools/templates.sh $(TEMPLATES) $@
$(OUT)/obj/src/plan/template/template_builtin.o: $(TEMPLATES_H)

# The operator's manifests, packed.
MANIFESTS := src/plan/operator/manifests
MANIFESTS_H := $(OUT)/gen/packed_manifests.h
$(MANIFESTS_H): test/tools/templates.sh $(wildcard $(MANIFESTS)/*)
	$(call say,PACK,$(MANIFESTS))
	$(Q)test/tools/templates.sh $(MANIFESTS) $@ packed_manifests
$(OUT)/obj/src/plan/operator/op_manifests.o: $(MANIFESTS_H)

# The texts of `mco-operator bootstrap`, packed.
BOOTSTRAP := src/plan/operator/bootstrap
BOOTSTRAP_H := $(OUT)/gen/operator_bootstrap_texts.h
$(BOOTSTRAP_H): test/tools/templates.sh $(shell find $(BOOTSTRAP) -type f)
	$(call say,PACK,$(BOOTSTRAP))
	$(Q)test/tools/templates.sh $(BOOTSTRAP) $@ packed_bootstrap
$(OUT)/obj/src/plan/operator/op_bootstrap_files.o: $(BOOTSTRAP_H)

# The sandbox's data about the built-in kinds, packed.
BUILTIN := src/sandbox/builtin
BUILTIN_H := $(OUT)/gen/sandbox_builtin.h
$(BUILTIN_H): test/tools/templates.sh $(wildcard $(BUILTIN)/*)
	$(call say,PACK,$(BUILTIN))
	$(Q)test/tools/templates.sh $(BUILTIN) $@ packed_builtin
$(OUT)/obj/src/sandbox/kinds.o: $(BUILTIN_H)

# ---- The programs -----------------------------------------------------------
# NODE=1: the daemon alone. The objects are the same.
ifdef NODE
BIN	:= $(OUT)/node
PROGRAMS := $(BIN)/mco-daemon
LINKS	:= machine-config-daemon
else
BIN	:= $(OUT)
PROGRAMS := $(BIN)/mco $(BIN)/mco-sandbox
LINKS	:= $(shell awk -F'"' '/^(APPLET|ALIAS)/ { print $$2 }' applets/list.def)
endif
# The files that are installed on nodes and put into images.
SHIPPED	:= $(OUT)/mco $(OUT)/node/mco-daemon
all: $(PROGRAMS) $(addprefix $(BIN)/,$(LINKS)) ## build build/mco, one link per name, and build/mco-sandbox

tools:
	@test/tools/need.sh '$(DEPS_DIR)' $(PKGS)
$(CACHE)/musl/$(DEB)-%: | tools
	@ARCHIVES='$(ARCHIVES)' test/tools/musl.sh $@ $(DEB)
$(DEPS_STAMP): | tools $(SYSROOT) test/tools/deps.sh
	@AR=$(CROSS)ar CC='$(CC)' VARIANT='$(VARIANT)' OPT='$(DEPS_OPT)' ARCHIVES='$(ARCHIVES)' DEPS_DIR='$(DEPS_DIR)' \
		test/tools/deps.sh '$(DEPS)' $(SOURCES)

$(OUT)/obj/%.o: %.c Makefile | $(DEPS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC  ,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(PURE_LIB): $(call obj,$(PURE_SRC))
$(LOWER_LIB): $(call obj,$(LOWER_SRC))
$(ROLE_LIB): $(call obj,$(ROLE_SRC))
$(SANDBOX_LIB): $(call obj,$(SANDBOX_SRC))
$(APPLET_LIB): $(call obj,$(filter-out applets/main%,$(APPLET_SRC)))
$(LIBS):
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR  ,$@)
	$(Q)$(CROSS)ar rcsD --thin $@ $^

# A program is its main and what it needs from the libraries.
$(OUT)/mco.debug: $(call obj,applets/main.c) $(APPLET_LIB) $(ROLE_LIB) $(LOWER_LIB) $(PURE_LIB)
$(OUT)/mco-sandbox.debug: $(call obj,applets/main_sandbox.c) $(APPLET_LIB) $(SANDBOX_LIB) $(LOWER_LIB) $(PURE_LIB)
$(OUT)/node/mco-daemon.debug: $(call obj,applets/main_daemon.c) $(APPLET_LIB) $(ROLE_LIB) $(LOWER_LIB) $(PURE_LIB)
ALL_PROGRAMS := $(sort $(SHIPPED) $(PROGRAMS))
$(ALL_PROGRAMS:%=%.debug): $(wildcard $(MUSL)/libc.a)
	@mkdir -p $(@D)
	@cd $(DEPS) && sha256sum --quiet -c SHA256SUMS || { echo "Error: the \
		libraries in $(DEPS) are damaged; run: make distclean" >&2; exit 1; }
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -Wl,-Map=$(@:.debug=.map) -o $@ $(filter-out %/libc.a,$^) $(LDLIBS) $(END)

# Stripped, with a link to the file that has its symbols.
$(ALL_PROGRAMS): %: %.debug
	$(call say,STRIP,$@)
	$(Q)cd $(@D) && rm -f $(@F) && $(CROSS)objcopy --strip-all --add-gnu-debuglink=$(@F).debug $(@F).debug $(@F)

$(addprefix $(BIN)/,$(LINKS)): $(firstword $(PROGRAMS)) applets/list.def
	@ln -sfn $(<F) $@

# ---- Tests ------------------------------------------------------------------
# Tests of the pure half see libpure.a alone: a call downwards does not link.
$(OUT)/test/%: $(OUT)/obj/test/%.o $(ROLE_LIB) $(SANDBOX_LIB) $(LOWER_LIB) $(PURE_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -o $@ $^ $(LDLIBS) $(END)
$(foreach l,$(PURE_LAYERS),$(filter $(OUT)/test/$l/%,$(TESTS))): \
$(OUT)/test/%: $(OUT)/obj/test/%.o $(PURE_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(END)
$(OUT)/test/plan/test_simulate: $(OUT)/obj/test/plan/simulate.o
$(OUT)/test/plan/test_generate: $(OUT)/obj/test/plan/live.o
$(OUT)/test/fuzz/replay_%: $(OUT)/obj/test/fuzz/fuzz_%.o \
		$(OUT)/obj/test/fuzz/replay.o $(PURE_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(END)
# The codec of the daemon needs nothing else of its layer.
$(OUT)/test/fuzz/replay_job_msg $(BUILD)/fuzz/fuzz_job_msg: $(OUT)/obj/src/role/daemon/job_msg.o
# Tests of the other half see both halves.
FUZZ_LOWER := persist sandbox
$(FUZZ_LOWER:%=$(OUT)/test/fuzz/replay_%): $(OUT)/test/fuzz/replay_%: \
		$(OUT)/obj/test/fuzz/fuzz_%.o $(OUT)/obj/test/fuzz/replay.o \
		$(SANDBOX_LIB) $(LOWER_LIB) $(PURE_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -o $@ $^ $(LDLIBS) $(END)

.SECONDARY:
.PHONY: all tools help help-golden demo test goldens test-arch test-san test-valgrind test-server test-node test-promise test-cut test-peer test-operator test-boot coverage check layers \
	headers style lint-man format format-check tidy cppcheck shellcheck fuzz fuzz-build size harden repro pins sbom bench install \
	clean distclean compile-tests

compile-tests: all $(SHIPPED) $(if $(filter musl%,$(VARIANT)),sbom) $(TESTS) $(REPLAYS) $(HELPERS)

test: compile-tests ## run unit, golden and command-line tests, and replay the fuzz corpora
	@test/tools/need.sh '' $(PKGS_TEST)
	@ARCHIVES='$(ARCHIVES)' test/tools/test.sh $(OUT) $(TESTS) -- $(REPLAYS)
	$(if $(filter cov,$(VARIANT)),@test/tools/coverage.sh $(OUT) $(LAYERS) applets)

demo: all ## run a cluster in a directory: API server, operator, its roles, six daemons, a rollout (KEEP=1: until Ctrl-C)
	@test/tools/need.sh '' $(PKGS_TEST)
	@KEEP=$(KEEP) examples/demo/run.sh $(OUT)

test-san: ## run the tests under ASan and UBSan
	@$(MAKE) --no-print-directory SAN=1 test

test-valgrind: ## run the tests under valgrind
	@test/tools/need.sh '' $(PKGS_VALGRIND)
	@$(MAKE) --no-print-directory HOSTED=1 compile-tests
	@WRAP='valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite' \
		$(MAKE) --no-print-directory HOSTED=1 test

goldens: compile-tests ## with ARCH=: run unit and golden tests of another architecture under qemu-user
	$(if $(CROSS),,@echo "Error: goldens: say ARCH= (one of $(filter-out $(HOST),$(ARCHES)))" >&2; exit 1)
	@test/tools/need.sh '' $(PKGS_TEST) $(PKGS_ARCH)
	@test/tools/goldens.sh $(OUT) $(ARCH) '$(LINKS)' $(TESTS) -- $(REPLAYS)

test-arch: ## build and test aarch64, ppc64le and s390x, and compare their rendered configs with the native ones
	@test/tools/need.sh '' $(PKGS_TEST) $(PKGS_ARCH)
	@test/tools/arches.sh '$(MAKE)' $(filter-out $(HOST),$(ARCHES))

test-server: all ## check mco-server's responses with ignition-validate and Ignition, and tlsfuzzer if installed
	@test/tools/need.sh '' $(PKGS_SERVER)
	@test/server/ignition.sh $(OUT)
	@test/server/tlsfuzzer.sh $(OUT)

test-node: all ## compare mco-daemon on a root with systemctl --root, Ignition and containerd; also with the clock set forward
	@test/tools/need.sh '' $(PKGS_TEST) $(PKGS_NODE)
	@$(MAKE) --no-print-directory HOSTED=1 all $(SKEW)
	@test/node-peer/run.sh $(OUT) $(BUILD)/host $(SKEW)

# Sets the clock of a dynamic program forward.
SKEW	:= $(BUILD)/host/test/skew.so
$(SKEW): test/node-peer/skew.c
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)gcc -std=c11 -D_GNU_SOURCE $(WARN) -O1 -shared -fPIC -o $@ $<

test-promise: all ## compare the predictions of mcoctl diff for over 70 changes with what controller and daemons do
	@test/tools/need.sh '' $(PKGS_TEST)
	@test/promise/run.sh $(OUT)

test-cut: all $(CUT_HELPERS) $(OUT)/test/node/test_cut ## kill the binary, or fail the call, at every system call that changes a node's disk
	@test/tools/need.sh '' $(PKGS_TEST)
	@test/node-cut/run.sh $(OUT)

test-peer: ## compare encoders and parsers with go-yaml, ghodss/yaml and dataurl, and certificate chains with crypto/x509
	@test/tools/need.sh '' $(PKGS_PEER)
	@$(MAKE) --no-print-directory $(OUT)/test/peer/peer $(OUT)/test/io/test_x509_chain
	@test/peer/run.sh $(OUT)
	@test/peer/yaml.sh $(OUT) $(CACHE)

# PEERS=1.20.2 uses Debian's old release where the newest is available, too.
test-cluster: all $(HELPERS) ## run the REST suite, kubectl and the controllers on a real kube-apiserver (PEERS=1.20.2: an old one) and on the sandbox
	@test/tools/need.sh '' $(PKGS_CLUSTER)
	@peers=$$(PACKAGES='$(PKGS_BUILD) $(PKGS_DEBIAN)' ARCHIVES='$(ARCHIVES)' \
		test/tools/peers.sh $(CACHE) $(PEERS)) && test/cluster/run.sh $(OUT) "$$peers/bin" \
		$(lastword $(wildcard $(CACHE)/peers-1.20.2.*/bin))

# The newest that make test-cluster has built.
PEER_SERVER = $(patsubst %/kube-controller-manager,%,$(lastword $(sort $(wildcard $(CACHE)/peers-*/bin/kube-controller-manager))))
test-operator: all ## run upstream's golden cases through mco-operator, and kill it 50 times during installs and upgrades
	@test/tools/need.sh '' $(PKGS_TEST)
	@MCO_DIR=$(OUT) bash test/cluster/operator_live.sh
	@MCO_DIR=$(OUT) bash test/cluster/operator_kills.sh
	@$(if $(PEER_SERVER),MCO_DIR=$(OUT) bash test/cluster/operator_apiserver.sh $(PEER_SERVER),echo 'no kube-apiserver: make test-cluster builds one')

test-boot: all ## boot a machine in QEMU with only the binary and a config from mco-server
	@test/tools/need.sh '' $(PKGS_BOOT)
	@test/boot/kernel.sh $(CACHE)/boot-kernel
	@test/boot/run.sh $(OUT) $(CACHE)/boot-kernel

coverage: ## measure line and branch coverage per layer (COV=1)
	@$(MAKE) --no-print-directory COV=1 test

FUZZ_S	?= 60
fuzz-%: ## run one fuzz target (fuzz-json, fuzz-yml, ...) for FUZZ_S seconds
	@$(MAKE) --no-print-directory FUZZ=1 build/fuzz/fuzz_$*
	@mkdir -p $(BUILD)/fuzz/corpus/$* $(BUILD)/fuzz/crash
	@build/fuzz/fuzz_$* -max_total_time=$(FUZZ_S) -timeout=10 -rss_limit_mb=2048 \
		-max_len=65536 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/fuzz/crash/$*- \
		$(BUILD)/fuzz/corpus/$* test/fuzz/corpus/$* >$(BUILD)/fuzz/$*.log 2>&1 \
		|| { tail -n 40 $(BUILD)/fuzz/$*.log; exit 1; }
	@sed -n 's/^stat::number_of_executed_units: *//p' $(BUILD)/fuzz/$*.log | \
		xargs printf 'fuzz-$*: %s inputs, no fault\n'
FUZZ_NAMES := $(patsubst test/fuzz/fuzz_%.c,%,$(FUZZ_SRC))
fuzz: $(FUZZ_NAMES:%=fuzz-%) ## run every fuzz target in turn
# One make builds them: several would build the libraries at the same time.
$(FUZZ_NAMES:%=fuzz-%): | fuzz-build
fuzz-build:
	@$(MAKE) --no-print-directory FUZZ=1 \
		$(if $(filter fuzz,$(or $(MAKECMDGOALS),fuzz)),$(FUZZ_NAMES:%=build/fuzz/fuzz_%),$(patsubst $(OUT)/%,build/fuzz/%,$(PURE_LIB) $(LOWER_LIB) $(SANDBOX_LIB)))

ifdef FUZZ
$(BUILD)/fuzz/fuzz_%: $(OUT)/obj/test/fuzz/fuzz_%.o $(PURE_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(END)
$(FUZZ_LOWER:%=$(BUILD)/fuzz/fuzz_%): $(BUILD)/fuzz/fuzz_%: \
		$(OUT)/obj/test/fuzz/fuzz_%.o $(SANDBOX_LIB) $(LOWER_LIB) $(PURE_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -fsanitize=fuzzer -o $@ $^ $(LDLIBS) $(END)
endif

# ---- Checks -----------------------------------------------------------------
check: layers headers style format-check tidy cppcheck shellcheck lint-man test size harden sbom ## run all checks that a change must pass

layers: $(PURE_LIB) $(OUT)/mco ## check include order, no system calls in the pure half, no sandbox in build/mco
	@test/tools/layers.sh $(PURE_LIB) $(OUT)/mco.map $(LAYERS)

help-golden: all ## rewrite test/golden/help, the pages of --help, from the programs; review the difference
	@rm -f test/golden/help/*.txt
	@test/applets/help-pages.sh $(OUT) test/golden/help

headers: | $(DEPS_STAMP) ## check that every header compiles alone
	@for h in $(HEADERS); do \
		$(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only -x c $$h -include $$h \
		|| exit 1; done; echo "headers: $(words $(HEADERS)) compile alone"

lint-man: ## check the man pages with mandoc and groff
	@test/tools/need.sh '' $(PKGS_MAN)
	@test/tools/lint-man.sh applets/man

style: ## check opening comments, banners and file lengths, which clang-format cannot check
	@test/tools/style.sh

FORMAT_SRC = $(shell $(GIT) ls-files -co --exclude-standard '*.c' '*.h')
format: ## rewrite the sources in the project's format
	@test/tools/need.sh '' $(PKGS_CHECK)
	@clang-format -i $(FORMAT_SRC)
format-check: ## fail where `make format` would change something
	@test/tools/need.sh '' $(PKGS_CHECK)
	@clang-format --dry-run --Werror $(FORMAT_SRC) && \
		echo "format: $(words $(FORMAT_SRC)) files"

TIDY_FLAGS = -std=c11 -Iinclude -Isrc -I$(OUT)/gen -isystem $(DEPS)/include -D_GNU_SOURCE
tidy: $(TEMPLATES_H) $(MANIFESTS_H) $(BOOTSTRAP_H) $(BUILTIN_H) | $(DEPS_STAMP) ## run clang-tidy with the checks of .clang-tidy
	@test/tools/need.sh '' $(PKGS_CHECK)
	@test/tools/tidy.sh $(CACHE)/tidy '$(TIDY_FLAGS)' -- $(TIDY_SRC)
shellcheck: ## run shellcheck on all scripts with the rules of .shellcheckrc
	@test/tools/need.sh '' $(PKGS_CHECK)
	@test/tools/shellcheck.sh
cppcheck: $(TEMPLATES_H) $(MANIFESTS_H) $(BUILTIN_H) ## run cppcheck
	@test/tools/need.sh '' $(PKGS_CHECK)
	@cppcheck --quiet -j2 --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability -Iinclude -Isrc -I$(OUT)/gen \
		--suppress=missingInclude --suppress=normalCheckLevelMaxBranches \
		$(TIDY_SRC) && echo "cppcheck: $(words $(TIDY_SRC)) files"

# Every role: 1.5 MiB; the node's alone, for an initramfs: 1 MiB. Those are for x86_64.
limit	= $(if $(filter x86_64,$(ARCH)),$1,0)
size: $(SHIPPED) ## print the bytes per layer, library and symbol; fail above the limits
	@CROSS=$(CROSS) test/tools/size.sh $(OUT)/mco $(call limit,1572864)
	@CROSS=$(CROSS) test/tools/size.sh $(OUT)/node/mco-daemon $(call limit,1048576)

harden: $(SHIPPED) ## check static PIE, RELRO, stack protector and segments of the installed programs with readelf
	@for p in $(SHIPPED); do CROSS=$(CROSS) test/tools/harden.sh $$p $(filter %.a,$(LDLIBS)) || exit 1; done

repro: | $(DEPS_STAMP) ## build twice in two directories, libraries included, and compare the bytes
	@ARCHIVES='$(abspath $(ARCHIVES))' test/tools/repro.sh $(SHIPPED)

# ---- Sources of the libraries -----------------------------------------------
pins: ## write test/tools/sources.sha256 from Debian's current packages, signatures checked; review the difference
	@test/tools/need.sh '' $(PKGS_BUILD)
	@test/tools/pins.sh $(SOURCES) kubernetes -- $(foreach a,$(filter-out $(HOST),$(ARCHES)),$(DEB_$a))

sbom: $(SHIPPED:%=%.spdx.json) ## write build/mco.spdx.json: the linked libraries with versions, hashes and licences
$(SHIPPED:%=%.spdx.json): %.spdx.json: % test/tools/sbom.sh $(PINS)
	$(if $(DEPS_DIR),@echo "Error: sbom: the sources in DEPS_DIR are not the pinned ones" >&2; exit 1)
	$(call say,SBOM,$@)
	$(Q)SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH-$$($(GIT) log -1 --format=%ct 2>/dev/null)} \
		test/tools/sbom.sh $* '$(RAW)' >$@

$(OUT)/bench/%: $(OUT)/obj/test/bench/%.o $(SANDBOX_LIB) $(LOWER_LIB) $(PURE_LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(START) -o $@ $^ $(LDLIBS) $(END)
bench: all $(BENCHES) ## measure speed, memory and size against peers on this machine, as ratios
	@test/tools/need.sh '' $(PKGS_BENCH)
	@test/bench/run.sh $(OUT)

# ---- Installing -------------------------------------------------------------
PREFIX	?= /usr/local
DESTDIR	?=
install: all ## install mco, its links, mco-sandbox and the man pages (DESTDIR=, PREFIX=)
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/bin $(PROGRAMS)
	@for l in $(LINKS); do ln -sfn $(notdir $(firstword $(PROGRAMS))) $(DESTDIR)$(PREFIX)/bin/$$l; done
	@for m in $(wildcard $(if $(NODE),applets/man/*-daemon.8,applets/man/*.[18])); do install -D -m 0644 $$m \
		$(DESTDIR)$(PREFIX)/share/man/man$${m##*.}/$${m##*/}; done

clean: ## remove build/
	rm -rf $(BUILD)
distclean: clean ## remove build/ and the cached libraries
	rm -rf $(CACHE)/deps $(CACHE)/deps-* $(CACHE)/musl $(CACHE)/sources

help: ## print this list
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18
	@echo; echo "  NODE=1 builds build/node/mco-daemon alone; ARCH= an architecture; SAN=1 COV=1 HOSTED=1 FUZZ=1 choose a variant; RAW= HASH= the version"

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
