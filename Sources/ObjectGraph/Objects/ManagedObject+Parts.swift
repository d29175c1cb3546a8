// SPDX-License-Identifier: Apache-2.0

// The parts of an object's state by their own names.

extension ManagedObject {
    /// Whether it is of a subclass, which may override hooks. Those of this class do nothing.
    final var hasHooks: Bool { type(of: self) != ManagedObject.self }

    final var status: Status {
        get { state.status }
        _modify { yield &state.status }
    }

    final var snapshot: Snapshot? {
        get { state.snapshot }
        _modify { yield &state.snapshot }
    }

    final var row: Row {
        get { state.row }
        _modify { yield &state.row }
    }

    final var toManys: [ToMany] {
        get { state.toManys }
        _modify { yield &state.toManys }
    }

    final var assigned: AssignedProperties {
        get { state.assigned }
        _modify { yield &state.assigned }
    }
}

extension ManagedObject.State: Equatable {
    static func == (one: Self, other: Self) -> Bool {
        one.status == other.status && one.snapshot === other.snapshot && one.row == other.row
            && one.toManys == other.toManys && one.assigned == other.assigned
    }
}
