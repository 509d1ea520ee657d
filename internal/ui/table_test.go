package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A table of many rows is aligned like one of few rows.
func TestAlignmentsAgree(t *testing.T) {
	words := []string{"", "a", "kettle", "日本語", "é", "a  b", " lead", "-5", "very long text that goes on and on"}
	r := rand.New(rand.NewPCG(5, 6))
	columns := []Column{{Name: "one"}, {Name: "two", Right: true}, {Name: "three"}}
	for range 200 {
		rows := [][]string{{"ONE", "TWO", "THREE"}}
		for range 1 + r.IntN(8) {
			rows = append(rows, []string{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]})
		}
		few, err := alignFew(columns, rows)
		if err != nil {
			t.Fatal(err)
		}
		many, err := alignMany(columns, rows)
		if err != nil {
			t.Fatal(err)
		}
		if f, m := trimLines(few), trimLines(many); f != m {
			t.Fatalf("%q\n%s\n%s", rows, f, m)
		}
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
		got, hidden, err := sessionTable().Render(Terminal{Is: true, Columns: columns})
		if err != nil || got != want {
			t.Errorf("%d columns: %v\n%s\nwant\n%s", columns, err, got, want)
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
		text, hidden, err := table.Render(Terminal{Is: true, Columns: columns, Color: r.IntN(2) == 0})
		if err != nil {
			t.Fatal(err)
		}
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
	text, hidden, err := table.Render(Terminal{Is: true, Columns: columns, Color: true})
	if err != nil {
		t.Fatal(err)
	}
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
	if text, _, err := table.Render(Terminal{}); err != nil || text != "A\nx\\u001b[31m y\n" {
		t.Errorf("%q %v", text, err)
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
		if _, _, err := table.Render(Terminal{Is: true, Columns: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
