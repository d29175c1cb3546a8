// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Identities

@Suite("Sessions of accounts")
struct AccountSessionsTests {
    private let folder: TemporaryFolder
    private let file: SessionFile
    private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private let reports = Reports()

    private final class Reports: Sendable {
        let errors = Mutex<[IdentityError]>([])
        var all: [IdentityError] { errors.withLock { $0 } }
    }

    init() throws {
        folder = try TemporaryFolder()
        file = SessionFile(besides: folder.path + "/Library.sqlite")
    }

    private func sessions() throws -> AccountSessions {
        try AccountSessions(file, now: start) { [reports] error in reports.errors.withLock { $0.append(error) } }
    }

    private func each(_ body: (AccountSessions) throws -> Void) throws {
        try body(AccountSessions())
        try body(sessions())
    }

    @Test("a session is found until it ends or expires")
    func lifetime() throws {
        try each { sessions in
            let (session, _) = try sessions.begin(for: "x:/User/p1", now: start)
            #expect(session.account == "x:/User/p1")
            #expect(sessions.session(session.id, now: start) == session)
            #expect(sessions.session(session.id + "A", now: start) == nil)
            #expect(sessions.session(session.id, now: start + AccountSessions.lifetime - 1) == session)
            #expect(sessions.session(session.id, now: start + AccountSessions.lifetime) == nil)
            try sessions.end(session.id, now: start)
            #expect(sessions.session(session.id, now: start) == nil)
            try sessions.end(session.id, now: start)
        }
    }

    @Test("a refresh token is replaced, and continues its session")
    func refreshing() throws {
        try each { sessions in
            let (session, first) = try sessions.begin(for: "a", now: start)
            let (continued, second) = try #require(try sessions.refresh(first, now: start + 100))
            #expect(continued.id == session.id && first != second)
            #expect(continued.expires == start + 100 + AccountSessions.lifetime)
            #expect(try sessions.refresh(second, now: start + 200) != nil)
        }
    }

    @Test("a spent refresh token ends its session")
    func theft() throws {
        try each { sessions in
            let (session, first) = try sessions.begin(for: "a", now: start)
            let (other, token) = try sessions.begin(for: "a", now: start)
            let (_, second) = try #require(try sessions.refresh(first, now: start))
            #expect(try sessions.refresh(first, now: start) == nil)
            #expect(sessions.session(session.id, now: start) == nil)
            #expect(try sessions.refresh(second, now: start) == nil)
            #expect(sessions.session(other.id, now: start) == other)
            #expect(try sessions.refresh(token, now: start) != nil)
        }
    }

    @Test("other texts than refresh tokens change nothing")
    func garbage() throws {
        try each { sessions in
            let (session, token) = try sessions.begin(for: "a", now: start)
            for text in [
                "", "ocr_", token + "A", String(token.dropLast()), String(token.dropFirst()), token.uppercased(),
            ] {
                #expect(try sessions.refresh(text, now: start) == nil)
            }
            #expect(try sessions.refresh(RefreshToken().text, now: start) == nil)
            #expect(try sessions.refresh(token, now: start + AccountSessions.lifetime) == nil)
            #expect(sessions.session(session.id, now: start) == session)
        }
    }

    @Test("all sessions of an account end, or all but one")
    func endingAll() throws {
        try each { sessions in
            let mine = try (0..<3).map { _ in try sessions.begin(for: "a", now: start).session }
            let other = try sessions.begin(for: "b", now: start).session
            try sessions.endAll(of: "a", except: mine[1].id, now: start)
            #expect(mine.map { sessions.session($0.id, now: start) != nil } == [false, true, false])
            try sessions.endAll(of: "a", now: start)
            #expect(sessions.session(mine[1].id, now: start) == nil)
            #expect(sessions.session(other.id, now: start) != nil)
        }
    }

    @Test("an account has a limited number of sessions, and the one unused for longest ends")
    func limit() throws {
        try each { sessions in
            let first = try sessions.begin(for: "a", now: start).session
            let (second, token) = try sessions.begin(for: "a", now: start + 1)
            _ = try sessions.refresh(token, now: start + 5)
            for index in 0..<(AccountSessions.limit - 1) {
                _ = try sessions.begin(for: "a", now: start + 2 + Double(index))
            }
            #expect(sessions.session(first.id, now: start + 300) == nil)
            #expect(sessions.session(second.id, now: start + 300) != nil)
        }
    }

