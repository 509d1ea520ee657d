package calendar

import (
	"archive/zip"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
)

func mustZone(t *testing.T, name string) Zone {
	t.Helper()
	z, err := ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Days have 23 and 25 hours when clocks change, begin late where midnight is skipped, and some never were.
func TestLengthsOfDays(t *testing.T) {
	for _, c := range []struct {
		zone, day, since string
		hours            float64
	}{
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", 23},
		{"Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00", 25},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", 23},
		{"Asia/Kolkata", "2026-10-25", "2026-10-25T00:00:00+05:30", 24},
		{"Asia/Kathmandu", "2026-10-25", "2026-10-25T00:00:00+05:45", 24},
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-04T00:00:00+10:30", 23.5},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00", 24.5},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23}, // midnight was skipped
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00", 25},    // and here it is repeated
		{"America/St_Johns", "2006-10-28", "2006-10-28T00:00:00-02:30", 24},
		{"America/St_Johns", "2006-10-29", "2006-10-29T00:00:00-02:30", 25}, // at 00:01 it was 23:01 again
		{"Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00-10:00", 24},
		{"Pacific/Apia", "2011-12-31", "2011-12-31T00:00:00+14:00", 24},
		{"+05:30", "2026-10-25", "2026-10-25T00:00:00+05:30", 24},
		{"utc", "2026-10-25", "2026-10-25T00:00:00Z", 24},
	} {
		p, err := ParsePeriod(c.day, mustZone(t, c.zone).In(time.Unix(0, 0)))
		if err != nil {
			t.Fatal(c.zone, err)
		}
		since, hours := p.Since.Format(time.RFC3339), p.Until.Sub(p.Since).Hours()
		if p.Name != c.day || since != c.since || hours != c.hours {
			t.Errorf("%s %s: %s from %s, %v hours, want %s, %v hours", c.zone, c.day, p.Name, since, hours, c.since, c.hours)
		}
	}
}

func TestSkippedDay(t *testing.T) {
	zone := mustZone(t, "Pacific/Apia")
	_, err := ParsePeriod("2011-12-30", zone.In(time.Unix(0, 0)))
	var never *PeriodError
	if !errors.As(err, &never) || !never.Never {
		t.Errorf("got %v", err)
	}
	first := time.Date(2011, 12, 28, 12, 0, 0, 0, zone.Location)
	last := time.Date(2012, 1, 2, 12, 0, 0, 0, zone.Location)
	if n := NewDays(zone).Count(first, last); n != 5 {
		t.Errorf("%d days from 28 December to 2 January without the 30th, want 5", n)
	}
	if n := NewDays(UTC).Count(first, last); n != 5 {
		t.Errorf("%d days in UTC, want 5", n)
	}
}

// The day, the week and the month that a moment belongs to contain it, in every zone and near every change of clocks.
func TestPeriodsContainTheirMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	names := ZoneNames()
	for range longtest.Rounds(t, "CLAWCTL_ROUNDS", 300, 20_000) {
		zone := mustZone(t, names[r.IntN(len(names))])
		at := zone.In(time.Unix(r.Int64N(4e9)-1e9, 0))
		if _, change := at.ZoneBounds(); !change.IsZero() && r.IntN(2) == 0 {
			at = change.Add(time.Duration(r.Int64N(int64(3*time.Hour))) - 90*time.Minute)
		}
		day := NewDays(zone).Of(at)
		for _, name := range []string{day.Name, day.Week, day.Month, day.Name[:4]} {
			p, err := ParsePeriod(name, at)
			if err != nil || p.Name != name || at.Before(p.Since) || !at.Before(p.Until) {
				t.Fatalf("%s %s: %s is from %s to %s, %v", zone, at, name, p.Since, p.Until, err)
			}
		}
		if !day.Until.After(day.Since) || NewDays(zone).Of(day.Until.Add(-1)).Name != day.Name {
			t.Fatalf("%s: %s ends at %s", zone, day.Name, day.Until)
		}
	}
}

