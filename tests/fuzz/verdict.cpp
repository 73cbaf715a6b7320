// verdict.cpp: a valid call is correct, changes nothing else, gives the same bits on any number of threads, and a
// non-finite system affects no other; a call with one invalid argument is refused with a message, and writes nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

#include <limits>

#include "stage.hpp"

namespace xbatch_test {
namespace {

// types.h promises equal bits for equal numbers of threads; except for recurrences they are equal for any number.
bool may_follow_threads(const Call &call) { return call.routine.has("incs"); }

template <class R>
bool all_finite(const unsigned char *bytes) {
    R value;
    std::memcpy(&value, bytes, sizeof value);
    return std::isfinite(value);
}
bool is_finite(const FuzzArray &array, const unsigned char *bytes) {
    switch (array.letter) {
        case 's': return all_finite<float>(bytes);
        case 'd': return all_finite<double>(bytes);
        case 'c': return all_finite<float>(bytes) && all_finite<float>(bytes + 4);
        case 'z': return all_finite<double>(bytes) && all_finite<double>(bytes + 8);
        default: return true;
    }
}

// The bytes of NaN, an infinity or 0 instead of an element, or of a part of it
struct Poison {
    Patch patch;
    int64_t system;
    bool is_zero;
};
template <class R>
std::vector<unsigned char> bytes_of(R value) {
    std::vector<unsigned char> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}
bool draw_poison(Call &call, Poison &poison) {
    std::vector<const FuzzArray *> candidates;
    const auto is_own = [](int32_t owner) { return owner >= 0; };
    for (const FuzzArray &a : call.arrays)
        if (a.role != Role::Out && a.letter != 'i' &&
            std::any_of(a.spread.owners.begin(), a.spread.owners.end(), is_own))
            candidates.push_back(&a);
    if (candidates.empty()) return false;
    const FuzzArray &array = *call.dice.of(candidates);
    size_t k = 0;
    do k = size_t(call.dice.below(int64_t(array.spread.owners.size())));
    while (!is_own(array.spread.owners[k]));
    if (array.is_unread(k)) return false;
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> values = {std::nan(""), inf, -inf, 0};
    const double value = call.dice.of(values);
    const bool is_single = array.letter == 's' || array.letter == 'c';
    std::vector<unsigned char> bytes = is_single ? bytes_of(float(value)) : bytes_of(value);
    if (value == 0) bytes.resize(array.element, 0);
    poison = {{array.name, k, bytes}, array.spread.owners[k], value == 0};
    return true;
}

// Compares two outcomes bit by bit, except what belongs to one system
std::string compare(const Call &call, const Outcome &a, const Outcome &b, int64_t but_system = of_none) {
    for (const FuzzArray &array : call.arrays) {
        if (array.role == Role::In || array.is_handle || !a.has(array.name)) continue;
        const std::vector<unsigned char> &x = a.values.at(array.name), &y = b.values.at(array.name);
        for (size_t k = 0; k < array.spread.owners.size(); ++k) {
            const int32_t owner = array.spread.owners[k];
            if (but_system != of_none && (owner == but_system || owner == of_all)) continue;
            if (std::memcmp(&x[k * array.element], &y[k * array.element], array.element) != 0)
                return array.name + " differs, value " + std::to_string(k) + " of system " + std::to_string(owner);
        }
    }
    return "";
}

std::string judge_poisoned(const Call &call, const Outcome &outcome, const Poison &poison) {
    if (poison.is_zero || call.most_info == 0 || !outcome.has("info")) return "";
    const int64_t info = outcome.get<int32_t>("info")[size_t(poison.system)];
    const std::string said = "info " + std::to_string(info) + " of system " + std::to_string(poison.system);
    if (info < 0 || info > call.most_info + call.is_solver) return said + ", which was spoilt, is out of range";
    if (info > 0) return "";
    bool has_results = false;
    for (const FuzzArray &array : call.arrays) {
        if (array.role == Role::In || array.letter == 'i' || !outcome.has(array.name)) continue;
        for (size_t k = 0; k < array.spread.owners.size(); ++k) {
            if (array.spread.owners[k] != poison.system) continue;
            has_results = true;
            if (!is_finite(array, &outcome.values.at(array.name)[k * array.element]))
                return call.is_solver ? said + ", whose solution is not finite" : "";
        }
    }
    return has_results ? said + ", which was spoilt, and its results are finite" : "";
}

std::string run_poisoned(Call &call, Stage &stage, const Outcome &good, Tally &tally) {
    Poison poison;
    if (call.is_empty || !draw_poison(call, poison)) return "";
    ++tally.poisoned;
    const int threads = call.dice.one_in(3) && !may_follow_threads(call) ? int(call.dice.between(2, 17)) : 1;
    const std::string what = " (" + poison.patch.array + ", value " + std::to_string(poison.patch.element) + ")";
    std::string complaint = stage.run(threads, nullptr, {poison.patch});
    if (complaint.empty() && stage.status() != XBATCH_STATUS_SUCCESS) complaint = "the status is not SUCCESS";
    if (complaint.empty()) complaint = compare(call, good, stage.outcome(), poison.system);
    if (complaint.empty()) complaint = judge_poisoned(call, stage.outcome(), poison);
    return complaint.empty() ? "" : "with a system spoilt" + what + ": " + complaint;
}

// The outcome with one system's part from another one, and info 0 for it
Outcome with_part_of(const Call &call, Outcome outcome, const Outcome &other, int64_t system) {
    for (const FuzzArray &array : call.arrays)
        for (size_t k = 0; outcome.has(array.name) && k < array.spread.owners.size(); ++k)
            if (array.spread.owners[k] == system)
                std::memcpy(&outcome.values[array.name][k * array.element],
                            &other.values.at(array.name)[k * array.element], array.element);
    return outcome;
}

// An invalid number of one system in an array is reported in its info, and nothing of that system is accessed. The
// others are solved as without it, but perhaps in another grouping, so their bits may differ.
std::string run_wrong_number(Call &call, Stage &stage, const Outcome &good, Tally &tally) {
    if (call.is_empty || call.wrong_numbers.empty()) return "";
    ++tally.poisoned;
    const WrongNumber wrong = call.dice.of(call.wrong_numbers);
    const Patch patch{wrong.array, size_t(wrong.element), bytes_of(wrong.value)};
    std::string complaint = stage.run(1, nullptr, {patch});
    const Outcome &outcome = stage.outcome();
    if (complaint.empty()) complaint = call.check(with_part_of(call, outcome, good, wrong.system));
    if (complaint.empty() && outcome.has("info") && outcome.get<int32_t>("info")[size_t(wrong.system)] != wrong.info)
        complaint = "info is not " + std::to_string(wrong.info);
    for (const FuzzArray &array : call.arrays)
        for (size_t k = 0; complaint.empty() && k < array.spread.owners.size() && outcome.has(array.name); ++k)
            if (array.role == Role::InOut && array.spread.owners[k] == wrong.system &&
                std::memcmp(&array.values[k * array.element], &outcome.values.at(array.name)[k * array.element],
                            array.element) != 0)
                complaint = array.name + " was written";
    return complaint.empty() ? "" : "with " + std::to_string(wrong.value) + " in " + wrong.array + ": " + complaint;
}

std::string run_good(Call &call, Stage &stage, Tally &tally) {
    ++tally.valid;
    std::string complaint = stage.run(1);
    if (!complaint.empty()) return complaint;
    if (stage.status() != XBATCH_STATUS_SUCCESS) return xbatchGetLastErrorMessage(call.handle);
    const Outcome good = stage.outcome();
    if (!call.is_empty && !call.routine.has("bytes")) complaint = call.check(good);
    call.release(good);
    if (!complaint.empty()) return complaint;
    if (call.routine.has("bytes")) return "";  // may depend on the number of threads
    if (call.dice.one_in(6)) {
        ++tally.threaded;
        const int threads = int(call.dice.between(2, 17));
        complaint = stage.run(threads);
        if (complaint.empty() && may_follow_threads(call))
            complaint = call.is_empty ? "" : call.check(stage.outcome());
        else if (complaint.empty())
            complaint = compare(call, good, stage.outcome());
        call.release(stage.outcome());
        if (!complaint.empty()) return "on " + std::to_string(threads) + " threads: " + complaint;
    }
    if (call.dice.one_in(3)) complaint = run_poisoned(call, stage, good, tally);
    if (complaint.empty() && call.dice.one_in(6)) complaint = run_wrong_number(call, stage, good, tally);
    return complaint;
}

// Invalid arguments that every call has: no handle, and pointers and the workspace unless there is nothing to do
std::vector<Wrong> all_wrongs(const Call &call, int64_t workspace_bytes) {
    std::vector<Wrong> wrongs;
    const auto misalignments = {8, 1};
    wrongs.push_back({"handle", 0, XBATCH_STATUS_INVALID_HANDLE, false});
    for (const Wrong &wrong : call.wrongs)
        if (call.routine.has(wrong.argument)) wrongs.push_back(wrong);
    for (const FuzzArray &array : call.arrays) {
        const bool is_needed = !call.is_empty || call.routine.has("bytes");
        if (!call.routine.has(array.name) || array.may_be_null || !is_needed || array.spread.extent == 0) continue;
        wrongs.push_back({array.name, 0});
        if (array.is_opaque)
            for (int by : misalignments) wrongs.push_back({array.name, by});
    }
    constexpr auto insufficient = XBATCH_STATUS_INSUFFICIENT_WORKSPACE;
    if (workspace_bytes == 0) return wrongs;
    wrongs.push_back({"workspace", 0, insufficient});
    for (int by : misalignments) wrongs.push_back({"workspace", by, insufficient});
    for (int64_t bytes : {workspace_bytes - 1, int64_t(0)}) wrongs.push_back({"workspaceBytes", bytes, insufficient});
    return wrongs;
}

std::string run_wrong(Call &call, Stage &stage, Tally &tally) {
    std::string complaint = stage.run(1);  // a valid run, which also gives the workspace size
    call.release(stage.outcome());
    if (!complaint.empty()) return complaint;
    ++tally.refused;
    const Wrong wrong = call.dice.of(all_wrongs(call, stage.workspace_bytes()));
    const std::string what = "with " + wrong.argument + " = " + std::to_string(wrong.value) + ": ";
    complaint = stage.run(1, &wrong);
    if (stage.status() != wrong.status)
        return what + "the status is " + xbatchGetStatusString(stage.status()) +
               (complaint.empty() ? "" : "; " + complaint);
    if (!complaint.empty()) return what + complaint;
    if (wrong.argument == "handle") return "";
    const std::string message = xbatchGetLastErrorMessage(call.handle), begin = call.routine.name + ": argument ";
    if (message.compare(0, begin.size(), begin) != 0) return what + "the message names no argument: " + message;
    if (!wrong.is_blamed) return "";
    const std::string blamed = wrong.argument == "workspaceBytes" ? "workspace"
                               : wrong.argument == "bytes"        ? "workspaceBytes"
                                                                  : wrong.argument;
    const std::string position = wrong.argument == "bytes" ? "bytes" : blamed;
    const std::string words = begin + std::to_string(call.routine.position(position)) + ", " + blamed;
    return message.compare(0, words.size(), words) == 0 ? "" : what + "the message blames another: " + message;
}

}  // namespace

std::string verdict_of(Call &call, Tally &tally) {
    Stage stage(call);
    return call.dice.one_in(2) ? run_wrong(call, stage, tally) : run_good(call, stage, tally);
}

}  // namespace xbatch_test
