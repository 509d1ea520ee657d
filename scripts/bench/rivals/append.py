"""append.py DATABASE SESSION TEXT: append a message with sqlite3, with clawctl's tables, durable when it returns."""
import json, secrets, sqlite3, sys, time

db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.executescript("""
CREATE TABLE IF NOT EXISTS sessions (key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  metadata JSON);
CREATE TABLE IF NOT EXISTS messages (id TEXT NOT NULL, session_key TEXT NOT NULL, parent_id TEXT, type TEXT NOT NULL,
  timestamp INTEGER NOT NULL, data JSON NOT NULL, FOREIGN KEY (session_key) REFERENCES sessions(key));
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_key, timestamp);
CREATE INDEX IF NOT EXISTS idx_messages_parent ON messages(session_key, parent_id);
""")
key, text = sys.argv[2:]
now = int(time.time() * 1000)
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT INTO sessions VALUES (?, ?, ?, '{}') "
           "ON CONFLICT(key) DO UPDATE SET updated_at = excluded.updated_at", (key, now, now))
last = db.execute("SELECT id FROM messages WHERE session_key = ? ORDER BY timestamp DESC, rowid DESC LIMIT 1",
                  (key,)).fetchone()
id = "%d_%s" % (now, secrets.token_hex(2))
parent = last[0] if last else None
data = json.dumps({"type": "message", "id": id, "parentId": parent, "timestamp": now,
                   "message": {"role": "user", "content": text, "timestamp": now}})
db.execute("INSERT INTO messages VALUES (?, ?, ?, 'message', ?, ?)", (id, key, parent, now, data))
db.execute("COMMIT")
print(id)
db.close()
