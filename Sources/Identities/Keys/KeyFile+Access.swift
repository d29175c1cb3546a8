// SPDX-License-Identifier: Apache-2.0

// Reads and replaces a file of keys.

import Files
import FoundationEssentials
import JSON
import SourceText

extension KeyFile {
    /// What was read of a file.
    struct Content: Sendable {
        let keys: [APIKey]
        let state: OpenFile.State
        /// Open, so that no other file gets its number as long as the states are compared.
        let file: OpenFile
    }

    /// The content of the file, or nil if it doesn't exist.
    func read() throws(IdentityError) -> Content? {
        let file: OpenFile
        let state: OpenFile.State
        let bytes: [UInt8]
        do throws(FileError) {
            guard FileSystem.isFile(path) else {
                if FileSystem.exists(path) { throw FileError(.inTheWay, "it isn't a file", path: path) }
                return nil
            }
            file = try OpenFile(reading: path)
            state = try file.state
            guard state.size <= Self.maximumSize else { throw FileError(.other, "it is too large", path: path) }
            bytes = try file.read(at: 0, count: state.size)
        } catch {
            throw IdentityError(
                .unreadable,
                "The file of keys can't be read: \(error.reason).",
                hint: error.code == .denied ? "It must belong to the account that the program runs as." : nil,
                place: path
            )
        }
        do throws(IdentityError) {
            return Content(keys: try KeyDocumentReader().keys(in: bytes), state: state, file: file)
        } catch {
            throw IdentityError(
                error.code,
                error.message,
                hint: error.hint ?? "Correct the file, or remove it and add keys again.",
                place: error.place.map { "\(path):\($0)" } ?? path
            )
        }
    }

    /// Changes the keys while the file is locked. It isn't written if nothing has changed.
    func change<Result>(
        _ body: (inout [APIKey]) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        let lock: FileLock
        do throws(FileError) {
            lock = try FileLock(lockPath, protecting: [path] + (store.map { [$0] } ?? []), waiting: patience)
        } catch {
            throw unwritable(error)
        }
        defer { withExtendedLifetime(lock) {} }
        let old = try list()
        var keys = old
        let result = try body(&keys)
        if keys != old { try write(keys) }
        return result
    }

    private func write(_ keys: [APIKey]) throws(IdentityError) {
        let document: JSONValue = ["keys": .array(keys.map(\.json))]
        let bytes = document.serializedBytes(JSONFormat(indentation: 2, endsWithNewline: true))
        do throws(FileError) {
            try PrivateFile.write(bytes, to: path, by: newPath, besides: store)
        } catch {
            throw unwritable(error)
        }
    }

    private func unwritable(_ error: FileError) -> IdentityError {
        IdentityError(
            .unwritable,
            "The file of keys can't be written: \(error.path): \(error.reason).",
            place: path
        )
    }
}
