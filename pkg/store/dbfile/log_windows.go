package dbfile

// isAbortedLog is always false on Windows, where a -shm file is locked differently.
func isAbortedLog(string) bool { return false }

// logHead returns nothing on Windows, for the same reason.
func logHead(string) (head string, ok bool) { return "", false }
