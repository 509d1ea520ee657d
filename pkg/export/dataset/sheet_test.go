package dataset

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/parquet"
	"clawctl/internal/parquet/parquettest"
	"clawctl/internal/testkit"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// sheetOf returns the rows of a sheet of all messages, by file and line.
func sheetOf(t *testing.T, sessions []*source.Session) map[string]parquettest.Row {
	t.Helper()
	var text strings.Builder
	sheet := NewSheet(&text, nil, sessions...)
	for _, s := range sessions {
		in, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		rows := sheet.Session(s)
		for rec, err := range jsonl.Records(in.Reader, jsonl.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rows.Record(rec, true); err != nil {
				t.Fatal(err)
			}
		}
		in.Close()
	}
	if err := sheet.Flush(); err != nil {
		t.Fatal(err)
	}
	list, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]parquettest.Row{}
	for _, cells := range list[1:] {
		row := parquettest.Row{}
		for i, name := range list[0] {
			row[name] = cells[i]
		}
		rows[placeOf(row)] = row
	}
	return rows
}

func placeOf(row parquettest.Row) string { return fmt.Sprintf("%v:%v", row["file"], row["line"]) }

// cellOf is what a cell of a sheet must be for a value of Parquet, and what a reader of CSV makes of it.
func cellOf(kind parquet.Type, v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case int64:
		return numberText(kind, v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.ReplaceAll(ui.NeutralCell(fmt.Sprint(v)), "\r\n", "\n")
}

// textsOf returns the texts of the parts of each message in Parquet, by file and line.
func textsOf(t *testing.T, folder string) map[string]string {
	texts := map[string]string{}
	for _, row := range rowsOf(t, folder, "parts") {
		text, ok := row["text"].(string)
		if !ok {
			continue
		}
		if before, ok := texts[placeOf(row)]; ok {
			text = before + "\n\n" + text
		}
		texts[placeOf(row)] = text
	}
	return texts
}

// A sheet has every row of the Parquet table with the same values, and the texts of its parts.
func TestSheetEqualsParquet(t *testing.T) {
	home := copyHome(t, exampleHome)
	hostile := `{"type":"session","version":3,"id":"h","timestamp":"2026-05-01T00:00:00Z","cwd":"/"}` + "\n"
	for i, text := range []string{`=1+1`, `+1`, `-1`, `\t@x`, `\ufeff=1`, `\uff1d1`, `'=1`, `a\r\nb,\"c\"`, `-1+2`} {
		hostile += fmt.Sprintf(`{"type":"message","id":"=%d","parentId":null,"message":{"role":"user","content":"%s"}}`+"\n",
			i, text)
	}
	testkit.Write(t, filepath.Join(home, "agents/main/sessions/h.jsonl"), hostile)
	sessions, folder := sessionsOf(t, home), t.TempDir()
	export(t, folder, sessions, testOptions())
	sheet, texts := sheetOf(t, sessions), textsOf(t, folder)
	table := rowsOf(t, folder, "messages")
	if len(table) < 50 || len(sheet) < len(table) {
		t.Fatalf("%d rows of Parquet, %d of CSV", len(table), len(sheet))
	}
	for _, row := range table {
		got := sheet[placeOf(row)]
		for _, c := range columnsOf(&messageRow{}) {
			if want := cellOf(c.Type, row[c.Name]); got[c.Name] != want {
				t.Errorf("%s %s: %q, want %q", placeOf(row), c.Name, got[c.Name], want)
			}
		}
		if want := cellOf(parquet.Text, texts[placeOf(row)]); got["text"] != want {
			t.Errorf("%s text: %q, want %q", placeOf(row), got["text"], want)
		}
		if got["agent"] != row["agent"] || got["month"] != row["month"] {
			t.Errorf("%s: agent %q and month %q, want %q and %q", placeOf(row), got["agent"], got["month"], row["agent"],
				row["month"])
		}
	}
}
