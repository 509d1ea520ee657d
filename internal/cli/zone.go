package cli

// Which time zone is in force:
//
//   - --timezone wins over TZ, and that over the zone of the machine. The clock of a run is in its zone, so whoever
//     formats a time or asks for a day uses that of App.Now.
//   - A zone that --timezone names and nobody knows is wrong usage. One in TZ is a remark, and times are in UTC, as in
//     other programs. It is an error only if the answer depends on days.

import (
	"os"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/failure"
)

// zoneHelp are the ways to write a time zone, for help texts.
const zoneHelp = "a time zone such as Europe/Berlin, UTC or +05:30"

// settleZone puts the clock of the run into its time zone.
func (a *App) settleZone(flag string) error {
	if flag != "" {
		zone, err := calendar.ParseZone(flag)
		if err != nil {
			return unknownZone("--timezone", flag, a.zoneHint(flag))
		}
		a.Zone = zone
		return nil
	}
	zone, err := machineZone()
	a.Zone = zone
	if err != nil {
		value := os.Getenv("TZ")
		a.zoneError = unknownZone("TZ", value, a.zoneHint(value))
		a.Note("TZ has an unknown time zone, %q: times are in UTC", value)
	}
	return nil
}

// unknownZone is the error of a zone that nobody knows.
func unknownZone(from, name, hint string) error {
	return failure.Usage(hint, "%s must be %s, got %q", from, zoneHelp, name)
}

// zoneHint is the command with the time zone that was probably meant.
func (a *App) zoneHint(typed string) string {
	if near := calendar.NearZones(typed); len(near) > 0 {
		return a.CommandLine("--timezone", near[0])
	}
	return "clawctl help numbers"
}

// NeedZone returns an error if the time zone is not known. Commands that count by days call it.
func (a *App) NeedZone() error { return a.zoneError }

// machineZone is the zone in the environment, or else that of the machine.
func machineZone() (calendar.Zone, error) {
	s := calendar.System{Local: time.Local}
	if s.TZ, s.HasTZ = os.LookupEnv("TZ"); !s.HasTZ && time.Local.String() == "Local" {
		s.Link, _ = os.Readlink("/etc/localtime") // a name is nicer than none, and the zone is the same
		stated, _ := os.ReadFile("/etc/timezone") // many systems have no such file
		s.Stated = string(stated)
	}
	return s.Zone()
}
