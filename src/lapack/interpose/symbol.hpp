// symbol.hpp: an exported name of LAPACK: which library computes a call, and how many calls each has computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>

#include "core/scalar.hpp"

namespace xbatch::lapack {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

// The size from which on a routine is computed in one way, for all types. The environment variable XBATCH_LAPACK_<name>
// sets it, or XBATCH_LAPACK_<group> if that is not set: to a size, `never`, or 0 for every call.
class Threshold {
public:
    // The default over the reference BLAS, and over a tuned BLAS
    constexpr Threshold(const char *name, const char *group, int64_t smallest, int64_t tuned)
        : name_(name), group_(group), default_(smallest), tuned_default_(tuned) {}
    int64_t smallest() {
        const int64_t known = smallest_.load(std::memory_order_relaxed);
        return known != unread ? known : read();
    }

private:
    static constexpr int64_t unread = std::numeric_limits<int64_t>::min();
    int64_t read();

    const char *name_, *group_;
    int64_t default_, tuned_default_;
    std::atomic<int64_t> smallest_{unread};
};

// The size from which on this library computes a routine
struct Routine : Threshold {
    constexpr Routine(const char *name, int64_t smallest) : Routine(name, smallest, smallest) {}
    constexpr Routine(const char *name, int64_t smallest, int64_t tuned) : Threshold(name, "ALL", smallest, tuned) {}
};

// An illegal argument; a routine throws it before it writes. The call is forwarded, so that the real routine reports it
// to the xerbla that the loader has bound to it, which may be that of a plug-in. report() is for names that no other
// library has.
struct WrongArgument {
    char name[8];  // of the routine, in capitals
    int position;
    int32_t *info;
    int64_t *info_64;
    void report() const;
};

// Constant-initialised: no code runs before the first call.
class Symbol {
public:
    explicit constexpr Symbol(const char *name) : name_(name) {}

    // Calls `host` if the size is large enough or there is no other LAPACK; forwards the call otherwise, or if `host`
    // throws, which it does only before it writes.
    template <class... Args>
    void call(Routine &routine, int64_t size, void (*host)(Args...), Args... args) {
        if ((size < routine.smallest() && real_as<Args...>()) || !attempt(handled_, host, args...)) forward(args...);
    }
    // If on_device, calls `device` first.
    template <class... Args>
    void call(bool on_device, void (*device)(Args...), Routine &routine, int64_t size, void (*host)(Args...),
              Args... args) {
        if (!on_device || !attempt(on_device_, device, args...)) call(routine, size, host, args...);
    }
    // Calls the real library.
    template <class... Args>
    void forward(Args... args) {
        const auto real = real_as<Args...>();
        if (!real) fail();
        count(forwarded_);
        real(args...);
    }

private:
    friend struct Report;
    template <class... Args>
    auto real_as() -> void (*)(Args...) {
        void *known = real_.load(std::memory_order_acquire);
        return reinterpret_cast<void (*)(Args...)>(known ? known : find());
    }
    template <class... Args>
    bool attempt(std::atomic<int64_t> &calls, void (*compute)(Args...), Args... args) {
        try {
            compute(args...);
        } catch (const std::exception &) {
            return false;
        } catch (const WrongArgument &wrong) {
            if (real_as<Args...>()) return false;
            wrong.report();
        }
        count(calls);
        return true;
    }
    void *find();
    [[noreturn]] void fail() const;
    void count(std::atomic<int64_t> &calls) {
        if (counting_.load(std::memory_order_relaxed) != off) count_slowly(calls);
    }
    void count_slowly(std::atomic<int64_t> &calls);

    enum Counting { unread, off, on };
    static std::atomic<Counting> counting_;

    const char *name_;
    std::atomic<void *> real_{nullptr};
    std::atomic<int64_t> handled_{0}, on_device_{0}, forwarded_{0};
    std::atomic<bool> listed_{false};
    Symbol *next_ = nullptr;
};

// The checks of a routine's arguments; check() throws the first wrong one, and clears INFO otherwise.
template <class T, class Int>
class Arguments {
public:
    Arguments(const char *stem, Int *info) : info_(info) {  // stem: the name without its first letter
        char *letter = wrong_.name;
        *letter++ = sizeof(T) == sizeof(Real<T>) ? (sizeof(T) == 4 ? 'S' : 'D') : (sizeof(T) == 8 ? 'C' : 'Z');
        while (*stem) *letter++ = *stem++;
    }
    Arguments &require(bool is_right, int position) {
        if (!is_right && wrong_.position == 0) wrong_.position = position;
        return *this;
    }
    void check() {
        if constexpr (sizeof(Int) == sizeof(int32_t))
            wrong_.info = info_;
        else
            wrong_.info_64 = info_;
        if (wrong_.position != 0) throw wrong_;
        *info_ = 0;
    }

private:
    WrongArgument wrong_{};
    Int *info_;
};

// Compares Fortran characters without case.
inline bool is(const char *given, char wanted) { return (*given & ~0x20) == wanted || *given == wanted; }

}  // namespace xbatch::lapack

// Expands `entry(T, Int, name)` for the types, with 32-bit integers, and with 64-bit ones under the suffix _64_.
#define XBATCH_LAPACK_BOTH(entry, T, stem) entry(T, int32_t, stem##_) entry(T, int64_t, stem##_64_)
#define XBATCH_LAPACK_REAL(entry, stem) \
    XBATCH_LAPACK_BOTH(entry, float, s##stem) XBATCH_LAPACK_BOTH(entry, double, d##stem)
#define XBATCH_LAPACK_COMPLEX(entry, stem)                       \
    XBATCH_LAPACK_BOTH(entry, ::xbatch::Complex<float>, c##stem) \
    XBATCH_LAPACK_BOTH(entry, ::xbatch::Complex<double>, z##stem)
#define XBATCH_LAPACK_EACH(entry, stem) XBATCH_LAPACK_REAL(entry, stem) XBATCH_LAPACK_COMPLEX(entry, stem)
