// Numbers with a decimal comma (1,5 and 1.234,5), as spreadsheets of half the world write them.
#pragma once

#include <string_view>

#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// True for a number that may have a decimal comma, and points between thousands in front of it.
bool is_comma_number(std::string_view text);

/// Writes columns of such numbers, of which one at least has a comma, with points instead; a note says so. For tables
/// whose columns are not separated by commas. Cost: O(text) where there is a comma, else a look at the text.
void read_decimal_commas(TextTable& table);

}  // namespace factorgcn
