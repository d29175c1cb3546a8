// SPDX-License-Identifier: Apache-2.0

// libFuzzer as a library: it comes without a header.

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
