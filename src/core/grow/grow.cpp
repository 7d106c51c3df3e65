// Growing one tree with a team of threads.
//
// Large nodes share out their columns; small ones are set aside and then grown as whole subtrees,
// one a thread. Neither changes the tree.
#include "grow/grow.h"

#include <algorithm>

#include "grow/finish.h"
#include "grow/least_weight.h"
#include "grow/subtree_grower.h"

namespace plaintree {
namespace {

// Tables below this size are grown by one thread: starting others would take longer.
constexpr std::size_t kSmallTable = 10000;
// Tables of so many values take more memory than the tree that is left.
constexpr std::size_t kLargeTable = 1 << 22;

// Grows the subtrees that were set aside, the largest first.
template <Statistics S, class Count = typename S::Sum>
void grow_tasks(const Context<S>& context, Rows<Count>& rows, std::vector<Task<Count>>& tasks,
                Team& team) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task<Count>& a, const Task<Count>& b) {
    return a.root.size() > b.root.size();
  });
  std::vector<std::unique_ptr<SubtreeGrower<S>>> growers(team.size());  // one a thread
  team.run(static_cast<int>(tasks.size()), [&](int i, int thread) {
    auto& grower = growers[thread];
    if (!grower)
      grower = std::make_unique<SubtreeGrower<S>>(context, team.watch(), nullptr, thread == 0);
    Task<Count>& task = tasks[i];
    grower->grow(task.own_rows ? *task.own_rows : rows, *task.store, std::move(task.root));
    task.own_rows.reset();
  });
}

template <Statistics S>
TreeArrays grow_by(TrainingTable& table, const Params& chosen, Team& team, const GivenTree* given) {
  const Params params = with_least_weight(chosen, table);
  using Count = typename S::Sum;
  const std::size_t n_entries = table.entries.size();
  const XLogX x_log_x(needs_logarithms(params.criterion) && table.weights.empty() ? n_entries : 0);
  const auto measure = measure_of<S>(table, params, x_log_x);
  const bool fractional = table.has_gaps() && params.missing == Missing::Fractional;
  const std::int64_t* weights = table.weights.empty() ? nullptr : table.weights.data();
  EmptyBranches empty_branches;
  Context<S> context{table,   statistics_of<S>(table), params, measure, fractional,
                     weights, empty_branches};
  context.given = given;

  GrownNodes<Count> nodes;
  {
    Rows<Count> rows;
    rows.entries = std::move(table.entries);
    rows.sorted = std::move(table.sorted);
    OpenNode<Count> root = make_root(context, rows, nodes, path_of_root(params.seed, 0));
    const bool many = team.size() > 1 && n_entries >= kSmallTable;
    std::vector<Task<Count>> tasks;
    const Todo todo = given ? given->of(0) : Todo::Grow;
    if (todo == Todo::Keep || todo == Todo::Probe ||
        (todo == Todo::Stop && !SumsOf<Count>::kClasses))
      root.given = 0;
    if (root.given >= 0 ||
        (todo == Todo::Grow && (!SumsOf<Count>::kClasses || may_split_root(context, nodes)))) {
      SubtreeGrower<S> top(context, team.watch(), many ? &team : nullptr, true);
      const auto smallest = static_cast<std::uint32_t>(n_entries / (8 * team.size()));
      top.grow(rows, nodes, std::move(root), smallest, many ? &tasks : nullptr);
    }
    grow_tasks(context, rows, tasks, team);
  }
  return finish(nodes, measure);
}

}  // namespace

TreeArrays grow(const Examples& examples, const Params& params, int n_threads,
                std::function<bool()> interrupted, const GivenTree* given) {
  Watch watch(std::move(interrupted));
  Team team(n_threads, watch);
  const auto grow_from = [&](TrainingTable table) {
    TreeArrays tree = table.has_targets()     ? grow_by<TargetSums>(table, params, team, given)
                      : table.weights.empty() ? grow_by<RowCounts>(table, params, team, given)
                                              : grow_by<WeightSums>(table, params, team, given);
    for (const Column& column : table.columns) tree.n_values.push_back(column.n_codes);
    return tree;
  };
  TreeArrays tree = grow_from(make_training_table(examples, params, 0, team));
  if (examples.n_rows() * examples.columns.size() >= kLargeTable) give_back_free_memory();
  return tree;
}

}  // namespace plaintree
