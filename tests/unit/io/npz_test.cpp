#include "plumb/io/npz.hpp"

#include <gtest/gtest.h>

#include "unit/io/files.hpp"

namespace plumb {
namespace {

const std::vector<double> kValues = {0.5, 0.25, -3};
std::string three() { return npy_of("<f8", "(3,)", raw(kValues)); }

Array parse(const std::string& bytes, const std::string& member = "") {
  const auto kept = std::make_shared<const std::string>(bytes);
  return parse_npz(as_span(*kept), kept, "a.npz", member);
}
std::string said(const std::string& bytes, const std::string& member = "") {
  return complaint([&] { (void)parse(bytes, member); });
}

TEST(Npz, StoredAndDeflatedMembers) {
  for (const bool deflate : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const std::string file = zip({{"probs.npy", three(), deflate, zip64},
                                    {"note.txt", "not an array", deflate, zip64},
                                    {"labels.npy", npy_of("|u1", "(2,)", "\1\2"), deflate, zip64}});
      const Array p = parse(file, "probs");
      EXPECT_EQ(values_of(p), kValues) << deflate << zip64;
      EXPECT_EQ(p.name, "a.npz:probs");
      EXPECT_EQ(values_of(parse(file, "labels")), (std::vector<double>{1, 2}));
      EXPECT_EQ(npz_names(as_span(file), "a.npz"), (std::vector<std::string>{"probs", "labels"}));
    }
  }
}

TEST(Npz, OneArrayNeedsNoName) {
  EXPECT_EQ(parse(zip({{"x.npy", three(), true}})).name, "a.npz:x");
  EXPECT_EQ(values_of(parse(zip({{"x.npy", three()}}, "a comment of the archive"))), kValues);
}

TEST(Npz, AlignedMembersStayWhereTheyAre) {
  for (int pad = 4; pad < 12; ++pad) {
    const auto kept = std::make_shared<const std::string>(zip({{"x.npy", three(), false, false, pad}}));
    const Array a = parse_npz(as_span(*kept), kept, "a.npz", "x");
    const auto* at = reinterpret_cast<const char*>(a.data);
    const bool inside = at >= kept->data() && at < kept->data() + kept->size();
    const std::size_t offset = kept->find(raw(kValues));
    EXPECT_EQ(inside, reinterpret_cast<std::uintptr_t>(kept->data() + offset) % 8 == 0) << pad;
    EXPECT_NE(Rows(a).contiguous<double>(0, 3), nullptr) << pad;
    EXPECT_EQ(values_of(a), kValues);
  }
}

TEST(Npz, UnknownAndAmbiguousMembers) {
  const std::string file = zip({{"probs.npy", three()}, {"labels.npy", three()}});
  EXPECT_EQ(said(file), "a.npz holds 2 arrays (probs, labels); choose one, for example a.npz:probs");
  EXPECT_EQ(said(file, "prob"),
            "a.npz has no array \"prob\" (did you mean \"probs\"?); it has probs, labels");
  EXPECT_EQ(said(zip({{"x.npy", three()}, {"x.npy", three()}}), "x"), "a.npz has more than one array \"x\"");
  EXPECT_EQ(said(zip({{"x.txt", "text"}})), "a.npz is a zip archive without arrays (.npy members)");
  EXPECT_EQ(
      said(zip({{"x.npy", npy_of("|O", "(1,)", "x")}})),
      "a.npz:x holds Python objects, which Plumb does not load; save numbers with a.astype(\"float64\"), text with a.astype(str)");
}

TEST(Npz, Damage) {
  const std::string file = zip({{"x.npy", three()}});
  EXPECT_EQ(
      said(file.substr(0, file.size() - 1)),
      "a.npz is not a complete zip archive: its directory is missing; the file is truncated or is not an .npz");
  EXPECT_EQ(
      said("PK\x03\x04"),
      "a.npz is not a complete zip archive: its directory is missing; the file is truncated or is not an .npz");
  std::string flipped = file;
  flipped[flipped.find(raw(kValues))] ^= 1;
  EXPECT_EQ(said(flipped), "a.npz:x is damaged: its checksum does not match its content");
  std::string packed = zip({{"x.npy", three(), true}});
  const std::size_t directory = packed.find("PK\x01\x02");
  std::string wrong_crc = packed;
  wrong_crc[directory + 16] ^= 1;
  EXPECT_EQ(said(wrong_crc), "a.npz:x is damaged: its checksum does not match its content");
  std::string short_packed = packed;
  short_packed[directory + 20] -= 5;  // compressed size
  EXPECT_EQ(said(short_packed), "a.npz:x is damaged: its compressed data end early");
  std::string method = packed;
  method[directory + 10] = 12;
  EXPECT_EQ(
      said(method),
      "a.npz:x is compressed with method 12, which Plumb does not read; save it with numpy's savez or savez_compressed");
  std::string encrypted = packed;
  encrypted[directory + 8] = 1;
  EXPECT_EQ(said(encrypted), "a.npz:x is encrypted, which Plumb does not read; save it without a password");
  std::string moved = packed;
  moved[directory + 42] = 1;
  EXPECT_EQ(said(moved), "a.npz:x is a damaged zip archive: a member has no local header");
  std::string far = packed;
  far[directory + 44] = 1;
  EXPECT_EQ(said(far), "a.npz:x is a damaged zip archive: its member lies outside the file");
}

TEST(Npz, ABombCostsNoMemory) {
  // The directory claims 3 GiB, the header of the member too: no deflated stream of this length
  // can give as much.
  std::string file = zip({{"x.npy", npy_of("|u1", "(3221225472,)", std::string(1000, 'x')), true}});
  const std::size_t directory = file.find("PK\x01\x02");
  file.replace(directory + 24, 4, little(3221225472u, 4));
  EXPECT_EQ(said(file), "a.npz:x is damaged: it claims to decompress to 3221225472 bytes");
  // The stream goes on after what the header declares.
  std::string longer = zip({{"x.npy", npy_of("|u1", "(4,)", std::string(100000, 'x')), true}});
  EXPECT_EQ(said(longer).substr(0, 70),
            "a.npz:x is damaged: its header (4) requires 4 bytes of data, but the a");
  const std::size_t at = longer.find("PK\x01\x02");
  const std::size_t header = npy_of("|u1", "(4,)", "").size();
  longer.replace(at + 24, 4, little(header + 4, 4));
  EXPECT_EQ(said(longer), "a.npz:x is damaged: it decompresses to more than its header declares");
}

}  // namespace
}  // namespace plumb
