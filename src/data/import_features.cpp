// Each column is looked at once to see what it is (numbers, lists of numbers, sparse lists, words) and once more to be
// written into the matrix. Cost: O(cells + nodes * width).
#include "data/import_features.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostNamed = 5;                         ///< columns in the report
constexpr std::size_t kMostWords = 100;                       ///< different values of a one-hot column
constexpr std::int64_t kMostValues = std::int64_t{1} << 31;   ///< of the whole matrix: 8 GiB
constexpr std::int64_t kFreeValues = std::int64_t{1} << 26;   ///< that any table may have; more where it is long:
constexpr std::int64_t kValuesPerByte = 64;                   ///< a letter of a column of words is up to 100 values
constexpr std::size_t kNameBytes = std::size_t{1} << 28;      ///< of all features' names
constexpr std::int64_t kMostColumns = std::int64_t{1} << 21;  ///< that a list of column:value may name

// Features are kept sparse where it saves memory and time: a matrix this wide, with at most one value in so many not 0.
constexpr std::int64_t kSparseWidth = 256, kSparseShare = 8;

enum class Kind { kNothing, kNumbers, kLists, kSparse, kWords, kTooManyWords };

struct Plan {
  std::size_t column = 0;
  Kind kind = Kind::kNothing;
  std::int64_t width = 0;
  std::size_t missing = 0;
  bool all_differ = true;     ///< words: no value occurs twice
  std::int64_t entries = 0;   ///< values that are not 0
  std::vector<double> means;  ///< numbers and lists: of the values there are
  std::map<std::string_view, std::int64_t> words;
};

/// Calls `take` with each number of a list such as "0.1 0.2", "0.1;0.2" or "[0.1, 0.2]"; false where it is none.
template <class Take>
bool read_list(std::string_view text, const Take& take) {
  if (text.size() >= 2 &&
      ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'))) {
    text = text.substr(1, text.size() - 2);
  }
  constexpr std::string_view kBetween = " ,;\t";
  std::size_t place = 0;
  bool any = false;
  while (true) {
    place = text.find_first_not_of(kBetween, place);
    if (place == std::string_view::npos) {
      return any;
    }
    const std::size_t end = std::min(text.find_first_of(kBetween, place), text.size());
    double value = 0;
    if (!parse_decimal(text.substr(place, end - place), value)) {
      return false;
    }
    take(value);
    any = true;
    place = end;
  }
}

/// Calls `take` with each column and value of a list such as "3:1 17:0.5"; false where it is none.
template <class Take>
bool read_sparse_list(std::string_view text, const Take& take) {
  constexpr std::string_view kBetween = " ,;\t";
  for (std::size_t place = text.find_first_not_of(kBetween); place != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, place), text.size());
    const std::string_view entry = text.substr(place, end - place);
    const std::size_t colon = entry.find(':');
    std::int64_t column = 0;
    double value = 0;
    if (colon == std::string_view::npos || colon == 0 || !parse_decimal(entry.substr(colon + 1), value)) {
      return false;
    }
    const auto [stop, error] = std::from_chars(entry.data(), entry.data() + colon, column);
    if (error != std::errc() || stop != entry.data() + colon || column < 0) {
      return false;
    }
    take(column, value);
    place = text.find_first_not_of(kBetween, end);
  }
  return true;
}

/// The length of the list; 0 where the text is none.
std::int64_t list_length(std::string_view text) {
  std::int64_t length = 0;
  return read_list(text, [&](double) { ++length; }) ? length : 0;
}

float finite_value(const TextTable& table, std::size_t row, std::size_t column, double value) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) [[unlikely]] {
    fail(table.where(row), ": ", column_text(table, column), " is ", shown_text(table.cell(row, column)),
         "; features must be finite numbers that fit 32-bit floats");
  }
  return static_cast<float>(value);
}

