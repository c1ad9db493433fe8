// Messages: rows of all tables side by side, copied by the pool's threads.
#include "train/parts/part_links.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

/// Tables of one part as bytes, row by row.
class TableBytes {
 public:
  explicit TableBytes(const RowTables& tables) {
    for (const at::Tensor& table : tables) {
      // Halves of one table have gaps between their rows; anything else is made whole.
      const bool by_rows = table.dim() == 2 && table.stride(1) == 1;
      kept_.push_back(by_rows ? table : table.contiguous());
      const at::Tensor& kept = kept_.back();
      const std::int64_t rows = kept.size(0), size = kept.element_size();
      const std::int64_t width = rows == 0 ? 0 : kept.numel() / rows;
      columns_.push_back({static_cast<char*>(kept.data_ptr()), by_rows ? kept.stride(0) * size : width * size,
                          width * size});
    }
  }

  std::int64_t row_bytes() const {
    std::int64_t bytes = 0;
    for (const Column& column : columns_) {
      bytes += column.bytes;
    }
    return bytes;
  }

  void copy_out(std::int64_t row, char* to) const {
    for (const Column& column : columns_) {
      std::memcpy(to, column.data + row * column.stride, static_cast<std::size_t>(column.bytes));
      to += column.bytes;
    }
  }

  void copy_in(const char* from, std::int64_t row) const {
    for (const Column& column : columns_) {
      std::memcpy(column.data + row * column.stride, from, static_cast<std::size_t>(column.bytes));
      from += column.bytes;
    }
  }

  void copy_from(const TableBytes& other, std::int64_t from, std::int64_t to) const {
    for (std::size_t index = 0; index < columns_.size(); ++index) {
      const Column &mine = columns_[index], &its = other.columns_[index];
      std::memcpy(mine.data + to * mine.stride, its.data + from * its.stride, static_cast<std::size_t>(mine.bytes));
    }
  }

  template <class T>
  void add_in(const char* from, std::int64_t row) const {
    for (const Column& column : columns_) {
      add(reinterpret_cast<T*>(column.data + row * column.stride), from, column.bytes);
      from += column.bytes;
    }
  }

  template <class T>
  void add_from(const TableBytes& other, std::int64_t from, std::int64_t to) const {
    for (std::size_t index = 0; index < columns_.size(); ++index) {
      const Column &mine = columns_[index], &its = other.columns_[index];
      add(reinterpret_cast<T*>(mine.data + to * mine.stride), its.data + from * its.stride, mine.bytes);
    }
  }

 private:
  struct Column {
    char* data;
    std::int64_t stride, bytes;  // of a row
  };

  template <class T>
  static void add(T* to, const char* bytes, std::int64_t count) {
    const T* const from = reinterpret_cast<const T*>(bytes);
    for (std::int64_t index = 0; index < count / static_cast<std::int64_t>(sizeof(T)); ++index) {
      to[index] += from[index];
    }
  }

  std::vector<at::Tensor> kept_;
  std::vector<Column> columns_;
};

std::vector<TableBytes> bytes_of(const std::vector<RowTables>& tables) {
  return {tables.begin(), tables.end()};
}

template <class Work>
void for_rows(std::int64_t count, const Work& work) {
  constexpr std::int64_t kRowsPerTask = 2048;
  parallel_tasks((count + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task) {
    const std::int64_t end = std::min(count, (task + 1) * kRowsPerTask);
    for (std::int64_t row = task * kRowsPerTask; row < end; ++row) {
      work(row);
    }
  });
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void check_same_columns(const std::vector<RowTables>& left, const std::vector<RowTables>& right) {
  require(left.size() == right.size(), "halo exchange: tables of ", left.size(), " parts and of ", right.size());
  for (std::size_t part = 0; part < left.size(); ++part) {
    require(left[part].size() == left[0].size() && right[part].size() == left[0].size(),
            "halo exchange: parts have different numbers of tables");
    for (std::size_t table = 0; table < left[part].size(); ++table) {
      const at::Tensor &one = left[part][table], &other = right[part][table], &first = left[0][table];
      require(one.scalar_type() == first.scalar_type() && other.scalar_type() == first.scalar_type() &&
                  one.sizes().slice(1) == first.sizes().slice(1) && other.sizes().slice(1) == first.sizes().slice(1),
              "halo exchange: tables of shapes ", one.sizes(), " and ", other.sizes(), "; their rows must be alike");
    }
  }
}

/// Numbers of a row of all tables; from the shapes, since a table may have no rows.
std::int64_t row_width(const RowTables& tables) {
  std::int64_t width = 0;
  for (const at::Tensor& table : tables) {
    std::int64_t columns = 1;
    for (std::int64_t dimension = 1; dimension < table.dim(); ++dimension) {
      columns *= table.size(dimension);
    }
    width += columns;
  }
  return width;
}

/// A halo whose rows lie as they travel: those of one part in one table, by owners.
bool is_one_table(const std::vector<RowTables>& halo) {
  return halo.size() == 1 && halo.front().size() == 1 && halo.front().front().is_contiguous();
}

}  // namespace

