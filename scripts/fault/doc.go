// Package fault interrupts imports, repairs, prunes and other writers in every way that a machine can, and checks that
// nothing is lost. It has only tests, which need Linux and run if CLAWCTL_FAULT is set: make fault.
//
//	CLAWCTL_FAULT=1 go test -v -timeout 60m ./scripts/fault
//	CLAWCTL_FAULT=1 go test -v ./scripts/fault -run Faults/R1 -kills 1000
//
// The checks, by their names for -run:
//
//	R1  kills an import at random moments
//	R3  cuts the power of the disk
//	R6  builds disks that a power cut may leave during an import or export, with any part of what was not synced
//	R7  does the same for the other writers: repair, undo, prune, append, delete, restore, new, slim -o, redact -o,
//	    redact --in-place, and prune --archive
//	R8  kills imports, exports and the other writers at each of their calls that change the disk
//	R9  makes system calls of all these fail
//	R4  fills the disk
//	F5  replaces or truncates a session while an import reads it
//	F6  checks that an import never writes to its source
//	F7  checks that nothing outside of hostile folders is read by mcp, show, search and export
//	C1  imports into a store that another process has locked
//	C2  runs four imports into one store at once
//	C3  exports a store while four processes import into it
//	C4  runs eight imports of files that are rewritten meanwhile
//	C7  runs eight processes that append to one session, and to eight
//	C9  runs four processes that repair, prune and undo the same files, beside programs that append to them
//
// An uninterrupted import of the same corpus is the reference. An import that is resumed after a fault must have the
// same content, pass SQLite's integrity check, and pass clawctl verify. Each check logs what it did, and is skipped if
// the machine lacks what it needs, such as root or strace.
package fault
