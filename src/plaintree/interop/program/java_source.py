"""The fixed part of a model in Java: tables are filled in, the code is fixed."""

from __future__ import annotations

from .writing import with_parts

_SOURCE = r"""// A decision tree model, exported by plaintree. Java 8 or later.

import java.util.HashMap;
import java.util.Map;

/**
$summary
 * A row is a Map by column names; null and NaN are missing.
 */
public final class $name {
    private static String[] testKind() { return new String[] {$test_kind}; }
    private static String[] testColumn() { return new String[] {$test_column}; }
    private static String[] testMissing() { return new String[] {$test_missing}; }
    private static String[] testUnseen() { return new String[] {$test_unseen}; }
    private static String[] levelEnd() { return new String[] {$level_end}; }
    private static String[] levels() { return new String[] {$levels}; }
    private static String[] threshold() { return new String[] {$threshold}; }
    private static String[] nodeTest() { return new String[] {$node_test}; }
    private static String[] nodeNext() { return new String[] {$node_next}; }
    private static String[] nodePrediction() { return new String[] {$node_prediction}; }
    private static String[] nodeChildren() { return new String[] {$node_children}; }
    private static String[] nodeWeight() { return new String[] {$node_weight}; }
    private static String[] predictionValues() { return new String[] {$prediction_values}; }
    private static String[] roots() { return new String[] {$roots}; }
    private static String[] votes() { return new String[] {$votes}; }
    private static String[] input() { return new String[] {$input}; }
    private static String[] ordered() { return new String[] {$ordered}; }
    private static String[] booleanCode() { return new String[] {$boolean_code}; }
    private static String[] textEnd() { return new String[] {$text_end}; }
    private static String[] textCode() { return new String[] {$text_code}; }
    private static String[] numberEnd() { return new String[] {$number_end}; }
    private static String[] numberCode() { return new String[] {$number_code}; }
    private static String[] number() { return new String[] {$number}; }
    private static String[] cutEnd() { return new String[] {$cut_end}; }
    private static String[] cuts() { return new String[] {$cuts}; }
    private static String[] namesLength() { return new String[] {$names_length}; }
    private static String[] namesText() { return new String[] {$names}; }
    private static String[] stringsLength() { return new String[] {$strings_length}; }
    private static String[] stringsText() { return new String[] {$strings}; }

    // Splits: kind (1 threshold, 2 a branch per category, 4 categories against others, 5 groups,
    // 6 is missing), column, child of missing values (-1: all of them, by weight, -2: the row
    // ends), child of unseen categories, and the end of the slice of levels: codes, or the child of
    // every code.
    private static final int[] TEST_KIND = ints(testKind());
    private static final int[] TEST_COLUMN = ints(testColumn());
    private static final int[] TEST_MISSING = ints(testMissing());
    private static final int[] TEST_UNSEEN = ints(testUnseen());
    private static final int[] LEVEL_END = ints(levelEnd());
    private static final int[] LEVELS = ints(levels());
    private static final double[] THRESHOLD = doubles(threshold());
    // Nodes: split (-1: leaf, -2: jump), first child or target of the jump, prediction: $values.
    private static final int[] NODE_TEST = ints(nodeTest());
    private static final int[] NODE_NEXT = ints(nodeNext());
    private static final int[] NODE_PREDICTION = ints(nodePrediction());
    private static final int[] NODE_CHILDREN = ints(nodeChildren());
    private static final double[] NODE_WEIGHT = doubles(nodeWeight());
    private static final double[] PREDICTION_VALUES = doubles(predictionValues());
    private static final int[] ROOTS = ints(roots());
    private static final double[] VOTES = doubles(votes());
    // Columns: 0 number, 1 category, 2 interval; codes by boolean, string, number; cut points.
    private static final int[] INPUT = ints(input());
    private static final int[] ORDERED = ints(ordered());
    private static final int[] BOOLEAN_CODE = ints(booleanCode());
    private static final int[] CUT_END = ints(cutEnd());
    private static final double[] CUTS = doubles(cuts());
    private static final String[] NAMES = strings(namesText(), namesLength());
    private static final Map<Object, Integer>[] CODES = codes();
    private static final int N = $n_values; // values of a prediction
    private static final double TOTAL = $total;
    private static final boolean REFUSES_MISSING = $refuses_missing;
    private static final boolean REFUSES_UNSEEN = $refuses_unseen;

    private $name() {}

$predictors

    private static double[] readRow(Map<String, ?> row) {
        double[] values = new double[NAMES.length];
        for (int column = 0; column < values.length; ++column) values[column] = read(column, row);
        return values;
    }

    private static int branch(int test, double value) {
        int missing = TEST_MISSING[test], kind = TEST_KIND[test];
        int begin = test > 0 ? LEVEL_END[test - 1] : 0, end = LEVEL_END[test];
        if (kind == 6) return Double.isNaN(value) ? 0 : 1;
        if (Double.isNaN(value)) return missing;
        if (kind == 1) return value > THRESHOLD[test] ? 1 : 0;
        if (value < 0) return TEST_UNSEEN[test];
        int code = (int) value;
        if (kind == 2) return code;
        if (kind == 4) return java.util.Arrays.binarySearch(LEVELS, begin, end, code) >= 0 ? 0 : 1;
        return LEVELS[begin + code] < 0 ? missing : LEVELS[begin + code];
    }

    // The node where the row ends, or ~node if the row is divided there.
    private static int walk(int node, double[] values) {
        for (;;) {
            int test = NODE_TEST[node], branch = 0;
            if (test == -1) return node;
            if (test >= 0) branch = branch(test, values[TEST_COLUMN[test]]);
            if (branch == -2) return node;
            if (branch < 0) return ~node;
            node = NODE_NEXT[node] + branch;
        }
    }

    // Adds the predictions of all nodes where a part of the row ends.
    private static void collect(int root, double[] values, double vote, double[] totals) {
        int[] nodes = new int[16];
        double[] parts = new double[16];
        int pending = 1;
        nodes[0] = root;
        parts[0] = vote;
        while (pending > 0) {
            double part = parts[--pending];
            int node = walk(nodes[pending], values);
            if (node < 0) {
                node = ~node;
                int first = NODE_NEXT[node], n = NODE_CHILDREN[node];
                double sum = 0;
                for (int i = 0; i < n; ++i) sum += NODE_WEIGHT[first + i];
                if (pending + n > nodes.length) {
                    nodes = java.util.Arrays.copyOf(nodes, 2 * (pending + n));
                    parts = java.util.Arrays.copyOf(parts, 2 * (pending + n));
                }
                if (sum > 0) {
                    for (int i = n - 1; i >= 0; --i) {
                        if (NODE_WEIGHT[first + i] <= 0) continue;
                        nodes[pending] = first + i;
                        parts[pending++] = part * NODE_WEIGHT[first + i] / sum;
                    }
                    continue;
                }
            }
            int first = NODE_PREDICTION[node] * N;
            for (int i = 0; i < N; ++i) totals[i] += part * PREDICTION_VALUES[first + i];
        }
    }

    // A value as a number, NaN if it is missing, -2 if it is an unseen category.
    private static double read(int column, Map<String, ?> row) {
        Object value = row.get(NAMES[column]);
        if (value == null && !row.containsKey(NAMES[column]))
            throw new IllegalArgumentException("the row lacks a column: " + NAMES[column]);
        boolean isNumber = value instanceof Number;
        if (value == null || isNumber && Double.isNaN(((Number) value).doubleValue())) {
            if (REFUSES_MISSING)
                throw new IllegalArgumentException("a value is missing: " + NAMES[column]);
            return Double.NaN;
        }
        if (INPUT[column] == 1) {
            int code = category(column, value);
            if (code < 0 && REFUSES_UNSEEN && ORDERED[column] < 2)
                throw new IllegalArgumentException("an unseen category: " + NAMES[column]);
            return code < 0 && ORDERED[column] == 1 ? Double.NaN : code;
        }
        double number = number(column, value);
        if (INPUT[column] == 0) return number;
        int begin = column > 0 ? CUT_END[column - 1] : 0, code = 0;
        while (begin + code < CUT_END[column] && CUTS[begin + code] < number) ++code;
        return code;
    }

    private static int category(int column, Object value) {
        if (value instanceof Boolean) return BOOLEAN_CODE[2 * column + ((Boolean) value ? 1 : 0)];
        Object key = value instanceof Number ? key((Number) value) : value.toString();
        Integer code = CODES[column].get(key);
        return code == null ? -2 : code;
    }

    // A number as a double, or the integer itself where that would round it.
    private static Object key(Number value) {
        double rounded = value.doubleValue() + 0.0;
        boolean isInteger = value instanceof Long || value instanceof java.math.BigInteger;
        if (!isInteger || Math.abs(rounded) < 9007199254740992.0) return rounded;
        java.math.BigInteger exact = new java.math.BigInteger(value.toString());
        if (Double.isInfinite(rounded)) return exact;
        if (new java.math.BigDecimal(rounded).toBigInteger().equals(exact)) return rounded;
        return exact;
    }

    private static double number(int column, Object value) {
        if (value instanceof Number) return ((Number) value).doubleValue();
        if (value instanceof Boolean) return (Boolean) value ? 1 : 0;
        if (value instanceof java.time.LocalDate)
            return ((java.time.LocalDate) value).toEpochDay() * 86400e6;
        if (value instanceof java.time.LocalDateTime)
            value = ((java.time.LocalDateTime) value).toInstant(java.time.ZoneOffset.UTC);
        if (value instanceof java.time.Instant) {
            java.time.Instant instant = (java.time.Instant) value;
            return instant.getEpochSecond() * 1000000L + instant.getNano() / 1000;
        }
        if (value instanceof java.time.LocalTime)
            return ((java.time.LocalTime) value).toNanoOfDay() / 1000;
        if (value instanceof java.time.Duration) {
            java.time.Duration span = (java.time.Duration) value;
            return span.getSeconds() * 1000000L + span.getNano() / 1000;
        }
        throw new IllegalStateException("not a number: " + NAMES[column]);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Map<Object, Integer>[] codes() {
        int[] textEnd = ints(textEnd()), textCode = ints(textCode());
        int[] numberEnd = ints(numberEnd()), numberCode = ints(numberCode());
        String[] strings = strings(stringsText(), stringsLength());
        java.util.StringTokenizer numbers = new java.util.StringTokenizer(joined(number()));
        Map[] codes = new Map[textEnd.length];
        for (int column = 0, text = 0, number = 0; column < codes.length; ++column) {
            codes[column] = new HashMap<Object, Integer>();
            for (; text < textEnd[column]; ++text) codes[column].put(strings[text], textCode[text]);
            for (; number < numberEnd[column]; ++number)
                codes[column].put(parsed(numbers.nextToken()), numberCode[number]);
        }
        return codes;
    }

    private static Object parsed(String number) {
        if (number.matches("-?[0-9]+")) return new java.math.BigInteger(number);
        return Double.parseDouble(number) + 0.0;
    }

    private static String joined(String[] pieces) {
        StringBuilder text = new StringBuilder();
        for (String piece : pieces) text.append(piece);
        return text.toString();
    }

    private static int[] ints(String[] pieces) {
        java.util.StringTokenizer words = new java.util.StringTokenizer(joined(pieces));
        int[] numbers = new int[words.countTokens()];
        for (int i = 0; i < numbers.length; ++i) numbers[i] = Integer.parseInt(words.nextToken());
        return numbers;
    }

    private static double[] doubles(String[] pieces) {
        java.util.StringTokenizer words = new java.util.StringTokenizer(joined(pieces));
        double[] numbers = new double[words.countTokens()];
        for (int i = 0; i < numbers.length; ++i) numbers[i] = Double.parseDouble(words.nextToken());
        return numbers;
    }

    private static String[] strings(String[] pieces, String[] lengths) {
        String text = joined(pieces);
        int[] length = ints(lengths);
        String[] strings = new String[length.length];
        for (int i = 0, begin = 0; i < strings.length; begin += length[i++])
            strings[i] = text.substring(begin, begin + length[i]);
        return strings;
    }
}
"""

