// Growing by levels: the tree of the rows in memory, from any blocks, again and again.
#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "grow/grow.h"
#include "levels/level_source.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

const std::vector<std::size_t> kEnds{60, 60, 100, 350};

struct Learner {
  const char* name;
  Criterion criterion;
  Categorical categorical;
  Missing missing;
};
const std::vector<Learner> kLearners{
    {"CART", Criterion::Gini, Categorical::Subset, Missing::MostCommon},
    {"entropy", Criterion::InformationGain, Categorical::OneVsRest, Missing::Branch},
    {"C4.5", Criterion::GainRatio, Categorical::Multiway, Missing::Fractional},
    {"error", Criterion::Error, Categorical::Multiway, Missing::MostCommonInClass},
    {"squared error", Criterion::SquaredError, Categorical::Subset, Missing::MostCommon},
    {"divided numbers", Criterion::SquaredError, Categorical::Subset, Missing::Fractional},
    {"Poisson", Criterion::Poisson, Categorical::OneVsRest, Missing::Branch},
};

bool is_numeric(const Learner& learner) {
  return learner.criterion == Criterion::SquaredError || learner.criterion == Criterion::Poisson;
}
Params params_of(const Learner& learner) {
  Params params;
  params.criterion = learner.criterion;
  params.categorical = learner.categorical;
  params.missing = learner.missing;
  params.tie_tolerance = 1e-12;
  return params;
}
// Limits so small that nodes are counted one by one, and looked at a column at a time.
LevelOptions tight() {
  LevelOptions options;
  options.table_bytes = 2000;
  options.list_rows = 1;
  return options;
}
SmallTable table_of(const Learner& learner, bool weighted) {
  return random_table(7, 400, is_numeric(learner), weighted);
}

// Calls use(learner, its table, its parameters) with and without weights.
template <class Use>
void each_learner(Use use) {
  for (const Learner& learner : kLearners)
    for (const bool weighted : {false, true})
      use(learner, table_of(learner, weighted), params_of(learner));
}

}  // namespace

TEST(blocks_give_the_tree_of_their_rows_in_memory) {
  each_learner([](const Learner&, const SmallTable& table, const Params& params) {
    const std::vector<ColumnView> columns = table.views();
    const TreeArrays tree =
        grow({columns, table.classes, table.n_classes, table.weights, table.targets}, params, 1);
    CHECK(tree.kind.size() > 10);
    LevelOptions gathering;
    gathering.gather_rows = 40;
    for (const LevelOptions& options : {tight(), LevelOptions(), gathering}) {
      Source source(table, kEnds);
      CHECK(is_same_tree(grown(source, params, options), tree));
    }
  });
}

TEST(rows_whose_place_was_forgotten_follow_all_splits_again) {
  each_learner([](const Learner&, const SmallTable& table, const Params& params) {
    Source source(table, kEnds), forgetful(table, kEnds);
    const TreeArrays tree = grown(source, params, tight());
    CHECK(is_same_tree(grown(forgetful, params, tight(), {}, true), tree));
  });
}

TEST(the_same_questions_are_asked_whatever_the_blocks) {
  each_learner([](const Learner&, const SmallTable& table, const Params& params) {
    Source source(table, kEnds), other(table, {});
    const auto a = make_level_grower(source.facts, params, tight(), {});
    const auto b = make_level_grower(other.facts, params, tight(), {});
    while (const auto asked = a->next()) {
      CHECK(asked == b->next());
      a->answer(source.answer(*asked), not_interrupted);
      b->answer(other.answer(*asked), not_interrupted);
    }
    CHECK(!b->next());
  });
}

TEST(a_reply_to_another_request_is_refused) {
  Source source(table_of(kLearners[0], false), kEnds);
  const auto grower = make_level_grower(source.facts, params_of(kLearners[0]), tight(), {});
  const Bytes first = source.answer(*grower->next());
  grower->answer(first, not_interrupted);
  CHECK(grower->next().has_value());
  bool refused = false;
  try {
    grower->answer(first, not_interrupted);
  } catch (const std::invalid_argument& error) {
    refused = std::string(error.what()) == "a reply to another request";
  }
  CHECK(refused);
}

