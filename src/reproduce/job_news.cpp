// News travel as JSON: they are few and short.
#include "reproduce/job_news.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/train/rank_agreement.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void to_json(json& object, const JobNews& news) {
  object = {{"job", news.index},
            {"state", static_cast<int>(news.state)},
            {"seconds", news.seconds},
            {"message", news.message},
            {"whole_run", news.whole_run}};
}

JobNews news_from_json(const json& object) {
  return {object.at("job").get<std::size_t>(), static_cast<RunOutcome::State>(object.at("state").get<int>()),
          object.at("seconds").get<double>(), object.at("message").get<std::string>(),
          object.at("whole_run").get<bool>()};
}

std::string text_of(const json& object) {
  // A program's last line, which a message may hold, need not be UTF-8.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

JobExchange::JobExchange(Group* group) : group_(group) {}

std::size_t JobExchange::rank() const { return group_ == nullptr ? 0 : static_cast<std::size_t>(group_->rank()); }
std::size_t JobExchange::size() const { return group_ == nullptr ? 1 : static_cast<std::size_t>(group_->size()); }

void JobExchange::begin(const Plan& plan, const ExecuteOptions& options) {
  if (group_ == nullptr) {
    return;
  }
  nlohmann::ordered_json own{
      {"jobs", options.jobs}, {"only", options.only}, {"device", options.device}, {"runs", nlohmann::json::object()}};
  for (const PlannedRun& run : plan.runs) {
    own["runs"][run.name] = nlohmann::ordered_json::parse(run.layer.dump());
  }
  check_ranks_agree(*group_, own);
  check_one_folder(group_, options.out);
}

std::vector<bool> JobExchange::same_for_all(const std::vector<bool>& own) {
  if (group_ == nullptr) {
    return own;
  }
  std::string text;
  for (const bool each : own) {
    text += each ? '1' : '0';
  }
  const std::vector<std::string> all = all_gather_texts(*group_, text);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    require(all[rank] == all[0], "rank ", rank, " does not see the same finished runs as rank 0; processes that share ",
            "runs need a folder that all of them see");
  }
  return own;
}

std::vector<JobNews> JobExchange::tell(const std::vector<JobNews>& own) {
  if (group_ == nullptr) {
    stop_asked_ = interrupt_signal() != 0;
    return own;
  }
  json told{{"signal", interrupt_signal()}, {"jobs", json::array()}};
  for (const JobNews& news : own) {
    told["jobs"].emplace_back();
    to_json(told["jobs"].back(), news);
  }
  std::vector<JobNews> all;
  int signal = 0;
  for (const std::string& text : all_gather_texts(*group_, text_of(told))) {
    const json heard = json::parse(text);
    signal = signal != 0 ? signal : heard.at("signal").get<int>();
    for (const json& news : heard.at("jobs")) {
      all.push_back(news_from_json(news));
    }
  }
  if (signal != 0) {
    stop_asked_ = true;
    if (interrupt_signal() == 0) {
      request_interrupt(signal);  // another process's is ours, too
    }
  }
  return all;
}

void check_one_folder(Group* group, const fs::path& folder) {
  if (group == nullptr) {
    return;
  }
  fs::path mark;
  if (group->rank() == 0) {
    fs::create_directories(folder);
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    mark = folder / concat(".together-", ::getpid(), "-", now);
    std::ofstream(mark) << "";
  }
  const std::string name = all_gather_texts(*group, mark.filename().string()).front();
  const std::vector<std::string> seen = all_gather_texts(*group, fs::exists(folder / name) ? "1" : "");
  if (group->rank() == 0) {
    std::error_code ignored;
    fs::remove(mark, ignored);
  }
  for (std::size_t rank = 0; rank < seen.size(); ++rank) {
    require_usage(!seen[rank].empty(), "rank ", rank, " does not see the folder ", folder.string(),
                  " that rank 0 writes to; processes that share runs need a folder that all of them see");
  }
}

}  // namespace factorgcn
