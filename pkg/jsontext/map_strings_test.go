package jsontext

import (
	"strings"
	"testing"
)

func TestMapStrings(t *testing.T) {
	v := Value(`{"a\u0062":["x\"y\\",1,"\u00e9"],"c":"aB"}`)
	if got := string(MapStrings(v, strings.ToUpper)); got != `{"AB":["X\"Y\\",1,"É"],"C":"AB"}` {
		t.Errorf("got %s", got)
	}
	same := func(text string) string { return text }
	if got := string(MapStrings(v, same)); got != string(v) {
		t.Errorf("unchanged strings became %s", got)
	}
}
