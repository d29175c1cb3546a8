// SPDX-License-Identifier: Apache-2.0

// Numbers within the model's bounds, otherwise within a range that the name suggests.

import FoundationEssentials
import ObjectModel
import Predicates

extension AttributeFiller {
    static func integers(
        _ attribute: Attribute,
        _ hint: NameHint,
        _ type: ClosedRange<Int64>,
        _ isUnique: Bool
    ) -> Values? {
        let least = max(type.lowerBound, attribute.minimumValue?.integer(rounded: .up) ?? .min)
        let most = min(type.upperBound, attribute.maximumValue?.integer(rounded: .down) ?? .max)
        guard least <= most else { return nil }
        if isUnique {
            let first = min(max(1, least), most)
            let room = most.subtractingReportingOverflow(first)
            let capacity = room.overflow ? .max : Int(room.partialValue) + (room.partialValue == .max ? 0 : 1)
            return Values(capacity: capacity) { subject, _ in .integer(first + Int64(subject.ordinal)) }
        }
        let natural = NaturalRange(hint)
        let (lower, upper) = within(Int64(natural.lower), Int64(natural.upper), least, most)
        return Values { _, random in
            .integer(lower + Int64((Double(upper - lower + 1) * natural.place(random.fraction())).rounded(.down)))
        }
    }

    static func doubles(_ attribute: Attribute, _ hint: NameHint, isFloat: Bool, _ isUnique: Bool) -> Values? {
        let bound = isFloat ? Double(Float.greatestFiniteMagnitude) : .greatestFiniteMagnitude
        let least = max(-bound, attribute.minimumValue?.double ?? -bound)
        let most = min(bound, attribute.maximumValue?.double ?? bound)
        @Sendable func fitted(_ number: Double) -> Double {
            let bounded = min(max(number, least), most)
            guard isFloat else { return bounded }
            let float = Float(bounded)
            if Double(float) > most { return Double(float.nextDown) }
            return Double(Double(float) < least ? float.nextUp : float)
        }
        guard least <= most, (least...most).contains(fitted(least)) else { return nil }
        if isUnique {
            let first = max(0, least).rounded(.up)
            let capacity = min(isFloat ? 0x1p24 : 0x1p53, max(0, most - first + 1))
            guard first <= most else { return Values(capacity: 1) { _, _ in .double(fitted(least)) } }
            return Values(capacity: Int(capacity)) { subject, _ in .double(first + Double(subject.ordinal)) }
        }
        let natural = NaturalRange(hint)
        let (lower, upper) = within(natural.lower, natural.upper, least, most)
        let digits = upper - lower > 2 ? 100.0 : 10_000
        return Values { _, random in
            let number = lower + (upper - lower) * natural.place(random.fraction())
            return .double(fitted((number * digits).rounded() / digits))
        }
    }

    static func decimals(_ attribute: Attribute, _ hint: NameHint, _ isUnique: Bool) -> Values? {
        let least = attribute.minimumValue?.decimal
        let most = attribute.maximumValue?.decimal
        if let least, let most, least > most { return nil }
        @Sendable func fitted(_ number: Decimal) -> Decimal {
            let raised = max(number, least ?? number)
            return min(raised, most ?? raised)
        }
        if isUnique {
            let first = Int64(max(0, least.map { Double($0.description) ?? 0 } ?? 0).rounded(.up).bounded)
            let room = most.map { (Double($0.description) ?? 0) - Double(first) } ?? .infinity
            let capacity = room < 0 ? 1 : Int(min(room, 1e15)) + 1
            return Values(capacity: capacity) { subject, _ in .decimal(fitted(Decimal(first + Int64(subject.ordinal))))
            }
        }
        let natural = NaturalRange(hint)
        return Values { _, random in
            let number = natural.lower + (natural.upper - natural.lower) * natural.place(random.fraction())
            return .decimal(fitted(Decimal(Int64(number * 100)) / 100))
        }
    }

