"""terminal.py SECONDS KEYS COMMAND...: runs a command in a terminal for some seconds, and types what the file KEYS lists.

KEYS is a list in JSON: a text is typed when the screen is quiet, {"after": SECONDS, "text": TEXT} that long after the one
before. Claude Code asks some questions, and applies the replacements of a session, only in its interactive form."""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

seconds, command = float(sys.argv[1]), sys.argv[3:]
with open(sys.argv[2], encoding="utf-8") as file:
    keys = json.load(file)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
start, changed, typed = time.time(), time.time(), time.time() + 6
while time.time() - start < seconds:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            screen = os.read(terminal, 65536)
        except OSError:
            break  # the command has ended
        if b"\x1b[c" in screen:
            os.write(terminal, b"\x1b[?62c")
        changed = time.time()
    if not keys:
        continue
    key = keys[0] if isinstance(keys[0], dict) else {"text": keys[0]}
    now = time.time()
    if now - typed >= key["after"] if "after" in key else now - changed >= 1.5 and now - typed >= 1:
        os.write(terminal, key["text"].encode())
        keys.pop(0)
        typed = now
try:
    os.kill(pid, signal.SIGKILL)
except ProcessLookupError:
    pass
