package completion

import (
	"embed"
	"slices"
)

// Shells are the shells that a script can be made for.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

// scripts leave everything to `clawctl __complete`. Bash splits words at colons and other characters that keys
// contain, so its script puts them together again, and removes what bash regards as earlier words from the candidates.
//
//go:embed scripts
var scripts embed.FS

// Script returns the script of a shell, or false if there is none.
func Script(shell string) (string, bool) {
	if !slices.Contains(Shells, shell) {
		return "", false
	}
	text, err := scripts.ReadFile("scripts/clawctl." + shell)
	return string(text), err == nil
}
