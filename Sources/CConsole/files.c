// SPDX-License-Identifier: Apache-2.0

// Embeds the files of the folder Console. Written by the script `list`.

#include "CConsole.h"

// `#embed` is of C23, and a known extension in earlier versions of the language.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char access_expectations_js[] = {
#embed "../../Console/access/expectations.js"
};

static const unsigned char access_page_js[] = {
#embed "../../Console/access/page.js"
};

static const unsigned char access_rules_js[] = {
#embed "../../Console/access/rules.js"
};

static const unsigned char access_style_css[] = {
#embed "../../Console/access/style.css"
};

static const unsigned char access_visibility_js[] = {
#embed "../../Console/access/visibility.js"
};

static const unsigned char api_js[] = {
#embed "../../Console/api.js"
};

static const unsigned char app_js[] = {
#embed "../../Console/app.js"
};

static const unsigned char chart_js[] = {
#embed "../../Console/chart.js"
};

static const unsigned char checks_js[] = {
#embed "../../Console/checks.js"
};

static const unsigned char completion_js[] = {
#embed "../../Console/completion.js"
};

static const unsigned char conflict_js[] = {
#embed "../../Console/conflict.js"
};

static const unsigned char connection_js[] = {
#embed "../../Console/connection.js"
};

static const unsigned char creation_js[] = {
#embed "../../Console/creation.js"
};

static const unsigned char curl_js[] = {
#embed "../../Console/curl.js"
};

static const unsigned char data_batches_js[] = {
#embed "../../Console/data/batches.js"
};

static const unsigned char data_batchvalue_js[] = {
#embed "../../Console/data/batchvalue.js"
};

static const unsigned char data_cellediting_js[] = {
#embed "../../Console/data/cellediting.js"
};

static const unsigned char data_celleditors_js[] = {
#embed "../../Console/data/celleditors.js"
};

static const unsigned char data_cells_js[] = {
#embed "../../Console/data/cells.js"
};

static const unsigned char data_columnorder_js[] = {
#embed "../../Console/data/columnorder.js"
};

static const unsigned char data_columns_js[] = {
#embed "../../Console/data/columns.js"
};

static const unsigned char data_conditions_js[] = {
#embed "../../Console/data/conditions.js"
};

static const unsigned char data_csv_js[] = {
#embed "../../Console/data/csv.js"
};

static const unsigned char data_edits_js[] = {
#embed "../../Console/data/edits.js"
};

static const unsigned char data_entitylist_js[] = {
#embed "../../Console/data/entitylist.js"
};

static const unsigned char data_exporting_js[] = {
#embed "../../Console/data/exporting.js"
};

static const unsigned char data_filters_js[] = {
#embed "../../Console/data/filters.js"
};

static const unsigned char data_footer_js[] = {
#embed "../../Console/data/footer.js"
};

static const unsigned char data_grid_js[] = {
#embed "../../Console/data/grid.js"
};

static const unsigned char data_head_js[] = {
#embed "../../Console/data/head.js"
};

static const unsigned char data_importfile_js[] = {
#embed "../../Console/data/importfile.js"
};

static const unsigned char data_importing_js[] = {
#embed "../../Console/data/importing.js"
};

static const unsigned char data_keys_js[] = {
#embed "../../Console/data/keys.js"
};

static const unsigned char data_list_js[] = {
#embed "../../Console/data/list.js"
};

static const unsigned char data_page_js[] = {
#embed "../../Console/data/page.js"
};

static const unsigned char data_rows_js[] = {
#embed "../../Console/data/rows.js"
};

static const unsigned char data_selection_js[] = {
#embed "../../Console/data/selection.js"
};

static const unsigned char data_selectionbar_js[] = {
#embed "../../Console/data/selectionbar.js"
};

static const unsigned char data_style_css[] = {
#embed "../../Console/data/style.css"
};

static const unsigned char data_toolbar_js[] = {
#embed "../../Console/data/toolbar.js"
};

static const unsigned char data_viewstate_js[] = {
#embed "../../Console/data/viewstate.js"
};

