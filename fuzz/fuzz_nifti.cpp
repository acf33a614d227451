#include "plumb/data/check.hpp"
#include "plumb/io/nifti.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    plumb::read_all(plumb::parse_nifti(std::as_bytes(std::span(data, size)), nullptr, "fuzz.nii").array);
  } catch (const plumb::InputError&) {
    return 0;  // refused with a sentence: what is wanted
  }
  return 0;
}
