package doctor

import (
	"fmt"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
)

// shownShares is how many kinds of files the disk check names.
const shownShares = 2

// disk says how much space everything takes.
func (e *exam) disk() Result {
	r := Result{Status: OK, Command: e.clawctl("du")}
	usage, err := du.Collect(e.ctx, []*source.Place{e.Place}, e.Place.Sessions,
		du.Options{Views: []du.View{du.Kind}, Listing: e.Listing})
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
	if size := sizeOf(e.StorePath); size > 0 {
		r.Message += "; clawctl's store " + ui.Bytes(size)
	}
	r.Message += "."
	return r
}
