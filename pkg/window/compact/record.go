package compact

import (
	"bytes"
	"encoding/json"
	"strconv"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
)

// A Stamp is the time and randomness that an id is made from.
type Stamp = jsonl.Stamp

// record holds the fields that every entry begins with.
type record struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	ParentID  string `json:"parentId"`
	Timestamp string `json:"timestamp"`
}

func newRecord(typ, leaf string, stamp Stamp) (r record, err error) {
	id, err := stamp.ID()
	return record{typ, id, leaf, stamp.Time()}, err
}

type compactionRecord struct {
	record
	Summary          string          `json:"summary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"`
	TokensBefore     int64           `json:"tokensBefore"`
	TokensAfter      int64           `json:"tokensAfter"`
	Details          fileuse.Details `json:"details"`
	FromCheckpoint   bool            `json:"fromCheckpoint,omitempty"`
	SystemMessage    json.RawMessage `json:"systemMessage,omitempty"`
}

// Record returns the compaction as a line of the transcript, to be appended after the leaf.
func (c *Compaction) Record(leaf string, stamp Stamp) ([]byte, error) {
	base, err := newRecord(jsonl.TypeCompaction, leaf, stamp)
	if err != nil {
		return nil, err
	}
	var prompt json.RawMessage
	if c.Prompt != nil {
		prompt = json.RawMessage(c.Prompt.Message(strconv.FormatInt(stamp.Now.UnixMilli(), 10)))
	}
	return line(compactionRecord{
		base, c.Summary, c.Plan.FirstKeptID, c.Plan.TokensBefore, c.TokensAfter, c.Plan.Details, c.Plan.FromCheckpoint,
		prompt,
	})
}

type checkpointRecord struct {
	record
	Checkpoint checkpointBody `json:"checkpoint"`
}

type checkpointBody struct {
	Summary       string   `json:"summary"`
	Tokens        int64    `json:"tokensAtCheckpoint"`
	Messages      int      `json:"messageCountAtCheckpoint"`
	Topics        []string `json:"topics"`
	OpenQuestions []string `json:"openQuestions"`
	KeyDecisions  []string `json:"keyDecisions"`
}

// CheckpointRecord returns a checkpoint of the complete context as a line of the transcript, to be appended after the
// leaf.
func (s *Survey) CheckpointRecord(n *Notes, leaf string, stamp Stamp) ([]byte, error) {
	base, err := newRecord(jsonl.TypeCheckpoint, leaf, stamp)
	if err != nil {
		return nil, err
	}
	return line(checkpointRecord{base, checkpointBody{n.Summary, s.Fill.Current(), s.CountMessages(),
		nonNil(n.Topics), nonNil(n.OpenQuestions), nonNil(n.KeyDecisions)}})
}

// nonNil returns a list that is never null in JSON.
func nonNil(list []string) []string { return append([]string{}, list...) }

// line encodes a value as a line of a transcript.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
