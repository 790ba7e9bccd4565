#include "engine/torch/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace changeaware::torch {
namespace {

std::string read_all(int descriptor) {
  std::string out;
  char block[4096];
  for (;;) {
    const ssize_t got = read(descriptor, block, sizeof block);
    if (got > 0) out.append(block, static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return out;
  }
}

int exit_code(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& words) {
  int ends[2];
  if (words.empty() || pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  CommandResult out;
  if (failed == 0) {
    out.output = read_all(ends[0]);
    out.code = exit_code(child);
  }
  close(ends[0]);
  return out;
}

}  // namespace changeaware::torch
