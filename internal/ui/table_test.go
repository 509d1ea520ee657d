package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Cells lie where tablewriter puts them.
func TestAlignmentIsTablewriters(t *testing.T) {
	words := []string{"", "a", "kettle", "日本語", "é", "a  b", " lead", "-5", "very long text that goes on and on"}
	r := rand.New(rand.NewPCG(5, 6))
	columns := []Column{{Name: "one"}, {Name: "two", Right: true}, {Name: "three"}}
	for range 200 {
		rows := [][]string{{"ONE", "TWO", "THREE"}}
		for range 1 + r.IntN(8) {
			rows = append(rows, []string{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]})
		}
		want, err := tablewriterAlign(columns, rows)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := trimLines(align(columns, rows)), trimLines(want); got != want {
			t.Fatalf("%q\n%s\nwant\n%s", rows, got, want)
		}
	}
}

// tablewriterAlign aligns the cells with tablewriter.
func tablewriterAlign(columns []Column, rows [][]string) (string, error) {
	aligns := make([]tw.Align, len(columns))
	for i, c := range columns {
		if aligns[i] = tw.AlignLeft; c.Right {
			aligns[i] = tw.AlignRight
		}
	}
	cells := tw.CellConfig{
		Alignment:  tw.CellAlignment{PerColumn: aligns},
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: strings.Repeat(" ", gap)}},
	}
	var b strings.Builder
	table := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: cells, Row: cells, Behavior: tw.Behavior{TrimSpace: tw.Off},
		}))
	table.Header(rows[0])
	if err := table.Bulk(rows[1:]); err != nil {
		return "", err
	}
	err := table.Render()
	return b.String(), err
}

// The cells of a column begin or end at the same place, whatever is in them.
func TestAlignment(t *testing.T) {
	columns := []Column{{Name: "one"}, {Name: "two", Right: true}, {Name: "three"}}
	rows := [][]string{{"ONE", "TWO", "THREE"}, {"日本語", "-5", "é"}, {"\x1b[1mé\x1b[m", "1,234", " lead"}, {"", "", "a  b"}}
	want := "ONE       TWO  THREE\n" +
		"日本語     -5  é\n" +
		"\x1b[1mé\x1b[m       1,234   lead\n" +
		"               a  b\n"
	if got := trimLines(align(columns, rows)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func sessionTable() *Table {
	t := &Table{Columns: []Column{
		{Name: "key", Cut: InMiddle}, {Name: "kind", Rank: 2}, {Name: "messages", Right: true},
		{Name: "tokens", Right: true, Rank: 3}, {Name: "notes", Rank: 1, Cut: AtEnd}, {Name: "title", Cut: AtEnd, Min: 10},
	}}
	t.Add(Cell{Text: "agent:main:main"}, Cell{Text: "live"}, Cell{Text: "12,345"}, Cell{Text: "1.2M"},
		Cell{}, Cell{Text: "A short title"})
	t.Add(Cell{Text: "agent:main:recovered:1446f8af-9c1d-59cf-89b9", Short: "1446f8af"}, Cell{Text: "reset"},
		Cell{Text: "7"}, Cell{Text: "900"}, Cell{},
		Cell{Text: "A title that is rather long, so that it is cut first of all"})
	return t
}

func TestTableFitsItsTerminal(t *testing.T) {
	for columns, want := range map[int]string{
		40: "KEY              MESSAGES  TITLE\n" +
			"agent:main:main    12,345  A short title\n" +
			"1446f8af                7  A title that…\n",
		60: "KEY              KIND   MESSAGES  TOKENS  TITLE\n" +
			"agent:main:main  live     12,345    1.2M  A short title\n" +
			"1446f8af         reset         7     900  A title that is r…\n",
		160: "KEY                                           KIND   MESSAGES  TOKENS  TITLE\n" +
			"agent:main:main                               live     12,345    1.2M  A short title\n" +
			"agent:main:recovered:1446f8af-9c1d-59cf-89b9  reset         7     900  " +
			"A title that is rather long, so that it is cut first of all\n",
	} {
		got, hidden := sessionTable().Render(Terminal{Is: true, Columns: columns})
		if got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
		}
		if columns < 60 && !slices.Equal(hidden, []string{"kind", "tokens"}) {
			t.Errorf("%d columns hide %q", columns, hidden)
		}
	}
}

// At any width, no line is wider, numbers are complete, and every column is shown or named as hidden.
func TestTableProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		table := &Table{Columns: []Column{
			{Name: "name", Cut: InMiddle, Min: 6}, {Name: "n", Right: true}, {Name: "m", Right: true, Rank: 2},
			{Name: "where", Cut: InMiddle, Rank: 1}, {Name: "text", Cut: AtEnd, Min: 6},
		}}
		numbers := []string{}
		for range 1 + r.IntN(5) {
			number := fmt.Sprint(r.IntN(1e6))
			numbers = append(numbers, number)
			table.Add(Text(strings.Repeat("k", 1+r.IntN(40)), number, "7", strings.Repeat("ü", 1+r.IntN(40)),
				strings.Repeat("日 ", r.IntN(40)))...)
		}
		columns := 30 + r.IntN(140)
		text, hidden := table.Render(Terminal{Is: true, Columns: columns, Color: r.IntN(2) == 0})
		for line := range strings.Lines(text) {
			if PaintedWidth(strings.TrimSuffix(line, "\n")) > columns {
				t.Fatalf("%d columns: %q", columns, line)
			}
		}
		for _, n := range numbers {
			if !strings.Contains(text, n) {
				t.Fatalf("%d columns: %s is missing from\n%s", columns, n, text)
			}
		}
		for _, c := range table.Columns {
			if !strings.Contains(text, strings.ToUpper(c.Name)) && !slices.Contains(hidden, c.Name) {
				t.Fatalf("%d columns: %s is neither shown nor named\n%s", columns, c.Name, text)
			}
		}
	}
}