OF_CLASSES = with_parts(
    _SOURCE,
    {
        "summary": """\
 * predict(row) returns the label of a row as a string, predictProba(row) the class probabilities in
 * the order of classes().""",
        "values": "class, probabilities",
        "predictors": """\
    private static String[] predictionClass() { return new String[] {$prediction_class}; }
    private static String[] costs() { return new String[] {$costs}; }
    private static String[] classesLength() { return new String[] {$classes_length}; }
    private static String[] classesText() { return new String[] {$classes}; }

    private static final int[] PREDICTION_CLASS = ints(predictionClass());
    // By actual class, the cost of predicting each class; if none, errors cost the same.
    private static final double[] COSTS = doubles(costs());
    private static final String[] CLASSES = strings(classesText(), classesLength());
    private static final int VOTING = $voting; // 0 a single tree, 1 by class, 2 by probabilities

    /** The labels of the classes. */
    public static String[] classes() { return CLASSES.clone(); }

    /** The label of a row. */
    public static String predict(Map<String, ?> row) {
        return CLASSES[predicted(row, new double[N])];
    }

    /** The probability of every class. */
    public static double[] predictProba(Map<String, ?> row) {
        double[] proba = new double[N];
        predicted(row, proba);
        return proba;
    }

    private static int predicted(Map<String, ?> row, double[] proba) {
        double[] values = readRow(row);
        if (VOTING == 0) return predictTree(ROOTS[0], values, proba);
        for (int tree = 0; tree < ROOTS.length; ++tree) {
            if (VOTING == 1) proba[predictTree(ROOTS[tree], values, new double[N])] += VOTES[tree];
            else collect(ROOTS[tree], values, VOTES[tree], proba);
        }
        for (int i = 0; i < N; ++i) proba[i] /= TOTAL;
        return greatest(proba);
    }

    // The class that a tree predicts, and the probabilities.
    private static int predictTree(int root, double[] values, double[] proba) {
        int end = walk(root, values);
        if (end >= 0) {
            System.arraycopy(PREDICTION_VALUES, NODE_PREDICTION[end] * N, proba, 0, N);
            return PREDICTION_CLASS[NODE_PREDICTION[end]];
        }
        collect(root, values, 1.0, proba);
        return decided(proba);
    }

    // The class of a divided row: the most probable one, or that of the least expected cost.
    private static int decided(double[] proba) {
        if (COSTS.length == 0) return greatest(proba);
        double[] expected = new double[N];
        for (int actual = 0; actual < N; ++actual)
            for (int i = 0; i < N; ++i) expected[i] += proba[actual] * COSTS[actual * N + i];
        double least = expected[0];
        for (double cost : expected) least = Math.min(least, cost);
        int first = 0;
        while (expected[first] > least + $same_cost) ++first;
        return first;
    }

    private static int greatest(double[] proba) {
        int best = 0;
        for (int i = 1; i < N; ++i) if (proba[i] > proba[best]) best = i;
        return best;
    }""",
    },
)
OF_NUMBERS = with_parts(
    _SOURCE,
    {
        "summary": " * predict(row) returns the number that is predicted for a row.",
        "values": "the number",
        "predictors": """\
    /** The predicted number of a row. */
    public static double predict(Map<String, ?> row) {
        double[] values = readRow(row), totals = new double[N];
        for (int tree = 0; tree < ROOTS.length; ++tree)
            collect(ROOTS[tree], values, VOTES[tree], totals);
        return totals[0] / TOTAL;
    }""",
    },
)
"""The source of a model with classes, and of one whose target is numeric."""
