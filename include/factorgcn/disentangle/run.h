// From a graph and what is known of it to a folder with the result.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/disentangle/folder.h"
#include "factorgcn/disentangle/methods.h"
#include "factorgcn/disentangle/settings.h"

namespace factorgcn {

struct FACTORGCN_API DisentangleResult {
  std::string report;        ///< for people; also in the folder
  bool done_before = false;  ///< the folder held this result already
};

/// Takes the graph apart and writes all files, the summary last; finished steps go to the folder as they come. A folder
/// that is done is only read. `folder` must have been made with settings_json() of the same. Throws StoppedEarly where
/// `observer` asks for an end: its stop() and at() are used, its store is not.
FACTORGCN_API DisentangleResult disentangle_into(const DisentangleFolder& folder, const RequestedGraph& graph,
                                                 const DisentangleMethod& method, const DisentangleOptions& options,
                                                 RelationsObserver& observer);

}  // namespace factorgcn
