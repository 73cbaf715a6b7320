// call.hpp: a random call: its numbers, its arrays and the places of their elements, possible errors in it, and the
// check of its results. Arguments have the names of support/fixtures/arguments.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/fixtures/routine.hpp"
#include "support/generators/random.hpp"
#include "support/residuals/layout.hpp"

namespace xbatch_test {

class Dice {
public:
    explicit Dice(uint64_t seed) : random_(seed) {}
    int64_t below(int64_t n) { return n > 0 ? int64_t(random_.bits() % uint64_t(n)) : 0; }
    int64_t between(int64_t least, int64_t most) { return least + below(most - least + 1); }
    bool one_in(int64_t n) { return below(n) == 0; }
    template <class E>
    E choose(int64_t last) {  // one of the enumerators 0 … last
        return static_cast<E>(below(last + 1));
    }
    template <class V>
    const V &of(const std::vector<V> &values) {
        return values[size_t(below(int64_t(values.size())))];
    }
    // Mostly small, often next to a power of two, sometimes up to `most`; rarely 0
    int64_t size(int64_t most) {
        if (one_in(40)) return 0;
        const int64_t kind = below(8);
        const int64_t n = kind < 5   ? between(1, 12)
                          : kind < 7 ? (int64_t(1) << below(10)) + below(3) - 1
                                     : int64_t(std::exp2(double(below(1000)) / 1000 * 14));
        return std::min(std::max<int64_t>(n, 1), most);
    }
    uint64_t seed() { return random_.bits() >> 24; }

private:
    Random random_;
};

// The system that an element belongs to; or all systems share it; or none: it must be neither read nor written.
constexpr int32_t of_all = -1, of_none = -2;

// The places of the elements of an array, in the order in which values are set and read.
struct Spread {
    int64_t extent = 0;  // elements to allocate
    std::vector<int64_t> places;
    std::vector<int32_t> owners;

    void add(int64_t place, int64_t owner) {
        places.push_back(place), owners.push_back(int32_t(owner));
        extent = std::max(extent, place + 1);
    }
    Spread &without(const std::function<bool(size_t)> &is_unused) {
        for (size_t k = 0; k < owners.size(); ++k)
            if (is_unused(k)) owners[k] = of_none;
        return *this;
    }
};

// Element k belongs to system k / each, or to all.
inline Spread side_by_side(int64_t count, int64_t each = 1) {
    Spread s;
    for (int64_t k = 0; k < count; ++k) s.add(k, each > 0 ? k / each : of_all);
    return s;
}
// Systems in sequence, their right-hand sides in sequence within; ld = 0: one system that all share. The last block is
// complete, but nothing follows the last element.
inline Spread in_layout(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld) {
    if (ld == 0) return side_by_side(n, 0);
    Spread s;
    for (int64_t j = 0; j < batch; ++j)
        for (int64_t r = 0; r < nrhs; ++r)
            for (int64_t i = 0; i < n; ++i) s.add(element(layout, n, nrhs, ld, i, j, r), j);
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) s.extent = extent(layout, n, nrhs, batch, ld);
    return s;
}

inline std::vector<int64_t> wrong_enumerators(int64_t last) { return {last + 1, 99, INT32_MAX, -1, INT32_MIN}; }

enum class Role { In, Out, InOut };

struct FuzzArray {
    std::string name;
    Role role;
    char letter;  // s, d, c, z; i for integers and bytes
    size_t element, align;
    Spread spread;
    std::vector<unsigned char> values = {};  // before the call
    bool may_be_null = false, is_null = false;
    bool is_opaque = false;  // bytes in a format of the library's own, aligned to 16
    std::function<bool(size_t)> is_unread = [](size_t) { return false; };  // written but not an input
    bool is_handle = false;   // its value differs between runs; NULL if the call is refused
    std::string target = {};  // for an array of pointers: the array that they point into, and at which elements
    std::vector<int64_t> begins = {};
};

// What makes the call invalid: a value of an argument, or of an element of an array
struct Wrong {
    std::string argument;
    int64_t value;
    xbatchStatus_t status = XBATCH_STATUS_INVALID_VALUE;
    bool is_blamed = true;  // the message must name this argument; else any
    int64_t element = -1;
};

// A number in an array that is invalid for one system alone, and the info that reports it
struct WrongNumber {
    std::string array;
    int64_t element, value, system, info;
};

// The values of all arrays after a call
class Outcome {
public:
    std::map<std::string, std::vector<unsigned char>> values;

    bool has(const std::string &name) const { return values.count(name) > 0; }
    template <class V>
    std::vector<V> get(const std::string &name) const {
        const std::vector<unsigned char> &bytes = values.at(name);
        std::vector<V> all(bytes.size() / sizeof(V));
        if (!all.empty()) std::memcpy(static_cast<void *>(all.data()), bytes.data(), bytes.size());
        return all;
    }
    // Whether all of info, if requested, is 0
    bool is_all_right() const {
        if (!has("info")) return true;
        const std::vector<int32_t> info = get<int32_t>("info");
        return std::all_of(info.begin(), info.end(), [](int32_t i) { return i == 0; });
    }
};

