package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
)

// A supply is space that can be freed: now, and later.
type supply struct {
	now, later int64
	next       time.Time // when the first of the rest can be freed
}

// add adds something that can be freed from a time on.
func (s *supply) add(bytes int64, from, now time.Time) {
	if !from.After(now) {
		s.now += bytes
		return
	}
	s.later += bytes
	s.next = slices.MinFunc([]time.Time{s.next, from}, compareDates)
}

// space says how much prune can free now, and when it can free more.
func (e *exam) space() Result {
	files, trash := e.oldFiles(), e.trash()
	var parts []string
	r := Result{Status: OK, Command: e.clawctl("prune")}
	if trash.now > 0 {
		parts = append(parts, ui.Bytes(trash.now)+" in the trash")
		r.Command = e.clawctl("prune", "--empty-trash")
	}
	if files.now > 0 {
		parts = append(parts, ui.Bytes(files.now)+" of old files that a database has")
		r.Command = e.clawctl("prune")
	}
	if len(parts) > 0 {
		r.Status = Info
		r.Message = ui.Bytes(files.now+trash.now) + " can be freed now: " + strings.Join(parts, ", ") + "."
	}
	if later := files.later + trash.later; later > 0 {
		next := slices.MinFunc([]time.Time{files.next, trash.next}, compareDates)
		r.Message += fmt.Sprintf(" %s can be freed later, the first of it from %s on.", ui.Bytes(later),
			next.In(e.Now.Location()).Format(time.DateOnly))
	}
	if r.Message = strings.TrimSpace(r.Message); r.Message == "" {
		return Result{}
	}
	return r
}

// compareDates compares times, of which a zero time is the last.
func compareDates(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		a, b = b, a
	}
	return a.Compare(b)
}

// oldFiles returns the space of the files that prune takes: archives, backups and checkpoints that a database has.
func (e *exam) oldFiles() supply {
	var s supply
	c := e.copies
	if c.err != nil || len(c.targets) == 0 {
		return s
	}
	for _, file := range (prune.Rules{Before: e.Now.AddDate(1000, 0, 0)}).Select(e.home.Place.Sessions) {
		if !slices.Contains(c.only, file) && !slices.Contains(c.unknown, file) && file.Kind != source.Live {
			s.add(file.Bytes, prune.LastUse(file).AddDate(0, 0, prune.UnusedDays), e.Now)
		}
	}
	return s
}

// trash returns the space of the files in the trash.
func (e *exam) trash() (s supply) {
	for _, r := range e.home.Trashed {
		if info, err := os.Lstat(r.Moved.To); err == nil {
			s.add(info.Size(), r.Time.AddDate(0, 0, prune.TrashDays), e.Now)
		}
	}
	return s
}

// shownShares is how many kinds of files the disk check names.
const shownShares = 2

// disk says how much space everything takes.
func (e *exam) disk() Result {
	r := Result{Status: OK, Command: e.clawctl("du")}
	usage, err := du.Collect(e.ctx, []*source.Listing{e.home.Place}, e.home.Place.Sessions,
		du.Options{Views: []du.View{du.Kind}, Listing: e.home.Listing})
	if err != nil {
		return r // Examine looks at the context
	}
	var shares []string
	for _, s := range usage.By[du.Kind][:min(shownShares, len(usage.By[du.Kind]))] {
		shares = append(shares, s.Name+" "+ui.Bytes(s.Bytes))
	}
	r.Message = fmt.Sprintf("%s on disk", ui.Bytes(usage.Bytes))
	if len(shares) > 0 {
		r.Message += ": " + strings.Join(shares, ", ")
	}
	if size := sizeOf(e.home.StorePath); size > 0 {
		r.Message += "; clawctl's store " + ui.Bytes(size)
	}
	r.Message += "."
	return r
}
