// SPDX-License-Identifier: Apache-2.0

// The engine under one import, for programs that embed it.

@_exported public import AtomicStores
@_exported public import ObjectGraph
@_exported public import ObjectModel
@_exported public import Predicates
@_exported public import SQLiteStore