bool plan_numbers(const TextTable& table, Plan& plan) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, plan.column);
    double value = 0;
    if (is_missing_value(cell)) {
      continue;
    }
    if (!parse_decimal(cell, value)) {
      return false;
    }
    sum += value;
    plan.entries += value != 0;
    ++count;
  }
  plan.kind = Kind::kNumbers;
  plan.width = 1;
  plan.means.assign(1, sum / static_cast<double>(count));
  return true;
}

bool plan_lists(const TextTable& table, Plan& plan) {
  std::int64_t width = 0;
  std::size_t other_row = table.num_rows();
  bool has_commas = false;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, plan.column);
    if (is_missing_value(cell)) {
      continue;
    }
    const std::int64_t length = list_length(cell);
    if (length == 0) {
      return false;
    }
    has_commas = has_commas || cell.find(',') != std::string_view::npos;
    if (width == 0) {
      width = length;
    } else if (length != width && other_row == table.num_rows()) {
      other_row = row;
    }
  }
  if (other_row < table.num_rows()) {
    fail(table.where(other_row), ": ", column_text(table, plan.column), " holds a list of ",
         list_length(table.cell(other_row, plan.column)), " numbers, but the first list has ", width,
         "; all must be as long", has_commas ? " (a comma inside a number? write 1200, not 1,200)" : "");
  }
  plan.means.assign(static_cast<std::size_t>(width), 0.0);
  const auto count = static_cast<double>(table.num_rows() - plan.missing);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    if (const std::string_view cell = table.cell(row, plan.column); !is_missing_value(cell)) {
      std::size_t index = 0;
      read_list(cell, [&](double value) {
        plan.means[index++] += value / count;
        plan.entries += value != 0;
      });
    }
  }
  plan.kind = Kind::kLists;
  plan.width = width;
  return true;
}

/// Lists of column:value such as "3:1 17:0.5". One of them at least has two entries, unless they are known to be lists:
/// "12:30" may be a time of day.
bool plan_sparse(const TextTable& table, std::int64_t known_width, Plan& plan) {
  std::int64_t last = -1;
  std::size_t longest = 0, last_row = 0;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, plan.column);
    std::size_t length = 0;
    const bool good = is_missing_value(cell) || read_sparse_list(cell, [&](std::int64_t column, double value) {
                        last_row = column > last ? row : last_row;
                        last = std::max(last, column);
                        plan.entries += value != 0;
                        ++length;
                      });
    if (!good) {
      plan.entries = 0;
      return false;
    }
    longest = std::max(longest, length);
  }
  if (longest < 2 && known_width < 0) {
    plan.entries = 0;
    return false;
  }
  if (last >= kMostColumns) {
    fail(table.where(last_row), ": ", column_text(table, plan.column), " names the column ", last, "; up to ",
         kMostColumns - 1, " are possible");
  }
  plan.kind = Kind::kSparse;
  plan.width = std::max(last + 1, known_width);
  return true;
}

void plan_words(const TextTable& table, Plan& plan) {
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, plan.column);
    if (is_missing_value(cell)) {
      continue;
    }
    const auto [place, fresh] = plan.words.try_emplace(cell, 0);
    plan.all_differ = plan.all_differ && fresh;
  }
  plan.kind = plan.words.size() <= kMostWords ? Kind::kWords : Kind::kTooManyWords;
  plan.width = static_cast<std::int64_t>(plan.words.size());
  plan.entries = static_cast<std::int64_t>(table.num_rows() - plan.missing);
  std::int64_t next = 0;
  for (auto& [word, place] : plan.words) {
    place = next++;
  }
}

/// Throws Error for a column of numbers, or of lists of them, with some words in it: slips, which nobody wants for
/// features of their own.
void require_no_stray_words(const TextTable& table, const Plan& plan) {
  std::size_t numbers = 0, words = 0, first_word = 0;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, plan.column);
    if (is_missing_value(cell)) {
      continue;
    }
    if (list_length(cell) > 0) {
      ++numbers;
    } else {
      first_word = words++ == 0 ? row : first_word;
    }
  }
  if (words > 0 && numbers >= 3 * words) {
    const std::string name = column_text(table, plan.column);
    fail(table.where(first_word), ": ", name, " is ", shown_text(table.cell(first_word, plan.column)), ", but ",
         numbers, " of its ", numbers + words, " values are numbers; mend it, leave it empty where it is not known, ",
         "or give --one-hot ", table.has_header && !table.columns[plan.column].empty() ? name : concat(plan.column + 1),
         " where the column holds words");
  }
}

