// A team of threads that share out numbered tasks, and the watch that lets a caller interrupt.
//
// The calling thread works too. Which thread runs which task never influences a result: tasks
// write to places of their own, and they are read in task order.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plaintree {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Asks the caller, a few times a second and from the calling thread only, whether to go on.
class Watch {
 public:
  explicit Watch(std::function<bool()> interrupted = {}) : interrupted_(std::move(interrupted)) {}

  // Any thread: throws if an interruption was seen.
  void check() const {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }
  // The calling thread only: asks if the last time is long enough ago.
  void poll() {
    check();
    if (!interrupted_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (interrupted_()) {
      stop_.store(true, std::memory_order_relaxed);
      throw Interrupted();
    }
  }
  void give_up() { stop_.store(true, std::memory_order_relaxed); }

 private:
  std::function<bool()> interrupted_;
  std::atomic<bool> stop_{false};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class Team {
 public:
  Team(int n_threads, Watch& watch);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  Watch& watch() { return watch_; }

  // Calls task(i, thread) for i in 0 .. n_tasks-1, each once; thread 0 is the caller's.
  // The first exception is thrown again here, after all threads have stopped.
  void run(int n_tasks, const std::function<void(int, int)>& task);

 private:
  void work(int thread);
  void take_tasks(int thread);

  Watch& watch_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* task_ = nullptr;
  std::atomic<int> next_{0};
  int n_tasks_ = 0;
  int busy_ = 0;
  unsigned round_ = 0;
  bool closing_ = false;
  std::exception_ptr error_;
};

// The threads that work on so many rows together, or null: one is enough.
inline Team* team_for(std::size_t n_rows, Team* team) {
  constexpr std::size_t kTogether = 8192;
  return n_rows >= kTogether ? team : nullptr;
}
// Calls task(i, thread) for i in 0 .. n-1, shared out to a team if there is one.
template <class Do>
void for_each(Team* team, int n, Do task) {
  if (team)
    team->run(n, task);
  else
    for (int i = 0; i < n; ++i) task(i, 0);
}

}  // namespace plaintree
