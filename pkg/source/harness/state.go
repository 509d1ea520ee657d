package harness

import (
	"bytes"
	"cmp"
	"context"

	"clawctl/internal/rooted"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// A stateReferences is what the state database of a folder says, by the keys and the ids of sessions.
type stateReferences struct{ byKey, byID referencesBy }

// A referencesBy has references by the key or the id of their session.
type referencesBy map[string]references

func (by referencesBy) add(name, backend string, id jsonl.Value) {
	list := by[name]
	list.addID(backend, id, true)
	by[name] = list
}

// maxStateRows is how many rows of a table of the state database are read. OpenClaw keeps at most 50,000 bindings.
const maxStateRows = 100_000

// readState reads the state database below a folder. Without one, or if it cannot be read, there are no references:
// the database is not one of those with transcripts, and doctor says what is wrong with it.
func readState(ctx context.Context, folder string) *stateReferences {
	refs := &stateReferences{referencesBy{}, referencesBy{}}
	db, err := openclaw.OpenStateDatabase(ctx, folder)
	if err != nil {
		return refs
	}
	defer db.Close()
	refs.read(ctx, db, `SELECT session_key, agent, identity_json FROM acp_sessions LIMIT ?`, refs.addACP)
	refs.read(ctx, db, `SELECT entry_key, plugin_id, value_json FROM plugin_state_entries
		WHERE namespace = 'app-server-thread-bindings' LIMIT ?`, refs.addThread)
	return refs
}

// read hands on the rows of a query with three texts. A table that is missing has none, and what was read before an
// error is still true.
func (refs *stateReferences) read(
	ctx context.Context, db *dbfile.ReadOnlyDB, query string, add func(key, program string, value jsonl.Value),
) {
	_ = db.Each(ctx, query, []any{maxStateRows}, func(scan func(...any) error) error {
		var key, program string
		var value []byte
		if scan(&key, &program, &value) == nil && isJSON(value) {
			add(key, program, value)
		}
		return nil
	})
}

// addACP adds a session that OpenClaw drives over ACP. The form is from OpenClaw's types.
func (refs *stateReferences) addACP(key, agent string, identity jsonl.Value) {
	refs.byKey.add(key, agent, identity.Get("agentSessionId"))
}

// addThread adds the thread of an app server. Newer rows have the binding inside and name the session by its id. The
// forms are from public code: the plugin is not part of OpenClaw's package.
func (refs *stateReferences) addThread(key, plugin string, row jsonl.Value) {
	binding := row.Get("binding")
	if !binding.IsObject() {
		binding = row
	}
	thread := binding.Get("threadId")
	if state := row.Get("state").String(); state != "" && state != "active" {
		return
	}
	if id := row.Get("sessionId").String(); id != "" {
		refs.byID.add(id, plugin, thread)
		return
	}
	refs.byKey.add(cmp.Or(row.Get("sessionKey").String(), key), plugin, thread)
}

// sidecarSuffix is the end of the name of the file in which older versions of OpenClaw keep the thread of a session.
const sidecarSuffix = ".codex-app-server.json"

// codexBackend is the backend that such a file is for.
const codexBackend = "codex"

// maxSidecar is the maximum size of such a file.
const maxSidecar = 1 << 20

// addSidecar adds what the file beside a transcript says.
func (r *references) addSidecar(s *source.Session) {
	if s.InDatabase || s.Root == "" || s.InBundle() {
		return
	}
	text, err := rooted.Of(s.Root, s.Below+sidecarSuffix).Content(maxSidecar) // nearly always, there is none
	if err == nil && isJSON(text) {
		r.addID(codexBackend, jsonl.Value(bytes.TrimSpace(text)).Get("threadId"), true)
	}
}

func isJSON(text []byte) bool { return jsontext.Check(text) == nil }
