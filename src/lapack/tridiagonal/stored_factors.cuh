// stored_factors.cuh: factors and right-hand sides on a GPU, for LU and L D L^H alike.
//
// clang-format off
// A file that includes this specialises DeviceFactors<Factors>, the factors on the GPU, with
//   State                               the largest state of its sweeps
//   take_from(carver)                   takes device memory
//   with(factors)                       pairs it with the host's factors, for a transfer
//   solve(op, sides, sweeps, warm_up)   solves in place on the GPU
//   rows_to_converge(op, factors, b)    on the host: for the factors and a right-hand side; throws if there are too many
//   rows_to_converge(factors)           for the factors alone
// clang-format on
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "sweep.cuh"
#include "tridiagonal_device.hpp"

namespace xbatch::lapack {

// Each sweep reads one array and writes the other.
template <class T>
struct RightHandSides {
    Matrix<T> b, between;

    RightHandSides(int64_t n, int64_t nrhs) : b(n, nrhs), between(n, nrhs) {}
    void take_from(Carver &carver) { b.take_from(carver), between.take_from(carver); }
};

template <class Factors>
struct DeviceFactors;

// The device memory of the factors and of `nrhs` right-hand sides
template <class Factors>
class DeviceSolver {
    using T = typename Factors::Element;

public:
    DeviceSolver(Device &device, const Factors &factors, int64_t nrhs)
        : device_(device),
          factors_(factors.n),
          sides_(factors.n, nrhs),
          sweeps_(device.stream),
          call_(device, [&](Carver &carver) {
              factors_.take_from(carver), sides_.take_from(carver);
              sweeps_.take_from(carver, factors.n, nrhs, sizeof(typename DeviceFactors<Factors>::State));
          }) {
        device.staging.upload(factors_.with(factors));
    }
    void run(typename Factors::Op op, T *b, int64_t ldb, int warm_up) {
        const std::vector<Staged> sides{sides_.b.with(b, ldb)};
        device_.staging.upload(sides);
        factors_.solve(op, sides_, sweeps_, warm_up);
        device_.staging.download(sides);
    }
    Real<T> inverse_norm(int warm_up) { return factors_.inverse_norm(sides_, sweeps_, warm_up); }

private:
    Device &device_;
    DeviceFactors<Factors> factors_;
    RightHandSides<T> sides_;
    SweepWorkspace sweeps_;
    Call call_;
};

template <class Factors>
void solve_on_device(typename Factors::Op op, const Factors &factors, typename Factors::Element *b, int64_t ldb,
                     int64_t nrhs) {
    const int warm_up = DeviceFactors<Factors>::rows_to_converge(op, factors, b);
    on_device([=](Device &device) { DeviceSolver<Factors>(device, factors, nrhs).run(op, b, ldb, warm_up); });
}

template <class Factors>
struct FactorsOnDevice<Factors>::Stored : DeviceSolver<Factors> {
    using DeviceSolver<Factors>::DeviceSolver;
};
template <class Factors>
FactorsOnDevice<Factors>::FactorsOnDevice(const Factors &factors) : factors_(factors) {
    DeviceFactors<Factors>::rows_to_converge(factors);
    stored_ = on_device([&](Device &device) { return std::make_unique<Stored>(device, factors, 1); });
}
// Device memory is freed by a thread of on_device(). If none can be started, it leaks.
template <class Factors>
FactorsOnDevice<Factors>::~FactorsOnDevice() {
    try {
        on_device([&](Device &) { stored_.reset(); });
    } catch (const std::exception &) {
        static_cast<void>(stored_.release());
    }
}
template <class Factors>
void FactorsOnDevice<Factors>::solve(typename Factors::Op op, T *b, int64_t ldb, int64_t nrhs) const {
    for (; nrhs > 0; --nrhs, b += ldb) {
        try {
            const int warm_up = DeviceFactors<Factors>::rows_to_converge(op, factors_, b);
            on_device([&](Device &) { stored_->run(op, b, 0, warm_up); });
        } catch (const std::exception &) {
            factors_.solve(op, b);
        }
    }
}

}  // namespace xbatch::lapack
