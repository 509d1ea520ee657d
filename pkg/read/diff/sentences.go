package diff

import (
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/ui"
)

// kindWords describe the kinds of differences after a number.
var kindWords = map[Kind]string{
	Removed: "only in A", Added: "only in B", Changed: "changed", Moved: "moved", Renumbered: "renumbered",
}

// Words describes the kind after a number.
func (k Kind) Words() string { return kindWords[k] }

// Sentence describes the differences that count.
func (s Selection) Sentence(sums *Sums) string {
	var list []string
	for _, k := range s.Kinds() {
		if n := sums.of(k); n > 0 {
			list = append(list, ui.Thousands(n)+" "+k.Words())
		}
	}
	spelling := ""
	if sums.Respelled > 0 {
		spelling = fmt.Sprintf(" (%s written differently)", ui.Thousands(sums.Respelled))
	}
	switch {
	case sums.differences() == 0:
		return "The same content" + spelling + "."
	case sums.hasSameContent() && len(list) > 0:
		return "The same content" + spelling + ", " + ui.Count(sums.Renumbered, "record") + " renumbered."
	case len(list) == 0:
		return "Nothing " + s.words() + "."
	case len(s) > 0:
		return strings.Join(list, ", ") + "."
	}
	return fmt.Sprintf("%s the same%s, %s.", ui.Thousands(sums.Same), spelling, strings.Join(list, ", "))
}

// words joins the kinds that count.
func (s Selection) words() string {
	var words []string
	for _, k := range s.Kinds() {
		words = append(words, k.Words())
	}
	return strings.Join(words, " or ")
}

// The statuses of sessions.
const (
	statusSame       = "same"
	statusOtherKind  = "other-kind"
	statusRenumbered = "renumbered"
	statusDifferent  = "different"
	statusOnlyA      = "only-a"
	statusOnlyB      = "only-b"
	statusUnreadable = "unreadable"
)

// statuses lists them in the order in which they are counted, with their words.
var statuses = []struct{ status, words string }{
	{statusSame, "the same"},
	{statusOtherKind, "of another kind"},
	{statusRenumbered, "renumbered"},
	{statusDifferent, "different"},
	{statusOnlyA, "only in A"},
	{statusOnlyB, "only in B"},
	{statusUnreadable, "unreadable"},
}

// statusWords describes the status of a session.
func (r *SumsRow) statusWords() string {
	at := slices.IndexFunc(statuses, func(s struct{ status, words string }) bool { return s.status == r.Status })
	words := statuses[at].words
	if r.KindA != "" && r.KindB != "" && r.KindA != r.KindB {
		words += fmt.Sprintf(" (%s in A, %s in B)", r.KindA, r.KindB)
	}
	return words
}

// Sentence describes the sums.
func (s *PlaceSums) Sentence() string {
	var list []string
	for _, known := range statuses {
		if n := s.Status[known.status]; n > 0 {
			list = append(list, ui.Thousands(int64(n))+" "+known.words)
		}
	}
	return fmt.Sprintf("%s: %s.", ui.Count(s.Sessions, "session"), strings.Join(list, ", "))
}

// Cells returns the row of a table: the session, its status, and how many records differ in each kind.
func (r *SumsRow) Cells(sums *Sums, kinds []Kind) []string {
	cells := []string{r.Session, r.statusWords()}
	for _, k := range kinds {
		cell := ""
		if n := sums.of(k); n > 0 {
			cell = ui.Thousands(n)
		}
		cells = append(cells, cell)
	}
	return cells
}