static const unsigned char description_js[] = {
#embed "../../Console/description.js"
};

static const unsigned char dom_js[] = {
#embed "../../Console/dom.js"
};

static const unsigned char draftbar_js[] = {
#embed "../../Console/draftbar.js"
};

static const unsigned char draftconflicts_js[] = {
#embed "../../Console/draftconflicts.js"
};

static const unsigned char drafts_changes_js[] = {
#embed "../../Console/drafts/changes.js"
};

static const unsigned char drafts_draft_js[] = {
#embed "../../Console/drafts/draft.js"
};

static const unsigned char drafts_list_js[] = {
#embed "../../Console/drafts/list.js"
};

static const unsigned char drafts_merges_js[] = {
#embed "../../Console/drafts/merges.js"
};

static const unsigned char drafts_page_js[] = {
#embed "../../Console/drafts/page.js"
};

static const unsigned char drafts_style_css[] = {
#embed "../../Console/drafts/style.css"
};

static const unsigned char draftsaving_js[] = {
#embed "../../Console/draftsaving.js"
};

static const unsigned char equalitybadge_js[] = {
#embed "../../Console/equalitybadge.js"
};

static const unsigned char follow_js[] = {
#embed "../../Console/follow.js"
};

static const unsigned char format_js[] = {
#embed "../../Console/format.js"
};

static const unsigned char former_js[] = {
#embed "../../Console/former.js"
};

static const unsigned char icon_svg[] = {
#embed "../../Console/icon.svg"
};

static const unsigned char icons_js[] = {
#embed "../../Console/icons.js"
};

static const unsigned char identity_js[] = {
#embed "../../Console/identity.js"
};

static const unsigned char index_html[] = {
#embed "../../Console/index.html"
};

static const unsigned char json_js[] = {
#embed "../../Console/json.js"
};

static const unsigned char live_historyfeed_js[] = {
#embed "../../Console/live/historyfeed.js"
};

static const unsigned char live_livequery_js[] = {
#embed "../../Console/live/livequery.js"
};

static const unsigned char live_page_js[] = {
#embed "../../Console/live/page.js"
};

static const unsigned char live_servercharts_js[] = {
#embed "../../Console/live/servercharts.js"
};

static const unsigned char live_statebadge_js[] = {
#embed "../../Console/live/statebadge.js"
};

static const unsigned char live_style_css[] = {
#embed "../../Console/live/style.css"
};

static const unsigned char memory_js[] = {
#embed "../../Console/memory.js"
};

static const unsigned char menu_js[] = {
#embed "../../Console/menu.js"
};

static const unsigned char model_js[] = {
#embed "../../Console/model.js"
};

static const unsigned char model_arrangement_js[] = {
#embed "../../Console/model/arrangement.js"
};

static const unsigned char model_diagram_js[] = {
#embed "../../Console/model/diagram.js"
};

static const unsigned char model_differences_js[] = {
#embed "../../Console/model/differences.js"
};

static const unsigned char model_editor_js[] = {
#embed "../../Console/model/editor.js"
};

static const unsigned char model_entity_js[] = {
#embed "../../Console/model/entity.js"
};

static const unsigned char model_entitybox_js[] = {
#embed "../../Console/model/entitybox.js"
};

static const unsigned char model_entityform_js[] = {
#embed "../../Console/model/entityform.js"
};

static const unsigned char model_lines_js[] = {
#embed "../../Console/model/lines.js"
};

static const unsigned char model_page_js[] = {
#embed "../../Console/model/page.js"
};

static const unsigned char model_propertyrows_js[] = {
#embed "../../Console/model/propertyrows.js"
};

static const unsigned char model_rehearsal_js[] = {
#embed "../../Console/model/rehearsal.js"
};

static const unsigned char model_relations_js[] = {
#embed "../../Console/model/relations.js"
};

static const unsigned char model_renaming_js[] = {
#embed "../../Console/model/renaming.js"
};

static const unsigned char model_shapes_js[] = {
#embed "../../Console/model/shapes.js"
};

