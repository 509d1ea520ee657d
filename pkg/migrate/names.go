package migrate

import (
	"encoding/json"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// refresh updates the name and the metadata of a session whose text is unchanged.
func (im *importer) refresh(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if t == nil {
		return nil
	}
	key, gen, better := im.betterName(s, t, isAllOf(t, im.catalog.receipts[ReceiptPath(s)].Bytes))
	if occupant := im.catalog.byKey[key]; better && key == t.BaseKey && gen == "" && occupant != nil &&
		im.hasLiveFile(occupant) {
		better = false // of two live files with one key, the current one stays until the other is written
	}
	news := im.newMetadata(s, t) != nil && im.isLatestSource(s, t)
	if !better && !news || im.isRehearsal() {
		return nil
	}
	known := im.catalog
	if err := im.begin(); err != nil {
		return asStoreError(err)
	}
	if im.catalog != known {
		return errSessionChanged // the catalog was read again
	}
	if better {
		if err := im.rename(s, t, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = t.Key
	}
	if !news {
		return nil
	}
	return im.describe(s, t)
}

// newMetadata returns the registration's metadata for a current session, or nil if the store already has it.
func (im *importer) newMetadata(s *source.Session, t *storedTranscript) *store.Metadata {
	if !s.Listed || !t.isCurrent() || s.Kind != source.Live {
		return nil
	}
	m := store.Metadata{Title: s.Title(), Entry: compact(s.Registration())}
	have := im.catalog.metadata[t.Key]
	if string(have.Entry) == string(m.Entry) && have.Title == m.Title {
		return nil
	}
	return &m
}

// compact returns an entry in the form in which it is stored.
func compact(raw jsonl.Value) json.RawMessage {
	if !raw.Exists() {
		return nil
	}
	text, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return nil
	}
	return text
}

// describe stores new metadata of a session.
func (im *importer) describe(s *source.Session, t *storedTranscript) error {
	news := im.newMetadata(s, t)
	if news == nil {
		return nil
	}
	im.catalog.metadata[t.Key] = *news
	return asStoreError(im.batch.Describe(t.Key, *news))
}

// rename gives a transcript another name. If another transcript has that name, it is renamed after its digest.
func (im *importer) rename(s *source.Session, t *storedTranscript, key, gen string) error {
	if occupant := im.catalog.byKey[store.Name(key, gen)]; occupant != nil && occupant != t {
		if err := im.setAside(occupant); err != nil {
			return err
		}
	}
	if key == s.Key {
		t.Agent = s.Agent
	}
	gone := im.isGone(t)
	if err := im.move(t, key, gen, string(s.Kind)); err != nil {
		return err
	}
	if !gone {
		return nil
	}
	for _, r := range slices.Clone(im.catalog.bySource[t.Key]) {
		if r.Kind == string(source.Live) && !r.Replaced {
			delete(im.catalog.receipts, r.Path)
			im.catalog.dropReceipt(r)
			if err := im.batch.DropReceipt(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside renames a transcript after its digest, which frees its name.
func (im *importer) setAside(t *storedTranscript) error {
	sum := t.Sum
	if sum == "" {
		var err error
		if sum, err = im.sumOf(t); err != nil {
			return err
		}
	}
	return im.move(t, t.BaseKey, im.freeGeneration(t.BaseKey, sum), string(source.Archive))
}

// move changes the key of a transcript in the store, the catalog and the queued comparisons.
func (im *importer) move(t *storedTranscript, key, gen, kind string) error {
	old := t.Key
	im.changesExisting = true
	defer func() { im.keyChanges = append(im.keyChanges, keyChange{old, t.Key, len(im.waiting)}) }()
	err := im.catalog.change(t, func() error { return im.batch.Rename(t.Transcript, key, gen, kind) })
	for _, r := range im.catalog.bySource[old] {
		r.SessionKey = t.Key
	}
	im.catalog.bySource[t.Key] = append(im.catalog.bySource[t.Key], im.catalog.bySource[old]...)
	delete(im.catalog.bySource, old)
	im.catalog.metadata[t.Key] = im.catalog.metadata[old]
	delete(im.catalog.metadata, old)
	for i := range im.compared {
		if im.compared[i].key == old {
			im.compared[i].key = t.Key
		}
	}
	return err
}
