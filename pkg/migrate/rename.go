package migrate

import (
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// refresh updates the name and the metadata of a session whose text is unchanged.
func (run *importRun) refresh(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if t == nil {
		return nil
	}
	key, gen, better := run.catalog.betterName(s, t, isAllOf(t, run.catalog.receipts[ReceiptPath(s)].Bytes))
	if occupant := run.catalog.byKey[key]; better && key == t.BaseKey && gen == "" && occupant != nil &&
		run.catalog.hasLiveFile(occupant) {
		better = false // of two live files with one key, the current one stays until the other is written
	}
	news := run.catalog.newMetadata(s, t) != nil && run.catalog.isLatestSource(s, t)
	if !better && !news || run.commits.isRehearsal() {
		return nil
	}
	if err := run.beginWithCatalog(); err != nil {
		return err
	}
	if better {
		if err := run.rename(s, t, key, gen); err != nil {
			return asStoreError(err)
		}
		outcome.Key = t.Key
	}
	if !news {
		return nil
	}
	return run.describe(s, t)
}

// beginWithCatalog starts a batch, unless the catalog must be read again for that.
func (run *importRun) beginWithCatalog() error {
	known := run.catalog.loads
	if err := run.commits.begin(); err != nil {
		return asStoreError(err)
	}
	if run.catalog.loads != known {
		return errSessionChanged
	}
	return nil
}

// describe stores new metadata of a session.
func (run *importRun) describe(s *source.Session, t *storedTranscript) error {
	news := run.catalog.newMetadata(s, t)
	if news == nil {
		return nil
	}
	run.catalog.metadata[t.Key] = *news
	return asStoreError(run.commits.batch.Describe(t.Key, *news))
}

// rename gives a transcript another name. If another transcript has that name, it is renamed after its digest.
func (run *importRun) rename(s *source.Session, t *storedTranscript, key, gen string) error {
	if occupant := run.catalog.byKey[store.Name(key, gen)]; occupant != nil && occupant != t {
		if err := run.setAside(occupant); err != nil {
			return err
		}
	}
	if key == s.Key {
		t.Agent = s.Agent
	}
	gone := run.catalog.isGone(t)
	if err := run.move(t, key, gen, string(s.Kind)); err != nil {
		return err
	}
	if !gone {
		return nil
	}
	for _, r := range run.catalog.liveFiles(t) {
		delete(run.catalog.receipts, r.Path)
		run.catalog.dropReceipt(r)
		if err := run.commits.batch.DropReceipt(r); err != nil {
			return err
		}
	}
	return nil
}

// setAside renames a transcript after its digest, which frees its name.
func (run *importRun) setAside(t *storedTranscript) error {
	sum := t.Sum
	if sum == "" {
		var err error
		if sum, err = run.commits.sumOf(t); err != nil {
			return err
		}
	}
	return run.move(t, t.BaseKey, run.catalog.freeGeneration(t.BaseKey, sum), string(source.Archive))
}

// move changes the key of a transcript in the store, the catalog and the queued comparisons.
func (run *importRun) move(t *storedTranscript, key, gen, kind string) error {
	old := t.Key
	run.commits.changesExisting = true
	defer func() {
		run.commits.keyChanges = append(run.commits.keyChanges, keyChange{old, t.Key, len(run.commits.waiting)})
	}()
	err := run.catalog.change(t, func() error { return run.commits.batch.Rename(t.Transcript, key, gen, kind) })
	for _, r := range run.catalog.bySource[old] {
		r.SessionKey = t.Key
	}
	run.catalog.bySource[t.Key] = append(run.catalog.bySource[t.Key], run.catalog.bySource[old]...)
	delete(run.catalog.bySource, old)
	run.catalog.metadata[t.Key] = run.catalog.metadata[old]
	delete(run.catalog.metadata, old)
	for i := range run.commits.compared {
		if run.commits.compared[i].key == old {
			run.commits.compared[i].key = t.Key
		}
	}
	return err
}
