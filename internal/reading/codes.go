package reading

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/pkg/validate"
)

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
