"""The fixed part of a model in C: tables are filled in, the code is fixed."""

from __future__ import annotations

from .writing import with_parts

_SOURCE = r"""/* A decision tree model, exported by plaintree. C99; allocates nothing.

   Fill a ${name}_row: numbers as double, NAN where missing; dates, times and durations as
   microseconds (timestamps since 1970-01-01 UTC); categories as codes, which ${name}_category
   returns for the column's number and the string in UTF-8 (numbers and booleans as Python writes
   them: 1, 2.5, True), -1 where missing. A category not seen in training is -2.

$summary

   Compile without -ffast-math, which removes NAN, and with -std=c99 or -ffp-contract=off, so
   sums are rounded as in the model. */

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ${upper}_N_COLUMNS $n_columns

typedef struct {
$fields
} ${name}_row;

int ${name}_category(int column, const char *text, size_t length);
$declarations

/* Categories: sorted by column, then by string. */
#define ${upper}_N_CATEGORIES $n_categories
static const int ${name}_category_column[] = {$category_column};
static const char *const ${name}_category_text[] = {$category_text};
static const int ${name}_category_length[] = {$category_length};
static const int ${name}_category_code[] = {$category_code};

/* Splits: kind (1 threshold, 2 a branch per category, 4 categories against others, 5 groups,
   6 is missing), column, threshold, the child of missing values (-1: all of them, by weight, -2:
   the row ends), the child of unseen categories, and the end of the slice of levels: codes, or the
   child of every code. */
static const signed char ${name}_test_kind[] = {$test_kind};
static const int ${name}_test_column[] = {$test_column};
static const double ${name}_test_threshold[] = {$test_threshold};
static const int ${name}_test_missing[] = {$test_missing};
static const int ${name}_test_unseen[] = {$test_unseen};
static const int ${name}_level_end[] = {$level_end};
static const int ${name}_levels[] = {$levels};
static const double ${name}_cuts[] = {$cuts};

/* Nodes: split (-1: leaf, -2: jump), first child or target of the jump, prediction. */
static const int ${name}_node_test[] = {$node_test};
static const int ${name}_node_next[] = {$node_next};
static const int ${name}_node_prediction[] = {$node_prediction};
/* Of nodes where rows are divided: weight, number of children. */
static const double ${name}_node_weight[] = {$node_weight};
static const int ${name}_node_children[] = {$node_children};

/* Predictions: $values. */
#define ${upper}_N_VALUES $n_values
static const double ${name}_prediction_values[] = {$prediction_values};

/* Trees: first node, vote. */
static const int ${name}_roots[] = {$roots};
static const double ${name}_votes[] = {$votes};

int ${name}_category(int column, const char *text, size_t length) {
    int low = 0, high = ${upper}_N_CATEGORIES;
    while (low < high) {
        int middle = low + (high - low) / 2, order = ${name}_category_column[middle] - column;
        size_t own = (size_t)${name}_category_length[middle];
        size_t both = own < length ? own : length;
        if (order == 0) order = memcmp(${name}_category_text[middle], text, both);
        if (order == 0) order = own < length ? -1 : own > length;
        if (order == 0) return ${name}_category_code[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return -2;
}

static double ${name}_interval(double value, int begin, int n_cuts) {
    int code = 0;
    if (value != value) return value;
    while (code < n_cuts && ${name}_cuts[begin + code] < value) ++code;
    return code;
}

/* The row as numbers; 0 where the model refuses it. */
static int ${name}_read(const ${name}_row *row, double *values) {
    (void)row;
    (void)values;
    (void)${name}_interval;
$reading
    return 1;
}

static int ${name}_branch(int test, double value) {
    int missing = ${name}_test_missing[test];
    int begin = test ? ${name}_level_end[test - 1] : 0, end = ${name}_level_end[test];
    int kind = ${name}_test_kind[test], code, child;
    if (kind == 6) return value != value ? 0 : 1;
    if (value != value) return missing;
    if (kind == 1) return value > ${name}_test_threshold[test];
    if (value < 0) return ${name}_test_unseen[test];
    code = (int)value;
    if (kind == 2) return code;
    if (kind == 5) {
        child = ${name}_levels[begin + code];
        return child < 0 ? missing : child;
    }
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (${name}_levels[middle] == code) return 0;
        if (${name}_levels[middle] < code) begin = middle + 1;
        else end = middle;
    }
    return 1;
}

/* The node where the row ends, or ~node if the row is divided there. */
static int ${name}_walk(int node, const double *values) {
    for (;;) {
        int test = ${name}_node_test[node], branch = 0;
        if (test == -1) return node;
        if (test >= 0) branch = ${name}_branch(test, values[${name}_test_column[test]]);
        if (branch == -2) return node;
        if (branch < 0) return ~node;
        node = ${name}_node_next[node] + branch;
    }
}

/* Adds the predictions of all nodes where a part of the row ends. */
static void ${name}_collect(int root, const double *values, double vote, double *totals) {
    int nodes[$pending], n_pending = 1, i;
    double parts[$pending];
    nodes[0] = root;
    parts[0] = vote;
    while (n_pending > 0) {
        double part = parts[--n_pending], total = 0;
        int node = ${name}_walk(nodes[n_pending], values);
        const double *added;
        if (node < 0) {
            int first, n;
            node = ~node;
            first = ${name}_node_next[node];
            n = ${name}_node_children[node];
            for (i = 0; i < n; ++i) total += ${name}_node_weight[first + i];
            if (total > 0) {
                for (i = n; i-- > 0;) {
                    if (${name}_node_weight[first + i] <= 0) continue;
                    nodes[n_pending] = first + i;
                    parts[n_pending++] = part * ${name}_node_weight[first + i] / total;
                }
                continue;
            }
        }
        added = ${name}_prediction_values
            + (size_t)${name}_node_prediction[node] * ${upper}_N_VALUES;
        for (i = 0; i < ${upper}_N_VALUES; ++i) totals[i] += part * added[i];
    }
}

$predictors"""

