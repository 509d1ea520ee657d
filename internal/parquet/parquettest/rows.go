// Package parquettest reads Parquet files with another implementation of the format, for tests.
package parquettest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A Row is a row by the names of its columns. A null is not in it. Numbers are int64 or float64, texts are strings.
type Row map[string]any

// Rows returns the rows of a file.
func Rows(file []byte) (rows []Row, err error) {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range f.Schema().Columns() {
		names = append(names, path[0])
	}
	for _, group := range f.RowGroups() {
		if rows, err = appendRows(rows, group, names); err != nil {
			return nil, err
		}
	}
	if int64(len(rows)) != f.NumRows() {
		return nil, fmt.Errorf("%d rows, but the file says %d", len(rows), f.NumRows())
	}
	return rows, nil
}

func appendRows(rows []Row, group parquet.RowGroup, names []string) ([]Row, error) {
	in := group.Rows()
	defer in.Close()
	buf := make([]parquet.Row, 256)
	for {
		n, err := in.ReadRows(buf)
		for _, values := range buf[:n] {
			row := Row{}
			for _, v := range values {
				if !v.IsNull() {
					row[names[v.Column()]] = goValue(v)
				}
			}
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func goValue(v parquet.Value) any {
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		return v.Int64()
	case parquet.Double:
		return v.Double()
	}
	return string(v.ByteArray())
}

// Bounds returns the least and the greatest value of each column, as far as the file states them, in their plain form.
func Bounds(file []byte) (map[string][2][]byte, error) {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	bounds := map[string][2][]byte{}
	for _, c := range f.Metadata().RowGroups[0].Columns {
		if s := c.MetaData.Statistics; s.MinValue != nil || s.MaxValue != nil {
			bounds[c.MetaData.PathInSchema[0]] = [2][]byte{s.MinValue, s.MaxValue}
		}
	}
	return bounds, nil
}
