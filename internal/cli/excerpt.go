package cli

import "slices"

// ExcerptOptions are --limit and --reverse of commands that print a list.
type ExcerptOptions struct {
	limit   int
	reverse bool
}

// Flags describes them.
func (o *ExcerptOptions) Flags() []Flag {
	return []Flag{
		CountFlag(&o.limit, "limit", "N", 0, "list only the first N").WithDefault("all"),
		SwitchFlag(&o.reverse, "reverse", "reverse the order; --limit then counts from the other end"),
	}
}

// Excerpt returns the part of a sorted list that is asked for.
func Excerpt[T any](list []T, o ExcerptOptions) []T {
	if o.reverse {
		slices.Reverse(list)
	}
	if o.limit > 0 && len(list) > o.limit {
		list = list[:o.limit]
	}
	return list
}

// Cut leaves the part of a report's rows that is asked for. Objects that belong to no row come after it.
func Cut(r *Report, o ExcerptOptions) {
	r.Rows, r.Objects = Excerpt(r.Rows, o), Excerpt(r.Objects, o)
}
