package calendar

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // images and Windows have no zones of their own

	"clawctl/internal/failure"
)

// A Zone is a time zone with the name that reports print. The zero value is UTC.
type Zone struct {
	Name     string
	Location *time.Location
}

// UTC is the zone of datasets.
var UTC = Zone{"UTC", time.UTC}

// String returns the name of the zone.
func (z Zone) String() string { return cmp.Or(z.Name, UTC.Name) }

func (z Zone) location() *time.Location {
	if z.Location == nil {
		return time.UTC
	}
	return z.Location
}

// In returns a moment as clocks in the zone show it.
func (z Zone) In(at time.Time) time.Time { return at.In(z.location()) }

// A ZoneError says that no zone has a name.
type ZoneError struct{ Name string }

func (e *ZoneError) Error() string { return fmt.Sprintf("unknown time zone %q", e.Name) }

// ParseZone returns the zone with a name: one of the tz database such as Europe/Berlin, in any case, or an offset such
// as +05:30. Errors are of type *ZoneError.
func ParseZone(name string) (Zone, error) {
	return parseZone(name, parseOffset, namedZone)
}

// parseZone returns the zone that the first of some functions knows.
func parseZone(name string, ways ...func(string) (Zone, bool)) (Zone, error) {
	if strings.EqualFold(name, "UTC") || strings.EqualFold(name, "Z") {
		return UTC, nil
	}
	for _, parse := range ways {
		if zone, ok := parse(name); ok {
			return zone, nil
		}
	}
	return UTC, &ZoneError{name}
}

// parseOffset reads an offset from UTC, as in +02:00. It is east of Greenwich, as in ISO 8601. UTC+2 is refused,
// because it is west of Greenwich in TZ and east of it for people.
func parseOffset(name string) (Zone, bool) {
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, name); err == nil {
			_, seconds := t.Zone()
			canonical := t.Format("-07:00")
			return Zone{canonical, time.FixedZone(canonical, seconds)}, true
		}
	}
	return Zone{}, false
}

// namedZone finds a zone of the tz database.
func namedZone(name string) (Zone, bool) {
	name = strings.ReplaceAll(name, " ", "_")
	if !strings.Contains("\n"+zoneNames, "\n"+name+"\n") {
		at := slices.IndexFunc(ZoneNames(), func(known string) bool { return strings.EqualFold(known, name) })
		if at >= 0 {
			name = ZoneNames()[at]
		}
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return Zone{}, false
	}
	return Zone{name, location}, true
}

// zoneFile reads a zone from a file, which TZ may name.
func zoneFile(name string) (Zone, bool) {
	if !filepath.IsAbs(name) {
		return Zone{}, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Zone{}, false
	}
	short := cmp.Or(zoneOfPath(name), name)
	location, err := time.LoadLocationFromTZData(short, data)
	return Zone{short, location}, err == nil
}

// zoneOfPath returns the zone that a path such as /usr/share/zoneinfo/Europe/Berlin is named after, or "".
func zoneOfPath(path string) string {
	_, name, _ := strings.Cut(filepath.ToSlash(path), "/zoneinfo/")
	return strings.TrimPrefix(strings.TrimPrefix(name, "posix/"), "right/")
}

// unruled is the name of a zone whose rule Go cannot read.
const unruled = "-"

// parseRule reads a rule of POSIX. Go reads such rules only at the end of a file with a zone's history, so this makes
// one without a history.
func parseRule(name string) (Zone, bool) {
	if strings.ContainsAny(name, "\n\x00") || !strings.ContainsAny(name, "0123456789") {
		return Zone{}, false
	}
	location, err := time.LoadLocationFromTZData(name, ruleFile(name))
	if err != nil {
		return Zone{}, false
	}
	abbreviation, _ := time.Unix(0, 0).In(location).Zone()
	return Zone{name, location}, abbreviation != unruled
}

// ruleFile is a file of the format TZif that has nothing but a rule (RFC 9636).
func ruleFile(rule string) []byte {
	header := make([]byte, 44)
	copy(header, "TZif2")
	types := binary.BigEndian.AppendUint32(nil, 1)
	abbreviations := binary.BigEndian.AppendUint32(nil, uint32(len(unruled)+1))
	copy(header[36:], types)
	copy(header[40:], abbreviations)
	body := append(make([]byte, 6), unruled+"\x00"...) // one type, without an offset
	empty := append(append([]byte{}, header...), body...)
	return append(append(append(empty, header...), body...), "\n"+rule+"\n"...)
}

// ZoneNames lists the names of the tz database that is part of clawctl.
func ZoneNames() []string { return strings.Fields(zoneNames) }

//go:embed zones.txt
var zoneNames string

// NearZones returns the zones that a typo may have meant, the likeliest first: one whose name differs in a letter or
// two, and one whose city does.
func NearZones(typed string) []string {
	var near []string
	typed = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(typed), " ", "_"))
	for _, prefix := range []string{"utc", "gmt"} {
		rest, ok := strings.CutPrefix(typed, prefix)
		if hours, err := strconv.Atoi(rest); ok && err == nil && hours > -24 && hours < 24 {
			return []string{fmt.Sprintf("%+03d:00", hours)}
		}
	}
	cityOf := func(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
	for _, part := range []func(string) string{func(name string) string { return name }, cityOf} {
		byPart, parts := map[string]string{}, []string{}
		for _, name := range ZoneNames() {
			if short := part(strings.ToLower(name)); len(short) > 4 { // a short one is near to every other
				byPart[short], parts = name, append(parts, short)
			}
		}
		if name := byPart[failure.Nearest(part(typed), parts)]; name != "" && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	return near
}

// A System is what is known about the zone of the machine.
type System struct {
	TZ     string // the variable; see HasTZ
	HasTZ  bool   // TZ is set, even if it is empty
	Local  *time.Location
	Link   string // where /etc/localtime leads, "" if it is no link
	Stated string // the text of /etc/timezone
}

// Zone returns the zone of the machine. TZ wins, as in every program. If its zone is not known, the result is UTC and
// a *ZoneError.
func (s System) Zone() (Zone, error) {
	if s.HasTZ {
		name := strings.TrimPrefix(s.TZ, ":")
		if name == "" {
			return UTC, nil
		}
		return parseZone(name, namedZone, parseRule, zoneFile)
	}
	if s.Local == time.UTC || s.Local.String() == "UTC" {
		return UTC, nil
	}
	name := cmp.Or(zoneOfPath(s.Link), s.stated(), s.Local.String())
	if name == "Etc/UTC" { // as most servers call it
		return UTC, nil
	}
	return Zone{name, s.Local}, nil
}

// stated returns the name in /etc/timezone, if that zone is the one in force.
func (s System) stated() string {
	name := strings.TrimSpace(s.Stated)
	zone, ok := namedZone(name)
	if !ok {
		return ""
	}
	for month := range 12 { // a file that was forgotten differs at least in a part of the year
		at := time.Date(2026, time.January+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		_, theirs := zone.In(at).Zone()
		if _, ours := at.In(s.Local).Zone(); ours != theirs {
			return ""
		}
	}
	return name
}
