package source

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/storetest"
)

func TestStoreConformance(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	index := map[string]map[string]string{}
	for key, lines := range storetest.Sessions {
		id := (&jsonl.Parser{}).Parse([]byte(lines[0]), 1, 0).ID()
		index[key] = map[string]string{"sessionId": id}
		if err := os.WriteFile(filepath.Join(folder, id+".jsonl"), []byte(strings.Join(lines, "\n")),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(index)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "sessions.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Run(t, false, func(t *testing.T) store.SessionStore {
		place, err := Find(context.Background(), folder, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := NewStore(place)
		t.Cleanup(func() { s.Close() })
		return s
	})
}
