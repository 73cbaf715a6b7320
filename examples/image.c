/* image.c: see image.h. Files are read and written whole, so that a header's size is checked against the bytes of the
 * file before memory is allocated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "image.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef EXAMPLES_HAVE_PNG
#include <png.h>
#endif

#include "output.h"

#define MAX_SAMPLES ((int64_t)1 << 31)

typedef struct {
    unsigned char *data;
    size_t size;
} Bytes;

bool image_allocate(Image *image, Error *error) {
    const size_t count = (size_t)(image->width * image->height * image->channels);
    image->samples = calloc(count, sizeof *image->samples);
    return image->samples || fail(error, "no memory for %zu samples", count);
}

void image_free(Image *image) {
    free(image->samples);
    image->samples = NULL;
}

static bool check_size(const char *path, int64_t width, int64_t height, int64_t channels, Error *error) {
    if (width < 1 || height < 1)
        return fail(error, "%s: %lld x %lld pixels is an empty picture", path, (long long)width, (long long)height);
    if (width > MAX_SAMPLES || height > MAX_SAMPLES / channels / width)
        return fail(error, "%s: %lld x %lld pixels is too large: at most %lld samples are taken", path,
                    (long long)width, (long long)height, (long long)MAX_SAMPLES);
    return true;
}

/* Files as bytes. */

static bool read_file(const char *path, Bytes *bytes, Error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) return fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    size_t room = 1 << 16;
    bytes->size = 0;
    bytes->data = malloc(room);
    while (bytes->data) {
        bytes->size += fread(bytes->data + bytes->size, 1, room - bytes->size, file);
        if (bytes->size < room) break;
        unsigned char *larger = realloc(bytes->data, room *= 2);
        if (!larger) free(bytes->data);
        bytes->data = larger;
    }
    const bool broken = ferror(file);
    const int reason = errno;
    fclose(file);
    if (!bytes->data) return fail(error, "%s: no memory to read it", path);
    if (!broken && bytes->size > 0) return true;
    free(bytes->data);
    return broken ? fail(error, "%s: cannot be read: %s", path, strerror(reason))
                  : fail(error, "%s: the file is empty", path);
}

static bool write_file(const char *path, const Bytes *bytes, Error *error) {
    Output output;
    if (!output_open(&output, path, error)) return false;
    fwrite(bytes->data, 1, bytes->size, output.file);
    return output_close(&output, true, error);
}

/* PGM and PPM: "P" and a digit, then width, height and maxval in decimal with white space and #-comments between, one
 * white-space character, then the samples, pixel by pixel. */

typedef struct {
    const unsigned char *at, *end;
} Cursor;

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The next decimal number; -1 where there is none, or where it has ten digits or more. */
static int64_t next_number(Cursor *cursor) {
    while (cursor->at < cursor->end && (is_space(*cursor->at) || *cursor->at == '#')) {
        if (*cursor->at == '#')
            while (cursor->at < cursor->end && *cursor->at != '\n' && *cursor->at != '\r') ++cursor->at;
        else
            ++cursor->at;
    }
    int64_t value = 0;
    int digits = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; ++cursor->at, ++digits)
        if (digits < 10) value = 10 * value + (*cursor->at - '0');
    return digits >= 1 && digits < 10 ? value : -1;
}

static bool read_pnm_header(const char *path, Cursor *cursor, Image *image, Error *error) {
    const char kind = (char)cursor->at[1];
    cursor->at += 2;
    image->channels = kind == '3' || kind == '6' ? 3 : 1;
    image->format = kind == '2' || kind == '3' ? IMAGE_PNM_PLAIN : IMAGE_PNM_RAW;
    image->width = next_number(cursor);
    image->height = image->width < 0 ? -1 : next_number(cursor);
    const int64_t maxval = image->height < 0 ? -1 : next_number(cursor);
    if (maxval < 0)
        return fail(error, "%s: the P%c header has no %s of at most nine digits", path, kind,
                    image->width < 0    ? "width"
                    : image->height < 0 ? "height"
                                        : "maximum");
    if (maxval < 1 || maxval > 65535)
        return fail(error, "%s: the header's maximum, %lld, is not in 1 … 65535", path, (long long)maxval);
    image->maxval = (int)maxval;
    if (cursor->at == cursor->end || !is_space(*cursor->at))
        return fail(error, "%s: truncated: the file ends with its header", path);
    ++cursor->at;
    return check_size(path, image->width, image->height, image->channels, error);
}

