// routines.hpp: what is drawn of: the routines of the library, each with the draw of its family.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "call.hpp"

namespace xbatch_test {

struct Fuzzed {
    std::string name;        // the routine, with its type's letter or x; or what a graph is made of
    const Routine *routine;  // nullptr: a graph of tasks, built by many calls
    void (*draw)(Call &);
    std::string (*build)(xbatchHandle_t, Dice &);
};
const std::vector<Fuzzed> &fuzzed_routines();

// The size query of a routine, or nullptr
const Routine *query_of(const Fuzzed &fuzzed);

}  // namespace xbatch_test
