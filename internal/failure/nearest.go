package failure

import "strings"

// Nearest returns the name that a typo most likely meant, or "": one or two letters off, of a word long enough.
func Nearest(typed string, names []string) string {
	best, bestDistance := "", min(3, len(strings.TrimLeft(typed, "-"))/3+1)
	for _, name := range names {
		if d := editDistance(typed, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
