// Between the arrays of the core and LibTorch's tensors, and the seeds of everything random in training.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/data/array.hpp"

namespace plumb::train {

/// Bytes stay bytes; every other number becomes float32. The tensor owns its memory.
[[nodiscard]] torch::Tensor tensor_of(const Rows& rows);
[[nodiscard]] std::vector<double> doubles_of(const torch::Tensor& t);
/// As float32, through a temporary name. Any shape.
void write_tensor(const std::string& path, const torch::Tensor& t);
/// As float64: probabilities and variances keep their digits (1 - 1e-9 is not 1).
void write_doubles(const std::string& path, const torch::Tensor& t);

/// A seed for one use of one epoch: everything random follows from (seed, what, a, b) alone, so that a
/// resumed run needs no generator state.
[[nodiscard]] std::uint64_t seed_for(std::uint64_t seed, std::string_view what, std::int64_t a = 0,
                                     std::int64_t b = 0);
/// Seeds LibTorch's generators (dropout, initial weights) of all devices.
void seed_torch(std::uint64_t seed);
/// A random order of 0..n-1.
[[nodiscard]] torch::Tensor permutation(std::uint64_t seed, std::int64_t n);

/// Images (N x K x H x W) as rows of pixels, (N H W) x K; what has two dimensions or fewer is left alone.
[[nodiscard]] torch::Tensor rows_of(const torch::Tensor& t);

/// "auto" is CUDA where there is one. InputError when CUDA is asked for and absent.
[[nodiscard]] torch::Device device_of(const std::string& name);
/// Moves a network. On CUDA filters and images are channels-last, the order that its convolutions use.
void place(torch::nn::Module& net, torch::Device device);
[[nodiscard]] torch::Tensor laid_out(const torch::Tensor& x);
/// Threads (0: all cores); on the CPU deterministic kernels. cuDNN must not try every algorithm: that took
/// 17 s of the first epoch and saved nothing afterwards.
void set_up_torch(std::int64_t threads, torch::Device device);

}  // namespace plumb::train
