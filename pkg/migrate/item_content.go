package migrate

import (
	"context"
	"io"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// An itemContent is where the bytes of an item are.
type itemContent interface {
	open(context.Context) (io.ReadCloser, error) // the original bytes
	text(context.Context) (io.ReadCloser, error) // the same decompressed
	mayBePacked() bool
	checkRows(context.Context) error
}

type storedContent struct {
	view       *store.View
	transcript *store.Transcript
	length     int64                // of the text, -1 for all of it
	packed     *store.ImportReceipt // of the compressed original; nil if there is none
}

func (c *storedContent) mayBePacked() bool { return c.packed != nil }

func (c *storedContent) open(ctx context.Context) (io.ReadCloser, error) {
	if c.packed != nil {
		return c.view.Packed(ctx, c.packed)
	}
	return c.text(ctx)
}

func (c *storedContent) text(ctx context.Context) (io.ReadCloser, error) {
	text, err := c.view.Text(ctx, c.transcript, store.Whole)
	if err != nil || c.length < 0 {
		return text, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(text, c.length), text}, nil
}

func (c *storedContent) checkRows(ctx context.Context) error {
	return checkRows(ctx, c.view, c.transcript)
}

// A sourceContent is a session outside of the store. One in a database has no bytes but its text.
type sourceContent struct{ session *source.Session }

func (c sourceContent) mayBePacked() bool { return !c.session.InDatabase }

func (c sourceContent) open(context.Context) (io.ReadCloser, error) {
	if c.session.InDatabase {
		return c.session.Open()
	}
	return c.session.OpenRaw()
}

func (c sourceContent) text(context.Context) (io.ReadCloser, error) { return c.session.Open() }

func (c sourceContent) checkRows(context.Context) error { return nil }
