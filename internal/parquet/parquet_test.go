package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/parquet/parquettest"
)

var allTypes = []Column{
	{Name: "flag", Type: Bool, Required: true}, {Name: "maybe_flag", Type: Bool},
	{Name: "count", Type: Int, Required: true}, {Name: "maybe_count", Type: Int},
	{Name: "price", Type: Float}, {Name: "time", Type: Timestamp}, {Name: "day", Type: Date},
	{Name: "word", Type: Text, Repeats: true}, {Name: "required_word", Type: Text, Repeats: true, Required: true},
	{Name: "id", Type: Text}, {Name: "json", Type: JSON}, {Name: "raw", Type: Bytes, Required: true},
}

// A shape says what random rows look like.
type shape struct {
	rows, words, longest int
	nulls                float64
}

// build makes a file of random rows, and returns the rows too.
func build(s shape, seed uint64) (file []byte, want []parquettest.Row) {
	random := rand.New(rand.NewPCG(seed, 1))
	b := NewBuilder(allTypes, NewCodec())
	for range s.rows {
		row := parquettest.Row{}
		for i, c := range allTypes {
			if !c.Required && random.Float64() < s.nulls {
				b.Column(i).Null()
				continue
			}
			row[c.Name] = addRandom(b.Column(i), s, random)
		}
		b.EndRow()
		want = append(want, row)
	}
	return bytes.Join(b.Finish("test version 1.0.0", Fact{"a", "b"}), nil), want
}

func addRandom(c *ColumnBuilder, s shape, random *rand.Rand) any {
	switch c.Type {
	case Bool:
		v := random.IntN(20) == 0
		c.Bool(v)
		return v
	case Int, Timestamp:
		v := int64(random.Uint64()) >> random.IntN(64)
		c.Int(v)
		return v
	case Date:
		v := int64(int32(random.Uint32()))
		c.Int(v)
		return v
	case Float:
		v := random.NormFloat64()
		c.Float(v)
		return v
	}
	text := fmt.Sprintf("w%d", random.IntN(s.words)*random.IntN(2)) // every other one is w0
	if c.Type == Bytes || c.Type == JSON {
		text = strings.Repeat(text+"\x00", random.IntN(s.longest+1))
		c.Content([]byte(text))
	} else {
		c.Text(text)
	}
	return text
}

// Another implementation of the format must read what was written.
func TestRoundTrip(t *testing.T) {
	for i, s := range []shape{
		{0, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}, {7, 2, 3, 0.5}, {8, 1, 3, 0}, {9, 300, 3, 0.1}, {1000, 5, 10, 0.5},
		{1000, 1000, 10, 0.99}, {3 * pageValues, 70_000, 3, 0.01}, {pageValues, 3, 3, 1}, {500, 9, 100_000, 0.2},
	} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			file, want := build(s, uint64(i))
			got, err := parquettest.Rows(file)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%d rows, want %d, %v", len(got), len(want), err)
			}
			for r := range want {
				if len(got[r]) != len(want[r]) {
					t.Fatalf("row %d has %d values, want %d", r, len(got[r]), len(want[r]))
				}
				for name, v := range want[r] {
					if got[r][name] != v {
						t.Fatalf("row %d: %s is %.100v, want %.100v", r, name, got[r][name], v)
					}
				}
			}
			if again, _ := build(s, uint64(i)); !bytes.Equal(file, again) {
				t.Error("the same rows made another file")
			}
		})
	}
}

