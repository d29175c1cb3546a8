// SPDX-License-Identifier: Apache-2.0

// Access files named on the command line and in settings.

import AccessRules
import Arguments
import Files
import ObjectModel

enum AccessFiles {
    static let completion = Completion.file(["json"])

    private static let maximumSize = 4 << 20

    /// Reads a file, and checks it against a model.
    static func read(_ path: String, for model: Model) -> Result<AccessPolicy, AccessProblems> {
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
            return .failure(AccessProblems([AccessProblem("The access file can't be read: \(error.reason).")]))
        }
        guard bytes.count <= maximumSize else {
            return .failure(AccessProblems([AccessProblem("The access file has more than 4 MiB.")]))
        }
        do throws(AccessProblems) {
            return .success(try AccessPolicy(parsing: bytes, for: model))
        } catch {
            return .failure(error)
        }
    }
}
