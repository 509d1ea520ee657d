package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
)

// A column has the bytes that encoding/json writes.
func TestWriteColumn(t *testing.T) {
	check := func(want any, write func(out *bufio.Writer)) {
		t.Helper()
		var got bytes.Buffer
		out := bufio.NewWriterSize(&got, 16)
		write(out)
		out.Flush()
		list, err := json.Marshal(want)
		if err != nil || got.String() != `,"x":`+string(list) {
			t.Errorf("got %s, want %s, %v", got.Bytes(), list, err)
		}
	}
	for _, numbers := range [][]int64{nil, {}, {7}, {-1, 0, noTime}} {
		check(numbers, func(out *bufio.Writer) { writeColumn(out, "x", numbers, appendNumber) })
	}
	for _, texts := range [][]string{nil, {}, {""}, {"a</script>", "\u2028 \"é\"", "\xff", "longer than the buffer"}} {
		check(texts, func(out *bufio.Writer) { writeColumn(out, "x", texts, appendText) })
	}
}
