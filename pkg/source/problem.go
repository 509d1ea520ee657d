package source

// A Code names a kind of problem with how a session is registered or stored. Codes are stable.
type Code string

// The problems of a store, as opposed to damage in a transcript.
const (
	Unlisted      Code = "CL501"
	FileMissing   Code = "CL502"
	ForeignPath   Code = "CL503"
	NoSessionID   Code = "CL504"
	NullEntry     Code = "CL505"
	IndexDamaged  Code = "CL506"
	IDMismatch    Code = "CL507"
	MovedToSQLite Code = "CL508"
	LinkOutside   Code = "CL509"
	Unreadable    Code = "CL510"
	SharedFile    Code = "CL511"
	BadDatabase   Code = "CL512"
)

// Codes lists every code in order.
var Codes = []Code{Unlisted, FileMissing, ForeignPath, NoSessionID, NullEntry, IndexDamaged, IDMismatch, MovedToSQLite, LinkOutside, Unreadable, SharedFile, BadDatabase}

// Words says what the code means.
func (c Code) Words() string {
	switch c {
	case Unlisted:
		return "not listed in sessions.json"
	case FileMissing:
		return "listed, but its transcript is missing"
	case ForeignPath:
		return "listed with a path of another place"
	case NoSessionID:
		return "listed without a session id"
	case NullEntry:
		return "listed as nothing"
	case IndexDamaged:
		return "sessions.json is damaged"
	case IDMismatch:
		return "the header has another id than the file's name"
	case MovedToSQLite:
		return "listed as moved to SQLite"
	case LinkOutside:
		return "a link that leads outside is not followed"
	case Unreadable:
		return "cannot be read"
	case SharedFile:
		return "listed under several keys"
	case BadDatabase:
		return "the database cannot be read"
	}
	return string(c)
}

// A Problem is something wrong about a store.
type Problem struct {
	Code   Code
	Path   string // the file it is about
	Key    string // the session it is about, or ""
	Detail string // may be ""
}
