package jsonl

import (
	"bytes"
	"io"
	"iter"
)

// searchPiece is how many bytes are searched for line ends at a time. Tests make it smaller.
var searchPiece int64 = 64 << 10

// FirstEnd is how much of the end of a file is read first. Tests make it smaller.
var FirstEnd int64 = 4 << 10

// endGrowth is how many times as much is read next.
const endGrowth = 4

// Ends returns where to begin reading the first size bytes of a file to get its last lines: the starts of lines that
// are further and further from its end. Each end has at least one line. The last start is 0, unless the caller stops
// before.
func Ends(src io.ReaderAt, size int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for length := FirstEnd; length < size; length *= endGrowth {
			start, err := lineStart(src, size-length, size)
			if start < size && !yield(start, err) || err != nil {
				return
			}
		}
		yield(0, nil)
	}
}

// lineStart returns where the first line begins that does so at from or after it, or end if none does before.
func lineStart(src io.ReaderAt, from, end int64) (int64, error) {
	if from == 0 {
		return 0, nil
	}
	buf := make([]byte, min(searchPiece, end-from+1))
	for at := from - 1; at < end; at += int64(len(buf)) {
		piece := buf[:min(int64(len(buf)), end-at)]
		if _, err := src.ReadAt(piece, at); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.IndexByte(piece, '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return end, nil
}

// LineEnd returns where the last line ends that has a line end between from and end, or from if none has.
func LineEnd(src io.ReaderAt, from, end int64) (int64, error) {
	buf := make([]byte, min(searchPiece, end-from))
	for at := end; at > from; {
		piece := buf[:min(int64(len(buf)), at-from)]
		at -= int64(len(piece))
		if _, err := src.ReadAt(piece, at); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return from, nil
}

// countPiece is how many bytes are read at a time to count lines.
const countPiece = 1 << 20

// CountLines returns the number of line ends in the first end bytes of a file.
func CountLines(src io.ReaderAt, end int64) (lines int64, err error) {
	buf := make([]byte, min(countPiece, end))
	for at := int64(0); at < end; at += int64(len(buf)) {
		piece := buf[:min(int64(len(buf)), end-at)]
		if _, err := src.ReadAt(piece, at); err != nil {
			return 0, err
		}
		lines += int64(bytes.Count(piece, []byte("\n")))
	}
	return lines, nil
}

// BeginsOddly reports whether the beginning of a file may matter to its other lines: it may be UTF-16, or have a byte
// order mark after empty lines.
func BeginsOddly(src io.ReaderAt) bool {
	head := make([]byte, 8)
	n, _ := src.ReadAt(head, 0) // a file that cannot be read has no beginning
	head = head[:n]
	return n == 0 || bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte([]byte(" \t\r\n\xef\xff\xfe"), head[0]) >= 0
}

// LastNewline returns the index of the last line end, or -1. It looks forward into one block after the other, because
// bytes.LastIndexByte looks at one byte after the other.
func LastNewline(text []byte) int {
	const block = 4 << 10
	for end := len(text); end > 0; end -= min(end, block) {
		start := max(0, end-block)
		if bytes.IndexByte(text[start:end], '\n') >= 0 {
			return start + bytes.LastIndexByte(text[start:end], '\n')
		}
	}
	return -1
}
