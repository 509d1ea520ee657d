"""search.py DATABASE TEXT: search the rows of a store as a Python programmer would."""
import sqlite3, sys

db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
for (row,) in db.execute("SELECT data FROM messages WHERE instr(data, ?)", (sys.argv[2],)):
  print(row)
