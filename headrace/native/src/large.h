// Kernels over large memory that depend on the instruction set, beside those of the runner's instructions.
#pragma once

#include <cstdint>

namespace headrace {

// Centers as the kernels want them.
struct Clusters {
  int64_t width = 0;    // of points
  int64_t count = 0;    // of centers
  int64_t columns = 0;  // those, filled up to whole vectors
  const float* turned = nullptr;   // their opposites
  const float* offsets = nullptr;  // half their squared lengths
};

// Windows over images whose channels lie together, and the images of what they give.
struct Windows {
  int64_t height, width, channels, out_height, out_width;
  int64_t rows, columns;  // of a window
  int64_t down, across;   // from one to the next
  int64_t above, before;  // what the first reaches over the edges
};
// The part of one that is inside the image.
struct Window {
  int64_t top, bottom, left, right;
};

// A convolution of images whose channels lie together, by filters of 3x3 that were turned into 16 places: panels of
// `LargeKernels::panel` outputs each, [place, panel, channel, output], the last filled up with zeros.
constexpr int64_t kPlaces = 16;
struct Filtering {
  const float* images;
  int64_t height, width, channels, out_height, out_width, outputs;
  int64_t above, before;  // what lies, as zeros, over the upper and the left edge
  const float* filters;
  int64_t panels;
  const float* bias;   // or none
  int64_t activation;  // 0 none, 1 rectifies, 2 up to six
  float* out;
};

// A product of a matrix [.., depth] and one that lies in panels of `LargeKernels::panel` outputs each, [panel, depth, output],
// the last filled up with zeros.
struct PanelProduct {
  const float* rows;
  int64_t depth, outputs;
  const float* panels;
  const float* bias;   // or none
  int64_t activation;  // as of `Filtering`
  float* out;
};

struct LargeKernels {
  int64_t lanes, points, panel;  // of a vector; that are looked at together; of outputs of filters
  void (*turn)(const float* centers, Clusters& job, float* turned, float* offsets);
  void (*nearest_rows)(const Clusters& job, const float* points, int64_t n, float* scratch, int64_t* nearest,
                       float* distances);
  void (*step_of_floats)(float* var, const float* m, const float* v, int64_t n, float rate, float epsilon);
  // d[m, n] += alpha * a[k, m]' b[k, n], of rows [first, last) of d.
  void (*add_turned)(const float* a, const float* b, float* d, int64_t m, int64_t n, int64_t k, float alpha, int64_t first,
                     int64_t last);
  void (*step_of_doubles)(double* var, const double* m, const double* v, int64_t n, double rate, double epsilon);
  // Of rows [first, last) of all images that the windows give.
  void (*largest_floats)(const float* images, const Windows& job, int64_t first, int64_t last, float* out);
  void (*largest_doubles)(const double* images, const Windows& job, int64_t first, int64_t last, double* out);
  // Filters of [3, 3, channels, outputs] as `Filtering` has them.
  void (*turn_filters)(const float* filters, int64_t channels, int64_t outputs, float* turned);
  // Of the tiles [first, last) of 2x2 results of all images: whether all these results are finite.
  bool (*filter_tiles)(const Filtering& job, int64_t first, int64_t last);
  // The gradient of the filters, of channels [first, last), where `job.out` is that of the results: whether it is finite.
  bool (*filter_sums)(const Filtering& job, int64_t batch, int64_t first, int64_t last, float* gradient);
  // Of rows [first, last) of the result.
  void (*multiply_by_panels)(const PanelProduct& job, int64_t first, int64_t last);
};

// Those for the instruction set that `choose_kernels` chose.
const LargeKernels& large_kernels();

}  // namespace headrace
