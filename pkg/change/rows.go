package change

import "time"

// Unreadable is the state of a receipt in a list if its file cannot be read.
const Unreadable State = "unreadable"

// A Row is the JSON form of a receipt in a list. It has no text of the file.
type Row struct {
	SchemaVersion int       `json:"schema_version"`
	Receipt       string    `json:"receipt"`
	Run           string    `json:"run"`
	Time          time.Time `json:"time"`
	Command       string    `json:"command"`
	Path          string    `json:"path"`
	Ranges        int       `json:"ranges"`
	State         State     `json:"state"`
	Before        string    `json:"sha256_before"`
	After         string    `json:"sha256_after"`
}

// Rows returns the JSON form of receipts with their present states.
func Rows(receipts []*Receipt) (rows []Row) {
	for _, r := range receipts {
		state, err := r.State()
		if err != nil {
			state = Unreadable
		}
		rows = append(rows, r.Row(state))
	}
	return rows
}

// Row returns the JSON form of the receipt of a change in this state.
func (r *Receipt) Row(state State) Row {
	return Row{1, r.ID, r.Run, r.Time, r.Command, r.Path, len(r.Changes), state, r.Before, r.After}
}
