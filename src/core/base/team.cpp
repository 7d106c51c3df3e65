// See team.h.
#include "base/team.h"

#include <algorithm>
#include <system_error>

namespace plaintree {

Team::Team(int n_threads, Watch& watch) : watch_(watch) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  n_threads = std::min(n_threads, 4 * std::max(cores, 1));
  try {
    for (int t = 1; t < n_threads; ++t) threads_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do the work.
  }
}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Team::run(int n_tasks, const std::function<void(int, int)>& task) {
  if (threads_.empty() || n_tasks <= 1) {
    for (int i = 0; i < n_tasks; ++i) {
      watch_.poll();
      task(i, 0);
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    n_tasks_ = n_tasks;
    next_.store(0);
    busy_ = static_cast<int>(threads_.size());
    error_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  take_tasks(0);
  std::unique_lock lock(mutex_);
  while (busy_ > 0) {
    done_.wait_for(lock, std::chrono::milliseconds(50));
    try {
      watch_.poll();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
  }
  task_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

void Team::take_tasks(int thread) {
  try {
    for (int i; (i = next_.fetch_add(1)) < n_tasks_;) {
      if (thread == 0) watch_.poll();
      watch_.check();
      (*task_)(i, thread);
    }
  } catch (...) {
    watch_.give_up();
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

void Team::work(int thread) {
  unsigned seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || round_ != seen; });
    if (closing_) return;
    seen = round_;
    lock.unlock();
    take_tasks(thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace plaintree
