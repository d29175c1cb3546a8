// SPDX-License-Identifier: Apache-2.0

// Keeps editing contexts in files, so that they survive the process.

import Dispatch
import Files
import FoundationEssentials
import Synchronization

/// A folder with a file for each editing context.
///
/// 1. A file is replaced as a whole, or changes are appended. It is durable before the request is answered. An
///    incomplete addition is ignored.
/// 2. When a child has saved into its parent, the parent's file is written first, in the same turn, or else before the
///    child's file is written again. An object that is in both files is pending in both, and is the same object. The
///    holder of a family's turn writes the files of its contexts.
/// 3. Numbers of ended contexts aren't used again: the last number has a file of its own.
/// 4. The effects of merges are written a second later, at an orderly end, or with an earlier write.
final class ContextJournal: Sendable {
    private let folder: String
    /// The last number in the file.
    private let written = Mutex(0)
    private let writing = DispatchQueue(label: "Editing contexts")

    /// Creates the folder if it is missing.
    init(folder: String) throws(FileError) {
        self.folder = folder
        if !FileSystem.exists(folder) { try OpenFolder.make(folder) }
    }

    /// - Returns: The size of the file.
    func write(_ record: ContextRecord) throws(FileError) -> Int {
        let bytes = record.bytes
        try replace(Self.name(of: record.number), with: bytes)
        return bytes.count
    }

    /// - Returns: The number of bytes added.
    func add(_ addition: ContextRecord.Addition, to number: Int) throws(FileError) -> Int {
        let bytes = addition.bytes
        let file = try OpenFile(writing: "\(folder)/\(Self.name(of: number))", existing: .append)
        let size = try file.size
        do {
            try file.append(bytes.span)
            try file.sync()
        } catch {
            // If this fails, the next change replaces the file.
            try? file.truncate(to: size)
            throw error
        }
        return bytes.count
    }

    /// Runs closures after a second, one at a time.
    func schedule(_ body: @escaping @Sendable () -> Void) {
        writing.asyncAfter(deadline: .now() + .seconds(1), execute: body)
    }

    func remove(_ number: Int) throws(FileError) {
        let path = "\(folder)/\(Self.name(of: number))"
        guard FileSystem.exists(path) else { return }
        try FileSystem.remove(path)
        try OpenFolder(folder).sync()
    }

    /// Records the last allocated number.
    func write(last: Int) throws(FileError) {
        try written.withLock { written throws(FileError) in
            // Another request may have recorded a later one.
            guard last > written else { return }
            try replace("last", with: Array("\(last)\n".utf8))
            written = last
        }
    }

    /// The numbers of contexts with files, and the last allocated number.
    var numbers: (all: [Int], last: Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let all = names.filter { $0.hasSuffix(Self.suffix) }
            .compactMap { ContextHead.number(of: String($0.dropLast(Self.suffix.count))) }
            .sorted()
        let last = (try? bytes(of: "last")).flatMap { Int(String(decoding: $0.dropLast(), as: UTF8.self)) }
        return (all, max(last ?? 0, all.last ?? 0))
    }

    /// Reads the file of a context. Throws a file error if it can't be read, and a loss if it is damaged.
    func record(_ number: Int) throws -> ContextRecord { try ContextRecord(bytes(of: Self.name(of: number))) }

    private static let suffix = ".draft"

    private static func name(of number: Int) -> String { ContextHead.name(of: number) + suffix }

    private func bytes(of name: String) throws(FileError) -> [UInt8] {
        let file = try OpenFile(reading: "\(folder)/\(name)")
        return try file.read(at: 0, count: file.size)
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let new = "\(folder)/.\(name).new"
        let file = try OpenFile(writing: new, existing: .truncate)
        try file.append(bytes.span)
        try file.sync()
        try FileSystem.rename(new, to: "\(folder)/\(name)")
        try OpenFolder(folder).sync()
    }
}