static const unsigned char model_style_css[] = {
#embed "../../Console/model/style.css"
};

static const unsigned char model_tar_js[] = {
#embed "../../Console/model/tar.js"
};

static const unsigned char model_versions_js[] = {
#embed "../../Console/model/versions.js"
};

static const unsigned char model_view_js[] = {
#embed "../../Console/model/view.js"
};

static const unsigned char model_xcode_js[] = {
#embed "../../Console/model/xcode.js"
};

static const unsigned char model_xml_js[] = {
#embed "../../Console/model/xml.js"
};

static const unsigned char navigation_js[] = {
#embed "../../Console/navigation.js"
};

static const unsigned char object_binary_js[] = {
#embed "../../Console/object/binary.js"
};

static const unsigned char object_creating_js[] = {
#embed "../../Console/object/creating.js"
};

static const unsigned char object_deleting_js[] = {
#embed "../../Console/object/deleting.js"
};

static const unsigned char object_form_js[] = {
#embed "../../Console/object/form.js"
};

static const unsigned char object_formfield_js[] = {
#embed "../../Console/object/formfield.js"
};

static const unsigned char object_heading_js[] = {
#embed "../../Console/object/heading.js"
};

static const unsigned char object_history_js[] = {
#embed "../../Console/object/history.js"
};

static const unsigned char object_json_js[] = {
#embed "../../Console/object/json.js"
};

static const unsigned char object_members_js[] = {
#embed "../../Console/object/members.js"
};

static const unsigned char object_page_js[] = {
#embed "../../Console/object/page.js"
};

static const unsigned char object_preview_js[] = {
#embed "../../Console/object/preview.js"
};

static const unsigned char object_readonly_js[] = {
#embed "../../Console/object/readonly.js"
};

static const unsigned char object_style_css[] = {
#embed "../../Console/object/style.css"
};

static const unsigned char object_timeline_js[] = {
#embed "../../Console/object/timeline.js"
};

static const unsigned char object_trial_js[] = {
#embed "../../Console/object/trial.js"
};

static const unsigned char pageedits_js[] = {
#embed "../../Console/pageedits.js"
};

static const unsigned char picker_js[] = {
#embed "../../Console/picker.js"
};

static const unsigned char predicatefield_js[] = {
#embed "../../Console/predicatefield.js"
};

static const unsigned char predicates_js[] = {
#embed "../../Console/predicates.js"
};

static const unsigned char properties_js[] = {
#embed "../../Console/properties.js"
};

static const unsigned char query_builder_js[] = {
#embed "../../Console/query/builder.js"
};

static const unsigned char query_chartpanel_js[] = {
#embed "../../Console/query/chartpanel.js"
};

static const unsigned char query_page_js[] = {
#embed "../../Console/query/page.js"
};

static const unsigned char query_result_js[] = {
#embed "../../Console/query/result.js"
};

static const unsigned char query_style_css[] = {
#embed "../../Console/query/style.css"
};

static const unsigned char query_swift_js[] = {
#embed "../../Console/query/swift.js"
};

static const unsigned char reference_marked_js[] = {
#embed "../../Console/reference/marked.js"
};

static const unsigned char reference_opening_js[] = {
#embed "../../Console/reference/opening.js"
};

static const unsigned char reference_operation_js[] = {
#embed "../../Console/reference/operation.js"
};

static const unsigned char reference_page_js[] = {
#embed "../../Console/reference/page.js"
};

static const unsigned char reference_schemas_js[] = {
#embed "../../Console/reference/schemas.js"
};

static const unsigned char reference_style_css[] = {
#embed "../../Console/reference/style.css"
};

static const unsigned char saving_js[] = {
#embed "../../Console/saving.js"
};

static const unsigned char session_js[] = {
#embed "../../Console/session.js"
};

static const unsigned char shortcuts_js[] = {
#embed "../../Console/shortcuts.js"
};

static const unsigned char signin_js[] = {
#embed "../../Console/signin.js"
};

