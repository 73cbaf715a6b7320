// routine.hpp: an exported routine described by the names of its arguments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "scalar.hpp"

namespace xbatch_test {

using Values = std::vector<int64_t>;  // a call's arguments after the handle: numbers, enumerators, addresses

struct Routine {
    std::string name;
    std::vector<std::string> arguments;
    std::function<xbatchStatus_t(xbatchHandle_t, const Values &)> call;

    bool has(const std::string &argument) const { return position(argument) <= arguments.size(); }
    bool is_dense() const { return has("config"); }  // tiled QR, which knows no layouts
    bool is_matrix_batch() const { return has("m") && !is_dense(); }
    bool is_of_sizes() const { return has("mMax"); }      // matrices of several sizes
    size_t position(const std::string &argument) const {  // from 1
        return size_t(std::find(arguments.begin(), arguments.end(), argument) - arguments.begin()) + 1;
    }
};

template <class A>
A as_argument(int64_t value) {
    if constexpr (std::is_pointer_v<A>)
        return reinterpret_cast<A>(value);
    else
        return static_cast<A>(value);
}

template <class... A, size_t... I>
xbatchStatus_t call_with(xbatchStatus_t (*function)(xbatchHandle_t, A...), xbatchHandle_t handle, const Values &values,
                         std::index_sequence<I...>) {
    return function(handle, as_argument<A>(values[I])...);
}

template <class... A>
Routine describe(const std::string &name, const std::vector<std::string> &arguments,
                 xbatchStatus_t (*function)(xbatchHandle_t, A...)) {
    EXPECT_EQ(sizeof...(A), arguments.size()) << name;
    return {name, arguments, [function](xbatchHandle_t handle, const Values &values) {
                return call_with(function, handle, values, std::index_sequence_for<A...>());
            }};
}

template <class X, class S, class D, class C, class Z>
void add_family(std::vector<Routine> &table, const std::string &stem, std::vector<std::string> arguments, X x, S s, D d,
                C c, Z z) {
    table.push_back(describe("s" + stem, arguments, s));
    table.push_back(describe("d" + stem, arguments, d));
    table.push_back(describe("c" + stem, arguments, c));
    table.push_back(describe("z" + stem, arguments, z));
    arguments.insert(arguments.begin(), "type");
    table.push_back(describe("x" + stem, arguments, x));
}

// One that has LAPACK's other name where types are real
template <class X, class S, class D, class C, class Z>
void add_lapack_family(std::vector<Routine> &table, const std::string &stem, std::vector<std::string> arguments, X x,
                       S s, D d, C c, Z z) {
    const size_t first = table.size();
    add_family(table, stem, arguments, x, s, d, c, z);
    for (size_t k = first; k < first + 2; ++k) table[k].name.replace(1, 2, "or");
}

#define XBATCH_FAMILY(stem) #stem, arguments, x##stem, s##stem, d##stem, c##stem, z##stem

}  // namespace xbatch_test
