package migrate

import (
	"io"
	"path/filepath"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// ReceiptPath is how receipts name a source.
func ReceiptPath(s *source.Session) string {
	if s.Root == "" {
		return s.Below
	}
	return filepath.Join(s.Root, filepath.FromSlash(s.Below))
}

// receipt stores the receipt of a source, in the place of an earlier one unless that is of other text.
func (im *importer) receipt(s *source.Session, r *store.Receipt) error {
	r.Path, r.Root, r.Kind, r.ImportedAt = ReceiptPath(s), s.Root, string(s.Kind), im.opts.Clock().UnixMilli()
	if have := im.catalog.receipts[r.Path]; have != nil {
		if have.SessionKey == r.SessionKey {
			r.ID = have.ID
		} else {
			have.Replaced = true
			if err := im.batch.PutReceipt(have); err != nil {
				return storing(err)
			}
		}
	}
	if err := im.batch.PutReceipt(r); err != nil {
		return storing(err)
	}
	im.catalog.bySource[r.SessionKey] = slices.DeleteFunc(im.catalog.bySource[r.SessionKey], func(o *store.Receipt) bool { return o.ID == r.ID })
	im.catalog.addReceipt(r)
	return im.pack(s, r)
}

// packPart is how much of a compressed source one row holds.
const packPart = 1 << 20

// pack stores the bytes of a source whose text is not what its file holds.
func (im *importer) pack(s *source.Session, r *store.Receipt) error {
	if s.InDatabase || r.Stamp == (store.Stamp{}) || r.Stamp.Size == r.Bytes {
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
	for part := 0; ; part++ {
		buf := make([]byte, packPart)
		n, err := io.ReadFull(file, buf)
		if n > 0 {
			if err := im.batch.PutPacked(r, part, buf[:n]); err != nil {
				return storing(err)
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