TEST(a_damaged_reply_is_an_error) {
  Source source(table_of(kLearners[0], false), kEnds);
  const auto grower = make_level_grower(source.facts, params_of(kLearners[0]), tight(), {});
  const Bytes reply = source.answer(*grower->next());
  CHECK(is_noticed(reply, [&](const Bytes& damaged) { grower->answer(damaged, not_interrupted); }));
  grower->answer(reply, not_interrupted);  // nothing of them was taken
}

// ---------------------------------------------------------------- checkpoints

TEST(a_checkpoint_of_any_level_resumes_to_the_same_tree) {
  each_learner([](const Learner&, const SmallTable& table, const Params& params) {
    LevelOptions gathering;
    gathering.gather_rows = 20;
    for (const LevelOptions& options : {tight(), gathering}) {
      Source source(table, kEnds);
      std::vector<Bytes> states;
      const auto grower = make_level_grower(source.facts, params, options, {});
      answer_all(*grower, source, false, [&](const LevelGrower& g) {
        if (states.empty() || g.state() != states.back()) states.push_back(g.state());
      });
      const TreeArrays tree = grower->finish();
      CHECK(states.size() > 2);
      for (const Bytes& state : states) {
        Source again(table, {200});  // in other blocks
        CHECK(is_same_tree(grown(again, params, options, state), tree));
      }
    }
  });
}

namespace {

Bytes some_checkpoint(Source source, const Params& params, const LevelOptions& options) {
  const auto grower = make_level_grower(source.facts, params, options, {});
  Bytes state;
  answer_all(*grower, source, false, [&](const LevelGrower& g) {
    if (g.progress().level == 2) state = g.state();
  });
  return state;
}
bool is_refused(ByteSpan facts, const Params& params, const LevelOptions& options,
                const Bytes& checkpoint) {
  try {
    make_level_grower(facts, params, options, checkpoint);
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    return text == "a checkpoint of another table or of other parameters";
  }
  return false;
}

}  // namespace

TEST(a_checkpoint_of_other_parameters_is_refused) {
  Source source(table_of(kLearners[0], false), kEnds);
  const Params params = params_of(kLearners[0]);
  const Bytes state = some_checkpoint(source, params, tight());
  CHECK(!state.empty());
  CHECK(!is_refused(source.facts, params, LevelOptions(), state));  // limits may be others
  const std::vector<void (*)(Params&)> changes{
      [](Params& p) { p.criterion = Criterion::Error; },
      [](Params& p) { p.categorical = Categorical::OneVsRest; },
      [](Params& p) { p.missing = Missing::Branch; },
      [](Params& p) { p.max_depth = 9; },
      [](Params& p) { p.min_split_weight = 3; },
      [](Params& p) { p.min_branch_weight = 2; },
      [](Params& p) { p.min_split_rows = 3; },
      [](Params& p) { p.min_branch_rows = 2; },
      [](Params& p) { p.every_branch = false; },
      [](Params& p) { p.min_score = 0.125; },
      [](Params& p) { p.min_impurity_decrease = 0.125; },
      [](Params& p) { p.significance = 0.5; },
      [](Params& p) { p.adjusted_significance = false; },
      [](Params& p) { p.zero_gain = false; },
      [](Params& p) { p.data_value_thresholds = true; },
      [](Params& p) { p.threshold_by_gain = true; },
      [](Params& p) { p.threshold_penalty = true; },
      [](Params& p) { p.average_gain = true; },
      [](Params& p) { p.numeric_branch_fraction = 0.1; },
      [](Params& p) { p.min_separation = 0.1; },
      [](Params& p) { p.tie_tolerance = 0; },
      [](Params& p) { p.feature_costs = {1, 2, 1}; },
      [](Params& p) { p.collapse = true; },
      [](Params& p) { p.exhaustive_categories = 3; },
      [](Params& p) { p.columns_per_node = 2; },
      [](Params& p) { p.seed = 1; },
      [](Params& p) { p.monotonic = {1, 0, 0}; },
      [](Params& p) { p.forbidden = {1}; },
      [](Params& p) { p.first = {1}; },
      [](Params& p) { p.interactions = {{0, 1}, {2}}; },
  };
  for (const auto change : changes) {
    Params other = params;
    change(other);
    CHECK(is_refused(source.facts, other, tight(), state));
  }
}