std::vector<std::int64_t> first_parts(std::int64_t parts, std::int64_t ranks) {
  require_usage(parts >= ranks, "there are ", ranks, " processes, but the graph has ", parts,
                " parts; start at most one process for each part, or cut the graph into more (factorgcn data "
                "partition --parts)");
  std::vector<std::int64_t> first;
  for (std::int64_t rank = 0; rank <= ranks; ++rank) {
    first.push_back(rank * parts / ranks);
  }
  return first;
}

PartLinks::PartLinks(const std::vector<GraphPart>& own, std::int64_t parts, Group* group)
    : group_(group),
      rank_(group == nullptr ? 0 : static_cast<std::size_t>(group->rank())),
      first_part_(first_parts(parts, group == nullptr ? 1 : group->size())),
      rows_to_(ranks(), 0),
      rows_from_(ranks(), 0) {
  require(static_cast<std::int64_t>(own.size()) == own_parts(), "this process was given ", own.size(),
          " parts; it holds ", own_parts());
  for (const GraphPart& part : own) {
    const auto* const counts = part.halo_counts.data_ptr<std::int64_t>();
    auto& begin = halo_begin_.emplace_back();
    halo_count_.emplace_back(counts, counts + parts);
    std::int64_t place = 0;
    for (std::int64_t owner = 0; owner < parts; ++owner) {
      begin.push_back(place);
      place += counts[owner];
    }
  }
  ask_for_rows(own);
}

template <class Visit>
void PartLinks::for_outgoing(const Visit& visit) const {
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::int64_t there = first_part_[rank]; rank != rank_ && there < first_part_[rank + 1]; ++there) {
      for (std::int64_t here = 0; here < own_parts(); ++here) {
        visit(rank, there, static_cast<std::size_t>(here));
      }
    }
  }
}

template <class Visit>
void PartLinks::for_incoming(const Visit& visit) const {
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::int64_t here = 0; rank != rank_ && here < own_parts(); ++here) {
      for (std::int64_t there = first_part_[rank]; there < first_part_[rank + 1]; ++there) {
        visit(rank, there, static_cast<std::size_t>(here));
      }
    }
  }
}