Plan plan_column(const TextTable& table, const FeatureColumn& wanted) {
  const std::size_t column = wanted.column;
  Plan plan;
  plan.column = column;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    plan.missing += is_missing_value(table.cell(row, column));
  }
  const bool empty = plan.missing == table.num_rows();
  if (wanted.entry_width >= 0) {
    plan_sparse(table, wanted.entry_width, plan);
  } else if (!empty && (wanted.one_hot ||
                        (!plan_numbers(table, plan) && !plan_lists(table, plan) && !plan_sparse(table, -1, plan)))) {
    if (!wanted.one_hot) {
      require_no_stray_words(table, plan);
    }
    plan_words(table, plan);
  }
  return plan;
}

void write_missing(const TextTable& table, std::size_t row, const Plan& plan, MissingValues missing, float* values) {
  if (missing == MissingValues::kRefuse) {
    fail(table.where(row), ": ", column_text(table, plan.column), " has no value (",
         shown_text(table.cell(row, plan.column)),
         "), but features need one; give --missing zero or --missing mean, or leave the column out of "
         "--features");
  }
  for (std::size_t index = 0; missing == MissingValues::kMean && index < plan.means.size(); ++index) {
    values[index] = finite_value(table, row, plan.column, plan.means[index]);
  }
}

void write_cell(const TextTable& table, std::size_t row, const Plan& plan, MissingValues missing, float* values) {
  const std::string_view cell = table.cell(row, plan.column);
  if (is_missing_value(cell)) {
    if (plan.kind != Kind::kWords && plan.kind != Kind::kSparse) {  // of these, nothing is 0 everywhere
      write_missing(table, row, plan, missing, values);
    }
    return;
  }
  if (plan.kind == Kind::kSparse) {
    read_sparse_list(cell, [&](std::int64_t column, double value) {
      values[column] += finite_value(table, row, plan.column, value);
    });
    return;
  }
  if (plan.kind == Kind::kWords) {
    values[plan.words.at(cell)] = 1.0F;
    return;
  }
  read_list(cell, [&](double value) { *values++ = finite_value(table, row, plan.column, value); });
}

std::string plan_text(const TextTable& table, const Plan& plan) {
  const std::string name = column_text(table, plan.column);
  return plan.kind == Kind::kWords    ? concat(name, " (one-hot, ", plan.width, " values)")
         : plan.kind == Kind::kLists  ? concat(name, " (", plan.width, " numbers)")
         : plan.kind == Kind::kSparse ? concat(name, " (", plan.width, " columns of column:value)")
                                      : name;
}

/// Throws Error where a short text would become names of many columns that take a machine's memory.
void require_names_fit(const TextTable& table, const std::vector<Plan>& plans) {
  constexpr std::size_t kNumberBytes = 24;
  std::size_t bytes = 0;
  for (const Plan& plan : plans) {
    const std::string& name = table.columns[plan.column];
    const std::size_t each = name.size() + kNumberBytes + sizeof(std::string);
    const bool fits = static_cast<std::size_t>(plan.width) <= (kNameBytes - bytes) / each;
    require(fits, table.origin, ": ", column_text(table, plan.column), " becomes ", plan.width,
            " features, whose names would be too long together; shorten the column's name, or choose fewer columns ",
            "with --features");
    bytes += each * static_cast<std::size_t>(plan.width);
  }
}

