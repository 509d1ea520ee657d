package reading

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/validate"
)

// TallyCodes lists codes with their counts, in the order of the rules: "CL301 1, CL402 2".
func TallyCodes(counts map[failure.Code]int) string { return validate.TallyCodes(counts) }

// RuleFlag takes codes, beginnings of codes, or levels.
func RuleFlag(dst *[]string, name, usage string) cli.Flag {
	f := cli.ListFlag(dst, name, "RULES", usage, true)
	return f.Checked(func() error {
		for _, rule := range *dst {
			if !validate.IsKnown(rule) {
				return fmt.Errorf("must be a code such as CL301 or a level such as pairing, got %q", rule)
			}
		}
		return nil
	})
}