OF_CLASSES = with_parts(
    _SOURCE,
    {
        "summary": """\
   ${name}_predict returns the number of the class, an index of ${name}_classes, or -1 if the model
   refuses the row. ${name}_predict_proba also fills in the probability of every class.""",
        "declarations": """\
int ${name}_predict(const ${name}_row *row);

#define ${upper}_N_CLASSES $n_values
extern const char *const ${name}_classes[${upper}_N_CLASSES];
extern const int ${name}_class_lengths[${upper}_N_CLASSES]; /* in bytes */
int ${name}_predict_proba(const ${name}_row *row, double proba[${upper}_N_CLASSES]);

const char *const ${name}_classes[${upper}_N_CLASSES] = {$class_names};
const int ${name}_class_lengths[${upper}_N_CLASSES] = {$class_lengths};""",
        "values": "the probability of each class",
        "predictors": """\
static const int ${name}_prediction_class[] = {$prediction_class};
/* By actual class, the cost of predicting each class; if none, errors cost the same. */
static const double ${name}_costs[] = {$costs};

static int ${name}_greatest(const double *proba) {
    int best = 0, i;
    for (i = 1; i < ${upper}_N_CLASSES; ++i)
        if (proba[i] > proba[best]) best = i;
    return best;
}

/* The class of a divided row: the most probable one, or that of the least expected cost. */
static int ${name}_decided(const double *proba) {
    double expected[${upper}_N_CLASSES], least = HUGE_VAL;
    int actual, i, first = 0;
    if (!$has_costs) return ${name}_greatest(proba);
    for (i = 0; i < ${upper}_N_CLASSES; ++i) {
        expected[i] = 0;
        for (actual = 0; actual < ${upper}_N_CLASSES; ++actual)
            expected[i] += proba[actual] * ${name}_costs[actual * ${upper}_N_CLASSES + i];
        if (expected[i] < least) least = expected[i];
    }
    while (expected[first] > least + $same_cost) ++first;
    return first;
}
/* The class that a tree predicts, and the probabilities. */
static int ${name}_predict_tree(int root, const double *values, double *proba) {
    int node = ${name}_walk(root, values), prediction, i;
    if (node < 0) {
        for (i = 0; i < ${upper}_N_CLASSES; ++i) proba[i] = 0;
        ${name}_collect(root, values, 1.0, proba);
        return ${name}_decided(proba);
    }
    prediction = ${name}_node_prediction[node];
    for (i = 0; i < ${upper}_N_CLASSES; ++i)
        proba[i] = ${name}_prediction_values[(size_t)prediction * ${upper}_N_CLASSES + (size_t)i];
    return ${name}_prediction_class[prediction];
}

int ${name}_predict_proba(const ${name}_row *row, double proba[${upper}_N_CLASSES]) {
    double values[${upper}_N_COLUMNS], own[${upper}_N_CLASSES];
    int i, tree;
    if (!${name}_read(row, values)) return -1;
    if ($alone) return ${name}_predict_tree(${name}_roots[0], values, proba);
    for (i = 0; i < ${upper}_N_CLASSES; ++i) proba[i] = 0;
    for (tree = 0; tree < $n_roots; ++tree) {
        if ($by_class)
            proba[${name}_predict_tree(${name}_roots[tree], values, own)] += ${name}_votes[tree];
        else ${name}_collect(${name}_roots[tree], values, ${name}_votes[tree], proba);
    }
    for (i = 0; i < ${upper}_N_CLASSES; ++i) proba[i] /= $total;
    return ${name}_greatest(proba);
}

int ${name}_predict(const ${name}_row *row) {
    double proba[${upper}_N_CLASSES];
    return ${name}_predict_proba(row, proba);
}
""",
    },
)
OF_NUMBERS = with_parts(
    _SOURCE,
    {
        "summary": """\
   ${name}_predict returns the predicted number of a row, or NAN if the model refuses it.""",
        "declarations": "double ${name}_predict(const ${name}_row *row);",
        "values": "the number",
        "predictors": """\
double ${name}_predict(const ${name}_row *row) {
    double values[${upper}_N_COLUMNS], total = 0;
    int tree;
    if (!${name}_read(row, values)) return NAN;
    for (tree = 0; tree < $n_roots; ++tree)
        ${name}_collect(${name}_roots[tree], values, ${name}_votes[tree], &total);
    return total / $total;
}
""",
    },
)
"""The source of a model with classes, and of one whose target is numeric."""
