// A run's config.json: read, checked and written again. What was accepted must come back from its own words.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "factorgcn/io/json_text.h"
#include "factorgcn/train/run_config.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

std::string words_of(const RunConfig& config) {
  nlohmann::ordered_json object = to_json(config);
  if (config.trained_on.known()) {
    object["trained_on"] = to_json(config.trained_on);
  }
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void fuzz_config(std::string_view bytes) {
  allow_one_line_error([bytes] {
    const RunConfig config = config_from_json(parse_json(bytes, "input", JsonComments::kSkipped), "input");
    const std::string words = words_of(config);
    if (words_of(config_from_json(parse_json(words, "words"), "words")) != words) {
      std::abort();
    }
    check_config(config);
  });
}

}  // namespace factorgcn
