#include "plumb/data/check.hpp"
#include "plumb/io/nifti.hpp"
#include "plumb/io/nifti_write.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    plumb::read_all(plumb::parse_nifti(bytes, nullptr, "fuzz.nii").array);
    (void)plumb::float_head(plumb::nifti_head(bytes, "fuzz.nii"), plumb::DType::f64);
  } catch (const plumb::InputError&) {
    return 0;  // refused with one sentence, as intended
  }
  return 0;
}