    static func dates(_ attribute: Attribute, _ hint: NameHint, _ isUnique: Bool) -> Values? {
        let least = attribute.minimumValue?.moment ?? -.infinity
        let most = attribute.maximumValue?.moment ?? .infinity
        guard least <= most else { return nil }
        if isUnique {
            let first = min(max(least, DemoCalendar.today - 730 * DemoCalendar.day), most)
            let capacity = min(1e15, (most - first) / 97 + 1)
            return Values(capacity: Int(capacity)) { subject, _ in
                .date(Date(timeIntervalSinceReferenceDate: first + 97 * Double(subject.ordinal)))
            }
        }
        let moment = DemoCalendar.moment(for: hint)
        return Values { subject, random in
            var seconds = moment(subject.moment, &random)
            if seconds < least || seconds > most {
                let first = least.isFinite ? least : most - 365 * DemoCalendar.day
                let last = most.isFinite ? min(most, first + 365 * DemoCalendar.day) : first + 365 * DemoCalendar.day
                seconds = first + ((last - first) * random.fraction()).rounded(.down)
            }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
    }

    /// The intersection of the natural and the allowed range, or the allowed value nearest to the natural one.
    private static func within<Number: Comparable & Numeric>(
        _ lower: Number,
        _ upper: Number,
        _ least: Number,
        _ most: Number
    ) -> (Number, Number) {
        let from = max(lower, least)
        let to = min(upper, most)
        if from <= to { return (from, to) }
        return lower < least ? (least, least) : (most, most)
    }
}

/// The plausible range of numbers with a given name, and whether most of them are small.
private struct NaturalRange {
    let lower: Double
    let upper: Double
    let isSkewed: Bool

    init(_ hint: NameHint) {
        let range: (lower: Double, upper: Double, isSkewed: Bool) =
            switch true {
            case hint.has("rating", "stars"): (0, 5, false)
            case hint.has("score", "percent", "percentage", "discount", "progress"): (0, 100, false)
            case hint.has("ratio", "opacity", "alpha", "probability", "fraction"): (0, 1, false)
            case hint.has("age"): (18, 90, false)
            case hint.has("year"): (1990, 2026, false)
            case hint.has("month"): (1, 12, false)
            case hint.has("weekday"): (1, 7, false)
            case hint.has("day"): (1, 28, false)
            case hint.has("hour"): (0, 23, false)
            case hint.has("minute", "minutes"): (1, 60, false)
            case hint.has("duration", "seconds", "interval"): (1, 7200, true)
            case hint.has("latitude", "lat"): (-55, 70, false)
            case hint.has("longitude", "lng", "lon"): (-180, 180, false)
            case hint.has("salary"): (20_000, 90_000, false)
            case hint.has("price", "cost", "amount", "total", "fee", "balance", "budget"): (1, 500, true)
            case hint.has("quantity", "seats", "stock"): (1, 50, true)
            case hint.has("likes", "stars", "votes", "shares"): (0, 500, true)
            case hint.has("views", "hits", "visits", "downloads", "clicks", "plays"): (0, 20_000, true)
            case hint.has("words"), hint.has("word"): (50, 1500, false)
            case hint.has("order", "position", "index", "rank"): (0, 100, false)
            case hint.has("status", "state", "type", "kind", "category", "level", "priority", "flags"): (0, 3, false)
            case hint.has("temperature"): (-10, 35, false)
            case hint.has("weight", "mass"): (1, 200, false)
            case hint.has("width", "height", "length", "size", "bytes"): (1, 2000, false)
            case hint.has("count", "number"): (0, 200, true)
            default: (0, 1000, false)
            }
        lower = range.lower
        upper = range.upper
        isSkewed = range.isSkewed
    }

    func place(_ fraction: Double) -> Double { isSkewed ? fraction * fraction * fraction : fraction }
}

extension Double {
    /// Clamped to a range that converts to integers without overflow.
    fileprivate var bounded: Double { Swift.min(Swift.max(self, -0x1p62), 0x1p62) }
}

extension Value {
    /// A bound rounded to an integer and clamped to 64 bits, or nil if it isn't a number.
    fileprivate func integer(rounded rule: FloatingPointRoundingRule) -> Int64? {
        if case .integer(let number) = self { return number }
        return double.map { $0 >= 0x1p63 ? .max : $0 < -0x1p63 ? .min : Int64($0.rounded(rule)) }
    }

    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description)
        default: nil
        }
    }

    fileprivate var decimal: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .double(let number): Decimal(number)
        case .decimal(let number): number
        default: nil
        }
    }

    fileprivate var moment: Double? {
        if case .date(let date) = self { date.timeIntervalSinceReferenceDate } else { nil }
    }
}
