# Some of the changes whose previews `make test-promise` compares with what the live
# cluster does: of each kind of outcome one.
test/promise/run.sh "${MCO_DIR:-build}" file_of_a_custom_pool policy_reload blocked_registries \
	https_source broken resumed_pool
