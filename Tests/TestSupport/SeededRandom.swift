// SPDX-License-Identifier: Apache-2.0

// Random numbers come along with the rest.

@_exported public import SeededRandom
