package store

// A rowWalk goes through the rows of a session in the order of its lines, and collects those that have to change.
type rowWalk struct {
	editor  Editor
	line    int64            // the last one
	isAfter bool             // a line up to here has a value
	odd     []quarantinedRow // after the line

	records, others []int64
}

// A quarantinedRow is what a walk has to know about a row of quarantine.
type quarantinedRow struct {
	id, line, lines int64
	has, depends    bool
}

// rowsToErase returns the rows of messages and of quarantine that have a value, or that depend on one before them.
func (b *Batch) rowsToErase(key string, e Editor) (records, others []int64, err error) {
	w := &rowWalk{editor: e}
	if w.odd, err = b.quarantined(key, e); err != nil {
		return nil, nil, err
	}
	const query = "SELECT rowid, CAST(data AS BLOB) FROM messages WHERE session_key = ? ORDER BY rowid"
	err = each(b.ctx, b.db, query, []any{key}, func(scan scanFunc) error {
		var id int64
		var text []byte
		if err := scan(&id, &text); err != nil {
			return err
		}
		w.record(id, text)
		return nil
	})
	for len(w.odd) > 0 { // after the last record
		w.quarantined()
	}
	return w.records, w.others, err
}

// quarantined returns the rows of quarantine of a session, in the order of their lines.
func (b *Batch) quarantined(key string, e Editor) ([]quarantinedRow, error) {
	const query = "SELECT rowid, line, bytes FROM quarantine WHERE session_key = ? ORDER BY line"
	return collect(b.ctx, b.db, query, []any{key},
		func(scan scanFunc) (row quarantinedRow, err error) {
			var text []byte
			err = scan(&row.id, &row.line, &text)
			row.lines, row.has, row.depends = countLines(text), e.Has(text), e.Depends(text)
			return row, err
		})
}

// record passes a record, and the quarantined lines before it.
func (w *rowWalk) record(id int64, text []byte) {
	for len(w.odd) > 0 && w.odd[0].line <= w.line+1 {
		w.quarantined()
	}
	w.line++
	has := w.editor.Has(text)
	if w.isAfter = w.isAfter || has; has || w.isAfter && w.editor.Depends(text) {
		w.records = append(w.records, id)
	}
}

// quarantined passes the next row of quarantine.
func (w *rowWalk) quarantined() {
	row := w.odd[0]
	w.odd, w.line = w.odd[1:], w.line+row.lines
	if w.isAfter = w.isAfter || row.has; row.has || w.isAfter && row.depends {
		w.others = append(w.others, row.id)
	}
}
