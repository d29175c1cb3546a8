// SPDX-License-Identifier: Apache-2.0

// An editing context's answers to requests with an Idempotency-Key.

import FoundationEssentials
import HTTPMessage
import JSON
import SourceText

/// An answer and its key.
struct ContextAnswer: Sendable {
    let key: String
    let made: Date
    let answer: StoredAnswer
}

extension ContextAnswer {
    /// The answer, if the request has its key and it hasn't expired.
    func reply(to recorder: AnswerRecorder) throws(Problem) -> Reply? {
        guard key == recorder.key, made >= recorder.keptSince else { return nil }
        return try answer.reply(to: recorder.fingerprint)
    }

    /// The form in a context's file.
    var json: JSONValue {
        [
            "key": .string(key), "made": .string(DateText.text(made) ?? ""),
            "answer": .string(String(decoding: answer.bytes, as: UTF8.self)),
        ]
    }

    /// Nil for JSON of another form.
    init?(_ json: JSONValue) {
        guard let key = json["key"]?.string, let made = json["made"]?.string.flatMap({ Date(rfc3339: $0) }),
            let answer = (json["answer"]?.string).flatMap({ StoredAnswer(Array($0.utf8)) })
        else { return nil }
        self.init(key: key, made: made, answer: answer)
    }
}

/// The recent answers of a context to requests with keys, oldest first.
///
/// 1. An answer is written to the context's file together with the request's changes, or neither is.
/// 2. There are at most a hundred, and they take at most as many bytes as a single stored answer may have,
///    not counting the last.
struct ContextAnswers: Sendable {
    /// The answer to the request that opened the context.
    var opening: ContextAnswer?
    private(set) var all: [ContextAnswer] = []

    private static let countLimit = 100

    /// The answer to a request that was answered before, unless it has expired.
    func reply(to recorder: AnswerRecorder) throws(Problem) -> Reply? {
        for answer in all {
            if let reply = try answer.reply(to: recorder) { return reply }
        }
        return nil
    }

    /// Adds an answer, and removes the oldest ones beyond the limits.
    func adding(_ answer: ContextAnswer?, byteLimit: Int) -> ContextAnswers {
        guard let answer else { return self }
        var answers = self
        answers.all = all.filter { $0.key != answer.key } + [answer]
        var bytes = answers.all.reduce(0) { $0 + $1.answer.body.count }
        while answers.all.count > 1, answers.all.count > Self.countLimit || bytes > byteLimit {
            bytes -= answers.all.removeFirst().answer.body.count
        }
        return answers
    }
}

extension ContextAnswers {
    /// The form in a context's file.
    var json: JSONValue {
        var members: JSONObject = ["all": .array(all.map(\.json))]
        if let opening { members["opening"] = opening.json }
        return .object(members)
    }

    init(_ json: JSONValue) {
        opening = json["opening"].flatMap(ContextAnswer.init)
        all = json["all"]?.array?.compactMap(ContextAnswer.init) ?? []
    }
}