/// One name per feature; a column without a name in the file is known by its number.
void add_names(const TextTable& table, const Plan& plan, std::vector<std::string>& names) {
  const std::string& name = table.columns[plan.column];
  if (plan.kind == Kind::kWords) {
    const std::size_t first = names.size();
    names.resize(first + plan.words.size());
    for (const auto& [word, place] : plan.words) {
      names[first + static_cast<std::size_t>(place)] = concat(name, "=", word);
    }
  } else if (plan.kind == Kind::kSparse) {
    for (std::int64_t index = 0; index < plan.width; ++index) {
      names.push_back(concat(name, ":", index));
    }
  } else if (plan.kind == Kind::kLists) {
    for (std::int64_t index = 1; index <= plan.width; ++index) {
      names.push_back(concat(name, "[", index, "]"));
    }
  } else {
    names.push_back(name);
  }
}

/// What the column becomes; nothing, with a note, where it was not asked for and does not look like a feature.
bool keep(const TextTable& table, const FeatureColumn& wanted, const Plan& plan, std::vector<std::string>& notes) {
  const std::string name = column_text(table, plan.column);
  if (plan.kind == Kind::kNothing) {
    require(!wanted.asked_for, table.origin, ": ", name, " was asked for as a feature, but holds no values");
    notes.push_back(concat(name, " holds no values and is left out"));
    return false;
  }
  const bool words = plan.kind == Kind::kWords || plan.kind == Kind::kTooManyWords;
  if (words && !wanted.asked_for && plan.all_differ && plan.words.size() > 1) {
    notes.push_back(concat(name, " is different for every node: taken for a name, not for a feature"));
    return false;
  }
  if (plan.kind == Kind::kTooManyWords && !wanted.asked_for) {
    notes.push_back(concat(name, " holds words with ", plan.words.size(), " different values and is left out; up to ",
                           kMostWords, " can be one-hot features"));
    return false;
  }
  require(plan.kind != Kind::kTooManyWords, table.origin, ": ", name, " holds words with ", plan.words.size(),
          " different values; up to ", kMostWords,
          " can be one-hot features: choose other columns with --features, or --features none");
  if (words) {
    notes.push_back(concat(name, " holds words: one-hot with ", plan.width, " values",
                           plan.missing == 0 ? "" : concat(", all 0 where it is missing (", plan.missing, " nodes)")));
  }
  return true;
}

/// All of one node's features; `values` are 0 before.
void write_node(const TextTable& table, const std::vector<Plan>& plans, std::int64_t row, MissingValues missing,
                float* values) {
  for (const Plan& plan : plans) {
    if (row >= 0) {
      write_cell(table, static_cast<std::size_t>(row), plan, missing, values);
    }
    values += plan.width;
  }
}

at::Tensor dense_matrix(const TextTable& table, const std::vector<Plan>& plans, std::int64_t width,
                        const std::vector<std::int64_t>& row_of_node, MissingValues missing) {
  const auto nodes = static_cast<std::int64_t>(row_of_node.size());
  at::Tensor matrix = at::zeros({nodes, width}, at::TensorOptions().dtype(at::kFloat));
  for (std::int64_t node = 0; node < nodes; ++node) {
    write_node(table, plans, row_of_node[static_cast<std::size_t>(node)], missing,
               matrix.data_ptr<float>() + node * width);
  }
  return matrix;
}

/// Where one cell is written at: columns of the matrix and values, in any order.
using SparseRow = std::vector<std::pair<std::int32_t, float>>;

void add_sparse_cell(const TextTable& table, std::size_t row, const Plan& plan, std::int64_t first,
                     MissingValues missing, SparseRow& entries) {
  const std::string_view cell = table.cell(row, plan.column);
  if (plan.kind == Kind::kSparse || plan.kind == Kind::kWords) {
    if (is_missing_value(cell)) {
      return;
    }
    if (plan.kind == Kind::kWords) {
      entries.emplace_back(static_cast<std::int32_t>(first + plan.words.at(cell)), 1.0F);
      return;
    }
    read_sparse_list(cell, [&](std::int64_t column, double value) {
      entries.emplace_back(static_cast<std::int32_t>(first + column), finite_value(table, row, plan.column, value));
    });
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(plan.width), 0.0F);
  write_cell(table, row, plan, missing, values.data());
  for (std::size_t index = 0; index < values.size(); ++index) {
    entries.emplace_back(static_cast<std::int32_t>(first + static_cast<std::int64_t>(index)), values[index]);
  }
}

