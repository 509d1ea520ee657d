package cli

import (
	"slices"
	"sync"
)

// resources are what a run opened and must close: places, and temporary files.
type resources struct {
	mu      sync.Mutex
	places  []openPlace
	cleanup []func()
}

// An openPlace is something that sessions are read from: a *source.Place or a *migrate.Target.
type openPlace interface {
	Close() error
	Abandon() // removes its private copies if it cannot be closed
}

// Keep makes sure that a place is closed when the run ends.
func (r *resources) Keep(p openPlace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.places = append(r.places, p)
}

// AtEnd calls a function when the run ends.
func (r *resources) AtEnd(clean func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanup = append(r.cleanup, clean)
}

// close releases everything.
func (r *resources) close() {
	for _, p := range r.openPlaces() {
		p.Close()
	}
	for _, clean := range r.cleanup {
		clean()
	}
}

// discardCopies removes the private copies of places that a command which is left running still reads.
func (r *resources) discardCopies() {
	for _, p := range r.openPlaces() {
		p.Abandon()
	}
}

func (r *resources) openPlaces() []openPlace {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.places)
}
