// Preloaded into a program by tests: does what a program that uses the libraries may have done before, and sets the
// process's locale.
//
//   FACTORGCN_HOST_LOCALE   its name, for C and for C++; the process ends with exit code 99 where there is no such
//                           locale or it writes 1/2 with a point
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <exception>
#include <locale>

namespace {

__attribute__((constructor)) void set_locale() {
  const char* const name = std::getenv("FACTORGCN_HOST_LOCALE");
  if (name == nullptr) {
    return;
  }
  try {
    std::locale::global(std::locale(name));
  } catch (const std::exception&) {
    ::_exit(99);
  }
  if (std::localeconv()->decimal_point[0] != ',') {
    ::_exit(99);
  }
}

}  // namespace
