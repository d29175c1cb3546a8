// SPDX-License-Identifier: Apache-2.0

// Manual pages.

import Testing

@testable import Arguments

@Suite("Manual pages")
struct ManPageTests {
    @Test("there is a page for each command")
    func pages() {
        #expect(
            Sample.root.manPages.map(\.fileName) == [
                "tool.1", "tool-model.1", "tool-model-check.1", "tool-model-show.1", "tool-model-convert.1",
                "tool-draw.1", "tool-copy.1",
            ]
        )
    }

    @Test("a page has a command's syntax, arguments, options, examples and exit codes")
    func page() throws {
        let page = try #require(Sample.root.manPages.first { $0.fileName == "tool-model-convert.1" })
        #expect(
            page.text == #"""
                .TH "TOOL\-MODEL\-CONVERT" "1" "" "tool tool 1.2" ""
                .SH "NAME"
                tool\-model\-convert \- Convert a model from one format to another
                .SH "SYNOPSIS"
                \fBtool model convert\fR [options] \-o OUT IN
                .SH "DESCRIPTION"
                The model is read as a whole before anything is written, so that a model with an error leaves no file behind.
                Lines are joined.
                .PP
                .EX
                  Indented lines stay
                    as they are.
                .EE
                .SH "ARGUMENTS"
                .TP
                \fIIN\fR
                The model to read.
                .SH "OPTIONS"
                .TP
                \fB\-o\fR, \fB\-\-output\fR \fIOUT\fR
                Where to write the model. (required)
                .TP
                \fB\-\-to\fR \fIFORMAT\fR
                The format to write, which is otherwise guessed from the extension of OUT. (json, xcdatamodel or xcdatamodeld; default: json)
                .TP
                \fB\-\-json\fR
                Answer in JSON.
                .TP
                \fB\-v\fR, \fB\-\-verbose\fR
                Say more.
                .TP
                \fB\-h\fR, \fB\-\-help\fR
                Show this help.
                .TP
                \fB\-\-help\-all\fR
                Show all options and exit codes.
                .SH "OPTIONS: DRAWING"
                .TP
                \fB\-\-scale\fR \fISCALE\fR
                How large to draw. (default: 1.5)
                .TP
                \fB\-\-grid\fR \fIGRID\fR
                Draw a grid. (true or false; default: true)
                .SH "EXAMPLES"
                .TP
                \fBtool model convert Shop.json \-o Shop.xcdatamodeld\fR
                From JSON to Xcode\(aqs format.
                .TP
                \fBtool model convert Shop.xcdatamodeld \-o \-\fR
                .SH "EXIT STATUS"
                .TP
                \fB0\fR
                The model is written.
                .TP
                \fB2\fR
                The command line is wrong.
                .SH "SEE ALSO"
                \fBtool\-model\fR(1)

                """#
        )
    }

    @Test("what has a meaning in roff is escaped")
    func escaping() {
        #expect(
            RoffText.escaped(#"a\b "c" 'd' `e` ^~ – “f” 😀"#)
                == #"a\eb \(dqc\(dq \(aqd\(aq \(gae\(ga \(ha\(ti \[u2013] \[u201C]f\[u201D] \[u1F600]"#
        )
        var text = RoffText()
        text.line(".PP")
        text.paragraphs("'quoted'\n.dotted")
        #expect(text.text == "\\&.PP\n\\(aqquoted\\(aq\n\\&.dotted\n")
    }
}
