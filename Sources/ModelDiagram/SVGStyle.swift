// SPDX-License-Identifier: Apache-2.0

// The style sheet of the picture, for light and dark backgrounds.

enum SVGStyle {
    /// The colours that lines cycle through.
    static let lineColors = [
        Shade(light: "#3b6ea8", dark: "#7fb0e6"),
        Shade(light: "#a8543b", dark: "#e39a82"),
        Shade(light: "#3f8660", dark: "#7cc79d"),
        Shade(light: "#7d559f", dark: "#bb98da"),
        Shade(light: "#94731b", dark: "#d6b75f"),
        Shade(light: "#2f8088", dark: "#6fc3cb"),
        Shade(light: "#a34a78", dark: "#e08fb8"),
        Shade(light: "#5c6874", dark: "#a5b1bd"),
    ]

    static let text = """

        .model text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        .model text.headline { font-size: 20px; font-weight: 600; }
        .model text.entity { font-size: 14px; font-weight: 600; text-anchor: middle; }
        .model .abstract text.entity { font-style: italic; }
        .model text.stereotype { font-size: 10px; text-anchor: middle; }
        .model text.type { text-anchor: end; }
        .model text.transient { font-style: italic; }
        .model .mark, .model text.key { font-size: 10px; font-style: normal; }
        .model path { stroke-linejoin: round; }
        .model .way, .model .reach { fill: none; }
        .model .end { fill: none; stroke-width: 1.4; }
        .model .way { stroke-width: 1.4; }
        .model .reach { stroke: transparent; stroke-width: 9; }
        .model .line:hover .way { stroke-width: 3; }
        .model .frame, .model .rule, .model .border { stroke-width: 1; }
        .model .abstract .frame { stroke-dasharray: 5 3; }
        \(colors { $0.light })
        @media (prefers-color-scheme: dark) {
        \(colors { $0.dark })
        }

        """

    struct Shade: Sendable {
        var light: String
        var dark: String
    }

    private static let page = Shade(light: "#fbfaf7", dark: "#17191c")
    private static let box = Shade(light: "#ffffff", dark: "#212429")
    private static let header = Shade(light: "#e6ebf1", dark: "#2f3742")
    private static let border = Shade(light: "#aab4bf", dark: "#4b5561")
    private static let ink = Shade(light: "#1d232a", dark: "#e8ebee")
    private static let quiet = Shade(light: "#66717d", dark: "#98a3ae")
    private static let type = Shade(light: "#3d5a80", dark: "#9cbbe0")
    private static let neutral = Shade(light: "#59636e", dark: "#a4aeb8")
    private static let cascade = Shade(light: "#b3261e", dark: "#ff9a8f")
    private static let deny = Shade(light: "#8a5a00", dark: "#f0c069")
    private static let noAction = Shade(light: "#7a3fa0", dark: "#cda0ee")

    private static func colors(_ choice: (Shade) -> String) -> String {
        let lines = lineColors.enumerated().map { index, shade in
            let color = choice(shade)
            return """
                .model .c\(index) .way, .model .c\(index) .end, .model .c\(index) .hollow, .model .c\(index) .filled \
                { stroke: \(color); }
                .model .c\(index) .filled { fill: \(color); }
                """
        }
        let rules = """
            .model .page { fill: \(choice(page)); }
            .model .frame { fill: \(choice(box)); stroke: \(choice(border)); }
            .model .header { fill: \(choice(header)); }
            .model .rule, .model .border { stroke: \(choice(border)); }
            .model text { fill: \(choice(ink)); }
            .model text.type, .model text.sample { fill: \(choice(type)); }
            .model text.stereotype, .model text.note, .model text.key, .model text.more, .model .mark \
            { fill: \(choice(quiet)); }
            .model .mark.cascade { fill: \(choice(cascade)); }
            .model .mark.deny { fill: \(choice(deny)); }
            .model .mark.no-action { fill: \(choice(noAction)); }
            .model .way, .model .end, .model .hollow, .model .filled { stroke: \(choice(neutral)); }
            .model .filled { fill: \(choice(neutral)); }
            .model .hollow { fill: \(choice(page)); }
            """
        return ([rules] + lines).joined(separator: "\n")
    }
}
