package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

// Hosts share a folder without touching each other's files.
func TestHostsShareAFolder(t *testing.T) {
	folder := t.TempDir()
	homes := map[string]string{"web1": copyHome(t, exampleHome), "web2": copyHome(t, exampleHome)}
	for host, home := range homes {
		opts := testOptions()
		opts.Host = host
		export(t, folder, sessionsOf(t, home), opts)
	}
	hosts := map[string]int64{}
	for _, row := range rowsOf(t, folder, "usage") {
		hosts[row["host"].(string)] += row["records"].(int64)
	}
	if hosts["web1"] == 0 || hosts["web1"] != hosts["web2"] || len(hosts) != 2 {
		t.Errorf("%v", hosts)
	}
	opts := testOptions()
	opts.Host = "web1"
	if err := os.RemoveAll(filepath.Join(homes["web1"], "agents/main")); err != nil {
		t.Fatal(err)
	}
	before := len(filesIn(t, folder))
	result := export(t, folder, sessionsOf(t, homes["web1"]), opts)
	if result.Removed == 0 || len(filesIn(t, folder)) != before-result.Removed+result.Written {
		t.Errorf("%d removed of %d", result.Removed, before)
	}
	names, err := filepath.Glob(filepath.Join(folder, "usage", "agent=main", "month=*", "*"))
	if err != nil || len(names) == 0 {
		t.Error("the files of the other host are gone", err)
	}
}

// A dataset of other sources is replaced only on request, and so is a folder with other files used.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	other := sessionsOf(t, copyHome(t, exampleHome))
	if _, err := Run(context.Background(), folder, other, testOptions()); !errors.Is(err, errOtherSources) {
		t.Errorf("another home: %v", err)
	}
	forced := testOptions()
	forced.Force = true
	export(t, folder, other, forced)
	manifest := filepath.Join(folder, "manifest.json")
	for text, want := range map[string]error{
		"{": errBadManifest, "{}": errBadManifest, `{"schema_version": 99}`: errNewer,
	} {
		testkit.Write(t, manifest, text)
		if _, err := Run(context.Background(), folder, other, testOptions()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	export(t, folder, other, forced)
	busy := t.TempDir()
	testkit.Write(t, filepath.Join(busy, "letter.txt"), "")
	if _, err := Run(context.Background(), busy, other, testOptions()); !errors.Is(err, errForeign) {
		t.Errorf("a folder with a letter: %v", err)
	}
}
