// SPDX-License-Identifier: Apache-2.0

// Tests that import this module get random numbers as well.

@_exported public import SeededRandom
