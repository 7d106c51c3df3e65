// Bindings of blocks and of growing by levels: bytes in, bytes out.
#include "bind/bind_levels.h"

#include <cstring>

#include "bind/bind_common.h"
#include "blocks/answer.h"
#include "blocks/block.h"
#include "levels/level_grower.h"

using namespace plaintree;

namespace {

nb::bytes give_bytes(const Bytes& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Bytes of any object that offers them as a buffer. They are read where they are if they are
// aligned.
class Buffer {
 public:
  explicit Buffer(const nb::handle& object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const auto* data = static_cast<const std::uint8_t*>(buffer_.buf);
    const auto size = static_cast<std::size_t>(buffer_.len);
    if (reinterpret_cast<std::uintptr_t>(data) % 8 == 0) {
      span_ = {data, size};
    } else {
      copy_.resize((size + 7) / 8);
      std::memcpy(copy_.data(), data, size);
      span_ = {reinterpret_cast<const std::uint8_t*>(copy_.data()), size};
    }
  }
  ~Buffer() { PyBuffer_Release(&buffer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  ByteSpan span() const { return span_; }

 private:
  Py_buffer buffer_{};
  std::vector<std::uint64_t> copy_;
  ByteSpan span_;
};

nb::tuple encode(const BlockEncoder& encoder, const nb::list& columns,
                 const std::vector<int>& n_categories, const TargetArray& target, int n_classes,
                 const std::optional<Array<double>>& weights, std::uint64_t first_row) {
  const HeldExamples examples(columns, n_categories, target, n_classes, weights);
  EncodedBlock encoded;
  without_interpreter([&] { encoded = encoder.encode(examples.view(), first_row); });
  return nb::make_tuple(give_bytes(encoded.block), give_bytes(encoded.facts));
}

nb::bytes merge_facts(const nb::list& facts) {
  if (facts.size() == 0) throw std::invalid_argument("there are no facts to merge");
  std::optional<TableFacts> merged;
  for (const nb::handle own : facts) {
    const Buffer buffer(own);
    if (merged)
      merged->merge(TableFacts(buffer.span()));
    else
      merged.emplace(buffer.span());
  }
  return give_bytes(merged->bytes());
}

nb::dict describe_facts(const nb::object& facts) {
  const Buffer buffer(facts);
  const TableFacts own(buffer.span());
  nb::dict result;
  result["n_rows"] = own.n_rows;
  result["table_hash"] = own.hash + 0;
  result["n_classes"] = own.n_classes;
  result["weighted"] = own.weighted;
  result["has_zero_weights"] = own.has_zero_weights;
  result["rows_of_class"] = own.rows_of_class;
  if (own.n_classes == 0) {
    result["least_target"] = own.least_target;
    result["greatest_target"] = own.greatest_target;
  } else {
    result["least_target"] = result["greatest_target"] = nb::none();
  }
  nb::list columns;
  for (const ColumnFacts& column : own.columns) {
    nb::dict d;
    d["numeric"] = column.numeric;
    d["has_missing"] = column.has_missing;
    d["n_codes"] = column.n_codes;
    bool exact = column.numeric && column.is_tracked();
    for (std::uint32_t code = 0; exact && code < column.n_codes; ++code)
      exact = std::isnan(column.least[code]) || column.is_pure(code);
    d["exact"] = !column.numeric || exact;
    columns.append(d);
  }
  result["columns"] = columns;
  return result;
}

// How much of each kind is asked for.
nb::dict describe_request(const nb::object& request) {
  const Buffer buffer(request);
  const Request own(buffer.span());
  nb::dict result;
  result["number"] = own.number;
  result["splits"] = own.plan.size();
  result["count"] = own.count.size();
  result["cells"] = own.n_cells;
  result["look"] = own.look.size();
  result["gather"] = own.gather.size();
  result["precede"] = own.precede.size();
  return result;
}

nb::bytes route(const nb::object& block, const nb::object& state, const nb::object& request) {
  const Buffer block_bytes(block), state_bytes(state), request_bytes(request);
  Bytes routed;
  without_interpreter([&] {
    routed = route_block(block_bytes.span(), state_bytes.span(), Request(request_bytes.span()));
  });
  return give_bytes(routed);
}

nb::bytes answer_blocks(const nb::list& blocks, const nb::list& states, const nb::object& request) {
  if (blocks.size() != states.size())
    throw std::invalid_argument("every block needs its state, or none (b'')");
  const Buffer request_bytes(request);
  const Request asked(request_bytes.span());
  Answer answer(asked);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Buffer block(blocks[i]), state(states[i]);
    without_interpreter([&] {
      const BlockView view(block.span());
      BlockRows rows = BlockRows::read(state.span(), view, asked.rules);
      rows.follow(view, asked);
      answer.add(view, rows);
    });
  }
  Bytes reply;
  without_interpreter([&] { reply = answer.take().bytes(); });
  return give_bytes(reply);
}

// The reply to one request, block after block; the state of each is followed and returned.
class Pass {
 public:
  explicit Pass(const nb::object& request)
      : request_(Request(Buffer(request).span())), answer_(request_) {}

  // The state that was given, if rows stand where they stood.
  nb::object add(const nb::object& block, const nb::object& state) {
    const Buffer block_bytes(block), state_bytes(state);
    bool is_same = false;
    Bytes followed;
    without_interpreter([&] {
      const BlockView view(block_bytes.span());
      BlockRows rows = BlockRows::read(state_bytes.span(), view, request_.rules);
      is_same = !state_bytes.span().empty() && rows.n_splits == request_.plan.size();
      rows.follow(view, request_);
      answer_.add(view, rows);
      if (!is_same) followed = rows.bytes();
    });
    return is_same ? state : nb::object(give_bytes(followed));
  }
  nb::bytes reply() {
    Bytes bytes;
    without_interpreter([&] { bytes = answer_.take().bytes(); });
    return give_bytes(bytes);
  }

 private:
  const Request request_;
  Answer answer_;
};

nb::bytes merge_replies(const nb::list& replies) {
  if (replies.size() == 0) throw std::invalid_argument("there are no replies to merge");
  std::optional<Reply> merged;
  for (const nb::handle own : replies) {
    const Buffer buffer(own);
    without_interpreter([&] {
      if (merged)
        merged->merge(Reply(buffer.span()));
      else
        merged.emplace(buffer.span());
    });
  }
  Bytes bytes;
  without_interpreter([&] { bytes = merged->bytes(); });
  return give_bytes(bytes);
}

LevelOptions options_of(const nb::dict& d) {
  LevelOptions options;
  const auto whole = [&](const char* name, std::uint64_t& to) {
    if (d.contains(name)) to = nb::cast<std::uint64_t>(d[name]);
  };
  whole("table_bytes", options.table_bytes);
  whole("list_rows", options.list_rows);
  whole("gather_rows", options.gather_rows);
  if (d.contains("gathers_early")) options.gathers_early = nb::cast<bool>(d["gathers_early"]);
  whole("sampling_seed", options.sampling_seed);
  whole("n_draws", options.n_draws);
  if (d.contains("class_factors"))
    options.class_factors = nb::cast<std::vector<double>>(d["class_factors"]);
  if (d.contains("scaling")) {
    const auto scaling = nb::cast<std::vector<double>>(d["scaling"]);
    if (scaling.size() != 2) throw std::invalid_argument("scaling is two numbers");
    options.is_scaled = true;
    options.most = scaling[0];
    options.scale = scaling[1];
  }
  if (d.contains("sampling")) {
    options.in_forest = true;
    options.sampling = nb::cast<int>(d["sampling"]);
    options.tree = nb::cast<std::uint32_t>(d["tree"]);
    options.table_weight = nb::cast<double>(d["table_weight"]);
  }
  if (d.contains("n_threads")) options.n_threads = nb::cast<int>(d["n_threads"]);
  return options;
}

nb::bytes rows_request(const std::vector<std::int32_t>& columns) {
  Request request;
  request.all_rows = true;
  request.columns = columns;
  return give_bytes(request.bytes());
}

// Columns that were left out are None; the target and the weights, if there are any, follow, and
// the first row and the length of every run of rows.
nb::tuple rows_of_reply(const nb::object& reply) {
  const Buffer buffer(reply);
  Reply read;
  without_interpreter([&] { read = Reply(buffer.span()); });
  GatheredRows& rows = read.rows;
  nb::list columns;
  for (std::size_t j = 0; j < rows.codes.size(); ++j) {
    if (!rows.floats[j].empty())
      columns.append(give(std::move(rows.floats[j])));
    else if (!rows.doubles[j].empty())
      columns.append(give(std::move(rows.doubles[j])));
    else if (!rows.codes[j].empty())
      columns.append(give(std::move(rows.codes[j])));
    else
      columns.append(nb::none());
  }
  const nb::object target = rows.classes.empty() ? nb::cast(give(std::move(rows.targets)))
                                                 : nb::cast(give(std::move(rows.classes)));
  const nb::object weights =
      rows.given_weights.empty() ? nb::none() : nb::cast(give(std::move(rows.given_weights)));
  nb::list runs;
  for (const RowRun& run : rows.runs) runs.append(nb::make_tuple(run.first, run.n));
  return nb::make_tuple(columns, target, weights, runs);
}

// A grower held by Python.
class HeldGrower {
 public:
  HeldGrower(const nb::object& facts, const nb::dict& params, const nb::dict& options,
             const nb::object& checkpoint)
      : n_classes_(TableFacts(Buffer(facts).span()).n_classes) {
    const Buffer facts_bytes(facts), checkpoint_bytes(checkpoint);
    grower_ = make_level_grower(facts_bytes.span(), params_of(params), options_of(options),
                                checkpoint_bytes.span());
  }
  std::optional<nb::bytes> next() {
    std::optional<Bytes> request;
    limited([&] { request = grower_->next(); });
    if (!request) return std::nullopt;
    return give_bytes(*request);
  }
  void answer(const nb::object& reply) {
    const Buffer buffer(reply);
    limited([&] { grower_->answer(buffer.span(), [] { return interrupted(); }); });
  }
  nb::bytes state() const { return give_bytes(grower_->state()); }
  nb::dict progress() const {
    const LevelProgress p = grower_->progress();
    nb::dict d;
    d["level"] = p.level;
    d["open_nodes"] = p.open_nodes;
    d["nodes"] = p.nodes;
    d["requests"] = p.requests;
    d["rows_set_aside"] = p.rows_set_aside;
    d["phase"] = p.phase;
    return d;
  }
  nb::tuple finish() {
    TreeArrays tree = grower_->finish();
    const std::vector<std::int32_t> n_values = std::move(tree.n_values);
    return nb::make_tuple(arrays_of(std::move(tree), n_classes_), n_values);
  }

 private:
  // A limit that is too small is an OverflowError with the number of bytes that are needed.
  template <class Call>
  static void limited(Call call) {
    try {
      without_interpreter(call);
    } catch (const LimitTooSmall& error) {
      PyErr_SetObject(PyExc_OverflowError,
                      nb::make_tuple(nb::str(error.what()), error.needed).ptr());
      throw nb::python_error();
    }
  }

  int n_classes_;
  std::unique_ptr<LevelGrower> grower_;
};

}  // namespace

void define_levels(nb::module_& m) {
  using namespace nb::literals;
  m.attr("BLOCK_ROWS") = kBlockRows;
  nb::class_<BlockEncoder>(m, "BlockEncoder")
      .def(
          "__init__",
          [](BlockEncoder* encoder, const std::vector<Array<double>>& borders) {
            std::vector<std::vector<double>> own;
            for (const Array<double>& column : borders)
              own.emplace_back(column.data(), column.data() + column.size());
            new (encoder) BlockEncoder(std::move(own));
          },
          "borders"_a)
      .def("encode", &encode, "columns"_a, "n_categories"_a, "target"_a.noconvert(), "n_classes"_a,
           "weights"_a.noconvert().none(), "first_row"_a);
  m.def("merge_facts", &merge_facts, "facts"_a);
  m.def("describe_facts", &describe_facts, "facts"_a);
  m.def("describe_request", &describe_request, "request"_a);
  m.def(
      "check_block", [](const nb::object& block) { check_block(Buffer(block).span()); }, "block"_a);
  m.def("route_block", &route, "block"_a, "state"_a, "request"_a);
  m.def("answer_blocks", &answer_blocks, "blocks"_a, "states"_a, "request"_a);
  m.def("merge_replies", &merge_replies, "replies"_a);
  m.def("rows_request", &rows_request, "columns"_a);
  m.def("rows_of_reply", &rows_of_reply, "reply"_a);
  nb::class_<Pass>(m, "Pass")
      .def(nb::init<const nb::object&>(), "request"_a)
      .def("add", &Pass::add, "block"_a, "state"_a)
      .def("reply", &Pass::reply);
  nb::class_<HeldGrower>(m, "LevelGrower")
      .def(nb::init<const nb::object&, const nb::dict&, const nb::dict&, const nb::object&>(),
           "facts"_a, "params"_a, "options"_a, "checkpoint"_a = nb::bytes("", 0))
      .def("next", &HeldGrower::next)
      .def("answer", &HeldGrower::answer, "reply"_a)
      .def("state", &HeldGrower::state)
      .def("progress", &HeldGrower::progress)
      .def("finish", &HeldGrower::finish);
}
