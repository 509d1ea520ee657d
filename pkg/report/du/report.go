package du

import (
	"fmt"
	"slices"
)

// A ShareRow is the JSON form of a share in a list of all views.
type ShareRow struct {
	SchemaVersion int  `json:"schema_version"`
	View          View `json:"view"`
	Share
}

// Rows lists the shares of views, one view after another.
func (r *Report) Rows(views []View) (rows []ShareRow) {
	for _, view := range views {
		for _, s := range r.By[view] {
			rows = append(rows, ShareRow{1, view, s})
		}
	}
	return rows
}

// KeepLargest leaves only the n largest shares of every view.
func (r *Report) KeepLargest(n int) {
	for view, shares := range r.By {
		r.By[view] = shares[:min(n, len(shares))]
	}
}

// Share returns the share of a view with a name.
func (r *Report) Share(view View, name string) (share Share, found bool) {
	i := slices.IndexFunc(r.By[view], func(s Share) bool { return s.Name == name })
	if i < 0 {
		return Share{}, false
	}
	return r.By[view][i], true
}

// Largest returns the n largest shares of a view, and one for the rest. It returns all if n is 0, or if the rest is one
// share.
func (r *Report) Largest(view View, n int) []Share {
	shares := r.By[view]
	if n == 0 || len(shares) <= n+1 {
		return shares
	}
	rest := Share{Name: fmt.Sprintf("(%d more)", len(shares)-n)}
	for _, s := range shares[n:] {
		rest.Bytes += s.Bytes
		rest.Count += s.Count
	}
	return append(slices.Clone(shares[:n]), rest)
}
