// routines.hpp: the fuzzed routines of the library, each with the function that draws a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "call.hpp"

namespace xbatch_test {

struct Fuzzed {
    std::string name;        // the routine, with its type's letter or x; or the content of a graph
    const Routine *routine;  // nullptr: a task graph, built by many calls
    void (*draw)(Call &);
    std::string (*build)(xbatchHandle_t, Dice &);
};
const std::vector<Fuzzed> &fuzzed_routines();

// The size query of a routine, or nullptr
const Routine *query_of(const Fuzzed &fuzzed);

}  // namespace xbatch_test
