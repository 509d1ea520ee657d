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
func (w *writer) putReceipt(s *source.Session, r *store.ImportReceipt) error {
	r.Path, r.Root, r.Kind, r.InDatabase, r.ImportedAt = ReceiptPath(s), s.Root, string(s.Kind), s.InDatabase,
		w.opts.Clock().UnixMilli()
	if have := w.catalog.receipts[r.Path]; have != nil {
		if have.SessionKey == r.SessionKey && have.Bytes <= r.Bytes {
			r.ID = have.ID
		} else {
			have.Replaced = true
			if err := w.commits.batch.PutReceipt(have); err != nil {
				return asStoreError(err)
			}
		}
	}
	if err := w.dropReplaced(r); err != nil {
		return asStoreError(err)
	}
	if err := w.commits.batch.PutReceipt(r); err != nil {
		return asStoreError(err)
	}
	w.catalog.dropReceipt(r)
	w.catalog.addReceipt(r)
	return w.pack(s, r)
}

// dropReplaced removes an outdated receipt for text that the source has again.
func (w *writer) dropReplaced(r *store.ImportReceipt) error {
	for _, old := range slices.Clone(w.catalog.bySource[r.SessionKey]) {
		if old.Replaced && old.Path == r.Path && old.Sum == r.Sum && old.ID != r.ID {
			w.catalog.dropReceipt(old)
			if err := w.commits.batch.DropReceipt(old); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack stores the original bytes of a compressed source.
func (w *writer) pack(s *source.Session, r *store.ImportReceipt) error {
	if err := w.commits.batch.DropPacked(r); err != nil {
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
	err = w.commits.batch.PutPacked(r, bytes)
	if bytes.err != nil {
		return bytes.err
	}
	if err != nil {
		return asStoreError(err)
	}
	return w.comparePacked(r)
}

// comparePacked reads the packed bytes back and compares their digest.
func (w *writer) comparePacked(r *store.ImportReceipt) error {
	packed, err := w.commits.batch.View().Packed(w.ctx, r)
	if err != nil {
		return asStoreError(err)
	}
	defer packed.Close()
	sum, err := digestOf(w.ctx, packed, -1)
	if err != nil {
		return asStoreError(err)
	}
	if sum != r.PackedSum {
		return ErrDiffers
	}
	return nil
}
