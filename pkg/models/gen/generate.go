package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"clawctl/pkg/jsontext/json5"
	"clawctl/pkg/models"
)

// generate returns the text of the catalogue.
func generate(packages []string, date string) ([]byte, error) {
	var today *models.Catalogue
	var retired []string
	for _, path := range packages {
		p, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if today == nil {
			today = models.New(p.entries)
			today.Source, today.Date = source+" "+p.version, date
			continue
		}
		today = addRetired(today, p.entries)
		retired = append(retired, p.version)
	}
	remarks := []string{"Made by make catalogue. See NOTICE.",
		"model, window, largest answer; dollars per million tokens: input, output, cache read, cache write; tiers"}
	if len(retired) > 0 {
		remarks = append(remarks, "Retired models are those of the releases "+strings.Join(retired, ", ")+".")
	}
	return today.Text(remarks...), nil
}

// addRetired adds the models whose name no provider of today has.
func addRetired(today *models.Catalogue, entries []models.Entry) *models.Catalogue {
	var retired []models.Entry
	for _, e := range entries {
		if !today.HasName(e.Model) {
			retired = append(retired, e)
		}
	}
	return today.Over(models.New(retired))
}

// A release is one version of the package.
type release struct {
	version string
	entries []models.Entry
}

// open reads a package as npm has it: a .tgz file.
func open(name string) (*release, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	r, archive := &release{}, tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := r.take(header.Name, archive); err != nil {
			return nil, fmt.Errorf("%s: %w", header.Name, err)
		}
	}
	if r.version == "" || len(r.entries) == 0 {
		return nil, errors.New("no version or no models in the package")
	}
	return r, nil
}

// take reads a file of the package if it has facts.
func (r *release) take(name string, content io.Reader) error {
	isData, _ := path.Match("package/dist/providers/data/*.json", name)
	isList := name == "package/dist/models.generated.js"
	if !isData && !isList && name != "package/package.json" {
		return nil
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	switch {
	case isData:
		return r.add(text)
	case isList:
		return r.addList(text)
	}
	var about struct{ Version string }
	err = json.Unmarshal(text, &about)
	r.version = about.Version
	return err
}

// add adds the models of a JSON file.
func (r *release) add(text []byte) error {
	c, err := models.ParseFile(text)
	if err != nil {
		return err
	}
	for _, e := range c.Entries() {
		round(&e.Prices)
		for i := range e.Tiers {
			round(&e.Tiers[i].Prices)
		}
		r.entries = append(r.entries, e)
	}
	return nil
}

// round removes what the package's own arithmetic adds to prices, as in 0.44999999999999996.
func round(p *models.Prices) {
	for _, price := range []*float64{&p.Input, &p.Output, &p.CacheRead, &p.CacheWrite} {
		*price = math.Round(*price*1e9) / 1e9
	}
}

// addList adds the models of an old release, which has them as one JavaScript object. In newer ones, the same file has
// imports instead.
func (r *release) addList(text []byte) error {
	_, object, found := bytes.Cut(text, []byte("export const MODELS = {"))
	if !found || bytes.Contains(text, []byte("import ")) {
		return nil
	}
	object, _, _ = bytes.Cut(object, []byte("\n};"))
	value, err := json5.Parse([]byte("{" + string(object) + "}"))
	if err != nil {
		return err
	}
	text, err = json.Marshal(value)
	if err != nil {
		return err
	}
	return r.add(text)
}
