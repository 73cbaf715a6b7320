// registry.hpp: handles of the C API are numbers in a table of live objects, never addresses. A destroyed handle is
// recognised whatever the allocator does, since no freed memory is read.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace xbatch {

// A handle holds the index of a slot and the slot's generation, which is odd while the slot has an object. Each add()
// and remove() increments it, so no handle is ever issued twice. Slots are reused but never freed. Any thread may call
// any function at any time, also in a child of fork(): there are no locks.
template <class Object, class Handle>
class Registry {
    static_assert(sizeof(Handle) == sizeof(uint64_t), "an index and a generation");

public:
    // Throws std::bad_alloc.
    Handle add(std::unique_ptr<Object> object) {
        const uint32_t index = take_index();
        Slot &slot = *slot_at(index);
        slot.object.store(object.release(), std::memory_order_relaxed);
        const uint32_t generation = slot.generation.load(std::memory_order_relaxed) + 1;
        slot.generation.store(generation, std::memory_order_release);
        return reinterpret_cast<Handle>(uint64_t(generation) << 32 | index);
    }

    // NULL for a handle that is NULL, destroyed, or no handle at all
    Object *find(Handle handle) const {
        const Name name(handle);
        const Slot *slot = slot_of(name);
        if (!slot || slot->generation.load(std::memory_order_acquire) != name.generation) return nullptr;
        return slot->object.load(std::memory_order_relaxed);
    }

    // Removes the object and returns it; empty where find() is NULL. Of several callers exactly one receives it.
    std::unique_ptr<Object> remove(Handle handle) {
        const Name name(handle);
        Slot *slot = slot_of(name);
        uint32_t expected = name.generation;
        if (!slot || !slot->generation.compare_exchange_strong(expected, name.generation + 1)) return nullptr;
        std::unique_ptr<Object> object(slot->object.load(std::memory_order_relaxed));
        if (name.generation != UINT32_MAX) give_back(name.index, *slot);  // else it is retired
        return object;
    }

private:
    struct Slot {
        std::atomic<uint32_t> generation{0};
        std::atomic<uint32_t> next_free{0};
        std::atomic<Object *> object{nullptr};
    };
    struct Name {
        uint32_t index, generation;
        explicit Name(Handle handle)
            : index(uint32_t(reinterpret_cast<uint64_t>(handle))),
              generation(uint32_t(reinterpret_cast<uint64_t>(handle) >> 32)) {}
        bool is_odd() const { return generation & 1; }
    };

    // Segment k holds slots first_size * (2^k - 1) and following, twice as many as the one before.
    static constexpr uint64_t first_size = 64;
    static constexpr int segments = 27;
    static int segment_of(uint32_t index) { return 57 - __builtin_clzll(index + first_size); }
    static uint64_t size_of(int segment) { return first_size << segment; }

    // The slot of an index that was taken
    Slot *slot_at(uint32_t index) const {
        const int segment = segment_of(index);
        return segment_[segment].load(std::memory_order_acquire) + (index + first_size - size_of(segment));
    }
    // The slot that a handle names, NULL where there is none
    Slot *slot_of(const Name &name) const {
        return name.is_odd() && segment_[segment_of(name.index)].load(std::memory_order_acquire) ? slot_at(name.index)
                                                                                                 : nullptr;
    }

    // Free slots are a stack. Its top is an index, from 1, with a count of changes, so a late thread cannot mistake a
    // top that was removed and pushed again for the one it read (ABA problem).
    uint32_t take_index() {
        uint64_t top = free_.load(std::memory_order_acquire);
        while (uint32_t(top) != 0) {
            const uint32_t index = uint32_t(top) - 1, next = slot_at(index)->next_free.load(std::memory_order_relaxed);
            if (free_.compare_exchange_weak(top, changed(top, next), std::memory_order_acq_rel)) return index;
        }
        const uint32_t index = used_.fetch_add(1, std::memory_order_relaxed);
        const int segment = segment_of(index);
        if (!segment_[segment].load(std::memory_order_acquire)) {
            std::unique_ptr<Slot[]> slots(new Slot[size_of(segment)]);
            Slot *none = nullptr;
            if (segment_[segment].compare_exchange_strong(none, slots.get())) slots.release();
        }
        return index;
    }
    void give_back(uint32_t index, Slot &slot) {
        uint64_t top = free_.load(std::memory_order_relaxed);
        do slot.next_free.store(uint32_t(top), std::memory_order_relaxed);
        while (!free_.compare_exchange_weak(top, changed(top, index + 1), std::memory_order_acq_rel));
    }
    static uint64_t changed(uint64_t top, uint32_t index) { return ((top >> 32) + 1) << 32 | index; }

    std::atomic<Slot *> segment_[segments] = {};
    std::atomic<uint32_t> used_{0};  // slots taken at least once
    std::atomic<uint64_t> free_{0};
};

}  // namespace xbatch