at::Tensor sparse_matrix(const TextTable& table, const std::vector<Plan>& plans, std::int64_t width,
                         const std::vector<std::int64_t>& row_of_node, MissingValues missing) {
  std::vector<std::int32_t> offsets{0}, columns;
  std::vector<float> values;
  SparseRow entries;
  for (const std::int64_t row : row_of_node) {
    entries.clear();
    std::int64_t first = 0;
    for (const Plan& plan : plans) {
      if (row >= 0) {
        add_sparse_cell(table, static_cast<std::size_t>(row), plan, first, missing, entries);
      }
      first += plan.width;
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t index = 0; index < entries.size();) {
      const std::int32_t column = entries[index].first;
      float sum = 0;
      for (; index < entries.size() && entries[index].first == column; ++index) {
        sum += entries[index].second;
      }
      if (sum != 0) {
        columns.push_back(column);
        values.push_back(sum);
      }
    }
    require(columns.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), table.origin,
            ": more than ", std::numeric_limits<std::int32_t>::max(),
            " features are not 0; choose fewer columns with --features");
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const auto tensor = [](const auto& list) {
    using T = typename std::decay_t<decltype(list)>::value_type;
    at::Tensor result = at::empty({static_cast<std::int64_t>(list.size())}, c10::CppTypeToScalarType<T>::value);
    std::copy(list.begin(), list.end(), result.template data_ptr<T>());
    return result;
  };
  return sparse_features({tensor(offsets), tensor(columns), tensor(values), width});
}

}  // namespace

FeatureTable read_features(const TextTable& table, const std::vector<FeatureColumn>& columns,
                           const std::vector<std::int64_t>& row_of_node, MissingValues missing,
                           std::vector<std::string>& notes) {
  std::vector<Plan> plans;
  std::int64_t width = 0;
  std::size_t filled = 0;
  std::int64_t entries = 0;
  for (const FeatureColumn& wanted : columns) {
    Plan plan = plan_column(table, wanted);
    if (keep(table, wanted, plan, notes)) {
      width += plan.width;
      filled += plan.kind == Kind::kWords || plan.kind == Kind::kSparse ? 0 : plan.missing;
      entries += plan.entries;
      if (missing == MissingValues::kMean) {
        const auto set = std::count_if(plan.means.begin(), plan.means.end(), [](double mean) { return mean != 0; });
        entries += static_cast<std::int64_t>(plan.missing) * set;
      }
      plans.push_back(std::move(plan));
    }
  }
  FeatureTable features;
  if (plans.empty()) {
    return features;
  }
  const auto nodes = static_cast<std::int64_t>(row_of_node.size());
  const bool sparse = width >= kSparseWidth && entries <= nodes * width / kSparseShare;
  const std::int64_t most =
      std::min(kMostValues, kFreeValues + kValuesPerByte * static_cast<std::int64_t>(table.text.size()));
  require(sparse || width <= most / std::max<std::int64_t>(nodes, 1), table.origin, ": ", nodes, " nodes with ", width,
          " features each are more than ", most, " values; choose fewer columns with --features");
  require_names_fit(table, plans);
  features.values = sparse ? sparse_matrix(table, plans, width, row_of_node, missing)
                           : dense_matrix(table, plans, width, row_of_node, missing);
  for (const Plan& plan : plans) {
    add_names(table, plan, features.names);
  }
  if (filled > 0) {
    notes.push_back(concat(filled, filled == 1 ? " feature has" : " features have", " no value: ",
                           missing == MissingValues::kMean ? "the column's mean" : "0", " stands there"));
  }
  for (std::size_t index = 0; index < plans.size() && index < kMostNamed; ++index) {
    features.made_of += (index == 0 ? "" : ", ") + plan_text(table, plans[index]);
  }
  if (plans.size() > kMostNamed) {
    features.made_of += concat(" and ", plans.size() - kMostNamed, " more");
  }
  return features;
}

}  // namespace factorgcn
