package showing

import (
	"clawctl/internal/reading"
	"clawctl/pkg/export/dataset"
	"clawctl/pkg/read/parts"
)

// PrintCSV prints the messages of a session as CSV, a row each. A table is passed on like a document, and masked.
func PrintCSV(s *View) error {
	defer reading.KeepSmall()()
	s.mask(true)
	if err := s.openTurns(); err != nil {
		return err
	}
	sheet := dataset.NewSheet(s.App.Output, s.masker)
	rows := sheet.Session(s.Session)
	err := s.each(func(e *parts.Entry, _ parts.Position, _ string) error {
		_, err := rows.Entry(e)
		return err
	})
	if err != nil {
		return s.transcript.Failed(err)
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	if s.masker != nil {
		s.noteDocument(s.masker.Count, &ImageFolder{})
	}
	return s.transcript.Damage
}