// On every terminal down to the narrowest no line is wider than it, as long as the numbers and a few letters of the
// first column fit. The numbers are complete, and every column is shown or named as hidden.
func TestNarrowTables(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	cuts := []Cut{Never, AtEnd, InMiddle}
	for columns := 20; columns <= 200; columns++ {
		for range 40 {
			table := &Table{Columns: []Column{{Name: "name", Cut: cuts[1+r.IntN(2)], Min: r.IntN(30)}}}
			numbers := fewest
			for i := range 1 + r.IntN(7) {
				name := strings.Repeat(string(rune('a'+i)), 1+r.IntN(12))
				c := Column{Name: name, Cut: cuts[r.IntN(3)], Min: r.IntN(30), Rank: r.IntN(3)}
				if c.Right = c.Cut == Never; c.Right && c.Rank == 0 {
					numbers += gap + max(fewestOfName, 7)
				}
				table.Columns = append(table.Columns, c)
			}
			for range 1 + r.IntN(4) {
				row := Text(strings.Repeat("k", 1+r.IntN(40)))
				for _, c := range table.Columns[1:] {
					if c.Cut == Never {
						row = append(row, Cell{Text: Thousands(int64(r.IntN(1e6)))})
					} else {
						row = append(row, Cell{Text: strings.Repeat("日 a", r.IntN(12)), Short: strings.Repeat("s", r.IntN(2)*9)})
					}
				}
				table.Add(row...)
			}
			checkTable(t, table, columns, numbers <= columns)
		}
	}
}

// checkTable lays a table out and checks what it promises; fits says whether all its numbers have room.
func checkTable(t *testing.T, table *Table, columns int, fits bool) {
	t.Helper()
	text, hidden := table.Render(Terminal{Is: true, Columns: columns, Color: true})
	for line := range strings.Lines(text) {
		if PaintedWidth(strings.TrimSuffix(line, "\n")) > columns {
			t.Fatalf("%d columns: %q is wider\n%s", columns, line, text)
		}
	}
	for i, c := range table.Columns {
		if slices.Contains(hidden, c.Name) {
			if fits && c.Cut == Never && c.Rank == 0 {
				t.Fatalf("%d columns: %s is hidden\n%s", columns, c.Name, text)
			}
			continue
		}
		start := strings.ToUpper(c.Name[:min(len(c.Name), fewestOfName-1)])
		if !strings.Contains(text, start) && !table.isEmpty(i) {
			t.Fatalf("%d columns: %s is neither shown nor named as hidden\n%s", columns, c.Name, text)
		}
		for _, row := range table.Rows {
			if c.Cut == Never && !strings.Contains(text, row[i].Text) {
				t.Fatalf("%d columns: %s is missing\n%s", columns, row[i].Text, text)
			}
		}
	}
}

func TestTableEscapesCells(t *testing.T) {
	table := &Table{Columns: []Column{{Name: "a"}}}
	table.Add(Cell{Text: "x\x1b[31m\ny"})
	if text, _ := table.Render(Terminal{}); text != "A\nx\\u001b[31m y\n" {
		t.Errorf("%q", text)
	}
}

func BenchmarkTable(b *testing.B) {
	table := &Table{Columns: []Column{
		{Name: "key", Cut: InMiddle}, {Name: "size", Right: true}, {Name: "title", Cut: AtEnd},
	}}
	for i := range 2000 {
		table.Add(Text(fmt.Sprint("agent:main:recovered:", i), "1.2 MB", "A title of some length")...)
	}
	for b.Loop() {
		table.Render(Terminal{Is: true, Columns: 80})
	}
}
