// SPDX-License-Identifier: Apache-2.0

/// The numbers of jobs that may block and of others.
struct JobCount {
    private var blocking = 0
    private var others = 0

    var all: Int { blocking + others }

    subscript(mayBlock mayBlock: Bool) -> Int {
        get { mayBlock ? blocking : others }
        set { if mayBlock { blocking = newValue } else { others = newValue } }
    }
}

extension JobCount {
    static func - (total: JobCount, part: JobCount) -> JobCount {
        var rest = total
        rest.blocking -= part.blocking
        rest.others -= part.others
        return rest
    }
}
