// SPDX-License-Identifier: Apache-2.0

// What can be chosen for the API.

import AccessRules
package import ObjectModel
package import Predicates

package struct APIOptions: Sendable {
    /// The default page size.
    package var pageSize = 50
    /// The maximum page size, so that no answer fills the memory.
    package var maximumPageSize = 1_000
    /// How long an event loop reads for a request before it leaves it to a worker; zero leaves all reads to workers.
    package var loopTime = Duration.milliseconds(1)
    /// The maximum size of a body that isn't streamed.
    package var bodyLimit = 16 << 20
    /// The maximum number of JSON values in such a body, or in a row of a batch insert: each takes many times the memory
    /// of its text.
    package var bodyValueLimit = 200_000
    /// The maximum number of objects that such a body creates, changes, deletes or refers to: each takes more than a
    /// kilobyte while it is saved.
    package var bodyObjectLimit = 50_000
    /// The maximum size of a response that isn't streamed.
    package var answerLimit = 64 << 20
    /// The maximum memory for a request's rows.
    package var readLimit = 128 << 20
    /// The maximum number of IDs that a batch returns; each takes about this part of an answer's memory.
    var answeredIDLimit: Int { answerLimit / 128 }
    /// The time limit for a request's work on the stores.
    package var deadline: Duration? = .seconds(5)
    /// The time limit for a batch. A batch that inserts what a client sends may take as long as the client does.
    package var batchDeadline: Duration? = .seconds(60)
    /// The time for which a stream, or a large value, is read from one state of the stores, since their logs can't be
    /// written back meanwhile; nil for no limit.
    package var streamStateTime: Duration? = .seconds(60)
    /// How long, deep and large a predicate may be.
    package var predicateLimits = FormatLimits(maximumLength: 8_192, maximumDepth: 50, maximumTerms: 500)
    /// How many levels of relationships may be embedded, and how many relationships in all.
    package var maximumIncludeDepth = 5
    package var maximumIncludes = 20
    /// How many objects may be embedded in an answer in all, each as often as it is shown.
    package var maximumIncludedObjects = 50_000
    /// Whether changes of an object must name the version that they go out from.
    package var requiresPreconditions = false
    /// How many editing contexts there may be at once, children among them.
    package var maximumContexts = 1_000
    /// After what time without a request an editing context ends.
    package var contextIdleTime = Duration.seconds(1_800)
    /// The bytes that what is pending in an editing context may take in memory, undo included, roughly.
    package var contextMemoryLimit = 64 << 20
    /// The bytes that it may take in all of them together.
    package var contextsMemoryLimit = 256 << 20
    /// The names by which clients may ask for the server, beside those of this machine at what it alone can reach. Without any, every
    /// name is right elsewhere.
    package var hostNames: [HostName] = []
    /// The origins of other sites whose pages may read and write.
    package var allowedOrigins: [AllowedOrigin] = []
    /// How long the answer to a request with an `Idempotency-Key` is kept for repeats, and the bytes that its body may have.
    package var answerLifetime: Duration = .seconds(24 * 60 * 60)
    package var keptAnswerLimit = 1 << 20
    /// The versions of the model that clients may name, from the oldest to the newest. The served one is known anyway.
    package var modelVersions: [ModelVersion] = []
    /// What the API calls itself, and its version.
    package var title = "Outcrop"
    package var version = "0"
    /// The metrics of the program around the API.
    package var metrics: @Sendable () -> [APIMetric] = { [] }

    /// The maximum number of rows of an answer that is streamed, and of bytes of a body that is; nil for no limit.
    var streamedRowLimit: Int?
    var streamedBodyLimit: Int?
    /// After what time without an event a stream of the history sends a comment.
    var heartbeatInterval = Duration.seconds(15)
    /// How often the credentials of open streams are checked.
    var admissionInterval = Duration.seconds(2)
    /// What time it is for editing contexts, which end by it.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }

    package init() {}

    /// The options within the limits of an identity's roles.
    func limited(by limits: RoleLimits) -> APIOptions {
        var options = self
        if let rows = limits.rows {
            options.maximumPageSize = min(maximumPageSize, rows)
            options.pageSize = min(pageSize, rows)
            options.streamedRowLimit = rows
        }
        if let bytes = limits.bytes {
            options.bodyLimit = min(bodyLimit, bytes)
            options.streamedBodyLimit = bytes
        }
        return options
    }
}