static bool read_pnm_samples(const char *path, Cursor *cursor, Image *image, Error *error) {
    const int64_t pixels = image->width * image->height, count = pixels * image->channels;
    const int sample_bytes = image->maxval > 255 ? 2 : 1;
    for (int64_t k = 0; k < count; ++k) {
        int64_t value;
        if (image->format == IMAGE_PNM_PLAIN) {
            value = next_number(cursor);
        } else {
            value = sample_bytes == 2 ? 256 * cursor->at[0] + cursor->at[1] : cursor->at[0];
            cursor->at += sample_bytes;
        }
        if (value < 0 && cursor->at < cursor->end)
            return fail(error, "%s: sample %lld is not a number", path, (long long)(k + 1));
        if (value < 0) return fail(error, "%s: truncated: %lld samples of %lld", path, (long long)k, (long long)count);
        if (value > image->maxval)
            return fail(error, "%s: sample %lld is %lld, above the header's maximum %d", path, (long long)(k + 1),
                        (long long)value, image->maxval);
        image->samples[k % image->channels * pixels + k / image->channels] = (double)value / image->maxval;
    }
    return true;
}

static bool read_pnm(const char *path, const Bytes *bytes, Image *image, Error *error) {
    Cursor cursor = {bytes->data, bytes->data + bytes->size};
    if (!read_pnm_header(path, &cursor, image, error)) return false;
    const int64_t count = image->width * image->height * image->channels, left = cursor.end - cursor.at;
    /* A plain sample is a digit and, except for the last one, a space. */
    const int64_t needed = image->format == IMAGE_PNM_PLAIN ? 2 * count - 1 : count * (image->maxval > 255 ? 2 : 1);
    if (left < needed)
        return fail(error, "%s: truncated: %lld x %lld pixels need %lld bytes, the file has %lld", path,
                    (long long)image->width, (long long)image->height, (long long)needed, (long long)left);
    if (!image_allocate(image, error)) return false;
    if (read_pnm_samples(path, &cursor, image, error)) return true;
    image_free(image);
    return false;
}

/* The file's number for a sample, rounded; values beyond black and white are clipped. */
static int quantize(double sample, int maxval) {
    return sample <= 0 ? 0 : sample >= 1 ? maxval : (int)lround(sample * maxval);
}

static bool encode_pnm(const Image *image, bool plain, int64_t channels, Bytes *bytes, Error *error) {
    const int64_t pixels = image->width * image->height;
    const size_t sample_room = plain ? 6 : image->maxval > 255 ? 2 : 1; /* five digits and a line end */
    bytes->data = malloc(64 + (size_t)(pixels * channels) * sample_room);
    if (!bytes->data) return fail(error, "no memory to encode the picture");
    const char kind = plain ? (channels == 3 ? '3' : '2') : (channels == 3 ? '6' : '5');
    unsigned char *at = bytes->data;
    at += sprintf((char *)at, "P%c\n%lld %lld\n%d\n", kind, (long long)image->width, (long long)image->height,
                  image->maxval);
    for (int64_t k = 0; k < pixels * channels; ++k) {
        const int64_t r = k % channels % image->channels; /* a grey picture written as colour repeats its plane */
        const int value = quantize(image->samples[r * pixels + k / channels], image->maxval);
        if (plain)
            at += sprintf((char *)at, "%d\n", value);
        else if (image->maxval > 255)
            *at++ = (unsigned char)(value >> 8), *at++ = (unsigned char)value;
        else
            *at++ = (unsigned char)value;
    }
    bytes->size = (size_t)(at - bytes->data);
    return true;
}

/* PNG. */

#ifdef EXAMPLES_HAVE_PNG
static bool read_png(const char *path, const Bytes *bytes, Image *image, Error *error) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, bytes->data, bytes->size))
        return fail(error, "%s: not a good PNG file: %s", path, png.message);
    image->width = png.width;
    image->height = png.height;
    image->channels = png.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    image->maxval = 255;
    image->format = IMAGE_PNG;
    png.format = image->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    const png_color white = {255, 255, 255}; /* behind what is transparent */
    unsigned char *pixels = NULL;
    bool good = check_size(path, image->width, image->height, image->channels, error);
    if (good) {
        pixels = malloc(PNG_IMAGE_SIZE(png));
        good = pixels || fail(error, "%s: no memory to decode it", path);
    }
    if (good && !png_image_finish_read(&png, &white, pixels, 0, NULL))
        good = fail(error, "%s: truncated or damaged PNG file: %s", path, png.message);
    good = good && image_allocate(image, error);
    png_image_free(&png);
    const int64_t plane = image->width * image->height;
    for (int64_t k = 0; good && k < plane * image->channels; ++k)
        image->samples[k % image->channels * plane + k / image->channels] = pixels[k] / 255.0;
    free(pixels);
    return good;
}

