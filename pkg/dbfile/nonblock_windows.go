package dbfile

// NonBlocking is not needed: an open does not wait here.
const NonBlocking = 0