TEST(a_checkpoint_of_another_sample_is_refused) {
  Source source(table_of(kLearners[0], false), kEnds);
  const Params params = params_of(kLearners[0]);
  LevelOptions forest = tight();
  forest.in_forest = true;
  forest.table_weight = 400;
  for (const int sampling : {0, 1, 2}) {
    forest.sampling = sampling;
    forest.n_draws = sampling == 0 ? 0 : 300;
    const Bytes state = some_checkpoint(source, params, forest);
    CHECK(!state.empty());
    CHECK(!is_refused(source.facts, params, forest, state));
    const std::vector<void (*)(LevelOptions&)> changes{
        [](LevelOptions& o) { o.tree = 1; },
        [](LevelOptions& o) { o.sampling_seed = 1; },
        [](LevelOptions& o) { o.sampling = (o.sampling + 1) % 3, o.n_draws = 300; },
        [](LevelOptions& o) { o.class_factors = {1, 2, 1}; },
    };
    for (const auto change : changes) {
      LevelOptions other = forest;
      change(other);
      CHECK(is_refused(source.facts, params, other, state));
    }
  }
}

TEST(a_checkpoint_of_another_table_or_of_other_borders_is_refused) {
  const SmallTable table = table_of(kLearners[0], false);
  Source source(table, kEnds);
  const Params params = params_of(kLearners[0]);
  const Bytes state = some_checkpoint(source, params, tight());
  SmallTable other = table;
  other.x[17] = 1.75;
  CHECK(is_refused(Source(other, kEnds).facts, params, tight(), state));
  const std::vector<ColumnView> columns = table.views();
  const BlockEncoder encoder({{-1, 0, 0.6, 2}, {-0.5, 0.5}, {}});  // codes mean something else
  const EncodedBlock block = encoder.encode({columns, table.classes, 3, {}}, 0);
  CHECK(is_refused(block.facts, params, tight(), state));
}

TEST(a_damaged_checkpoint_is_an_error) {
  for (const Learner& learner : {kLearners[0], kLearners[2], kLearners[4]}) {
    Source source(table_of(learner, true), kEnds);
    const Params params = params_of(learner);
    const Bytes state = some_checkpoint(source, params, tight());
    const auto resume = [&](const Bytes& damaged) {
      if (damaged.empty()) throw std::invalid_argument("nothing: growing begins at the root");
      make_level_grower(source.facts, params, tight(), damaged);
    };
    CHECK(is_noticed(state, resume));
  }
}

// ---------------------------------------------------------------- row states

TEST(a_damaged_state_is_an_error_or_a_place_in_the_tree) {
  for (const Learner& learner : {kLearners[0], kLearners[2]}) {
    const SmallTable table = table_of(learner, false);
    Source source(table, {});
    const auto grower = make_level_grower(source.facts, params_of(learner), tight(), {});
    std::vector<Bytes> requests;
    while (const auto request = grower->next()) {
      requests.push_back(*request);
      grower->answer(source.answer(*request), not_interrupted);
    }
    const Request last(requests[requests.size() / 2]);
    const auto reply = [&](const Bytes& damaged) {
      Bytes state = damaged;
      reply_of(source.blocks[0].block, state, last);
    };
    CHECK(is_noticed(source.states[0], reply, true));
  }
}
