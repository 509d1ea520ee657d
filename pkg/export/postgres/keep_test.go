package postgres

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"clawctl/internal/spool"
)

func TestKeep(t *testing.T) {
	file, err := spool.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := "h\tone\t1\t2\t" + metadata + "\t\\\\x610a\nh\tone\t2\t\\N\t\\N\t\\\\x62\n" +
		"h\ttwo\t1\t1\t" + metadata + "\t\\\\x63\n"
	kept, err := Keep(context.Background(), strings.NewReader(rows), file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range kept {
		s, err := k.Session("stream")
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		in.Close()
		got = append(got, s.Path+" "+s.Key+" "+string(text))
		if err != nil {
			t.Error(err)
		}
	}
	if want := "stream#one k a\nb|stream#two k c"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Keep(ended, strings.NewReader(rows), file); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
