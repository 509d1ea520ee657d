package showing

import (
	"clawctl/internal/cli"
	"clawctl/internal/reading"
	"clawctl/pkg/read/parts"
)

// PrintParts prints the parts of a session as JSON.
func PrintParts(s *View, around cli.Frame) error {
	defer reading.KeepSmall()()
	s.mask(false)
	if err := s.openTurns(); err != nil {
		return err
	}
	var object []byte
	err := s.transcript.PrintFramed(around, func(emit func([]byte) error) error {
		return s.each(func(e *parts.Entry, at parts.Position, _ string) error {
			for i := range e.Parts {
				object = parts.AppendJSON(object[:0], e, &e.Parts[i], at)
				if err := emit(object); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return s.transcript.Damage
}
