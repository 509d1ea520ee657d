package jsonl

// A Field is a value of a record, or of its message, that the reader notes.
type Field = field

// The fields of a record, and those of the object under "message".
const (
	FieldType       = fieldType
	FieldID         = fieldID
	FieldParentID   = fieldParentID
	FieldTimestamp  = fieldTimestamp
	FieldAppendMode = fieldAppendMode
	FieldMessage    = fieldMessage

	FieldRole       = fieldRole
	FieldContent    = fieldMsgContent
	FieldUsage      = fieldUsage
	FieldModel      = fieldModel
	FieldProvider   = fieldProvider
	FieldStopReason = fieldStopReason
	FieldToolCallID = fieldToolCallID
	FieldToolName   = fieldToolName
	FieldIsError    = fieldIsError
	FieldExclude    = fieldExclude
	FieldAPI        = fieldAPI
	FieldOpenClaw   = fieldOpenClaw
	FieldReplay     = fieldReplay
)

// Noted returns the value of a field of a legible record, or nil. It is Get for a key that is known in advance.
func (r *Record) Noted(f Field) Value { return r.value(f) }

// Prepare sets Options.Prepare for the records that have not been read yet.
func (r *Reader) Prepare(prepare func() func(*Record) any) {
	r.filler.opts.Prepare, r.cutter.opts.Prepare, r.cutter.prepare = prepare, prepare, prepare()
}
