package main

import "slices"

// excerptOptions are --limit and --reverse of commands that print a list.
type excerptOptions struct {
	limit   int
	reverse bool
}

func (o *excerptOptions) flags() []flag {
	return []flag{
		countFlag(&o.limit, "limit", "N", 0, "list only the first N").withDefault("all"),
		switchFlag(&o.reverse, "reverse", "reverse the order; --limit then counts from the other end"),
	}
}

// excerpt returns the part of a sorted list that is asked for.
func excerpt[T any](list []T, o excerptOptions) []T {
	if o.reverse {
		slices.Reverse(list)
	}
	if o.limit > 0 && len(list) > o.limit {
		list = list[:o.limit]
	}
	return list
}

// cut leaves the part of a report's rows that is asked for. Objects that belong to no row come after it.
func cut(r *report, o excerptOptions) {
	r.Rows, r.objects = excerpt(r.Rows, o), excerpt(r.objects, o)
}
