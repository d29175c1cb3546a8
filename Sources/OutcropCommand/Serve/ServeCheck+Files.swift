// SPDX-License-Identifier: Apache-2.0

// Checks the files and folders beside the stores that a server writes.

import Files
import FoundationEssentials
import Identities

extension ServeCheck {
    /// The problems with the log, with the folder of backups, and with the file of keys.
    func fileProblems() -> [SettingProblem] { [logProblem(), backupProblem(), keyProblem()].compactMap(\.self) }

    private func logProblem() -> SettingProblem? {
        guard let path = reading.settings.logFile else { return nil }
        let place = place(of: "logFile")
        let folder = Self.folder(of: path)
        guard Self.isFolder(folder) else {
            return SettingProblem(place: place, message: "There is no folder “\(folder)” for the log.")
        }
        let written = FileSystem.exists(path) ? path : folder
        guard !FileManager.default.isWritableFile(atPath: written) else { return nil }
        return SettingProblem(
            place: place,
            message: "The log can't be written: no permission for “\(written)”.",
            hint: Self.hint(onWriting: written, otherwise: "Give it to the account that the server runs as.")
        )
    }

    /// A folder that doesn't exist is made at the first backup.
    private func backupProblem() -> SettingProblem? {
        guard let path = reading.settings.backup else { return nil }
        var folder = path
        while !FileSystem.exists(folder), folder != Self.folder(of: folder) { folder = Self.folder(of: folder) }
        guard !Self.isFolder(folder) || !FileManager.default.isWritableFile(atPath: folder) else { return nil }
        return SettingProblem(
            place: place(of: "backup"),
            message: "Backups can't be written: “\(folder)” isn't a folder that the server may change.",
            hint: Self.hint(
                onWriting: folder,
                otherwise: "Create “\(path)”, and give it to the account that the server runs as."
            )
        )
    }

    private static func hint(onWriting path: String, otherwise hint: String) -> String {
        guard FileSystem.isReadOnly(path) else { return hint }
        return "It is read-only for this process. A service of systemd may write what ReadWritePaths= lists."
    }

    private func keyProblem() -> SettingProblem? {
        guard reading.settings.access != nil, let file = reading.settings.keyFile else { return nil }
        do throws(IdentityError) {
            _ = try file.list()
            return nil
        } catch {
            return SettingProblem(place: error.place ?? file.path, message: error.message, hint: error.hint)
        }
    }
}
