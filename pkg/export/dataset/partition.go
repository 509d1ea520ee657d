package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/report/stats"
)

// The limits of a file and of a batch. They bound the memory of a worker, and depend on nothing but the rows.
const (
	maxFileRows = 1 << 18
	maxFileRaw  = 64 << 20 // bytes without compression
	maxHeld     = 48 << 20 // bytes of all files of a batch that are not finished
	maxOpen     = 256      // files of a batch that are not finished
	checkBytes  = 4 << 20  // after so many bytes of content the limits are checked
	checkRows   = 1 << 12
)

// A partition is where rows go.
type partition struct{ table, agent, month string }

// folder returns the folder of the partition. An agent without a name has the name that Hive gives to null.
func (p partition) folder() string {
	return fmt.Sprintf("%s/agent=%s/month=%s", p.table, escape(cmp.Or(p.agent, nullPartition)), escape(p.month))
}

const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// escape writes a name as Hive does: what is special in paths is written as % and two digits. Capital letters are
// written so too, because some file systems take them for small ones.
func escape(name string) string {
	if name == nullPartition {
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-_.", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if text := b.String(); strings.Trim(text, ".") != "" {
		return text
	}
	return strings.ReplaceAll(b.String(), ".", "%2E")
}

// A partitionSet holds the files of a batch that are not finished.
type partitionSet struct {
	codec  *parquet.Codec
	open   map[partition]*parquet.Builder
	finish func(partition, *parquet.Builder) error
	bytes  int // of content since the last check
	rows   int // since the last check
}

// put adds a row of the session to a table, in the month of a time. size is about the number of bytes of its content.
func (r *reader) put(table string, at time.Time, size int, row row) error {
	set, p := r.set, partition{table, r.session.source.Agent, stats.Month(at)}
	b := set.open[p]
	if b == nil {
		var columns []parquet.Column
		for _, c := range columnsOf(row) {
			columns = append(columns, c.Column)
		}
		b = parquet.NewBuilder(columns, set.codec)
		set.open[p] = b
	}
	row.columns(&cells{builder: b})
	b.EndRow()
	set.bytes, set.rows = set.bytes+size, set.rows+1
	if set.bytes < checkBytes && set.rows < checkRows {
		return nil
	}
	set.bytes, set.rows = 0, 0
	return set.check()
}

// check finishes the files that are too large, and the largest ones if all of them together take too much memory.
func (set *partitionSet) check() error {
	held := 0
	for _, p := range set.list() {
		b := set.open[p]
		if b.Rows() >= maxFileRows || b.Raw() >= maxFileRaw {
			if err := set.end(p); err != nil {
				return err
			}
			continue
		}
		held += b.Held()
	}
	for held > maxHeld || len(set.open) > maxOpen {
		p := set.largest()
		held -= set.open[p].Held()
		if err := set.end(p); err != nil {
			return err
		}
	}
	return nil
}

// list returns the partitions in order.
func (set *partitionSet) list() []partition {
	return slices.SortedFunc(maps.Keys(set.open), func(a, b partition) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.agent, b.agent), cmp.Compare(a.month, b.month))
	})
}

// largest returns the partition whose file takes the most memory, the first one of several.
func (set *partitionSet) largest() partition {
	return slices.MaxFunc(set.list(), func(a, b partition) int {
		return cmp.Compare(set.open[a].Held(), set.open[b].Held())
	})
}

// end finishes the file of a partition.
func (set *partitionSet) end(p partition) error {
	b := set.open[p]
	delete(set.open, p)
	return set.finish(p, b)
}

// endAll finishes all files.
func (set *partitionSet) endAll() error {
	for _, p := range set.list() {
		if err := set.end(p); err != nil {
			return err
		}
	}
	return nil
}
