package cli

import (
	"fmt"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// KindCounts lists how many sessions of each kind there are.
func KindCounts[N int | int64](counts map[source.Kind]N) string {
	var parts []string
	for _, kind := range source.Kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", ui.Thousands(int64(n)), kind))
		}
	}
	return strings.Join(parts, ", ")
}
