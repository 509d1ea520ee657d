package failure

// Exit statuses.
const (
	ExitOK          = 0
	ExitFindings    = 1
	ExitUsage       = 2
	ExitDamaged     = 3
	ExitNothing     = 4
	ExitDatabase    = 5
	ExitLocked      = 11
	ExitInterrupted = 130
)

// An ExitStatus explains one exit status.
type ExitStatus struct {
	Status int
	Words  string
}

// ExitStatuses lists every exit status. Help texts and documentation are generated from it.
var ExitStatuses = []ExitStatus{
	{ExitOK, "done"},
	{ExitFindings, "problems found"},
	{ExitUsage, "wrong usage or the command could not run"},
	{ExitDamaged, "done but some input was damaged or skipped"},
	{ExitNothing, "nothing found or not a transcript"},
	{ExitDatabase, "the database is corrupt, unrecognized, or written by a newer version"},
	{ExitLocked, "the database is locked"},
	{ExitInterrupted, "interrupted (run the command again to resume)"},
}
