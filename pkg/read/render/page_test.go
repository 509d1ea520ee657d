package render

import "testing"

// A page is wrapped anew, with its code, tables and lists as they are, and without comments and links to files.
func TestPage(t *testing.T) {
	text := "# Title\n\nOne [link](other.md#x) and\ntwo [more](https://example.org).\n<!-- made -->\n" +
		"| a | b |\n|---|---|\n" +
		"| 1 | 2 |\n<!-- end -->\n\n- an item\n  that goes on\n- another\n\n```sh\nls   -l\nexit\n```\nEnd.\n"
	want := "# Title\n\nOne link and two [more](https://example.org).\na │ b\n──┼──\n1 │ 2\n\n" +
		"• an item that goes on\n• another\n\n╭─ sh\n│ ls   -l\n│ exit\n╰─\nEnd.\n"
	if got := Page(text, Style{Width: 60}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Page("one two\nthree four\n", Style{Width: 10}); got != "one two\nthree four\n" {
		t.Error(got)
	}
}
