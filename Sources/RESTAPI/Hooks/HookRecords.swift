// SPDX-License-Identifier: Apache-2.0

// The files of a hook.

import Files
import FoundationEssentials
import JSON
import Synchronization

/// The files of a hook, or the same in memory.
///
/// 1. A file is replaced as a whole, and durable when a call returns.
/// 2. A dead letter has a file of its own, with the body. Only what is listed is in memory.
final class HookRecords: Sendable {
    private struct State {
        var memory = HookMemory()
        var letters = HookLetters()
        /// Without a folder.
        var bodies: [String: [UInt8]] = [:]
    }

    private let folder: String?
    private let state: Mutex<State>

    private static let stateFile = "state.json"

    /// - Parameters:
    ///   - parent: The folder with a folder for each hook; nil to keep everything in memory.
    ///   - onDamage: Called with the name of a file that can't be read.
    init(of hook: Hook, in parent: String?, onDamage: (String) -> Void) throws {
        folder = parent.map { "\($0)/\(hook.name)" }
        var read = State()
        if let folder, let parent {
            try OpenFolder.make(folder)
            // A dead letter must not be lost with its folder, since the position in the store is behind it.
            try OpenFolder(parent).sync()
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                let path = "\(folder)/\(name)"
                if name.hasSuffix(Self.temporary) {
                    try? FileSystem.remove(path)
                    continue
                }
                guard name.hasSuffix(".json") else { continue }
                guard let json = Self.json(at: path) else {
                    onDamage(path)
                    continue
                }
                if name == Self.stateFile {
                    read.memory = HookMemory(json: json)
                } else if let number = Int(name.dropLast(".json".count)), let letter = HookLetter(json, number) {
                    read.letters.insert(letter)
                } else {
                    onDamage(path)
                }
            }
        }
        state = Mutex(read)
    }

    var memory: HookMemory { state.withLock(\.memory) }

    var letters: [HookLetter] { state.withLock(\.letters).all }

    var letterCount: Int { state.withLock(\.letters.count) }

    /// Changes what is kept. If it can't be written, the change applies until the end of the process.
    func update(_ change: (inout HookMemory) -> Void) throws(FileError) {
        try state.withLock { state throws(FileError) in
            let former = state.memory
            change(&state.memory)
            guard state.memory != former else { return }
            try write(state.memory.json, to: Self.stateFile)
        }
    }

    func letter(ofDelivery id: String) -> HookLetter? { state.withLock { $0.letters[id] } }

    /// Adds a dead letter, or replaces one of the same delivery. The oldest ones beyond the limit are removed.
    func add(_ letter: HookLetter, body: [UInt8], limit: Int) throws(FileError) {
        try state.withLock { state throws(FileError) in
            var letter = letter
            letter.number = state.letters.number(forDelivery: letter.id)
            try write(letter, body: body, to: &state)
            let excess = state.letters.count - limit
            guard excess > 0 else { return }
            state.memory.droppedLetters += excess
            try write(state.memory.json, to: Self.stateFile)
            for letter in state.letters.all.prefix(excess) { try remove(letter, from: &state) }
        }
    }

    /// Replaces a dead letter, unless it was removed meanwhile.
    func replace(_ letter: HookLetter, body: [UInt8]) throws(FileError) {
        try state.withLock { state throws(FileError) in
            guard state.letters[letter.id] != nil else { return }
            try write(letter, body: body, to: &state)
        }
    }

    private func write(_ letter: HookLetter, body: [UInt8], to state: inout State) throws(FileError) {
        try write(letter.json(body: body), to: letter.file)
        if folder == nil { state.bodies[letter.id] = body }
        state.letters.insert(letter)
    }

    /// The body of a dead letter, or nil if there is none, or it can't be read.
    func body(of id: String) -> [UInt8]? {
        state.withLock { state in
            guard let letter = state.letters[id] else { return nil }
            guard let folder else { return state.bodies[id] }
            return Self.json(at: "\(folder)/\(letter.file)")?["body"]?.string.map { Array($0.utf8) }
        }
    }

    /// Removes a dead letter, or all of them, and returns their number.
    @discardableResult
    func remove(_ id: String? = nil) throws(FileError) -> Int {
        try state.withLock { state throws(FileError) in
            let letters = id.map { [state.letters[$0]].compactMap(\.self) } ?? state.letters.all
            for letter in letters { try remove(letter, from: &state) }
            return letters.count
        }
    }

    private func remove(_ letter: HookLetter, from state: inout State) throws(FileError) {
        if let folder, FileSystem.exists("\(folder)/\(letter.file)") {
            try FileSystem.remove("\(folder)/\(letter.file)")
        }
        state.letters.remove(letter.id)
        state.bodies[letter.id] = nil
    }

    // MARK: Files

    private static let temporary = ".new"

    private static func json(at path: String) -> JSONValue? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return try? JSONValue(parsing: Array(data))
    }

    private func write(_ json: JSONValue, to name: String) throws(FileError) {
        guard let folder else { return }
        let path = "\(folder)/\(name)"
        let file = try OpenFile(writing: path + Self.temporary, existing: .truncate)
        try file.append(json.serializedBytes().span)
        try file.sync()
        try FileSystem.rename(path + Self.temporary, to: path)
        try OpenFolder(folder).sync()
    }
}
