// Values written to bytes one after the other, and read again.
//
// Bytes travel between processes and lie in files: a reader trusts nothing, and what is too short
// is an error. Arrays are aligned to eight bytes, so that they can be read where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace plaintree {

using Bytes = std::vector<std::uint8_t>;
using ByteSpan = std::span<const std::uint8_t>;

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

class ByteWriter {
 public:
  template <Plain T>
  void write(const T& value) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
  }
  template <Plain T>
  void write(std::span<const T> values) {
    write(static_cast<std::uint64_t>(values.size()));
    align();
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), from, from + values.size_bytes());
    align();
  }
  template <Plain T>
  void write(const std::vector<T>& values) {
    write(std::span<const T>(values));
  }
  template <Plain T>
  void write(const std::vector<std::vector<T>>& lists) {
    write(static_cast<std::uint64_t>(lists.size()));
    for (const std::vector<T>& list : lists) write(list);
  }
  // Writes an array of zeros, to be filled in: the place of its first value.
  template <Plain T>
  std::size_t extend(std::size_t n) {
    write(static_cast<std::uint64_t>(n));
    return extend_without_length<T>(n);
  }
  template <Plain T>
  std::size_t extend_without_length(std::size_t n) {
    align();
    const std::size_t at = bytes_.size();
    bytes_.resize(at + n * sizeof(T));
    align();
    return at;
  }
  // The array that was written at a place, until more is written.
  template <Plain T>
  T* array_at(std::size_t at) {
    return reinterpret_cast<T*>(bytes_.data() + at);
  }
  void reserve(std::size_t n_bytes) { bytes_.reserve(n_bytes); }
  std::size_t size() const { return bytes_.size(); }
  Bytes take() { return std::move(bytes_); }

 private:
  void align() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }

  Bytes bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

  template <Plain T>
  T read() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  template <Plain T>
  void read(T& value) {
    value = read<T>();
  }
  // An array where it is; the bytes must begin at a multiple of eight.
  template <Plain T>
  std::span<const T> view() {
    return view<T>(read<std::uint64_t>());
  }
  template <Plain T>
  std::span<const T> view(std::uint64_t n) {
    align();
    if (n > (bytes_.size() - at_) / sizeof(T)) throw std::invalid_argument(kTooShort);
    const auto* from = reinterpret_cast<const T*>(bytes_.data() + at_);
    at_ += n * sizeof(T);
    align();
    return {from, static_cast<std::size_t>(n)};
  }
  template <Plain T>
  void read(std::vector<T>& values) {
    const auto n = read<std::uint64_t>();
    align();
    if (n > (bytes_.size() - at_) / sizeof(T)) throw std::invalid_argument(kTooShort);
    values.resize(n);
    if (n > 0) std::memcpy(values.data(), bytes_.data() + at_, n * sizeof(T));
    at_ += n * sizeof(T);
    align();
  }
  template <Plain T>
  void read(std::vector<std::vector<T>>& lists) {
    const auto n = read<std::uint64_t>();
    if (n > bytes_.size()) throw std::invalid_argument(kTooShort);
    lists.resize(n);
    for (std::vector<T>& list : lists) read(list);
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  static constexpr const char* kTooShort = "bytes are damaged: they end too early";

  void need(std::size_t n) const {
    if (n > bytes_.size() - at_) throw std::invalid_argument(kTooShort);
  }
  void align() {
    const std::size_t to = (at_ + 7) / 8 * 8;
    if (to > bytes_.size()) throw std::invalid_argument(kTooShort);
    at_ = to;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
};

// A number to notice damage by: any change of a few bytes changes it.
inline std::uint64_t checksum(ByteSpan bytes) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull;
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32)
    for (int l = 0; l < 4; ++l) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i + 8 * static_cast<std::size_t>(l), 8);
      lanes[l] = (lanes[l] ^ word) * kFactor;
      lanes[l] ^= lanes[l] >> 32;
    }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = ((sum ^ lane) * kFactor) ^ (sum >> 29);
  for (; i < bytes.size(); ++i) sum = (sum ^ bytes[i]) * kFactor, sum ^= sum >> 32;
  return sum;
}

// What travels or lies in a file begins with a number that says what it is, and ends with a
// checksum.
inline Bytes sealed(ByteWriter& writer) {
  Bytes bytes = writer.take();
  const std::uint64_t sum = checksum(bytes);
  const auto* from = reinterpret_cast<const std::uint8_t*>(&sum);
  bytes.insert(bytes.end(), from, from + sizeof sum);
  return bytes;
}
// Reads on after that number; what was changed, or is something else, is an error that names it.
inline ByteReader unsealed(ByteSpan bytes, std::uint64_t magic, const std::string& what) {
  const std::size_t sum_bytes = sizeof(std::uint64_t);
  if (bytes.size() < 2 * sum_bytes || ByteReader(bytes).read<std::uint64_t>() != magic)
    throw std::invalid_argument("these bytes are not " + what);
  const ByteSpan body = bytes.first(bytes.size() - sum_bytes);
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data() + body.size(), sum_bytes);
  if (sum != checksum(body)) throw std::invalid_argument(what + " is damaged: wrong checksum");
  ByteReader reader(body);
  reader.read<std::uint64_t>();
  return reader;
}

}  // namespace plaintree
