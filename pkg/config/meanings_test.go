package config

import "testing"

// Every setting has a meaning, and every meaning belongs to a setting.
func TestDescriptions(t *testing.T) {
	list := Descriptions()
	for _, d := range list {
		if d.Meaning == "" {
			t.Errorf("%s has no meaning", d.Name)
		}
	}
	if len(list) != len(meanings) {
		t.Errorf("%d settings have %d meanings", len(list), len(meanings))
	}
}