// The bounds of a column are its least and greatest value. Columns of content have none.
func TestBounds(t *testing.T) {
	b := NewBuilder(allTypes, NewCodec())
	for _, v := range []int64{3, -7, 900} {
		for i, c := range allTypes {
			switch c.Type {
			case Bool:
				b.Column(i).Bool(v > 0)
			case Int, Timestamp, Date:
				b.Column(i).Int(v)
			case Float:
				b.Column(i).Float(float64(v) / 2)
			case Text:
				b.Column(i).Text(fmt.Sprint(v))
			default:
				b.Column(i).Content([]byte(fmt.Sprint(v)))
			}
		}
		b.EndRow()
	}
	bounds, err := parquettest.Bounds(bytes.Join(b.Finish("test"), nil))
	if err != nil {
		t.Fatal(err)
	}
	int64s := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	low, high := int64(-7), int64(900)
	for name, want := range map[string][2][]byte{
		"flag":  {{0}, {1}},
		"count": {int64s(uint64(low)), int64s(uint64(high))}, "time": {int64s(uint64(low)), int64s(uint64(high))},
		"price": {int64s(math.Float64bits(-3.5)), int64s(math.Float64bits(450))},
		"day":   {binary.LittleEndian.AppendUint32(nil, uint32(low)), binary.LittleEndian.AppendUint32(nil, 900)},
		"word":  {[]byte("-7"), []byte("900")}, "id": {[]byte("-7"), []byte("900")}, "json": {}, "raw": {},
	} {
		if got := bounds[name]; !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Values without an order and long texts have no bounds. Of the two zeros, only one is written.
func TestBoundsThatAreUnknown(t *testing.T) {
	columns := []Column{{Name: "nan", Type: Float}, {Name: "zero", Type: Float}, {Name: "long", Type: Text}}
	b := NewBuilder(columns, NewCodec())
	for _, v := range []float64{1, math.NaN(), 2} {
		b.Column(0).Float(v)
		b.Column(1).Float(math.Copysign(0, -1))
		b.Column(2).Text(strings.Repeat("x", int(v*v)*longestBound%1000+1))
		b.EndRow()
	}
	bounds, err := parquettest.Bounds(bytes.Join(b.Finish("test"), nil))
	if err != nil {
		t.Fatal(err)
	}
	if bounds["nan"][0] != nil || bounds["long"][0] != nil || !bytes.Equal(bounds["zero"][0], make([]byte, 8)) {
		t.Errorf("%v", bounds)
	}
}

// A required column without a value is a fault of the program, not of the data.
func TestNullInARequiredColumn(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a required column took a null")
		}
	}()
	NewBuilder(allTypes, NewCodec()).Column(0).Null()
}

// FuzzHybrid packs values of any width in runs, and reads them with another implementation.
func FuzzHybrid(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3}, uint16(3))
	f.Add(bytes.Repeat([]byte{7}, 100), uint16(1))
	f.Fuzz(func(t *testing.T, picks []byte, words uint16) {
		b := NewBuilder([]Column{{Name: "w", Type: Text, Repeats: true}}, NewCodec())
		for i := range int(words) { // fills the dictionary, which decides about the width
			b.Column(0).Text(fmt.Sprint(i))
			b.EndRow()
		}
		var want []string
		for _, p := range picks {
			if word := fmt.Sprint(int(p) * (int(words)/256 + 1)); p == 255 {
				b.Column(0).Null()
				want = append(want, "")
			} else {
				b.Column(0).Text(word)
				want = append(want, word)
			}
			b.EndRow()
		}
		rows, err := parquettest.Rows(bytes.Join(b.Finish("test"), nil))
		if err != nil || len(rows) != int(words)+len(picks) {
			t.Fatal(len(rows), err)
		}
		for i, word := range want {
			if got, _ := rows[int(words)+i]["w"].(string); got != word {
				t.Fatalf("value %d is %q, want %q", i, got, word)
			}
		}
	})
}

// The levels of a page fit before its values, whatever they are.
func TestLevelRoom(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		var levels []uint32
		for len(levels) < pageValues {
			for range 1 + random.IntN(1+round%20) {
				levels = append(levels, uint32(len(levels)/(1+round%9)%2))
			}
			run := uint32(random.IntN(2))
			for range random.IntN(2 * groupSize) {
				levels = append(levels, run)
			}
		}
		if n := 4 + len(appendHybrid(nil, levels[:pageValues], 1)); n > levelRoom {
			t.Fatalf("%d bytes of levels", n)
		}
	}
	var worst []uint32 // a group of each kind in turn
	for len(worst) < pageValues {
		worst = append(worst, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	}
	if n := 4 + len(appendHybrid(nil, worst[:pageValues], 1)); n > levelRoom || n < levelRoom-100 {
		t.Fatalf("%d bytes of levels", n)
	}
}
