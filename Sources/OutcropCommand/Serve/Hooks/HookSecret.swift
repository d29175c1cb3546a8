// SPDX-License-Identifier: Apache-2.0

// The secrets that requests to receivers are signed with.

import FoundationEssentials
import JSON
import SourceText

/// Reads a secret that a file has, or says where it is.
struct HookSecret {
    struct Failure: Error {
        let message: String
        var hint: String?
    }

    /// Of the file that names a secret in another one.
    let folder: String
    let environment: [String: String]

    private static let leastCount = 16

    static let hint =
        #"Write "secret": {"file": "PATH"}, {"variable": "NAME"} or a text of at least \#(leastCount) bytes."#

    func bytes(_ value: JSONValue) throws(Failure) -> [UInt8] {
        let secret = try content(value)
        guard secret.count >= Self.leastCount else {
            throw Failure(
                message: "The secret has \(secret.count) bytes, fewer than \(Self.leastCount).",
                hint: "Make one: openssl rand -hex 32"
            )
        }
        return secret
    }

    /// The file that has the secret, or nil.
    func path(_ value: JSONValue) -> String? {
        guard value.object?.count == 1, let name = value["file"]?.string else { return nil }
        return name.hasPrefix("/") ? name : "\(folder)/\(name)"
    }

    private func content(_ value: JSONValue) throws(Failure) -> [UInt8] {
        if let text = value.string { return Array(text.utf8) }
        if let path = path(value) {
            guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                throw Failure(message: "The file “\(path)” of the secret can't be read.")
            }
            return Array(data).withoutLineBreak
        }
        if value.object?.count == 1, let name = value["variable"]?.string {
            guard let text = environment[name] else {
                throw Failure(message: "The variable \(name.printable()) of the secret isn't set.")
            }
            return Array(text.utf8)
        }
        throw Failure(message: "“secret” is neither a text nor where one is.", hint: Self.hint)
    }
}

extension [UInt8] {
    /// Without a line break at the end, which editors add.
    fileprivate var withoutLineBreak: [UInt8] {
        var bytes = self
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}
