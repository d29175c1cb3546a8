// SPDX-License-Identifier: Apache-2.0

import Arguments
import FoundationEssentials
import SourceText

/// When a key expires, on the command line: `2030-12-31T00:00:00Z`, or `30d` from now on.
struct KeyExpiry: ArgumentValue {
    let argument: String
    private let moment: Moment

    private enum Moment {
        case date(Date)
        case after(Duration)
    }

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        if let date = Date(iso8601: argument) {
            moment = .date(date)
            return
        }
        do throws(InvalidArgument) {
            moment = .after(try SettingType.duration.read(argument))
        } catch {
            throw InvalidArgument("expected a date, such as 2030-12-31T00:00:00Z, or a time, such as 12h or 30d")
        }
    }

    func date(from now: Date) -> Date {
        switch moment {
        case .date(let date): date
        case .after(let time):
            // In whole seconds, as people would write it.
            Date(
                timeIntervalSinceReferenceDate: (now.timeIntervalSinceReferenceDate + Double(time.milliseconds) / 1_000)
                    .rounded(.down)
            )
        }
    }
}
