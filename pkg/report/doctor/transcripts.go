package doctor

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// A broken transcript is one whose text is damaged.
type broken struct {
	session *source.Session
	why     string
}

// transcripts says which files are damaged. Archives are only looked at with Deep.
func (e *exam) transcripts() Result {
	live, older := e.findBroken()
	r := Result{Status: OK, Command: e.validate(), Message: e.describeIntact()}
	switch {
	case len(live) > 0:
		r.Status, r.Command = Warn, e.clawctl("repair")
		if len(live) == 1 {
			r.Command = failure.Command("clawctl", "repair", live[0].session.Place())
		}
		r.Message = describeBroken(live, "live transcript")
	case len(older) > 0:
		r.Status, r.Command = Info, failure.Command("clawctl", "validate", older[0].session.Place())
		r.Message = describeBroken(older, "archived transcript")
	}
	return r
}

// describeIntact says what was looked at and is not damaged.
func (e *exam) describeIntact() string {
	n := 0
	for _, s := range e.files {
		if s.Kind == source.Live && isPlain(s) {
			n++
		}
	}
	switch {
	case e.Deep:
		return "Every line of " + ui.Count(len(e.home.Place.Sessions), "transcript") + " is intact."
	case n == 0:
		return "No live transcript is a plain file."
	}
	return ui.Count(n, "live file") + ": the beginning and the last line are intact."
}

func describeBroken(list []broken, noun string) string {
	return fmt.Sprintf("%s damaged: %s (%s).", ui.Are(len(list), noun), filepath.Base(list[0].session.Path), list[0].why)
}

// findBroken returns the damaged transcripts: live ones, and archives if everything was read.
func (e *exam) findBroken() (live, older []broken) {
	for _, s := range e.home.Place.Sessions {
		why := e.damageOf(s)
		switch {
		case why == "":
		case s.Kind == source.Live:
			live = append(live, broken{s, why})
		default:
			older = append(older, broken{s, why})
		}
	}
	return live, older
}

// damageOf says what is wrong with the text of a transcript, "" if nothing is known to be.
func (e *exam) damageOf(s *source.Session) string {
	if r := e.read[s]; r != nil {
		switch {
		case r.err != nil:
			return failure.Reason(r.err)
		case r.damage != nil:
			return fmt.Sprintf("line %d: %s, %s", r.damage.Line, r.damage.Rule.Words, r.damage.Rule.Code)
		}
		return ""
	}
	if s.Kind != source.Live || !isPlain(s) || e.isLocked(s) {
		return ""
	}
	return damagedEnds(s)
}

// isLocked reports whether a process is writing to a file, so that its last line may be on its way.
func (e *exam) isLocked(s *source.Session) bool {
	return slices.ContainsFunc(e.home.Place.Locks, func(l openclaw.Lock) bool {
		return l.Path == s.Path+".lock" && l.IsAlive()
	})
}

// endBytes is how many bytes of each end of a file are looked at.
const endBytes = 16 << 10

// damagedEnds looks at the first bytes and the last line of a file.
func damagedEnds(s *source.Session) string {
	raw, err := s.OpenRaw()
	if err != nil {
		return failure.Reason(err)
	}
	defer raw.Close()
	file, isFile := raw.(*os.File)
	if !isFile {
		return ""
	}
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return ""
	}
	buf := make([]byte, min(endBytes, info.Size()))
	if _, err := file.ReadAt(buf, 0); err != nil {
		return failure.Reason(err)
	}
	if why := damagedStart(buf); why != "" {
		return why
	}
	if _, err := file.ReadAt(buf, info.Size()-int64(len(buf))); err != nil && err != io.EOF {
		return failure.Reason(err)
	}
	return damagedEnd(buf, int64(len(buf)) == info.Size())
}

// damagedStart looks at the first bytes of a transcript, which is one JSON object per line.
func damagedStart(text []byte) string {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n\u00a0")
	if len(text) > 0 && text[0] != '{' {
		return "its beginning is not a record"
	}
	return ""
}

// damagedEnd looks at the last line of a transcript, of which text is the end. A line that begins before text is not
// parsed.
func damagedEnd(text []byte, isWhole bool) string {
	line, hasEnd := bytes.CutSuffix(text, []byte("\n"))
	start := bytes.LastIndexByte(line, '\n') + 1
	if start == 0 && !isWhole {
		if !bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte("}")) {
			return "its last line is incomplete"
		}
		return ""
	}
	line = line[start:]
	record := (&jsonl.Parser{}).Parse(line, 1, 0)
	switch {
	case record.Damage == nil || len(bytes.TrimSpace(line)) == 0:
		return ""
	case !hasEnd:
		return "its last line is incomplete"
	}
	return "last line: " + record.Damage.Code.Words()
}
