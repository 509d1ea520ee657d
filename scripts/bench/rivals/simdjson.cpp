// simdjson FILE checks every line of a file as JSON with simdjson's parse_many and takes five fields of each, as
// `clawctl cat --type leaf` does. The file is read in pieces that end with a line, which is faster than loading it as a
// whole. It prints the number of records.
#include <simdjson.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace simdjson;

static size_t taken; // keeps the compiler from removing the work

// take looks up the five fields of a record.
static void take(dom::element record) {
  std::string_view text;
  for (const char *name : {"type", "id", "parentId", "timestamp"})
    if (record[name].get(text) == SUCCESS) taken += text.size();
  dom::element message;
  if (record["message"].get(message) == SUCCESS && message["role"].get(text) == SUCCESS) taken += text.size();
}

// count checks the lines in a piece and returns their number, or -1.
static long count(dom::parser &parser, const char *piece, size_t length) {
  dom::document_stream records;
  if (parser.parse_many(piece, length, length + 1).get(records) != SUCCESS) return -1;
  long n = 0;
  for (auto record : records) {
    dom::element element;
    if (record.get(element) != SUCCESS) return -1;
    take(element);
    n++;
  }
  return n;
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : nullptr;
  if (!file) return fprintf(stderr, "usage: simdjson FILE\n"), 2;
  dom::parser parser;
#ifdef SIMDJSON_THREADS_ENABLED
  parser.threaded = false;
#endif
  std::vector<char> buffer((1 << 20) + SIMDJSON_PADDING);
  size_t held = 0;
  long total = 0;
  while (size_t got = fread(buffer.data() + held, 1, buffer.size() - SIMDJSON_PADDING - held, file)) {
    held += got;
    const char *end = static_cast<const char *>(memrchr(buffer.data(), '\n', held));
    if (!end) {
      buffer.resize(2 * buffer.size());
      continue;
    }
    size_t length = end + 1 - buffer.data();
    long n = count(parser, buffer.data(), length);
    if (n < 0) return fprintf(stderr, "simdjson: not JSON\n"), 1;
    total += n;
    memmove(buffer.data(), buffer.data() + length, held -= length);
  }
  printf("%ld\n", total);
}
