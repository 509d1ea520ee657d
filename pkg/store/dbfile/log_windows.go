package dbfile

// isAbortedLog is always false on Windows, where a -shm file is locked differently.
func isAbortedLog(string) bool { return false }
