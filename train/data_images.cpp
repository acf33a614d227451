// Folders of PNG and JPEG files with a labels.csv: a column "file" and a column "label" (or "target", or one
// column per class whose name begins with "votes_"). Decoded by libpng and libjpeg if the build has them.
#include <cstdio>
#include <filesystem>

#ifdef PLUMB_PNG
#include <png.h>
#endif
#ifdef PLUMB_JPEG
#include <jpeglib.h>

#include <csetjmp>
// After jpeglib.h, whose types it needs.
#include <jerror.h>
#endif

#include "plumb/data/check.hpp"
#include "train/data.hpp"
#include "train/tensors.hpp"

namespace plumb::train {
namespace {

namespace fs = std::filesystem;

// H x W x 3 bytes, as decoders give them, to 3 x H x W.
torch::Tensor planes(std::vector<std::uint8_t>& pixels, std::int64_t height, std::int64_t width) {
  return torch::from_blob(pixels.data(), {height, width, 3}, torch::kUInt8).permute({2, 0, 1}).contiguous();
}

#ifdef PLUMB_PNG
torch::Tensor read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto complain = [&] {
    throw InputError("cannot read " + path + " as PNG (" + image.message +
                     "): save the picture again, or remove its row from labels.csv");
  };
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) complain();
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) complain();
  return planes(pixels, image.height, image.width);
}
#else
torch::Tensor read_png(const std::string& path) {
  throw InputError(path + " is a PNG file, and this build has no libpng; install libpng-dev and build again");
}
#endif

#ifdef PLUMB_JPEG
struct JpegError {
  jpeg_error_mgr base;
  std::jmp_buf jump;
};

[[noreturn]] void leave_jpeg(j_common_ptr info) {
  std::longjmp(reinterpret_cast<JpegError*>(info->err)->jump, 1);
}

// Warnings are not printed. A file that ends too soon, which libjpeg would fill with grey, is an error.
void on_jpeg_message(j_common_ptr info, int level) {
  if (level < 0 && (info->err->msg_code == JWRN_JPEG_EOF || info->err->msg_code == JWRN_HIT_MARKER))
    leave_jpeg(info);
}

// Plain C between setjmp and longjmp: no object with a destructor is made there.
bool decode_jpeg(std::FILE* file, std::vector<std::uint8_t>& pixels, std::int64_t& height,
                 std::int64_t& width) {
  jpeg_decompress_struct info;
  JpegError error;
  info.err = jpeg_std_error(&error.base);
  error.base.error_exit = leave_jpeg;
  error.base.emit_message = on_jpeg_message;
  if (setjmp(error.jump) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  height = info.output_height;
  width = info.output_width;
  pixels.resize(height * width * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels.data() + info.output_scanline * width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

torch::Tensor read_jpeg(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw InputError("cannot open " + path);
  std::vector<std::uint8_t> pixels;
  std::int64_t height = 0, width = 0;
  const bool good = decode_jpeg(file, pixels, height, width);
  std::fclose(file);
  if (!good)
    throw InputError(
        "cannot read " + path +
        " as JPEG: it is damaged, truncated or in another format; save the picture again, or remove its row from labels.csv");
  return planes(pixels, height, width);
}
#else
torch::Tensor read_jpeg(const std::string& path) {
  throw InputError(path +
                   " is a JPEG file, and this build has no libjpeg; install libjpeg-dev and build again");
}
#endif

torch::Tensor read_image(const std::string& path, std::int64_t side) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  torch::Tensor image;
  if (ending == ".png") {
    image = read_png(path);
  } else if (ending == ".jpg" || ending == ".jpeg") {
    image = read_jpeg(path);
  } else {
    throw InputError(path + " is neither a .png nor a .jpg file");
  }
  if (side == 0 || (image.size(1) == side && image.size(2) == side)) return image;
  namespace F = torch::nn::functional;
  // Area averaging: shrinking without aliasing.
  const torch::Tensor small = F::interpolate(
      image.unsqueeze(0).to(torch::kFloat32),
      F::InterpolateFuncOptions().size(std::vector<std::int64_t>{side, side}).mode(torch::kArea));
  return small.squeeze(0).round().clamp(0, 255).to(torch::kUInt8);
}

}  // namespace

torch::Tensor read_pictures(const std::string& folder, const std::vector<std::string>& names,
                            std::int64_t side) {
  torch::Tensor all;
  for (std::int64_t i = 0; i < std::ssize(names); ++i) {
    const torch::Tensor image = read_image(folder + "/" + names[i], side);
    if (i == 0) {
      std::vector<std::int64_t> shape = image.sizes().vec();
      shape.insert(shape.begin(), std::ssize(names));
      all = torch::empty(shape, torch::kUInt8);
    }
    if (image.sizes() != all.sizes().slice(1))
      throw InputError(folder + "/" + names[i] + " is " + show_shape(image.sizes()) + " and " + names[0] +
                       " is " + show_shape(all.sizes().slice(1)) + "; ⟦image_size⟧ resizes them to one size");
    all[i].copy_(image);
  }
  return all;
}

bool has_images(const std::string& folder) { return fs::exists(folder + "/labels.csv"); }

Split read_images(const std::string& folder, const TrainOptions& o, Task& task, std::int64_t& classes) {
  const std::string csv = folder + "/labels.csv";
  if (!fs::exists(csv)) throw InputError("there is no labels.csv in " + folder);
  const Rows names = load_path(csv + ":file", {.want = Want::text});
  if (names.rows() == 0) throw InputError(csv + " names no files");
  std::vector<std::string> paths;
  for (std::int64_t i = 0; i < names.rows(); ++i) {
    paths.emplace_back(names.text(i));
    if (!fs::is_regular_file(folder + "/" + paths.back()))
      throw InputError(names.where(i) + ": it names the file \"" + paths.back() + "\", which is not there");
  }
  Split s;
  s.inputs = read_pictures(folder, paths, o.image_size);
  if (o.head == "gaussian" || o.head == "laplace" || o.targets == "targets") {
    const std::string target = csv + ":target";
    s.targets = tensor_of(load_path(target)).to(torch::kFloat32).reshape({s.size(), -1});
    check_each(torch::isfinite(s.targets), s.targets, target, "is not a finite number; replace it first");
    task = Task::regression;
  } else if (o.targets == "counts") {
    const std::string votes = csv + ":votes_*";
    s.votes = checked_votes(tensor_of(load_path(votes)).reshape({s.size(), -1}), votes);
    classes = std::max(classes, s.votes.size(1));
    s.columns = true;
  } else {
    const torch::Tensor read = read_labels(csv + ":label", classes);  // raises `classes`
    s.votes = votes_of_labels(read, classes);
  }
  return s;
}

}  // namespace plumb::train
