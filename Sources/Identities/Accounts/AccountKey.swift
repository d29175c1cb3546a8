// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Files
import FoundationEssentials
import JSON

/// The secret that the tokens of a store's accounts are signed with.
///
///     let key = try AccountKey(besides: "Library.sqlite")
package struct AccountKey: Sendable {
    /// The `kid` of its tokens.
    package let id: String
    private let secret: [UInt8]

    private static let secretCount = 32
    private static let maximumSize = 4 << 10
    private static let patience = Duration.seconds(10)

    /// A random key, which no other process has.
    package init() {
        id = Base16.encode(RandomBytes.make(count: 8))
        secret = RandomBytes.make(count: Self.secretCount)
    }

    /// The key in the file beside a store, which is made if it doesn't exist.
    package init(besides store: String) throws(IdentityError) { try self.init(file: Self.path(besides: store)) }

    /// The path of the file beside a store. Another file, with `.lock` added, is beside it.
    package static func path(besides store: String) -> String { store + ".accounts.json" }

    /// The paths of the file, of its lock, and of the file that replaces it, which may not exist.
    package static func files(besides store: String) -> [String] {
        ["", ".lock", ".new"].map { path(besides: store) + $0 }
    }

    /// The key in a file, which is made if it doesn't exist.
    package init(file path: String) throws(IdentityError) {
        if !FileSystem.exists(path) { try Self.make(path) }
        let bytes: [UInt8]
        let permissions: Int
        do throws(FileError) {
            guard FileSystem.isFile(path) else { throw FileError(.inTheWay, "it isn't a file", path: path) }
            let file = try OpenFile(reading: path)
            permissions = try file.permissions
            bytes = try file.read(at: 0, count: Self.maximumSize)
        } catch {
            throw IdentityError(
                .unreadable,
                "The key of accounts can't be read: \(error.reason).",
                hint: error.code == .denied ? "It must belong to the account that the program runs as." : nil,
                place: path
            )
        }
        guard permissions & 0o077 == 0 else {
            throw IdentityError(
                .unreadable,
                "Others than its owner have access to the key of accounts.",
                hint:
                    "Change its permissions to 600. If others may have read it, remove it: accounts must sign in again.",
                place: path
            )
        }
        // The error would have a part of the key.
        let value = try? JSONValue(parsing: bytes)
        guard let id = value?["id"]?.string, id.utf8.count >= 8,
            let secret = value?["secret"]?.string.flatMap({ Base64.decode($0) }), secret.count >= Self.secretCount
        else {
            throw IdentityError(
                .invalidFile,
                "The file isn't a key of accounts.",
                hint: "Remove it, and another one is made: accounts must sign in again.",
                place: path
            )
        }
        self.id = id
        self.secret = secret
    }

    private static func make(_ path: String) throws(IdentityError) {
        do throws(FileError) {
            let lock = try FileLock(path + ".lock", waiting: patience)
            defer { withExtendedLifetime(lock) {} }
            // Another process may have made it meanwhile.
            if FileSystem.exists(path) { return }
            let key = AccountKey()
            let document: JSONValue = ["id": .string(key.id), "secret": .string(Base64.encode(key.secret))]
            let bytes = document.serializedBytes(JSONFormat(indentation: 2, endsWithNewline: true))
            try PrivateFile.write(bytes, to: path, by: path + ".new")
        } catch {
            throw IdentityError(
                .unwritable,
                "The key of accounts can't be written: \(error.path): \(error.reason).",
                place: path
            )
        }
    }

    /// Signs tokens that only this key verifies.
    package var signer: TokenSigner {
        get throws(CryptographyError) { TokenSigner(try SigningKey(secret: secret), id: id) }
    }

    /// A code for a text that can't be computed without the key, and doesn't reveal the text.
    ///
    /// - Parameter purpose: Codes for another purpose differ.
    package func code(of text: String, for purpose: String) -> String {
        let message = Array("\(purpose)\n".utf8) + SHA256.digest(of: Array(text.utf8))
        return Base64.encode(HMACSHA256.code(of: message, key: secret))
    }
}