func TestParsePeriod(t *testing.T) {
	zone := mustZone(t, "Europe/Berlin")
	now := time.Date(2026, 3, 1, 10, 30, 0, 0, zone.Location) // a Sunday
	for text, want := range map[string][3]string{
		"2026":       {"2026", "2026-01-01", "2027-01-01"},
		"2026-09":    {"2026-09", "2026-09-01", "2026-10-01"},
		"2026-12":    {"2026-12", "2026-12-01", "2027-01-01"},
		"2026-W38":   {"2026-W38", "2026-09-14", "2026-09-21"},
		"2026w1":     {"2026-W01", "2025-12-29", "2026-01-05"},
		"2026-W53":   {"2026-W53", "2026-12-28", "2027-01-04"},
		"2028-02-29": {"2028-02-29", "2028-02-29", "2028-03-01"},
		"today":      {"2026-03-01", "2026-03-01", "2026-03-02"},
		"Yesterday":  {"2026-02-28", "2026-02-28", "2026-03-01"},
		"this week":  {"2026-W09", "2026-02-23", "2026-03-02"},
		"last-week":  {"2026-W08", "2026-02-16", "2026-02-23"},
		"last month": {"2026-02", "2026-02-01", "2026-03-01"},
		"LAST_MONTH": {"2026-02", "2026-02-01", "2026-03-01"},
		"this month": {"2026-03", "2026-03-01", "2026-04-01"},
		"last year":  {"2025", "2025-01-01", "2026-01-01"},
	} {
		p, err := ParsePeriod(text, now)
		got := [3]string{p.Name, p.Since.Format(time.DateOnly), p.Until.Format(time.DateOnly)}
		if err != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "2026-13", "2026-00", "2026-02-29", "2026-W54", "2025-W53", "2026-W00", "20", "7d", "last", "next week",
		"last monday", "2026-9", "2026-01-01T00:00:00Z", "month",
	} {
		if p, err := ParsePeriod(text, now); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func TestZones(t *testing.T) {
	for name, want := range map[string]string{
		"europe/berlin": "Europe/Berlin", "America/New York": "America/New_York", "+0530": "+05:30", "-03": "-03:00",
		"z": "UTC", "UTC": "UTC",
	} {
		if z, err := ParseZone(name); err != nil || z.String() != want {
			t.Errorf("%s: got %s %v, want %s", name, z, err, want)
		}
	}
	for _, name := range []string{"", "Local", "Mars/Base", "../etc/passwd", "UTC+2", "CET-1CEST", "/etc/localtime"} {
		if z, err := ParseZone(name); err == nil {
			t.Errorf("%q is %s", name, z)
		}
	}
	for typed, want := range map[string][]string{
		"Europ/Berlin": {"Europe/Berlin"}, "Berlin": {"Europe/Berlin"}, "US/Tokyo": {"Asia/Tokyo"}, "UTC+2": {"+02:00"},
		"Mars/Base": nil, "PST": nil,
	} {
		if got := NearZones(typed); !slices.Equal(got, want) {
			t.Errorf("near %s are %v, want %v", typed, got, want)
		}
	}
}

func TestSystemZone(t *testing.T) {
	berlin, summer := mustZone(t, "Europe/Berlin").Location, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	local := time.FixedZone("Local", 3600)
	for _, c := range []struct {
		system System
		name   string
		offset int
	}{
		{System{Local: time.UTC}, "UTC", 0},
		{System{Local: local}, "Local", 3600},
		{System{Local: berlin, Link: "/var/db/timezone/zoneinfo/Europe/Paris"}, "Europe/Paris", 7200},
		{System{Local: berlin, Stated: "Europe/Vienna\n"}, "Europe/Vienna", 7200},
		{System{Local: berlin, Stated: "Asia/Tokyo\n"}, "Europe/Berlin", 7200}, // somebody forgot that file
		{System{Local: berlin, HasTZ: true}, "UTC", 0},
		{System{Local: berlin, HasTZ: true, TZ: ":Asia/Tokyo"}, "Asia/Tokyo", 9 * 3600},
		{System{Local: berlin, HasTZ: true, TZ: "CET-1CEST,M3.5.0,M10.5.0/3"}, "CET-1CEST,M3.5.0,M10.5.0/3", 7200},
		{System{Local: berlin, HasTZ: true, TZ: "<+0330>-3:30"}, "<+0330>-3:30", 12600},
		{System{Local: berlin, HasTZ: true, TZ: "UTC+2"}, "UTC+2", -7200},
	} {
		zone, err := c.system.Zone()
		_, offset := zone.In(summer).Zone()
		if err != nil || zone.String() != c.name || offset != c.offset {
			t.Errorf("%+v: got %s %d %v, want %s %d", c.system, zone, offset, err, c.name, c.offset)
		}
	}
	for _, name := range []string{"Mars/Base", "CET-", "1", "Europe/Berlin2026", "/nowhere"} {
		zone, err := System{Local: berlin, HasTZ: true, TZ: name}.Zone()
		if err == nil || zone.String() != "UTC" {
			t.Errorf("TZ=%s is %s", name, zone)
		}
	}
}

// zones.txt has the names of the zones that time/tzdata embeds.
func TestZoneNames(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not there: ", err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skip("Go's own list of zones is not there: ", err)
	}
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		if !f.FileInfo().IsDir() {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, ZoneNames()) {
		t.Errorf("zones.txt has %d names, Go has %d", len(ZoneNames()), len(names))
	}
}
