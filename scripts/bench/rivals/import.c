// import DATABASE LIST loads the transcripts that LIST names, one path per line, into a new SQLite database: the
// documented tables with both indexes, a write-ahead log that is synced at every commit, and commits of 64 MB, as
// `clawctl import` does. It trusts the lines: it looks for the fields in their first bytes and compares nothing.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char schema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "CREATE TABLE sessions(key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,"
    " metadata JSON);"
    "CREATE TABLE messages(id TEXT PRIMARY KEY, session_key TEXT NOT NULL, parent_id TEXT, type TEXT NOT NULL,"
    " timestamp INTEGER NOT NULL, data JSON NOT NULL, FOREIGN KEY(session_key) REFERENCES sessions(key));"
    "CREATE INDEX messages_session ON messages(session_key, timestamp);"
    "CREATE INDEX messages_parent ON messages(parent_id);";

static sqlite3 *db;
static sqlite3_stmt *add_session, *add_message;

static void check(int ok) {
  if (ok) return;
  fprintf(stderr, "import: %s\n", db ? sqlite3_errmsg(db) : "usage: import DATABASE LIST");
  exit(1);
}

static void execute(const char *sql) { check(sqlite3_exec(db, sql, 0, 0, 0) == SQLITE_OK); }

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement) == SQLITE_DONE);
  sqlite3_reset(statement);
}

// A text is a part of a line.
typedef struct { const char *at; int length; } text;

static void bind(sqlite3_stmt *statement, int column, text t) {
  check(sqlite3_bind_text(statement, column, t.at, t.length, SQLITE_STATIC) == SQLITE_OK);
}

// field returns the string after a key, or a text without a place, which becomes NULL.
static text field(text line, const char *key) {
  text none = {0, 0};
  const char *at = memmem(line.at, line.length < 400 ? line.length : 400, key, strlen(key));
  if (!at || *(at += strlen(key)) != '"') return none;
  at++;
  const char *end = memchr(at, '"', line.at + line.length - at);
  return end ? (text){at, end - at} : none;
}

// milliseconds reads a time such as 2026-05-01T10:00:00.000Z.
static long long milliseconds(text t) {
  if (t.length < 23) return 0;
  const char *s = t.at;
  struct tm tm = {.tm_year = atoi(s) - 1900, .tm_mon = atoi(s + 5) - 1, .tm_mday = atoi(s + 8),
                  .tm_hour = atoi(s + 11), .tm_min = atoi(s + 14), .tm_sec = atoi(s + 17)};
  return timegm(&tm) * 1000LL + atoi(s + 20);
}

static void add(text key, text line, int is_header) {
  long long at = milliseconds(field(line, "\"timestamp\":"));
  if (is_header) {
    bind(add_session, 1, key);
    sqlite3_bind_int64(add_session, 2, at);
    sqlite3_bind_int64(add_session, 3, at);
    bind(add_session, 4, line);
    step(add_session);
    return;
  }
  bind(add_message, 1, field(line, "\"id\":"));
  bind(add_message, 2, key);
  bind(add_message, 3, field(line, "\"parentId\":"));
  bind(add_message, 4, field(line, "\"type\":"));
  sqlite3_bind_int64(add_message, 5, at);
  bind(add_message, 6, line);
  step(add_message);
}

// load adds the lines of a transcript and returns its size. All transcripts share one buffer.
static size_t load(const char *path) {
  static char *buffer;
  static size_t room;
  struct stat info;
  int file = open(path, O_RDONLY);
  check(file >= 0 && fstat(file, &info) == 0);
  if ((size_t)info.st_size > room) buffer = realloc(buffer, room = info.st_size * 3 / 2);
  size_t size = 0;
  for (ssize_t n; (n = read(file, buffer + size, info.st_size - size)) > 0;) size += n;
  close(file);
  const char *name = strrchr(path, '/') + 1;
  text key = {name, strlen(name) - strlen(".jsonl")};
  for (char *at = buffer, *end = buffer + size; at < end;) {
    char *stop = memchr(at, '\n', end - at);
    if (!stop) stop = end;
    add(key, (text){at, stop - at}, at == buffer);
    at = stop + 1;
  }
  return size;
}

int main(int argc, char **argv) {
  FILE *list = argc == 3 ? fopen(argv[2], "r") : 0;
  check(list && sqlite3_open(argv[1], &db) == SQLITE_OK);
  execute(schema);
  check(!sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO sessions VALUES(?,?,?,?)", -1, &add_session, 0));
  check(!sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO messages VALUES(?,?,?,?,?,?)", -1, &add_message, 0));
  execute("BEGIN");
  char path[4096];
  for (size_t open = 0; fscanf(list, "%4095[^\n]\n", path) == 1;)
    if ((open += load(path)) >= 64000000) {
      execute("COMMIT; BEGIN");
      open = 0;
    }
  execute("COMMIT");
  sqlite3_finalize(add_session);
  sqlite3_finalize(add_message);
  check(sqlite3_close(db) == SQLITE_OK);
}
