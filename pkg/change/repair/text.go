package repair

import (
	"context"
	"io"
	"os"

	"clawctl/internal/spool"
	"clawctl/pkg/change"
	"clawctl/pkg/source"
)

// A sessionText is the text of a session that can be read at any place.
type sessionText struct {
	io.ReaderAt
	size   int64
	sha256 string // of the file, if the text is all of it
	close  func()
}

func (t *sessionText) Close() error {
	t.close()
	return nil
}

// openText opens the text of a session: its file, or a private copy of what is in a database or compressed.
func openText(ctx context.Context, s *source.Session) (*sessionText, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if s.IsFile() && in.IsPlain() {
		snapshot, err := change.Open(s.Path)
		if err != nil {
			return nil, err
		}
		return &sessionText{snapshot, snapshot.Size, snapshot.SHA256, func() { snapshot.Close() }}, nil
	}
	if text, ok := s.Spooled(); ok && in.IsPlain() {
		return &sessionText{text, text.Size(), "", func() {}}, nil
	}
	file, err := spool.Create(os.TempDir())
	if err != nil {
		return nil, err
	}
	if err := file.Copy(ctx, in); err != nil {
		file.Close()
		return nil, err
	}
	return &sessionText{file.All(), file.Size(), "", func() { file.Close() }}, nil
}
