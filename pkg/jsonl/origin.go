package jsonl

// An Origin is where a session ran.
type Origin struct {
	Folder string // the working directory
	Branch string // of git, in that directory
}

// IsKnown reports whether something has told the origin.
func (o Origin) IsKnown() bool { return o.Folder != "" }

// Origin returns what the record says about where its session ran. Most programs say it in the header, others in every
// line.
func (r *Record) Origin() Origin {
	var o Origin
	if !r.Legible() {
		return o
	}
	if r.program != nil && r.program.Origin != nil {
		folder, branch := r.program.Origin(r.Stated())
		return Origin{folder.String(), branch.String()}
	}
	h, _ := r.Header()
	return Origin{Folder: h.Cwd}
}
