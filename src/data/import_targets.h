// What is to be predicted in imported data, and which part of it is for training, validation and test.
#pragma once

#include "data/import_numbering.h"
#include "data/import_roles.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

/// Fills targets, output names and split of result.dataset (whose task is set), result.split and notes. Throws Error
/// (file, line, value) for labels, targets and splits that do not fit.
void set_import_targets(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
                        const NumberedTables& numbered, Imported& result);

}  // namespace factorgcn
