// Package follow reads the end of sessions, and what is appended to them while somebody else writes them.
//
//	Group ─▶ Source ─▶ Event, Event, …
//
// A [Source] is one session that grows: a JSONL file, rows of OpenClaw's database, or any other text that can be opened
// again. [Source.Last] reads its last records, from the end if that is possible. [Source.Poll] returns what has been
// added since. A [Group] polls many sessions, and finds those that appear later.
//
// Nothing waits or runs by itself: whoever calls Poll decides when. A poll of a session that has not changed looks at
// its file and opens nothing. No database is locked, and nothing is written beside one.
package follow