static const unsigned char sortable_js[] = {
#embed "../../Console/sortable.js"
};

static const unsigned char stream_js[] = {
#embed "../../Console/stream.js"
};

static const unsigned char style_css[] = {
#embed "../../Console/style.css"
};

static const unsigned char suggestions_js[] = {
#embed "../../Console/suggestions.js"
};

static const unsigned char theme_js[] = {
#embed "../../Console/theme.js"
};

static const unsigned char titles_js[] = {
#embed "../../Console/titles.js"
};

static const unsigned char tokens_js[] = {
#embed "../../Console/tokens.js"
};

static const unsigned char tools_js[] = {
#embed "../../Console/tools.js"
};

static const unsigned char turns_js[] = {
#embed "../../Console/turns.js"
};

static const unsigned char values_js[] = {
#embed "../../Console/values.js"
};

static const unsigned char widgets_js[] = {
#embed "../../Console/widgets.js"
};

#define FILE(path, bytes) {path, bytes, sizeof(bytes)}

static const struct outcrop_console_file files[] = {
    FILE("access/expectations.js", access_expectations_js),
    FILE("access/page.js", access_page_js),
    FILE("access/rules.js", access_rules_js),
    FILE("access/style.css", access_style_css),
    FILE("access/visibility.js", access_visibility_js),
    FILE("api.js", api_js),
    FILE("app.js", app_js),
    FILE("chart.js", chart_js),
    FILE("checks.js", checks_js),
    FILE("completion.js", completion_js),
    FILE("conflict.js", conflict_js),
    FILE("connection.js", connection_js),
    FILE("creation.js", creation_js),
    FILE("curl.js", curl_js),
    FILE("data/batches.js", data_batches_js),
    FILE("data/batchvalue.js", data_batchvalue_js),
    FILE("data/cellediting.js", data_cellediting_js),
    FILE("data/celleditors.js", data_celleditors_js),
    FILE("data/cells.js", data_cells_js),
    FILE("data/columnorder.js", data_columnorder_js),
    FILE("data/columns.js", data_columns_js),
    FILE("data/conditions.js", data_conditions_js),
    FILE("data/csv.js", data_csv_js),
    FILE("data/edits.js", data_edits_js),
    FILE("data/entitylist.js", data_entitylist_js),
    FILE("data/exporting.js", data_exporting_js),
    FILE("data/filters.js", data_filters_js),
    FILE("data/footer.js", data_footer_js),
    FILE("data/grid.js", data_grid_js),
    FILE("data/head.js", data_head_js),
    FILE("data/importfile.js", data_importfile_js),
    FILE("data/importing.js", data_importing_js),
    FILE("data/keys.js", data_keys_js),
    FILE("data/list.js", data_list_js),
    FILE("data/page.js", data_page_js),
    FILE("data/rows.js", data_rows_js),
    FILE("data/selection.js", data_selection_js),
    FILE("data/selectionbar.js", data_selectionbar_js),
    FILE("data/style.css", data_style_css),
    FILE("data/toolbar.js", data_toolbar_js),
    FILE("data/viewstate.js", data_viewstate_js),
    FILE("description.js", description_js),
    FILE("dom.js", dom_js),
    FILE("draftbar.js", draftbar_js),
    FILE("draftconflicts.js", draftconflicts_js),
    FILE("drafts/changes.js", drafts_changes_js),
    FILE("drafts/draft.js", drafts_draft_js),
    FILE("drafts/list.js", drafts_list_js),
    FILE("drafts/merges.js", drafts_merges_js),
    FILE("drafts/page.js", drafts_page_js),
    FILE("drafts/style.css", drafts_style_css),
    FILE("draftsaving.js", draftsaving_js),
    FILE("equalitybadge.js", equalitybadge_js),
    FILE("follow.js", follow_js),
    FILE("format.js", format_js),
    FILE("former.js", former_js),
    FILE("icon.svg", icon_svg),
    FILE("icons.js", icons_js),
    FILE("identity.js", identity_js),
    FILE("index.html", index_html),
    FILE("json.js", json_js),
    FILE("live/historyfeed.js", live_historyfeed_js),
    FILE("live/livequery.js", live_livequery_js),
    FILE("live/page.js", live_page_js),
    FILE("live/servercharts.js", live_servercharts_js),
    FILE("live/statebadge.js", live_statebadge_js),
    FILE("live/style.css", live_style_css),
    FILE("memory.js", memory_js),
    FILE("menu.js", menu_js),
    FILE("model.js", model_js),
    FILE("model/arrangement.js", model_arrangement_js),
    FILE("model/diagram.js", model_diagram_js),
    FILE("model/differences.js", model_differences_js),
    FILE("model/editor.js", model_editor_js),
    FILE("model/entity.js", model_entity_js),
    FILE("model/entitybox.js", model_entitybox_js),
    FILE("model/entityform.js", model_entityform_js),
    FILE("model/lines.js", model_lines_js),
    FILE("model/page.js", model_page_js),
    FILE("model/propertyrows.js", model_propertyrows_js),
    FILE("model/rehearsal.js", model_rehearsal_js),
    FILE("model/relations.js", model_relations_js),
    FILE("model/renaming.js", model_renaming_js),
    FILE("model/shapes.js", model_shapes_js),
    FILE("model/style.css", model_style_css),
    FILE("model/tar.js", model_tar_js),
    FILE("model/versions.js", model_versions_js),
    FILE("model/view.js", model_view_js),
    FILE("model/xcode.js", model_xcode_js),
    FILE("model/xml.js", model_xml_js),
    FILE("navigation.js", navigation_js),
    FILE("object/binary.js", object_binary_js),
    FILE("object/creating.js", object_creating_js),
    FILE("object/deleting.js", object_deleting_js),
    FILE("object/form.js", object_form_js),
    FILE("object/formfield.js", object_formfield_js),
    FILE("object/heading.js", object_heading_js),
    FILE("object/history.js", object_history_js),
    FILE("object/json.js", object_json_js),
    FILE("object/members.js", object_members_js),
    FILE("object/page.js", object_page_js),
    FILE("object/preview.js", object_preview_js),
    FILE("object/readonly.js", object_readonly_js),
    FILE("object/style.css", object_style_css),
    FILE("object/timeline.js", object_timeline_js),
    FILE("object/trial.js", object_trial_js),
    FILE("pageedits.js", pageedits_js),
    FILE("picker.js", picker_js),
    FILE("predicatefield.js", predicatefield_js),
    FILE("predicates.js", predicates_js),
    FILE("properties.js", properties_js),
    FILE("query/builder.js", query_builder_js),
    FILE("query/chartpanel.js", query_chartpanel_js),
    FILE("query/page.js", query_page_js),
    FILE("query/result.js", query_result_js),
    FILE("query/style.css", query_style_css),
    FILE("query/swift.js", query_swift_js),
    FILE("reference/marked.js", reference_marked_js),
    FILE("reference/opening.js", reference_opening_js),
    FILE("reference/operation.js", reference_operation_js),
    FILE("reference/page.js", reference_page_js),
    FILE("reference/schemas.js", reference_schemas_js),
    FILE("reference/style.css", reference_style_css),
    FILE("saving.js", saving_js),
    FILE("session.js", session_js),
    FILE("shortcuts.js", shortcuts_js),
    FILE("signin.js", signin_js),
    FILE("sortable.js", sortable_js),
    FILE("stream.js", stream_js),
    FILE("style.css", style_css),
    FILE("suggestions.js", suggestions_js),
    FILE("theme.js", theme_js),
    FILE("titles.js", titles_js),
    FILE("tokens.js", tokens_js),
    FILE("tools.js", tools_js),
    FILE("turns.js", turns_js),
    FILE("values.js", values_js),
    FILE("widgets.js", widgets_js),
};

size_t outcrop_console_file_count(void) { return sizeof(files) / sizeof(files[0]); }

struct outcrop_console_file outcrop_console_file_at(size_t index) { return files[index]; }
