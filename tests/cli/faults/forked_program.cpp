// The server's standard streams are nowhere: each call names files of its own.
#include "cli/faults/forked_program.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace factorgcn::cli {
namespace {

void append_number(std::string& message, std::size_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  message.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

ForkedProgram::ForkedProgram() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("cannot make a pair of sockets");
  }
  channel_ = ends[0];
  server_ = ::fork();
  if (server_ == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::dup2(nowhere, stream);
    }
    const std::string number = std::to_string(::dup(ends[1]));
    ::setenv("FACTORGCN_FORK_SERVER", number.c_str(), 1);
    ::setenv("LD_PRELOAD", FACTORGCN_PRELOAD_PATH, 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::execl(FACTORGCN_CLI_PATH, FACTORGCN_CLI_PATH, static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[1]);
}

ForkedProgram::~ForkedProgram() {
  ::close(channel_);
  ::waitpid(server_, nullptr, 0);
}

Outcome ForkedProgram::run(const Workplace& place, const std::string& arguments,
                           const std::vector<std::string>& environment) {
  std::vector<std::string> texts{place.path("").string(), place.path(".stdout-forked").string(),
                                 place.path(".stderr-forked").string(), std::to_string(environment.size())};
  texts.insert(texts.end(), environment.begin(), environment.end());
  texts.push_back(FACTORGCN_CLI_PATH);
  std::istringstream words(arguments);
  for (std::string word; words >> word;) {
    texts.push_back(word);
  }
  std::string message;
  append_number(message, texts.size());
  for (const std::string& text : texts) {
    append_number(message, text.size());
    message += text;
  }
  int status = 0;
  if (::send(channel_, message.data(), message.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(message.size()) ||
      ::recv(channel_, &status, sizeof(status), MSG_WAITALL) != sizeof(status)) {
    throw std::runtime_error("the program's fork server is gone");
  }
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.out = place.read(".stdout-forked");
  outcome.err = place.read(".stderr-forked");
  return outcome;
}

}  // namespace factorgcn::cli
