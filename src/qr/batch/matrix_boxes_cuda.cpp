// matrix_boxes_cuda.cpp: describes boxes of interleaved matrices to TMA.
// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_boxes.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

namespace xbatch::qr {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// The driver's function, which the library is not linked with; NULL if there is none
Encode find_encode() {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    if (error != cudaSuccess) cudaGetLastError();  // not an error of the caller
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(found) : nullptr;
}

// Of the layout
int64_t block_width(const MatrixPlacement &at, int64_t batch) {
    return at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED ? at.stride : batch;
}
// Bytes between rows, columns and blocks
std::array<int64_t, 3> steps_of(const MatrixPlacement &at, const BoxSizes &s) {
    const int64_t block = at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED ? at.block : at.column * s.n;
    return {at.row * s.entry_bytes, at.column * s.entry_bytes, block * s.entry_bytes};
}
Encode encode() {
    static const Encode found = find_encode();
    return found;
}
// TMA knows elements of up to eight bytes.
int unit_bytes(const BoxSizes &s) { return s.entry_bytes == 4 ? 4 : 8; }

}  // namespace

bool have_boxes(const Context &context, const void *data, const MatrixPlacement &at, const BoxSizes &s) {
    constexpr int64_t most_in_box = 256, most_step = int64_t(1) << 40;
    const auto is_step = [](int64_t bytes) { return bytes % 16 == 0 && bytes < most_step; };
    const int64_t width = block_width(at, s.batch), units = s.entry_bytes / unit_bytes(s);
    const auto steps = steps_of(at, s);
    // TMA stores whole chunks of 16 bytes
    const bool are_whole =
        (at.layout == XBATCH_LAYOUT_INTERLEAVED && width * s.entry_bytes % 16 == 0) ||
        (at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && width % s.matrices == 0 && s.batch % s.matrices == 0);
    return context.has_clusters && are_whole && width * units <= INT32_MAX && s.matrices * units <= most_in_box &&
           std::max<int64_t>(s.m, s.columns) <= most_in_box && s.matrices * s.entry_bytes % 16 == 0 &&
           reinterpret_cast<uintptr_t>(data) % 16 == 0 && std::all_of(steps.begin(), steps.end(), is_step) &&
           encode() != nullptr;
}

MatrixBoxes matrix_boxes(void *data, const MatrixPlacement &at, const BoxSizes &s) {
    MatrixBoxes boxes;
    const int unit = unit_bytes(s), units = s.entry_bytes / unit;
    const int64_t width = block_width(at, s.batch);
    const auto steps = steps_of(at, s);
    const cuuint64_t sizes[] = {cuuint64_t(width * units), cuuint64_t(s.m), cuuint64_t(s.n),
                                cuuint64_t((s.batch - 1) / width + 1)};
    const cuuint64_t strides[] = {cuuint64_t(steps[0]), cuuint64_t(steps[1]), cuuint64_t(steps[2])};
    const cuuint32_t box[] = {cuuint32_t(s.matrices * units), cuuint32_t(s.m), cuuint32_t(s.columns), 1};
    const cuuint32_t each[] = {1, 1, 1, 1};
    const auto type = unit == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    const CUresult result =
        encode()(&boxes.map, type, 4, data, sizes, strides, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS) boxes.width = width, boxes.units = units;
    return boxes;
}

}  // namespace xbatch::qr
