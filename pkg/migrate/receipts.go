package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
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
func (im *importer) putReceipt(s *source.Session, r *store.Receipt) error {
	r.Path, r.Root, r.Kind, r.InDatabase, r.ImportedAt = ReceiptPath(s), s.Root, string(s.Kind), s.InDatabase,
		im.opts.Clock().UnixMilli()
	if have := im.catalog.receipts[r.Path]; have != nil {
		if have.SessionKey == r.SessionKey && have.Bytes <= r.Bytes {
			r.ID = have.ID
		} else {
			have.Replaced = true
			if err := im.batch.PutReceipt(have); err != nil {
				return asStoreError(err)
			}
		}
	}
	if err := im.dropReplaced(r); err != nil {
		return asStoreError(err)
	}
	if err := im.batch.PutReceipt(r); err != nil {
		return asStoreError(err)
	}
	im.catalog.dropReceipt(r)
	im.catalog.addReceipt(r)
	return im.pack(s, r)
}

// dropReplaced removes an outdated receipt for text that the source has again.
func (im *importer) dropReplaced(r *store.Receipt) error {
	for _, old := range slices.Clone(im.catalog.bySource[r.SessionKey]) {
		if old.Replaced && old.Path == r.Path && old.Sum == r.Sum && old.ID != r.ID {
			im.catalog.dropReceipt(old)
			if err := im.batch.DropReceipt(old); err != nil {
				return err
			}
		}
	}
	return nil
}

// packPart is the number of bytes of a compressed source in one row.
const packPart = 1 << 20

// pack stores the original bytes of a compressed source.
func (im *importer) pack(s *source.Session, r *store.Receipt) error {
	if err := im.batch.DropPacked(r); err != nil {
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
	h := sha256.New()
	for part := 0; ; part++ {
		buf := make([]byte, packPart)
		n, err := io.ReadFull(file, buf)
		if n > 0 {
			h.Write(buf[:n])
			if err := im.batch.PutPacked(r, part, buf[:n]); err != nil {
				return asStoreError(err)
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	r.PackedSum = hex.EncodeToString(h.Sum(nil))
	if err := im.batch.PutReceipt(r); err != nil {
		return asStoreError(err)
	}
	return im.comparePacked(r)
}

// comparePacked reads the packed bytes back and compares their digest.
func (im *importer) comparePacked(r *store.Receipt) error {
	packed, err := im.batch.View().Packed(im.ctx, r)
	if err != nil {
		return asStoreError(err)
	}
	defer packed.Close()
	h := sha256.New()
	if _, err := copyN(im.ctx, h, packed, -1); err != nil {
		return asStoreError(err)
	}
	if hex.EncodeToString(h.Sum(nil)) != r.PackedSum {
		return ErrDiffers
	}
	return nil
}
