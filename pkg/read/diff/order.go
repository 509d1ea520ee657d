package diff

import "slices"

// longestIncrease returns the positions of a longest increasing subsequence, in ascending order. It takes linear time
// for a list that is increasing, and n log n for any other.
func longestIncrease(list []int32) []int32 {
	if slices.IsSorted(list) {
		all := make([]int32, len(list))
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}
	var ends []int32 // position of the smallest last value of an increase, by its length
	before := make([]int32, len(list))
	for i, value := range list {
		length, _ := slices.BinarySearchFunc(ends, value, func(at, value int32) int { return int(list[at]) - int(value) })
		before[i] = unmatched
		if length > 0 {
			before[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, int32(i))
		} else {
			ends[length] = int32(i)
		}
	}
	for k := len(ends) - 2; k >= 0; k-- {
		ends[k] = before[ends[k+1]]
	}
	return ends
}