void PartLinks::ask_for_rows(const std::vector<GraphPart>& own) {
  std::vector<at::Tensor> counts;
  for (const GraphPart& part : own) {
    counts.push_back(part.halo_counts);
  }
  const at::Tensor all_counts = gather(counts);  // [part, owner]
  const auto count = [&](std::int64_t part, std::int64_t owner) {
    return all_counts.data_ptr<std::int64_t>()[part * parts() + owner];
  };
  for_outgoing([&](std::size_t rank, std::int64_t there, std::size_t here) {
    rows_from_[rank] += count(first_part_[rank_] + static_cast<std::int64_t>(here), there);
    rows_to_[rank] += count(there, first_part_[rank_] + static_cast<std::int64_t>(here));
  });
  rows_in_ = sum_of(rows_from_);
  rows_out_ = sum_of(rows_to_);

  // Node numbers go to their owners in the order in which rows will come back.
  at::Tensor asked = at::empty({rows_in_, 1}, at::kLong);
  std::int64_t* to = asked.data_ptr<std::int64_t>();
  for_outgoing([&](std::size_t, std::int64_t there, std::size_t here) {
    const auto* const halo = own[here].halo.data_ptr<std::int64_t>() + halo_begin_[here][there];
    to = std::copy_n(halo, halo_count_[here][there], to);
  });
  const at::Tensor received = group_ == nullptr ? asked : group_->all_to_all(asked, rows_from_, rows_to_);

  wanted_.assign(own.size(), std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(parts())));
  const auto look_up = [&](std::size_t here, std::int64_t other, const std::int64_t* nodes, std::int64_t number) {
    const auto* const begin = own[here].rows.data_ptr<std::int64_t>();
    const auto* const end = begin + own[here].num_rows();
    auto& rows = wanted_[here][static_cast<std::size_t>(other)];
    for (std::int64_t index = 0; index < number; ++index) {
      const auto* const found = std::lower_bound(begin, end, nodes[index]);
      require(found != end && *found == nodes[index], "part ", other, " has an edge from node ", nodes[index],
              " of part ", first_part_[rank_] + static_cast<std::int64_t>(here),
              ", which has no such node; these files are not parts of one cut");
      rows.push_back(static_cast<std::int32_t>(found - begin));
    }
  };
  const std::int64_t* from = received.data_ptr<std::int64_t>();
  for_incoming([&](std::size_t, std::int64_t there, std::size_t here) {
    const std::int64_t number = count(there, first_part_[rank_] + static_cast<std::int64_t>(here));
    look_up(here, there, from, number);
    from += number;
  });
  for (std::size_t here = 0; here < own.size(); ++here) {
    for (std::size_t other = 0; other < own.size(); ++other) {
      const std::int64_t owner = first_part_[rank_] + static_cast<std::int64_t>(here);
      look_up(here, first_part_[rank_] + static_cast<std::int64_t>(other),
              own[other].halo.data_ptr<std::int64_t>() + halo_begin_[other][owner], halo_count_[other][owner]);
    }
  }
}

void PartLinks::fetch(const std::vector<RowTables>& rows, std::vector<RowTables>& halo) {
  check_same_columns(rows, halo);
  const std::vector<TableBytes> from = bytes_of(rows), to = bytes_of(halo);
  const std::int64_t first = first_part_[rank_];
  for (std::size_t owner = 0; owner < from.size(); ++owner) {
    for (std::size_t part = 0; part < to.size(); ++part) {
      const auto& wanted = wanted_[owner][static_cast<std::size_t>(first) + part];
      const std::int64_t begin = halo_begin_[part][static_cast<std::size_t>(first) + owner];
      for_rows(static_cast<std::int64_t>(wanted.size()),
               [&](std::int64_t row) { to[part].copy_from(from[owner], wanted[row], begin + row); });
    }
  }
  if (group_ == nullptr) {
    return;
  }
  const at::Tensor& any = rows.front().front();
  const std::int64_t width = row_width(rows.front()), bytes = width * any.element_size();
  const at::Tensor message = at::empty({rows_out_, width}, any.options().requires_grad(false));
  char* place = static_cast<char*>(message.data_ptr());
  for_outgoing([&](std::size_t, std::int64_t there, std::size_t here) {
    const auto& wanted = wanted_[here][static_cast<std::size_t>(there)];
    for_rows(static_cast<std::int64_t>(wanted.size()),
             [&](std::int64_t row) { from[here].copy_out(wanted[row], place + row * bytes); });
    place += static_cast<std::int64_t>(wanted.size()) * bytes;
  });
  if (is_one_table(halo)) {
    at::Tensor table = halo.front().front().view({rows_in_, width});
    group_->all_to_all(message, rows_to_, rows_from_, table);
    return;
  }
  const at::Tensor received = group_->all_to_all(message, rows_to_, rows_from_);
  const char* arrived = static_cast<const char*>(received.data_ptr());
  for_incoming([&](std::size_t, std::int64_t there, std::size_t here) {
    const std::int64_t begin = halo_begin_[here][there], count = halo_count_[here][there];
    for_rows(count, [&](std::int64_t row) { to[here].copy_in(arrived + row * bytes, begin + row); });
    arrived += count * bytes;
  });
}