static bool encode_png(const Image *image, Bytes *bytes, Error *error) {
    const int64_t plane = image->width * image->height, count = plane * image->channels;
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = image->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    const size_t room = PNG_IMAGE_PNG_SIZE_MAX(png);
    unsigned char *pixels = malloc((size_t)count);
    bytes->data = malloc(room);
    bool good = (pixels && bytes->data) || fail(error, "no memory to encode the picture");
    for (int64_t k = 0; good && k < count; ++k)
        pixels[k] = (unsigned char)quantize(image->samples[k % image->channels * plane + k / image->channels], 255);
    png_alloc_size_t size = room;
    if (good && !png_image_write_to_memory(&png, bytes->data, &size, 0, pixels, 0, NULL))
        good = fail(error, "the picture cannot be encoded as PNG: %s", png.message);
    bytes->size = size;
    free(pixels);
    if (!good) free(bytes->data);
    return good;
}
#else
static bool read_png(const char *path, const Bytes *bytes, Image *image, Error *error) {
    (void)bytes, (void)image;
    return fail(error, "%s: is a PNG file, and this program was built without libpng", path);
}

static bool encode_png(const Image *image, Bytes *bytes, Error *error) {
    (void)image, (void)bytes;
    return fail(error, "PNG cannot be written: this program was built without libpng");
}
#endif

/* The functions of image.h. */

bool image_read(const char *path, Image *image, Error *error) {
    static const unsigned char png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    Bytes bytes = {NULL, 0};
    if (!read_file(path, &bytes, error)) return false;
    image->samples = NULL;
    bool good;
    if (bytes.size >= 8 && memcmp(bytes.data, png_signature, 8) == 0)
        good = read_png(path, &bytes, image, error);
    else if (bytes.size >= 2 && bytes.data[0] == 'P' && memchr("2356", bytes.data[1], 4))
        good = read_pnm(path, &bytes, image, error);
    else
        good = fail(error, "%s: not a picture that can be read: PGM, PPM (P2, P3, P5, P6) and PNG can", path);
    free(bytes.data);
    return good;
}

/* How a picture is written at a path. */
typedef struct {
    ImageFormat format;
    int64_t channels;
} Encoding;

static Encoding encoding_for(const char *path, const Image *image) {
    const char *dot = strrchr(path, '.');
    const char *extension = dot && !strchr(dot, '/') ? dot : "";
    const ImageFormat pnm = image->format == IMAGE_PNM_PLAIN ? IMAGE_PNM_PLAIN : IMAGE_PNM_RAW;
    if (!strcasecmp(extension, ".png")) return (Encoding){IMAGE_PNG, image->channels};
    if (!strcasecmp(extension, ".pgm")) return (Encoding){pnm, 1};
    if (!strcasecmp(extension, ".ppm")) return (Encoding){pnm, 3};
    if (!strcasecmp(extension, ".pnm")) return (Encoding){pnm, image->channels};
    return (Encoding){image->format, image->channels};
}

bool image_check_output(const char *path, const Image *image, Error *error) {
    if (encoding_for(path, image).channels < image->channels)
        return fail(error, "%s: a PGM file cannot hold a colour picture: name it .ppm or .png", path);
#ifndef EXAMPLES_HAVE_PNG
    if (encoding_for(path, image).format == IMAGE_PNG)
        return fail(error, "%s: PNG cannot be written: this program was built without libpng", path);
#endif
    return output_check(path, error);
}

bool image_write(const char *path, const Image *image, Error *error) {
    if (!image_check_output(path, image, error)) return false;
    const Encoding encoding = encoding_for(path, image);
    Bytes bytes = {NULL, 0};
    if (encoding.format == IMAGE_PNG
            ? !encode_png(image, &bytes, error)
            : !encode_pnm(image, encoding.format == IMAGE_PNM_PLAIN, encoding.channels, &bytes, error))
        return false;
    const bool good = write_file(path, &bytes, error);
    free(bytes.data);
    return good;
}

double image_psnr(const Image *a, const Image *b) {
    const int64_t count = a->width * a->height * a->channels;
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
        const double difference = a->samples[k] - b->samples[k];
        sum += difference * difference;
    }
    return 10 * log10((double)count / sum);
}
