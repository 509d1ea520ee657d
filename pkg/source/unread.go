package source

import (
	"context"
	"fmt"
	"path/filepath"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/source/packed"
)

// Unread describes bytes of the session's file that are not part of its text and that nothing else accounts for, such
// as a skippable frame of zstd or a comment of gzip. It returns "" if there are none. A reader of the text does not see
// these bytes.
func (s *Session) Unread(ctx context.Context) (string, error) {
	file, err := s.OpenRaw()
	if err != nil {
		return "", err
	}
	defer file.Close()
	unread, err := packed.Unread(ctx, file, filepath.Base(s.Path))
	if err != nil {
		return unread, err
	}
	if unread == "" && isColdArchive(s.AbsolutePath()) {
		unread, err = s.unreadCold(ctx)
	}
	return unread, err
}

// unreadCold looks for what the rows of a cold archive have besides the transcript.
func (s *Session) unreadCold(ctx context.Context) (string, error) {
	raw, err := s.OpenRaw()
	if err != nil {
		return "", err
	}
	defer raw.Close()
	in, err := Wrap(raw, s.Path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return "", err
		}
		if openclaw.HasOther(rec) {
			return fmt.Sprintf("more than the transcript in line %d", rec.Line), nil
		}
	}
	return "", nil
}
