package dbfile

// NonBlocking is not needed on Windows, where an open does not wait.
const NonBlocking = 0
