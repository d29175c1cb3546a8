// SPDX-License-Identifier: Apache-2.0

// Editing contexts in files, so that they survive the process.

import Dispatch
import Files
import FoundationEssentials
import Synchronization

/// A folder with a file for each editing context.
///
/// 1. A file is replaced as a whole, or what has changed is added at its end; it is durable before the request is answered that it is
///    about. Where that ends in the midst, the addition counts for nothing.
/// 2. A parent's file is written before that of the child which has saved into it, and in the same turn, or else before the
///    child's is written again: what is in both is pending in both, and is one and the same object. A context's file is written
///    by whoever has the turn of its family.
/// 3. Numbers of contexts that have ended aren't given again: the last one has a file of its own.
/// 4. What others' changes make of a context is written a second later, or at the orderly end, and with whatever is written sooner.
final class ContextJournal: Sendable {
    private let folder: String
    /// The last number that was noted.
    private let noted = Mutex(0)
    private let writing = DispatchQueue(label: "Editing contexts")

    /// Makes the folder if it isn't there.
    init(folder: String) throws(FileError) {
        self.folder = folder
        if !FileSystem.exists(folder) { try OpenFolder.make(folder) }
    }

    /// - Returns: How many bytes the file has.
    func write(_ record: ContextRecord) throws(FileError) -> Int {
        let bytes = record.bytes
        try replace(Self.name(of: record.number), with: bytes)
        return bytes.count
    }

    /// - Returns: How many bytes were added.
    func add(_ addition: ContextRecord.Addition, to number: Int) throws(FileError) -> Int {
        let bytes = addition.bytes
        let file = try OpenFile(writing: "\(folder)/\(Self.name(of: number))", existing: .isContinued)
        let size = try file.size
        do {
            try file.append(bytes.span)
            try file.sync()
        } catch {
            // What can't be taken back is replaced with the next change.
            try? file.truncate(to: size)
            throw error
        }
        return bytes.count
    }

    /// Runs a closure in a second, one after the other.
    func soon(_ body: @escaping @Sendable () -> Void) {
        writing.asyncAfter(deadline: .now() + .seconds(1), execute: body)
    }

    func remove(_ number: Int) throws(FileError) {
        let path = "\(folder)/\(Self.name(of: number))"
        guard FileSystem.exists(path) else { return }
        try FileSystem.remove(path)
        try OpenFolder(folder).sync()
    }

    /// Notes the last number that was given.
    func note(last: Int) throws(FileError) {
        try noted.withLock { noted throws(FileError) in
            // Others may have noted a later one.
            guard last > noted else { return }
            try replace("last", with: Array("\(last)\n".utf8))
            noted = last
        }
    }

    /// The numbers of the contexts that have files, and the last that was given.
    var numbers: (all: [Int], last: Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let all = names.filter { $0.hasSuffix(Self.suffix) }
            .compactMap { ContextHead.number(of: String($0.dropLast(Self.suffix.count))) }
            .sorted()
        let last = (try? bytes(of: "last")).flatMap { Int(String(decoding: $0.dropLast(), as: UTF8.self)) }
        return (all, max(last ?? 0, all.last ?? 0))
    }

    /// Reads the file of a context: an error of files where that can't be read, and a loss where it is damaged.
    func record(_ number: Int) throws -> ContextRecord { try ContextRecord(bytes(of: Self.name(of: number))) }

    private static let suffix = ".draft"

    private static func name(of number: Int) -> String { ContextHead.name(of: number) + suffix }

    private func bytes(of name: String) throws(FileError) -> [UInt8] {
        let file = try OpenFile(reading: "\(folder)/\(name)")
        return try file.read(at: 0, count: file.size)
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
        let new = "\(folder)/.\(name).new"
        let file = try OpenFile(writing: new, existing: .isEmptied)
        try file.append(bytes.span)
        try file.sync()
        try FileSystem.rename(new, to: "\(folder)/\(name)")
        try OpenFolder(folder).sync()
    }
}