void PartLinks::give_back(const std::vector<RowTables>& halo, std::vector<RowTables>& rows) {
  check_same_columns(rows, halo);
  const std::vector<TableBytes> from = bytes_of(halo), to = bytes_of(rows);
  const at::Tensor& any = rows.front().front();
  const std::int64_t width = row_width(rows.front()), bytes = width * any.element_size();
  at::Tensor received;
  // [own part][part there]: where its rows are in what was received
  std::vector<std::vector<const char*>> arrived(to.size(),
                                                std::vector<const char*>(static_cast<std::size_t>(parts()), nullptr));
  if (group_ != nullptr) {
    const bool as_it_is = is_one_table(halo);
    const at::Tensor message = as_it_is ? halo.front().front().view({rows_in_, width})
                                        : at::empty({rows_in_, width}, any.options().requires_grad(false));
    char* place = static_cast<char*>(message.data_ptr());
    for_outgoing([&](std::size_t, std::int64_t there, std::size_t here) {
      if (as_it_is) {
        return;
      }
      const std::int64_t begin = halo_begin_[here][there], count = halo_count_[here][there];
      for_rows(count, [&](std::int64_t row) { from[here].copy_out(begin + row, place + row * bytes); });
      place += count * bytes;
    });
    received = group_->all_to_all(message, rows_from_, rows_to_);
    const char* next = static_cast<const char*>(received.data_ptr());
    for_incoming([&](std::size_t, std::int64_t there, std::size_t here) {
      arrived[here][static_cast<std::size_t>(there)] = next;
      next += static_cast<std::int64_t>(wanted_[here][static_cast<std::size_t>(there)].size()) * bytes;
    });
  }
  const auto add_all = [&](auto scalar) {
    using T = decltype(scalar);
    for (std::size_t owner = 0; owner < to.size(); ++owner) {
      for (std::int64_t part = 0; part < parts(); ++part) {
        // A part wants a row once, so the rows of one part can be added at the same time.
        const auto& wanted = wanted_[owner][static_cast<std::size_t>(part)];
        const auto count = static_cast<std::int64_t>(wanted.size());
        if (is_here(part)) {
          const auto other = static_cast<std::size_t>(part - first_part_[rank_]);
          const std::int64_t begin =
              halo_begin_[other][static_cast<std::size_t>(first_part_[rank_]) + owner];
          for_rows(count, [&](std::int64_t row) {
            to[owner].add_from<T>(from[other], begin + row, wanted[static_cast<std::size_t>(row)]);
          });
        } else {
          const char* const rows_of_part = arrived[owner][static_cast<std::size_t>(part)];
          for_rows(count, [&](std::int64_t row) {
            to[owner].add_in<T>(rows_of_part + row * bytes, wanted[static_cast<std::size_t>(row)]);
          });
        }
      }
    }
  };
  require(any.scalar_type() == at::kFloat || any.scalar_type() == at::kDouble, "halo exchange: gradients are ",
          any.scalar_type(), "; use float32 or float64");
  if (any.scalar_type() == at::kFloat) {
    add_all(float());
  } else {
    add_all(double());
  }
}

at::Tensor PartLinks::gather(const std::vector<at::Tensor>& own) {
  require(static_cast<std::int64_t>(own.size()) == own_parts(), "this process gathers from ", own.size(),
          " parts; it holds ", own_parts());
  const at::Tensor here = at::stack(own);
  if (group_ == nullptr) {
    return here;
  }
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    most = std::max(most, first_part_[rank + 1] - first_part_[rank]);
  }
  std::vector<std::int64_t> shape = here.sizes().vec();
  shape[0] = most;
  const at::Tensor padded = at::zeros(shape, here.options());
  padded.narrow(0, 0, own_parts()).copy_(here);
  const at::Tensor received = group_->all_gather(padded);  // [rank, most, ...]
  std::vector<at::Tensor> all;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    for (std::int64_t part = 0; part < first_part_[rank + 1] - first_part_[rank]; ++part) {
      all.push_back(received[static_cast<std::int64_t>(rank)][part]);
    }
  }
  return at::stack(all);
}

}  // namespace factorgcn
