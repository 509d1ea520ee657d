package migrate

import (
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"slices"
)

// refresh updates the name and the metadata of a session whose text is unchanged.
func (w *writer) refresh(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if t == nil {
		return nil
	}
	key, gen, better := w.catalog.betterName(s, t, isAllOf(t, w.catalog.receipts[ReceiptPath(s)].Bytes))
	if occupant := w.catalog.byKey[key]; better && key == t.BaseKey && gen == "" && occupant != nil &&
		w.catalog.hasLiveFile(occupant) {
		better = false // of two live files with one key, the current one stays until the other is written
	}
	news := w.catalog.newMetadata(s, t) != nil && w.catalog.isLatestSource(s, t)
	if !better && !news || w.commits.isRehearsal() {
		return nil
	}
	if err := w.beginWithCatalog(); err != nil {
		return err
	}
	if better {
		if err := w.rename(s, t, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = t.Key
	}
	if !news {
		return nil
	}
	return w.describe(s, t)
}

// beginWithCatalog starts a batch, unless the catalog must be read again for that.
func (w *writer) beginWithCatalog() error {
	known := w.catalog.loads
	if err := w.commits.begin(); err != nil {
		return asStoreError(err)
	}
	if w.catalog.loads != known {
		return errSessionChanged
	}
	return nil
}

// describe stores new metadata of a session.
func (w *writer) describe(s *source.Session, t *storedTranscript) error {
	news := w.catalog.newMetadata(s, t)
	if news == nil {
		return nil
	}
	w.catalog.metadata[t.Key] = *news
	return asStoreError(w.commits.batch.Describe(t.Key, *news))
}

// rename gives a transcript another name. If another transcript has that name, it is renamed after its digest.
func (w *writer) rename(s *source.Session, t *storedTranscript, key, gen string) error {
	if occupant := w.catalog.byKey[store.Name(key, gen)]; occupant != nil && occupant != t {
		if err := w.setAside(occupant); err != nil {
			return err
		}
	}
	if key == s.Key {
		t.Agent = s.Agent
	}
	gone := w.catalog.isGone(t)
	if err := w.move(t, key, gen, string(s.Kind)); err != nil {
		return err
	}
	if !gone {
		return nil
	}
	for _, r := range slices.Clone(w.catalog.bySource[t.Key]) {
		if r.Kind == string(source.Live) && !r.Replaced {
			delete(w.catalog.receipts, r.Path)
			w.catalog.dropReceipt(r)
			if err := w.commits.batch.DropReceipt(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside renames a transcript after its digest, which frees its name.
func (w *writer) setAside(t *storedTranscript) error {
	sum := t.Sum
	if sum == "" {
		var err error
		if sum, err = w.commits.sumOf(t); err != nil {
			return err
		}
	}
	return w.move(t, t.BaseKey, w.catalog.freeGeneration(t.BaseKey, sum), string(source.Archive))
}

// move changes the key of a transcript in the store, the catalog and the queued comparisons.
func (w *writer) move(t *storedTranscript, key, gen, kind string) error {
	old := t.Key
	w.commits.changesExisting = true
	defer func() {
		w.commits.keyChanges = append(w.commits.keyChanges, keyChange{old, t.Key, len(w.commits.waiting)})
	}()
	err := w.catalog.change(t, func() error { return w.commits.batch.Rename(t.Transcript, key, gen, kind) })
	for _, r := range w.catalog.bySource[old] {
		r.SessionKey = t.Key
	}
	w.catalog.bySource[t.Key] = append(w.catalog.bySource[t.Key], w.catalog.bySource[old]...)
	delete(w.catalog.bySource, old)
	w.catalog.metadata[t.Key] = w.catalog.metadata[old]
	delete(w.catalog.metadata, old)
	for i := range w.commits.compared {
		if w.commits.compared[i].key == old {
			w.commits.compared[i].key = t.Key
		}
	}
	return err
}
