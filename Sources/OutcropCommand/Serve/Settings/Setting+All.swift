// SPDX-License-Identifier: Apache-2.0

// The table of all settings.

import Arguments
import HTTPServer
import RESTAPI

extension Setting {
    /// In the order of help, documentation and the default file.
    static let all = data + listening + api + limits + logging

    private static let data = [
        Setting(
            "model",
            \.model,
            .text("FILE"),
            in: .data,
            otherwise: "the model that the first store carries, or the demo model",
            completion: ModelFiles.completion,
            "The data model: an .xcdatamodeld, an .xcdatamodel, a compiled model, or JSON."
        ),
        Setting(
            "store",
            each: \.stores,
            .store,
            in: .data,
            otherwise: "none; the demo is in memory",
            completion: StoreFiles.completion,
            "Where the objects are: sqlite:App.sqlite, memory:, xml:App.xml, binary:App.bin, or the path of a SQLite store. "
                + "Configuration=STORE keeps a part of the model there."
        ),
        Setting("readOnly", \.readOnly, in: .data, "Write nothing into the stores, whatever is asked for."),
        Setting(
            "synchronous",
            \.synchronous,
            .choice("MODE"),
            in: .data,
            "When a save counts as written: with full it survives a power failure, with normal the end of the program alone."
        ),
        Setting(
            "replacedStore",
            \.replacedStore,
            .choice("MODE"),
            in: .data,
            "What to do about a SQLite store whose file is replaced: save nothing any more, or open the new one if it is a "
                + "copy of the store, such as a backup."
        ),
        Setting(
            "rowCache",
            \.rowCache,
            .bytes,
            in: .data,
            "How much memory rows may take that were read from stores on disk; those used last stay."
        ),
        Setting(
            "demo",
            \.demo,
            in: .data,
            "Fill the stores with generated data if they are empty, to try things with."
        ),
        Setting(
            "demoSize",
            \.demoSize,
            .count(1...100_000_000),
            in: .data,
            "About how many objects the demo makes; few enough to be there at once."
        ),
        Setting(
            "demoSeed",
            \.demoSeed,
            .count(0...Int.max),
            in: .data,
            "Which data the demo makes; the same number makes the same ones each time."
        ),
    ]

    private static let listening = [
        Setting(
            "listen",
            each: \.listen,
            .address,
            in: .listening,
            "Where to listen: an address with a port, unix:PATH, or systemd for sockets that were handed over. The default is "
                + "reached from this machine alone; port 0 is any that is free."
        ),
        Setting(
            "allowAnonymous",
            \.allowAnonymous,
            in: .listening,
            "Listen where other machines can connect, though everybody who does may read and write everything."
        ),
        Setting(
            "hostNames",
            each: \.api.hostNames,
            .host,
            in: .listening,
            otherwise: "localhost and loopback addresses where this machine alone connects, any name elsewhere",
            "The names by which clients ask for the server: any other may be a page's own that was led here, and is refused; * is any."
        ),
        Setting(
            "cors",
            each: \.api.allowedOrigins,
            .origin,
            in: .listening,
            otherwise: "none",
            "The origins of other sites whose pages may read and write, such as https://app.example; others may not; * is any."
        ),
        Setting(
            "public",
            \.publicFolder,
            .text("DIR"),
            in: .listening,
            otherwise: "Public beside the program, in ../share/outcrop, or in the working directory",
            completion: .directory,
            "The folder of the pages that are served beside the API."
        ),
        Setting(
            "loops",
            \.loops,
            .count(1...1_024),
            in: .listening,
            otherwise: "one for each core",
            "Threads that read requests, answer from memory, and send."
        ),
        Setting(
            "workers",
            \.workers,
            .count(1...4_096),
            in: .listening,
            otherwise: "two for each core, four at least, and one more",
            "Threads that answer what may wait for a disk."
        ),
        Setting(
            "workersPerClient",
            \.workersPerClient,
            .count(1...4_096),
            in: .listening,
            otherwise: "all but one",
            "Threads of each kind that one address may have: for requests that may wait for others' locks, and for those that "
                + "don't. Of both together it may have as many and the spare ones, half as many as there are workers, and half of "
                + "the queue. All workers is no bound, as behind a proxy."
        ),
        Setting(
            "streamWorkers",
            \.streamWorkers,
            .count(1...4_096),
            in: .listening,
            "Threads for requests and answers that are streamed, so that one that takes long delays none that doesn't."
        ),
        Setting(
            "drainTime",
            \.drainTime,
            .duration,
            in: .listening,
            "How long requests may go on that run when the server is told to stop."
        ),
    ]

