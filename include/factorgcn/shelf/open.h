// Opening by name: a data set of data/registry.h, files in the data root (shelf/stored.h), or the path of a data-set
// file, or of a folder or archive in the TU layout (shelf/dataset_path.h).
//
// Settings say what may be chosen about it: a generator's own (data/registry.h), or the split (data/split_settings.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/shelf/stored.h"

namespace factorgcn {

/// What is known of the data before a run.
struct FACTORGCN_API DataDescription {
  std::string name;                 ///< the data set's own name, also where it comes from a file
  Settings settings;                ///< complete
  std::int64_t relation_types = 0;  ///< types of the ground truth; 0 where there is none or it is not known yet
  Task task = Task::kNone;          ///< known where the data are neither generated nor listed
  bool has_folds = false;           ///< cross-validation is possible
};

/// Data that are opened when they are first needed and then kept, so that all steps of a run share one opening: make
/// one, and hand it from the configuration to the page. The last data set alone is kept. It may be asked through a
/// const reference, since what it holds is the same whenever it is opened; but by one thread at a time.
class FACTORGCN_API OpenedData {
 public:
  /// Lays `given` over the data set's defaults. Throws UsageError for unknown settings, values out of range, names that
  /// are no data set and no file, and for data that are not here, with the command that gets them. Nothing is
  /// generated; what is neither generated nor listed with published folds is opened.
  DataDescription describe(const std::string& name_or_path, const Settings& given) const;

  /// The data with the split that the settings choose, checked. `messages` receives lines about parsed copies, also
  /// those of an earlier describe(). Where only the split differs from the last time, the graphs are shared.
  std::shared_ptr<const Dataset> open(const std::string& name_or_path, const Settings& settings,
                                      const MessageSink& messages = {}) const;

  /// Takes data that lie in no file, under the path of a file that they might have: describe() and open() then give
  /// these. They must have passed check_dataset().
  void hold(const std::string& path, std::shared_ptr<const Dataset> data);

  /// For whoever opens a run's data (train/trained_on.h): they may be others than those it was trained on.
  void accept_changed_data() { accepts_changed_data_ = true; }
  bool accepts_changed_data() const { return accepts_changed_data_; }

 private:
  std::shared_ptr<const Dataset> whole(const std::string& name_or_path, const MessageSink& messages) const;

  bool accepts_changed_data_ = false;
  mutable std::string name_;                      ///< of what is kept
  mutable Settings made_with_;                    ///< where generated
  mutable std::shared_ptr<const Dataset> whole_;  ///< as its files have it, or as generated
  mutable Settings split_by_;                     ///< of the next
  mutable std::shared_ptr<const Dataset> split_;  ///< the same with the split asked for last; may be whole_ itself
  mutable std::vector<std::string> unsaid_;       ///< messages that nobody has heard yet
};

/// True where the text names an existing file or folder rather than a data set.
FACTORGCN_API bool is_dataset_path(const std::string& name_or_path);

/// OpenedData for whoever asks once.
FACTORGCN_API DataDescription describe_data(const std::string& name_or_path, const Settings& given);
FACTORGCN_API Dataset open_dataset(const std::string& name_or_path, const Settings& settings,
                                   const MessageSink& messages = {});

}  // namespace factorgcn
