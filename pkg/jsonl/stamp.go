package jsonl

import (
	"fmt"
	"io"
	"time"
)

// A Stamp is the time and randomness that a new record is made from.
type Stamp struct {
	Now    time.Time
	Random io.Reader
}

// ID returns an id in GoClaw's format: milliseconds and four hexadecimal digits.
func (s Stamp) ID() (string, error) {
	b, err := s.random(2)
	return fmt.Sprintf("%d_%x", s.Now.UnixMilli(), b), err
}

// Time returns the time in the form of a record's timestamp.
func (s Stamp) Time() string { return isoTime(s.Now) }

// SessionID returns a random UUID, which is how OpenClaw names sessions.
func (s Stamp) SessionID() (string, error) {
	b, err := s.random(16)
	if err != nil {
		return "", err
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

func (s Stamp) random(bytes int) ([]byte, error) {
	random := make([]byte, bytes)
	if _, err := io.ReadFull(s.Random, random); err != nil {
		return nil, fmt.Errorf("make an id: %w", err)
	}
	return random, nil
}
