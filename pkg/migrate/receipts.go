package migrate

import (
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"path/filepath"
	"slices"
)

// ReceiptPath returns the name of a source in its receipt.
func ReceiptPath(s *source.Session) string {
	if s.Root == "" {
		return s.Below
	}
	return filepath.Join(s.Root, filepath.FromSlash(s.Below))
}

// putReceipt stores the receipt of a source. It replaces an earlier one, unless that is for other text or for more of
// it.
func (run *importRun) putReceipt(s *source.Session, r *store.ImportReceipt) error {
	r.Path, r.Root, r.Kind, r.InDatabase, r.ImportedAt = ReceiptPath(s), s.Root, string(s.Kind), s.InDatabase,
		run.opts.Clock().UnixMilli()
	if have := run.catalog.receipts[r.Path]; have != nil {
		if have.SessionKey == r.SessionKey && have.Bytes <= r.Bytes {
			r.ID = have.ID
		} else {
			have.Replaced = true
			if err := run.commits.batch.PutReceipt(have); err != nil {
				return asStoreError(err)
			}
		}
	}
	if err := run.dropReplaced(r); err != nil {
		return asStoreError(err)
	}
	if err := run.commits.batch.PutReceipt(r); err != nil {
		return asStoreError(err)
	}
	run.catalog.dropReceipt(r)
	run.catalog.addReceipt(r)
	return run.pack(s, r)
}

// dropReplaced removes an outdated receipt for text that the source has again.
func (run *importRun) dropReplaced(r *store.ImportReceipt) error {
	for _, old := range slices.Clone(run.catalog.bySource[r.SessionKey]) {
		if old.Replaced && old.Path == r.Path && old.Sum == r.Sum && old.ID != r.ID {
			run.catalog.dropReceipt(old)
			if err := run.commits.batch.DropReceipt(old); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack stores the original bytes of a compressed source.
func (run *importRun) pack(s *source.Session, r *store.ImportReceipt) error {
	if err := run.commits.batch.DropPacked(r); err != nil {
		return asStoreError(err)
	}
	if s.InDatabase || r.IsPart() || r.Stamp == (store.Stamp{}) {
		return nil
	}
	in, err := s.Open()
	if err != nil {
		return err
	}
	plain := in.IsPlain()
	in.Close()
	if plain {
		return nil
	}
	file, err := s.OpenRaw()
	if err != nil {
		return err
	}
	defer file.Close()
	bytes := &notingReader{in: file}
	err = run.commits.batch.PutPacked(r, bytes)
	if bytes.err != nil {
		return bytes.err
	}
	if err != nil {
		return asStoreError(err)
	}
	return run.comparePacked(r)
}

// comparePacked reads the packed bytes back and compares their digest.
func (run *importRun) comparePacked(r *store.ImportReceipt) error {
	packed, err := run.commits.batch.View().Packed(run.ctx, r)
	if err != nil {
		return asStoreError(err)
	}
	defer packed.Close()
	sum, err := digestOf(run.ctx, packed, -1)
	if err != nil {
		return asStoreError(err)
	}
	if sum != r.PackedSum {
		return ErrDiffers
	}
	return nil
}
