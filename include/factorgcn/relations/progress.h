// How a long computation talks to who started it: what it is at, whether to stop, what is done already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Thrown where an observer asked for an end. Steps that were kept need not be done again.
struct FACTORGCN_API StoppedEarly {};

/// All calls come from the thread that started the computation.
class FACTORGCN_API RelationsObserver {
 public:
  virtual ~RelationsObserver() = default;

  /// "3 relations of 5 groups, start 2"; `done` is the share of all work, from 0 to 1, as far as it can be foreseen.
  virtual void at(const std::string& /*step*/, double /*done*/) {}

  /// Asked between rounds over the edges: true ends the computation with StoppedEarly.
  virtual bool stop() { return false; }

  /// A finished step's numbers, to be found again after an interruption. Keys are short and differ from step to step;
  /// all of them depend on the seed and the options, so a store belongs to one computation.
  virtual void keep(const std::string& /*key*/, const std::vector<float>& /*numbers*/) {}
  virtual std::optional<std::vector<float>> kept(const std::string& /*key*/) { return std::nullopt; }
};

}  // namespace factorgcn
