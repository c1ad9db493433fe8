// A page's table as Markdown, CSV and LaTeX.
//
// One cell is "0.994 ± 0.007 (paper 0.995 ± 0.004)" in Markdown, several columns in CSV (one row per cell, so that any
// program can read it), and two lines of a LaTeX tabular.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/report/page.h"

namespace factorgcn {

/// A heading, the table, its caption and its footnotes.
FACTORGCN_API std::string table_markdown(const PageTable& table);

/// table,row,column,value,deviation,runs,paper,paper_deviation,note: full precision, quoted where needed.
FACTORGCN_API std::string table_csv(const PageTable& table);

/// A tabular with booktabs rules inside a table environment; the paper's values stand below ours in a smaller size.
FACTORGCN_API std::string table_latex(const PageTable& table);

}  // namespace factorgcn
