"""terminal.py SECONDS TEXT COMMAND...: runs a command in a terminal for some seconds, and types a text when it is quiet.

Claude Code applies the replacements of a session only in its interactive form."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

seconds, text, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
start, quiet, keys = time.time(), 0.0, [text.encode(), b"\r"]
while time.time() - start < seconds:
    if select.select([terminal], [], [], 0.5)[0]:
        try:
            screen = os.read(terminal, 65536)
        except OSError:
            break  # the command has ended
        if b"\x1b[c" in screen:
            os.write(terminal, b"\x1b[?62c")
        quiet = 0
    else:
        quiet += 0.5
    if keys and quiet >= 3 and time.time() - start > 8:
        os.write(terminal, keys.pop(0))
        quiet = 0
os.kill(pid, signal.SIGKILL)
