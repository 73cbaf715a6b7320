// launch.cuh: kernel launches: checks the number of blocks, opts in to large shared memory and clusters, and reports
// errors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "cuda.hpp"

namespace xbatch {

inline std::mutex shared_memory_of_kernels;

// More than 48 KB of shared memory need an attribute of the kernel. Where as much is dynamic, at most 1 KB more is not.
// The caller holds the lock until the kernel is launched: the threads of other handles may allow the kernel less.
template <class... Parameters>
xbatchStatus_t allow_shared(Context &context, void (*kernel)(Parameters...), size_t bytes,
                            std::unique_lock<std::mutex> &lock) {
    if (bytes <= 47 * 1024) return XBATCH_STATUS_SUCCESS;
    lock = std::unique_lock(shared_memory_of_kernels);
    const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    XBATCH_CUDA(context, cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, int(bytes)));
    return XBATCH_STATUS_SUCCESS;
}

// One launch on the handle's stream: Launch(context, blocks, threads, bytes).cluster(parts)(kernel, name, arguments…)
class Launch {
public:
    Launch(Context &context, int64_t blocks, int64_t threads, size_t bytes = 0) : context_(context), blocks_(blocks) {
        config_.blockDim = dim3(unsigned(threads)), config_.dynamicSmemBytes = bytes;
        config_.stream = stream_of(context);
    }

    // The second and third dimensions of the grid
    Launch &rows(int64_t count, int64_t planes = 1) {
        config_.gridDim.y = unsigned(count), config_.gridDim.z = unsigned(planes);
        return *this;
    }
    // Thread-block clusters of `blocks` blocks
    Launch &cluster(int blocks) {
        cudaLaunchAttribute &own = add(cudaLaunchAttributeClusterDimension);
        cluster_blocks_ = blocks;
        own.val.clusterDim.x = unsigned(blocks), own.val.clusterDim.y = own.val.clusterDim.z = 1;
        return *this;
    }
    // For grid barriers: all blocks must be resident at once.
    Launch &cooperative() {
        add(cudaLaunchAttributeCooperative).val.cooperative = 1;
        return *this;
    }
    // Programmatic dependent launch (dependent_launch.cuh). Devices without clusters do not support it.
    Launch &dependent() {
        if (context_.has_clusters)
            add(cudaLaunchAttributeProgrammaticStreamSerialization).val.programmaticStreamSerializationAllowed = 1;
        return *this;
    }

    // Limits the grid to the clusters that are resident at once, at least one. The number of blocks must be a multiple
    // of the cluster size.
    template <class... Parameters>
    Launch &limit_to_resident(void (*kernel)(Parameters...)) {
        blocks_ = std::min(blocks_, cluster_blocks_ * int64_t(std::max(count_resident(kernel), 1)));
        return *this;
    }
    // Whether the device has clusters of this size, which may be above the portable one
    template <class... Parameters>
    bool fits_device(void (*kernel)(Parameters...)) {
        return context_.has_clusters && config_.dynamicSmemBytes <= size_t(context_.shared_per_block) &&
               count_resident(kernel) > 0;
    }

    template <class... Parameters>
    xbatchStatus_t operator()(void (*kernel)(Parameters...), const char *name,
                              const std::remove_reference_t<Parameters> &...arguments) {
        XBATCH_TRY(check_blocks(context_, blocks_));
        std::unique_lock<std::mutex> lock;
        XBATCH_TRY(allow_shared(context_, kernel, config_.dynamicSmemBytes, lock));
        void *pointers[] = {const_cast<void *>(static_cast<const void *>(&arguments))...};
        cudaLaunchKernelExC(config(blocks_), reinterpret_cast<const void *>(kernel), pointers);
        return cuda_status(context_, cudaGetLastError(), name);
    }

private:
    // Clusters that the device holds at once. 0 after an error, which the launch would report.
    template <class... Parameters>
    int count_resident(void (*kernel)(Parameters...)) {
        std::unique_lock<std::mutex> lock;
        const auto function = reinterpret_cast<const void *>(kernel);
        int count = 0;
        if (allow_shared(context_, kernel, config_.dynamicSmemBytes, lock) == XBATCH_STATUS_SUCCESS &&
            (cluster_blocks_ <= portable_cluster ||
             cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess) &&
            cudaOccupancyMaxActiveClusters(&count, function, config(cluster_blocks_)) == cudaSuccess)
            return count;
        cudaGetLastError();
        return 0;
    }
    const cudaLaunchConfig_t *config(int64_t blocks) {
        config_.gridDim.x = unsigned(blocks);
        config_.attrs = attributes_, config_.numAttrs = attribute_count_;
        return &config_;
    }
    cudaLaunchAttribute &add(cudaLaunchAttributeID id) {
        cudaLaunchAttribute &own = attributes_[attribute_count_++];
        own.id = id;
        return own;
    }

    static constexpr int portable_cluster = 8;

    Context &context_;
    int64_t blocks_, cluster_blocks_ = 1;
    cudaLaunchConfig_t config_{};
    cudaLaunchAttribute attributes_[2]{};
    unsigned attribute_count_ = 0;
};

}  // namespace xbatch