    @Test("sessions survive a restart, and other servers know their changes")
    func sharing() throws {
        let one = try sessions()
        let other = try sessions()
        let (session, first) = try one.begin(for: "a", now: start)
        #expect(other.session(session.id, now: start) == session)
        let (_, second) = try #require(try other.refresh(first, now: start + 1))
        // The first server's memory is older than the token.
        #expect(try one.refresh(second, now: start + 1) != nil)
        try other.end(session.id, now: start + 2)
        #expect(one.session(session.id, now: start + 4) == nil)
        let kept = try one.begin(for: "b", now: start).session
        #expect(try sessions().session(kept.id, now: start) == kept)
        #expect(FileSystem.permissions(of: file.path) == 0o600)
        #expect(reports.all.isEmpty)
    }

    @Test("a line that wasn't completed is as if it had not been written")
    func tornLines() throws {
        let one = try sessions()
        let session = try one.begin(for: "a", now: start).session
        let target = try OpenFile(writing: file.path, existing: .append)
        try target.append(Array(#"{"ended":[""#.utf8).span)
        let other = try sessions()
        #expect(other.session(session.id, now: start) == session)
        let next = try other.begin(for: "b", now: start).session
        #expect(one.session(next.id, now: start) == next)
        #expect(try sessions().session(next.id, now: start) == next)
    }

    @Test("a file with another line is refused, and reported once by a running server")
    func damage() throws {
        let one = try sessions()
        let session = try one.begin(for: "a", now: start).session
        try OpenFile(writing: file.path, existing: .append).append(Array("{}\n".utf8).span)
        #expect(throws: IdentityError.self) { try sessions() }
        for second in 2..<6 { #expect(one.session(session.id, now: start + Double(second)) == session) }
        #expect(reports.all.map(\.code) == [.unreadable])
        #expect(throws: IdentityError.self) { try one.begin(for: "b", now: start) }
    }

    @Test("obsolete lines are removed, while other servers go on")
    func tidying() throws {
        let one = try sessions()
        let other = try sessions()
        var (session, token) = try one.begin(for: "a", now: start)
        var greatest = 0
        for index in 0..<1_200 {
            (session, token) = try #require(
                try (index % 2 == 0 ? one : other).refresh(token, now: start + Double(index))
            )
            greatest = max(greatest, FileSystem.size(of: file.path) ?? 0)
        }
        #expect(try #require(FileSystem.size(of: file.path)) < greatest)
        #expect(one.session(session.id, now: start + 1_300) == session)
        #expect(try sessions().session(session.id, now: start + 1_300) == session)
    }

    @Test("a change succeeds although obsolete lines can't be removed, which is reported once and tried again")
    func failedTidying() throws {
        let sessions = try sessions()
        var (session, token) = try sessions.begin(for: "a", now: start)
        let files = FailingFiles()
        func refresh(_ count: Int) throws {
            for _ in 0..<count { (session, token) = try #require(try sessions.refresh(token, now: start)) }
        }
        try refresh(1_000)
        files.fail(1, .rename, lasts: true)
        try files.run { try refresh(20) }
        #expect(reports.all.map(\.code) == [.unwritable])
        // Not with each change: the file may be large.
        #expect(files.mend() == 1)
        #expect(sessions.session(session.id, now: start) == session)
        #expect(try self.sessions().session(session.id, now: start) == session)
        let size = try #require(FileSystem.size(of: file.path))
        (session, token) = try #require(try sessions.refresh(token, now: start + 60))
        #expect(try #require(FileSystem.size(of: file.path)) < size / 100)
        #expect(try sessions.refresh(token, now: start + 61) != nil)
        #expect(reports.all.count == 1)
    }

    @Test("access that others have to the file is withdrawn before more is written")
    func permissions() throws {
        let sessions = try sessions()
        _ = try sessions.begin(for: "a", now: start)
        try OpenFile(reading: file.path).setPermissions(0o664)
        let session = try sessions.begin(for: "a", now: start).session
        #expect(FileSystem.permissions(of: file.path) == 0o600)
        #expect(try self.sessions().session(session.id, now: start) == session)
    }

    @Test("without its file, all sessions have ended")
    func removal() throws {
        let sessions = try sessions()
        let session = try sessions.begin(for: "a", now: start).session
        try FileSystem.remove(file.path)
        #expect(sessions.session(session.id, now: start + 2) == nil)
        #expect(try sessions.begin(for: "a", now: start).session.id != session.id)
    }
}
