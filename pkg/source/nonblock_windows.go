package source

// nonBlocking is not needed: an open does not wait here.
const nonBlocking = 0
