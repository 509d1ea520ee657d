package redact

import (
	"errors"
	"slices"
	"testing"
)

func TestMoreRules(t *testing.T) {
	for _, test := range []struct {
		more MoreRules
		want []string
	}{
		{MoreRules{}, nil},
		{MoreRules{User: "anna"}, nil},
		{MoreRules{Emails: true, Phones: true, IPs: true}, []string{"email", "phone", "ip"}},
		{MoreRules{Users: true, User: "anna"}, []string{"user", "user"}},
		{MoreRules{Users: true, User: "ann"}, []string{"user"}},
		{MoreRules{Users: true, User: "root"}, []string{"user"}},
		{MoreRules{Patterns: []string{"a+", "b"}, Values: "\n first \n\nsecond"},
			[]string{"pattern", "pattern", "value", "value"}},
	} {
		list, err := test.more.List()
		var got []string
		for _, r := range list {
			got = append(got, r.Name)
		}
		if !slices.Equal(got, test.want) || err != nil {
			t.Errorf("%+v: got %q, %v", test.more, got, err)
		}
	}
	var short *shortValueError
	if _, err := (&MoreRules{Values: "long enough\n\nabc\n"}).List(); !errors.As(err, &short) || short.Line != 3 {
		t.Errorf("a short value: %v", err)
	}
}

func TestRows(t *testing.T) {
	s := NewSurvey()
	s.secrets = map[string]string{"1": "b", "2": "b", "3": "a", "4": "c"}
	got := s.Rows(&Counts{Places: map[string]int{"a": 2, "b": 2, "c": 5}, Kept: map[string]int{"b": 1}})
	want := []Row{{1, "c", 1, 5, 0}, {1, "a", 1, 2, 0}, {1, "b", 2, 2, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
