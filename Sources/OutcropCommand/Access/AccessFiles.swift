// SPDX-License-Identifier: Apache-2.0

// Access files named on the command line and in settings.

import AccessRules
import Arguments
import Files
import JSON
import ObjectModel

enum AccessFiles {
    static let completion = Completion.file(["json"])

    private static let maximumSize = 4 << 20

    /// Reads a file, and checks it against a model.
    static func read(_ path: String, for model: Model) -> Result<AccessPolicy, AccessProblems> {
        do throws(AccessProblems) {
            return .success(try AccessPolicy(parsing: try bytes(of: path), for: model))
        } catch {
            return .failure(error)
        }
    }

    /// The names of the roles in a file, which is otherwise not checked.
    static func roles(in path: String) throws(Failure) -> [String] {
        func failure(_ problem: AccessProblem) -> Failure {
            Failure(problem.message, code: "keys.invalidAccess", file: problem.position.map { "\(path):\($0)" } ?? path)
        }
        let bytes: [UInt8]
        do throws(AccessProblems) { bytes = try self.bytes(of: path) } catch { throw failure(error.problems[0]) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, allowingComments: true)
        } catch {
            throw failure(AccessProblem(error.message, position: error.position))
        }
        return value["roles"]?.object?.names ?? []
    }

    /// Reads a file of expectations. Throws all mistakes.
    static func expectations(in path: String) throws(Failure) -> [AccessExpectation] {
        do throws(AccessProblems) {
            let bytes = try bytes(of: path, kind: "file")
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue(parsing: bytes, allowingComments: true)
            } catch {
                throw AccessProblems([AccessProblem(error.message, position: error.position)])
            }
            return try AccessExpectation.list(value)
        } catch {
            let lines = error.problems.map { problem in
                var problem = problem
                problem.path = ""
                return problem.line(in: path)
            }
            throw Failure(lines.joined(separator: "\noutcrop: "))
        }
    }

    private static func bytes(of path: String, kind: String = "access file") throws(AccessProblems) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            guard FileSystem.isFile(path) else {
                throw FileSystem.exists(path)
                    ? FileError(.inTheWay, "it isn't a file", path: path)
                    : FileError(.missing, "there is no such file", path: path)
            }
            let file = try OpenFile(reading: path)
            bytes = try file.read(at: 0, count: maximumSize + 1)
        } catch {
            throw AccessProblems([AccessProblem("The \(kind) can't be read: \(error.reason).")])
        }
        guard bytes.count <= maximumSize else {
            throw AccessProblems([AccessProblem("The \(kind) has more than 4 MiB.")])
        }
        return bytes
    }
}