    private static let api = [
        Setting(
            "pageSize",
            \.api.pageSize,
            .count(),
            in: .api,
            "How many objects a page has where nobody says, enough to look at; no more than it may have."
        ),
        Setting(
            "maximumPageSize",
            \.api.maximumPageSize,
            .count(),
            in: .api,
            "How many objects a page may have, so that no answer fills memory."
        ),
        Setting(
            "bodyLimit",
            \.bodyLimit,
            .bytes,
            in: .api,
            "How large a body may be that is held in memory as a whole; streamed ones may be larger."
        ),
        Setting(
            "bodyValues",
            \.api.bodyValueLimit,
            .count(),
            in: .api,
            "How many JSON values such a body may have, or a row of a batch insert; each takes far more memory than text."
        ),
        Setting(
            "bodyObjects",
            \.api.bodyObjectLimit,
            .count(),
            in: .api,
            "How many objects a body may create, change, delete or refer to; batch-insert takes any number."
        ),
        Setting(
            "answerLimit",
            \.api.answerLimit,
            .bytes,
            in: .api,
            "How large an answer may be that is made as a whole; NDJSON, CSV and the bytes of attributes are streamed."
        ),
        Setting(
            "requestMemory",
            \.api.readLimit,
            .bytes,
            in: .api,
            "How much memory the rows may take that are read for one request, without values in files; streams read as many as that at a time."
        ),
        Setting(
            "deadline",
            \.deadline,
            .duration,
            in: .api,
            "How long a request may work on the stores, so that no query holds a worker for ever; 0 s is no bound."
        ),
        Setting(
            "batchDeadline",
            \.batchDeadline,
            .duration,
            in: .api,
            "How long a batch may work on the stores, which has more to do than a request; 0 s is no bound."
        ),
        Setting(
            "requirePreconditions",
            \.api.requiresPreconditions,
            in: .api,
            "Refuse changes that don't say which version they go out from, so that nobody overwrites unseen changes."
        ),
        Setting(
            "streamStateTime",
            \.streamStateTime,
            .duration,
            in: .api,
            "How long a streamed list or value is read from one state of the stores, so that logs stay small; a slower list goes "
                + "on in the newest, a value from a temporary file; 0 s is no bound."
        ),
        Setting(
            "contexts",
            \.api.maximumContexts,
            .count(),
            in: .api,
            "How many editing contexts may be open at once, each of which takes memory."
        ),
        Setting(
            "contextIdleTime",
            \.api.contextIdleTime,
            .duration,
            in: .api,
            "After what time without a request an editing context ends, since nobody may come back to it."
        ),
        Setting(
            "contextMemory",
            \.api.contextMemoryLimit,
            .bytes,
            in: .api,
            "How much memory what is pending in an editing context may take, undo included."
        ),
        Setting(
            "contextsMemory",
            \.api.contextsMemoryLimit,
            .bytes,
            in: .api,
            "How much memory what is pending in all editing contexts together may take. Those used longest ago leave it for their files; where none can, changes are 503."
        ),
        Setting(
            "contextFolder",
            \.contextFolder,
            .text("DIR"),
            in: .api,
            otherwise: "beside the first store that is a file, called as that with -contexts behind it",
            completion: .directory,
            "The folder where editing contexts are kept, so that drafts survive a restart."
        ),
        Setting(
            "answerLifetime",
            \.api.answerLifetime,
            .duration,
            in: .api,
            "How long the answer to a request with an Idempotency-Key is kept, to be given again; longer than clients try."
        ),
        Setting(
            "keptAnswerLimit",
            \.api.keptAnswerLimit,
            .bytes,
            in: .api,
            "How large the body of such an answer may be, since it is written with what was saved; past it, nothing is saved."
        ),
        Setting(
            "predicateLength",
            \.predicateLength,
            .count(),
            in: .api,
            "How many characters a predicate may have, more than anybody types."
        ),
        Setting(
            "predicateDepth",
            \.predicateDepth,
            .count(1...100),
            in: .api,
            "How deep a predicate may be nested, since each level takes stack."
        ),
        Setting(
            "predicateTerms",
            \.predicateTerms,
            .count(),
            in: .api,
            "How many comparisons and operands a predicate may have, each of which is work for every row."
        ),
        Setting(
            "includeDepth",
            \.api.maximumIncludeDepth,
            .count(1...50),
            in: .api,
            "How many levels of relationships may be embedded in an answer, each of which costs a statement."
        ),
        Setting(
            "includeCount",
            \.api.maximumIncludes,
            .count(1...1_000),
            in: .api,
            "How many relationships may be embedded in an answer in all."
        ),
        Setting(
            "includeObjects",
            \.api.maximumIncludedObjects,
            .count(),
            in: .api,
            "How many objects may be embedded in an answer in all, so that no answer fills memory."
        ),
        Setting(
            "title",
            \.api.title,
            .text("TEXT"),
            in: .api,
            "What the API calls itself in its OpenAPI document."
        ),
    ]

    private static let logging = [
        Setting(
            "logFormat",
            \.logFormat,
            .choice("FORMAT"),
            in: .logging,
            "Who reads the log: people, with a line a request, or machines, with a line of JSON."
        ),
        Setting(
            "logLevel",
            \.logLevel,
            .choice("LEVEL"),
            in: .logging,
            "What is logged: warning leaves out requests that were answered well, debug tells more of connections."
        ),
        Setting(
            "logFile",
            \.logFile,
            .text("FILE"),
            in: .logging,
            otherwise: "the standard error output",
            completion: .file(["log"]),
            "Where the log goes. A SIGHUP opens the file anew, for programs that rotate logs."
        ),
        Setting(
            "slowQuery",
            \.slowQuery,
            .duration,
            in: .logging,
            "From how long on a query is logged with its plan; 0 s logs none."
        ),
        Setting(
            "logValues",
            \.logValues,
            in: .logging,
            "Log the values of slow queries, too, which may be anybody's data."
        ),
    ]
}
