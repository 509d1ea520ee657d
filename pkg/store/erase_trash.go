package store

import (
	"bufio"
	"io"
)

// eraseTrashed removes values from a deleted session.
func (b *Batch) eraseTrashed(item *TrashedSession, e Editor) (changed bool, err error) {
	for i, r := range item.Receipts {
		if r.PackedSum == "" {
			continue
		}
		sum, packed, err := b.eraseParts(trashParts(item, i+1), e.Packed)
		if err != nil {
			return false, err
		}
		if packed {
			r.PackedSum, changed = sum, true
		}
	}
	if e.Has([]byte(item.Metadata)) {
		item.Metadata, changed = string(e.Metadata([]byte(item.Metadata))), true
	}
	text, err := b.View().openParts(b.ctx, trashParts(item, 0))
	if err != nil {
		return false, err
	}
	has, err := hasValue(text, e)
	if err == nil && has {
		err = b.eraseTrashedText(item, e)
	}
	if err != nil || !has && !changed {
		return false, err
	}
	return true, b.describeTrashed(item)
}

// hasValue reports whether any line of a text has a value.
func hasValue(text io.Reader, e Editor) (bool, error) {
	in := bufio.NewReaderSize(text, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case e.Has(line):
			return true, nil
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		}
	}
}

// eraseTrashedText removes values from the text of a deleted session.
func (b *Batch) eraseTrashedText(item *TrashedSession, e Editor) error {
	text := trashParts(item, 0)
	open := func() (io.ReadCloser, error) { return b.View().openParts(b.ctx, text) }
	after, err := changeText(&item.Transcript, item.Receipts, open, func() error {
		_, _, err := b.eraseParts(text, func(w io.Writer, in io.Reader) (bool, error) { return true, e.Text(w, in) })
		return err
	})
	if err != nil {
		return err
	}
	item.TextSum = after.whole
	for i, r := range item.Receipts {
		p := after.prefixes[i+1]
		if r.Bytes, r.Sum = p.end, p.sum; p.isBroken {
			r.Stamp, r.Replaced = Stamp{}, true // its file is imported again
		}
	}
	return nil
}
