// stage.cpp: sets up a call's arguments, and checks what it changed.
// SPDX-License-Identifier: BSD-3-Clause
#include "stage.hpp"

#include "support/fixtures/arguments.hpp"

namespace xbatch_test {
namespace {

Flush any_flush(Dice &dice) { return dice.choose<Flush>(2); }

// The byte of the image at which a meaningful element begins
size_t place_of(const Guarded &memory, const FuzzArray &array, size_t k) {
    return memory.offset() + size_t(array.spread.places[k]) * array.element;
}

}  // namespace

Stage::Stage(Call &call) : call_(call), workspace_flush_(any_flush(call.dice)) {
    for (const FuzzArray &array : call.arrays) {
        if (!is_used(array) || array.is_null) continue;
        const size_t bytes = size_t(array.spread.extent) * array.element;
        slots_.push_back({&array, std::make_unique<Guarded>(bytes, array.align, any_flush(call.dice)), {}});
    }
}

bool Stage::is_used(const FuzzArray &array) const {
    if (call_.routine.has(array.name)) return true;
    const auto points_here = [&](const FuzzArray &a) { return a.target == array.name && call_.routine.has(a.name); };
    return std::any_of(call_.arrays.begin(), call_.arrays.end(), points_here);
}

Stage::Slot *Stage::slot_of(const std::string &name) {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot &s) { return s.array->name == name; });
    return found == slots_.end() ? nullptr : &*found;
}

void Stage::fill(const std::vector<Patch> &patches) {
    for (Slot &slot : slots_) {
        const FuzzArray &array = *slot.array;
        Guarded &memory = *slot.memory;
        memory.forget();
        std::vector<unsigned char> values = array.values;
        if (!array.target.empty())
            for (size_t k = 0; k < array.begins.size(); ++k) {
                const Slot &to = *slot_of(array.target);
                const unsigned char *const at = to.memory->data() + size_t(array.begins[k]) * to.array->element;
                std::memcpy(&values[k * sizeof at], &at, sizeof at);
            }
        for (const Patch &patch : patches)
            if (patch.array == array.name)
                std::copy(patch.bytes.begin(), patch.bytes.end(),
                          values.begin() + int64_t(patch.element * array.element));
        for (size_t k = 0; k < values.size() / array.element; ++k)
            if (array.spread.owners[k] != of_none)
                std::memcpy(memory.data() + size_t(array.spread.places[k]) * array.element, &values[k * array.element],
                            array.element);
        slot.before = memory.image();
    }
}

// Exactly the size that the query returns
std::string Stage::ask_for_workspace() {
    workspace_.reset(), workspace_bytes_ = 0;
    if (!call_.routine.has("workspace")) return "";
    const Routine &query = routine_named(call_.routine.name + "_bufferSize");
    size_t bytes = 0, others = 0;
    Values values;
    for (const std::string &name : query.arguments) {
        const bool is_other = name == "factorBytes" || name == "tBytes";
        values.push_back(name == "bytes" ? reinterpret_cast<int64_t>(&bytes)
                         : is_other      ? reinterpret_cast<int64_t>(&others)
                                         : argument(name, nullptr));
    }
    if (query.call(call_.handle, values) != XBATCH_STATUS_SUCCESS)
        return "the size query fails: " + std::string(xbatchGetLastErrorMessage(call_.handle));
    workspace_bytes_ = int64_t(bytes);
    if (bytes > 0) workspace_ = std::make_unique<Guarded>(bytes, 16, workspace_flush_);
    return "";
}

int64_t Stage::argument(const std::string &name, const Wrong *wrong) {
    const auto alias = call_.aliases.find(name);
    const Slot *const slot = slot_of(alias == call_.aliases.end() ? name : alias->second);
    int64_t value = 0;  // for an array that is NULL
    if (name == "workspace")
        value = workspace_ ? reinterpret_cast<int64_t>(workspace_->data()) : 0;
    else if (name == "workspaceBytes")
        value = workspace_bytes_;
    else if (slot)
        value = reinterpret_cast<int64_t>(slot->memory->data());
    else if (call_.numbers.count(name) > 0)
        value = call_.numbers.at(name);
    if (!wrong || wrong->argument != name || wrong->element >= 0) return value;
    const bool is_pointer = slot || name == "workspace";
    return is_pointer && wrong->value != 0 ? value + wrong->value : wrong->value;  // misaligned by this number of bytes
}

std::string Stage::run(int threads, const Wrong *wrong, const std::vector<Patch> &patches) {
    xbatchSetThreadCount(call_.handle, threads);
    fill({});
    const std::string failed = ask_for_workspace();
    if (!failed.empty()) return failed;
    std::vector<Patch> all = patches;
    if (wrong && wrong->element >= 0) {
        Patch patch{wrong->argument, size_t(wrong->element), std::vector<unsigned char>(8)};
        std::memcpy(patch.bytes.data(), &wrong->value, 8);
        patch.bytes.resize(std::min<size_t>(8, slot_of(wrong->argument)->array->element));
        all.push_back(patch);
    }
    fill(all);
    Values values;
    for (const std::string &name : call_.routine.arguments) values.push_back(argument(name, wrong));
    const bool has_handle = !wrong || wrong->argument != "handle";
    const std::vector<unsigned char> before = workspace_ ? workspace_->image() : std::vector<unsigned char>();
    status_ = call_.routine.call(has_handle ? call_.handle : nullptr, values);
    const bool is_still = wrong || (call_.is_empty && !call_.routine.has("bytes"));
    for (const Slot &slot : slots_) {
        const std::string complaint = written(slot, is_still);
        if (!complaint.empty()) return complaint;
    }
    if (workspace_) {
        std::vector<unsigned char> after = workspace_->image();
        if (!is_still)
            std::memcpy(after.data() + workspace_->offset(), before.data() + workspace_->offset(), workspace_->bytes());
        if (after != before)
            return is_still ? "the workspace was written" : "surroundings of the workspace were written";
    }
    read();
    return "";
}

std::string Stage::written(const Slot &slot, bool is_still) const {
    const FuzzArray &array = *slot.array;
    std::vector<unsigned char> after = slot.memory->image();
    if (!is_still && array.role != Role::In)
        for (size_t k = 0; k < array.spread.places.size(); ++k) {
            const size_t at = place_of(*slot.memory, array, k);
            if (array.spread.owners[k] != of_none) std::memcpy(&after[at], &slot.before[at], array.element);
        }
    if (is_still && array.is_handle) {
        const size_t at = slot.memory->offset();
        if (std::all_of(&after[at], &after[at] + array.element, [](unsigned char c) { return c == 0; }))
            std::memcpy(&after[at], &slot.before[at], array.element);
    }
    const auto found = std::mismatch(after.begin(), after.end(), slot.before.begin());
    if (found.first == after.end()) return "";
    const int64_t byte = found.first - after.begin() - int64_t(slot.memory->offset());
    const std::string where =
        array.name + " at byte " + std::to_string(byte) + " of " + std::to_string(slot.memory->bytes());
    return (is_still ? "a call that must do nothing wrote " : "the call wrote where it may not: ") + where;
}

void Stage::read() {
    outcome_.values.clear();
    for (Slot &slot : slots_) {
        const FuzzArray &array = *slot.array;
        std::vector<unsigned char> &values = outcome_.values[array.name];
        values.resize(array.spread.places.size() * array.element);
        for (size_t k = 0; k < array.spread.places.size(); ++k)
            std::memcpy(&values[k * array.element],
                        slot.memory->data() + size_t(array.spread.places[k]) * array.element, array.element);
    }
}

}  // namespace xbatch_test