class Call {
public:
    Call(const Routine &described, xbatchHandle_t on, xbatchDataType_t of, uint64_t seed)
        : routine(described), handle(on), type(of), dice(seed) {
        set("type", type, wrong_enumerators(XBATCH_C_64F));
    }

    // A number, and invalid values of it
    void set(const std::string &name, int64_t value, const std::vector<int64_t> &wrong = {}) {
        numbers[name] = value;
        for (int64_t other : wrong) wrongs.push_back({name, other});
    }
    void choice(const std::string &name, int64_t value, int64_t last) { set(name, value, wrong_enumerators(last)); }
    void size(const std::string &name, int64_t value) { set(name, value, {-1, INT64_MIN}); }
    // A number with an upper bound
    void size_up_to(const std::string &name, int64_t value, int64_t most) {
        set(name, value, {-1, INT64_MIN, most + 1, INT64_MAX});
    }
    void ld(const std::string &name, int64_t value, int64_t least, bool zero_shares = false) {
        set(name, value, {-1, INT64_MIN});
        if (is_empty) return;  // the workspace may then be smaller
        if (least > 1) wrongs.push_back({name, least - 1});
        if (least > 0 && !zero_shares) wrongs.push_back({name, 0});
    }
    template <class V>
    FuzzArray &in(const std::string &name, const std::vector<V> &values, Spread spread) {
        return add(name, Role::In, values, std::move(spread));
    }
    template <class V>
    FuzzArray &inout(const std::string &name, const std::vector<V> &values, Spread spread) {
        return add(name, Role::InOut, values, std::move(spread));
    }
    template <class V>
    FuzzArray &out(const std::string &name, Spread spread) {
        return add(name, Role::Out, std::vector<V>(), std::move(spread));
    }
    template <class V>
    void out_or_null(const std::string &name, int64_t count) {
        FuzzArray &array = out<V>(name, side_by_side(count));
        array.may_be_null = true, array.is_null = dice.one_in(5);
    }
    // For `count` systems; the info of a bad one is at most `most`, the number of its unknowns or columns.
    void info(int64_t count, int64_t most, bool is_of_solver = true) {
        out_or_null<int32_t>("info", count);
        most_info = most, is_solver = is_of_solver;
    }
    void pointers(const std::string &name, const std::string &target, const std::vector<int64_t> &begins) {
        FuzzArray &array = in(name, begins, side_by_side(int64_t(begins.size()), 0));
        array.target = target, array.begins = begins;
    }
    // Bytes in a format of the library's own
    void opaque(const std::string &name, Role role, const std::vector<unsigned char> &bytes) {
        FuzzArray &array = add(name, role, bytes, side_by_side(int64_t(bytes.size()), 0));
        array.align = 16, array.is_opaque = true;
    }

    const Routine &routine;
    const xbatchHandle_t handle;
    const xbatchDataType_t type;
    Dice dice;
    std::map<std::string, int64_t> numbers;
    std::vector<FuzzArray> arrays;
    std::map<std::string, std::string> aliases;  // arguments that use the array of another one
    std::vector<Wrong> wrongs;
    std::vector<WrongNumber> wrong_numbers;
    bool is_empty = false;  // empty problem: pointers may be NULL
    int64_t most_info = 0;  // 0: info does not report non-finite numbers
    bool is_solver = true;
    // Describes an error in the results; "" if there is none
    std::function<std::string(const Outcome &)> check = [](const Outcome &) { return std::string(); };
    std::function<void(const Outcome &)> release = [](const Outcome &) {};

private:
    template <class V>
    FuzzArray &add(const std::string &name, Role role, const std::vector<V> &values, Spread spread) {
        FuzzArray array{name, role, 'i', sizeof(V), alignof(V), std::move(spread)};
        if constexpr (std::is_same_v<V, float>) array.letter = 's';
        if constexpr (std::is_same_v<V, double>) array.letter = 'd';
        if constexpr (std::is_same_v<V, std::complex<float>>) array.letter = 'c';
        if constexpr (std::is_same_v<V, std::complex<double>>) array.letter = 'z';
        array.values.resize(values.size() * sizeof(V));
        if (!values.empty()) std::memcpy(array.values.data(), values.data(), array.values.size());
        arrays.push_back(std::move(array));
        return arrays.back();
    }
};

// An error message unless `error` is within `bound`
inline std::string expect_within(const char *what, long double error, long double bound) {
    if (error <= bound) return "";
    return std::string(what) + " is " + std::to_string(double(error)) + ", more than " + std::to_string(double(bound));
}

// Calls f(T{}) for the call's type, to draw a random call
template <class F>
void draw_for_type(Call &call, F f) {
    with_type(call.type, f);
}

}  // namespace xbatch_test
