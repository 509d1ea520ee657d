package census

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"clawctl/internal/ui"
)

// Written returns the version of the program, or the dialect if no version is recorded.
func (r *Row) Written() string { return cmp.Or(r.Version, r.Form) }

// Label returns the name for people. That of a value begins with its field.
func (r *Row) Label() string {
	name := cmp.Or(r.Name, fmt.Sprintf("(%s)", ui.Count(r.Bytes, "byte")))
	if r.Field != "" {
		return r.Field + ": " + name
	}
	return name
}

// Example returns where it is for the first time.
func (r *Row) Example() string {
	if r.Line == 0 {
		return r.Path
	}
	return r.Path + ":" + strconv.FormatInt(r.Line, 10)
}

// Words sums up a census in a sentence.
func (c *Census) Words() string {
	var counts [Value + 1]int
	for _, row := range c.rows {
		counts[row.Sighting.Kind]++
	}
	var list []string
	for kind, n := range counts {
		if n > 0 {
			list = append(list, ui.Count(n, "unknown "+Kind(kind).String()))
		}
	}
	words := "nothing unknown"
	if len(list) > 0 {
		words = strings.Join(list, ", ")
	}
	words += " in " + ui.Count(c.Sessions, "session") + " with " + ui.Count(int(c.Records), "record")
	if c.More > 0 {
		words += fmt.Sprintf("; %s of other names are not listed", ui.Count(int(c.More), "occurrence"))
	}
	if c.Damaged > 0 {
		words += fmt.Sprintf("; %s could not be read", ui.Count(int(c.Damaged), "line"))
	}
	return words
}
