// Preloaded together with refuse_calls.cpp: ends the process at one of its numbered calls, and takes back what a disk
// need not have kept.
//
//   FACTORGCN_POWER_CUT   "N keep": at call number N (from 1), files whose bytes were not synced are empty, while
//                         renames have reached the disk, as file systems may order it; "N undo": renames whose folder
//                         was not synced have not happened either
//
// The exit code is 137. What was removed stays removed: nothing of the program's waits for a removal.
#include "power_cut.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "watching.h"

namespace {

struct Rename {
  std::string from, to, backup;  // backup: a link to what `to` was before; empty where it was not there
};

struct Disk {
  std::mutex mutex;
  long cut = 0;
  bool undo = false;
  std::set<std::string> unsynced;  // files
  std::vector<Rename> pending;     // in their order
};

void read_order_into(Disk& disk) {
  char how[8] = "";
  const char* order = std::getenv("FACTORGCN_POWER_CUT");
  disk.cut = 0;
  if (order != nullptr && std::sscanf(order, "%ld %7s", &disk.cut, how) == 2) {
    disk.undo = std::strcmp(how, "undo") == 0;
  }
}

Disk* new_disk() {
  auto* disk = new Disk;  // kept to the very end: files may be closed by destructors
  read_order_into(*disk);
  return disk;
}

Disk& disk() {
  static Disk* const made = new_disk();
  return *made;
}

std::string path_of(int descriptor) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

std::string whole_path(const char* path) {
  if (path[0] == '/') {
    return path;
  }
  char here[PATH_MAX];
  return syscall(SYS_getcwd, here, sizeof(here)) > 0 ? std::string(here) + "/" + path : path;
}

std::string folder_name(const std::string& path) { return path.substr(0, path.rfind('/')); }

void forget(std::vector<Rename>& pending, const std::string& folder) {
  for (std::size_t i = pending.size(); i-- > 0;) {
    if (folder_name(pending[i].to) == folder) {
      if (!pending[i].backup.empty()) {
        syscall(SYS_unlink, pending[i].backup.c_str());
      }
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

void read_power_cut() { read_order_into(disk()); }

void note_written(int descriptor) {
  if (disk().cut > 0) {
    const std::lock_guard lock(disk().mutex);
    disk().unsynced.insert(path_of(descriptor));
  }
}

void note_synced(int descriptor) {
  if (disk().cut > 0) {
    const std::lock_guard lock(disk().mutex);
    const std::string path = path_of(descriptor);
    disk().unsynced.erase(path);
    forget(disk().pending, path);
  }
}

void before_rename(const char* from, const char* to) {
  if (disk().cut == 0) {
    return;
  }
  const std::lock_guard lock(disk().mutex);
  Rename rename{whole_path(from), whole_path(to), ""};
  const std::string backup = folder_name(rename.to) + "/.before-" + std::to_string(disk().pending.size());
  syscall(SYS_unlink, backup.c_str());
  if (syscall(SYS_link, rename.to.c_str(), backup.c_str()) == 0) {
    rename.backup = backup;
  }
  if (disk().unsynced.erase(rename.from) > 0) {
    disk().unsynced.insert(rename.to);
  }
  disk().pending.push_back(std::move(rename));
}

void cut_power_at(long number) {
  if (disk().cut == 0 || number != disk().cut) {
    return;
  }
  const std::lock_guard lock(disk().mutex);
  for (const std::string& path : disk().unsynced) {
    syscall(SYS_truncate, path.c_str(), 0);
  }
  for (std::size_t i = disk().pending.size(); i-- > 0;) {
    const Rename& rename = disk().pending[i];
    if (disk().undo) {
      syscall(SYS_rename, rename.to.c_str(), rename.from.c_str());
      if (!rename.backup.empty()) {
        syscall(SYS_rename, rename.backup.c_str(), rename.to.c_str());
      }
    } else if (!rename.backup.empty()) {
      syscall(SYS_unlink, rename.backup.c_str());
    }
  }
  ::_exit(137);
}
