// What to say to somebody who asks for a data set that is not known.
#pragma once

#include <string>

namespace factorgcn {

/// One line: the nearest name among the listed sets, those in the data root and those of the TU collection, and how to
/// get it. Cost: a look at the data root.
std::string unknown_dataset_text(const std::string& name);

/// The collection's own spelling of a set's name that differs in capitals alone, else the name as it is.
std::string collection_spelling(const std::string& name);

}  // namespace factorgcn
