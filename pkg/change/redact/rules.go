package redact

import (
	"fmt"
	"regexp"
	"strings"

	"clawctl/pkg/change/secrets"
)

// MoreRules say what is redacted besides the secrets of the table.
type MoreRules struct {
	Emails, Phones, IPs bool
	Users               bool   // names of users: in the paths of home folders, and wherever they stand
	User                string // the user who runs the program; "" if nobody knows
	Patterns            []string
	Values              string // a text with a value in each line
}

// shortest is how long a value must be. A shorter one would be replaced inside of words.
const shortest = 4

// A shortValueError is the error for a value that is too short.
type shortValueError struct{ Line int }

func (e *shortValueError) Error() string {
	return fmt.Sprintf("line %d is shorter than %d characters", e.Line, shortest)
}

// List returns the rules. Patterns must be valid.
func (m *MoreRules) List() (list []*secrets.Rule, err error) {
	if m.Emails {
		list = append(list, secrets.Emails())
	}
	if m.Phones {
		list = append(list, secrets.Phones())
	}
	if m.IPs {
		list = append(list, secrets.IPs())
	}
	if m.Users {
		list = append(list, secrets.Users())
	}
	if m.Users && len(m.User) >= shortest && m.User != "root" {
		list = append(list, secrets.Word("user", m.User))
	}
	for _, expression := range m.Patterns {
		list = append(list, secrets.Pattern("pattern", regexp.MustCompile(expression)))
	}
	n := 0
	for value := range strings.Lines(m.Values) {
		n++
		switch value = strings.TrimSpace(value); {
		case value == "":
		case len(value) < shortest:
			return nil, &shortValueError{n}
		default:
			list = append(list, secrets.Literal("value", value))
		}
	}
	return list, nil
}
