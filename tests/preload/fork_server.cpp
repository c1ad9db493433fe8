// Preloaded into a program by tests: the program loads its libraries once, which takes most of the time of a short
// call, and then runs its main() in a fork for each call that it is asked for.
//
//   FACTORGCN_FORK_SERVER   a descriptor: requests come in by it, answers go out. Unset: main() runs as ever.
//
// A request: how many texts, then for each its length and bytes: the current folder, a file for standard output, one
// for standard error, how many variables follow, the variables ("NAME=VALUE"), then the words of the command line. The
// answer: the status as waitpid() gives it. Numbers are 32-bit.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "watching.h"

namespace {

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

/// False at the end of requests.
bool receive(int from, void* bytes, std::size_t count) {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const long got = syscall(SYS_read, from, to, count);
    if (got <= 0) {
      return false;
    }
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool receive_texts(int from, std::vector<std::string>& texts) {
  std::uint32_t count = 0;
  if (!receive(from, &count, sizeof(count))) {
    return false;
  }
  texts.resize(count);
  for (std::string& text : texts) {
    std::uint32_t length = 0;
    if (!receive(from, &length, sizeof(length))) {
      return false;
    }
    text.resize(length);
    if (!receive(from, text.data(), length)) {
      return false;
    }
  }
  return true;
}

void put_output_into(const std::string& file, int descriptor) {
  const long opened = syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  syscall(SYS_dup3, opened, descriptor, 0);
  syscall(SYS_close, opened);
}

/// What a request asks for, in its own process.
int run_request(const std::vector<std::string>& request, int channel, char** environment) {
  syscall(SYS_close, channel);
  if (syscall(SYS_chdir, request[0].c_str()) != 0) {
    return 126;
  }
  put_output_into(request[1], STDOUT_FILENO);
  put_output_into(request[2], STDERR_FILENO);
  const std::size_t variables = std::stoul(request[3]);
  for (std::size_t i = 4; i < 4 + variables; ++i) {
    const std::size_t equals = request[i].find('=');
    setenv(request[i].substr(0, equals).c_str(), request[i].substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> words;
  for (std::size_t i = 4 + variables; i < request.size(); ++i) {
    words.push_back(const_cast<char*>(request[i].c_str()));
  }
  words.push_back(nullptr);
  read_refused_calls();
  read_refused_memory();
  read_power_cut();
  watching = false;
  return program_main(static_cast<int>(words.size()) - 1, words.data(), environment);
}

int main_or_server(int argc, char** argv, char** environment) {
  const char* const descriptor = std::getenv("FACTORGCN_FORK_SERVER");
  if (descriptor == nullptr) {
    return program_main(argc, argv, environment);
  }
  const int channel = std::atoi(descriptor);
  unsetenv("FACTORGCN_FORK_SERVER");
  std::vector<std::string> request;
  while (receive_texts(channel, request)) {
    const pid_t child = fork();
    if (child == 0) {
      const int code = run_request(request, channel, environ);
      std::cout.flush();
      std::fflush(nullptr);
      write_memory_log();
      ::_exit(code);  // what libraries do at their end takes most of the time of a short call
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (syscall(SYS_write, channel, &status, sizeof(status)) != sizeof(status)) {
      break;
    }
  }
  _exit(0);
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return start(main_or_server, argc, argv, init, fini, rtld_fini, stack_end);
}
