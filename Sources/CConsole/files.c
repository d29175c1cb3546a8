// SPDX-License-Identifier: Apache-2.0

// Embeds the files of the folder Console. Written by the script `list`.

#include "CConsole.h"

// `#embed` is of C23, and a known extension in earlier versions of the language.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char app_js[] = {
#embed "../../Console/app.js"
};

static const unsigned char format_js[] = {
#embed "../../Console/format.js"
};

static const unsigned char icon_svg[] = {
#embed "../../Console/icon.svg"
};

static const unsigned char index_html[] = {
#embed "../../Console/index.html"
};

static const unsigned char json_js[] = {
#embed "../../Console/json.js"
};

static const unsigned char model_js[] = {
#embed "../../Console/model.js"
};

static const unsigned char style_css[] = {
#embed "../../Console/style.css"
};

static const unsigned char views_js[] = {
#embed "../../Console/views.js"
};

#define FILE(path, bytes) {path, bytes, sizeof(bytes)}

static const struct outcrop_console_file files[] = {
    FILE("app.js", app_js),
    FILE("format.js", format_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("json.js", json_js),
    FILE("model.js", model_js),
    FILE("style.css", style_css),
    FILE("views.js", views_js),
};

size_t outcrop_console_file_count(void) { return sizeof(files) / sizeof(files[0]); }

struct outcrop_console_file outcrop_console_file_at(size_t index) { return files[index]; }
