// Which column of a table plays which part: by name, by number, or by a well-known name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// The column that `asked` names or numbers; throws UsageError, naming the option, the file and its columns, where
/// there is none. An empty `asked` gives the first column with a known name, "none" no column.
std::optional<std::size_t> find_column(const TextTable& table, const std::string& option, const std::string& asked,
                                       const std::vector<std::string>& known);

/// "'age'" or "column 3".
std::string column_text(const TextTable& table, std::size_t column);

/// "'age', 'tenure' and 3 more": at most `most` are named.
std::string columns_text(const TextTable& table, const std::vector<std::size_t>& columns, std::size_t most = 6);

/// Keeps track of columns in use; a column cannot play two parts.
class ColumnUse {
 public:
  explicit ColumnUse(const TextTable& table) : table_(table), parts_(table.num_columns()) {}

  /// Throws UsageError where the column has another part already.
  void take(std::optional<std::size_t> column, const std::string& part);
  bool is_free(std::size_t column) const { return parts_[column].empty(); }
  std::vector<std::size_t> free_columns() const;

 private:
  const TextTable& table_;
  std::vector<std::string> parts_;
};

}  // namespace factorgcn
