"""import.py DATABASE LIST: the import that a Python programmer would write, with the journal and commits of clawctl."""
import json, sqlite3, sys
from datetime import datetime

db = sqlite3.connect(sys.argv[1])
db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
  "CREATE TABLE sessions(key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,"
  " metadata JSON);"
  "CREATE TABLE messages(id TEXT PRIMARY KEY, session_key TEXT NOT NULL, parent_id TEXT, type TEXT NOT NULL,"
  " timestamp INTEGER NOT NULL, data JSON NOT NULL);"
  "CREATE INDEX messages_session ON messages(session_key, timestamp);"
  "CREATE INDEX messages_parent ON messages(parent_id);")
since = 0
for path in open(sys.argv[2]).read().splitlines():
  key, rows = path.rsplit("/", 1)[1][:-6], []
  for line in open(path, encoding="utf-8", newline="\n"):
    line = line.rstrip("\n"); r = json.loads(line); since += len(line)
    at = int(datetime.fromisoformat(r["timestamp"].replace("Z", "+00:00")).timestamp() * 1000)
    rows.append((r["id"], key, r.get("parentId"), r["type"], at, line))
  db.execute("INSERT OR REPLACE INTO sessions VALUES(?,?,?,?)", (key, rows[0][4], rows[-1][4], rows[0][5]))
  db.executemany("INSERT OR IGNORE INTO messages VALUES(?,?,?,?,?,?)", rows)
  if since >= 64e6: db.commit(); since = 0
db.commit()
db.close()
