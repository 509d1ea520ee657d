package migrate

import (
	"fmt"
	"path"

	"clawctl/internal/portable"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/source"
)

// PortableItems renames files for a bundle, which every system can unpack. A name that is valid everywhere stays. Other
// files get a free name that says the same about the kind of transcript, and archives stay with their session.
func PortableItems(items []Item) []Item {
	names := &portableNames{given: map[string]string{}, taken: map[string]bool{}}
	for i := range items {
		it := &items[i]
		if it.SameButCase != "" { // it gets another name instead of a folder
			it.SameButCase, it.Path = "", path.Join(path.Dir(path.Dir(it.Path)), path.Base(it.Path))
		}
	}
	isKept := make([]bool, len(items))
	for i := range items {
		isKept[i] = names.keepFile(items[i].Path)
	}
	for i := range items {
		if old := items[i].Path; !isKept[i] {
			items[i].rename(old, names.newFile(old), renameReason(old))
		}
	}
	return items
}

// renameReason says why a file cannot keep its path.
func renameReason(old string) string {
	if reason := portable.CheckPath(old); reason != "" {
		return reason
	}
	if !bundle.FitsTranscript(path.Base(old)) {
		return "it is not named like a transcript"
	}
	return "another name is the same on some systems"
}

// portableNames are the new paths of files. Folders and the stems of files are renamed one by one, so that files that
// belong together stay together.
type portableNames struct {
	given map[string]string // the new path of each folder, of each file up to the end of its stem, and of each file
	taken map[string]bool   // the new paths, folded
}

// keepFile reserves the path of a file, or as many of its folders as have valid names. It reports whether the file
// keeps its path.
func (n *portableNames) keepFile(name string) bool {
	base := path.Base(name)
	stem, _ := source.SplitName(base)
	return n.keepFolder(path.Dir(name)) && portable.Check(base) == "" && bundle.FitsTranscript(base) &&
		n.keep(path.Join(path.Dir(name), stem)) && !n.taken[portable.Fold(name)] && n.keep(name)
}

func (n *portableNames) keepFolder(name string) bool {
	return name == "." || n.keepFolder(path.Dir(name)) && portable.Check(path.Base(name)) == "" && n.keep(name)
}

// keep reserves a path. It reports false if another one is the same on some system.
func (n *portableNames) keep(name string) bool {
	if n.given[name] == "" && !n.taken[portable.Fold(name)] {
		n.given[name], n.taken[portable.Fold(name)] = name, true
	}
	return n.given[name] == name
}

// newFile returns a free path for a file.
func (n *portableNames) newFile(old string) string {
	stem, rest := source.SplitName(path.Base(old))
	if rest != "" {
		rest = portable.Name(rest)
	}
	if !bundle.FitsTranscript("x" + rest) {
		rest += ".jsonl" // it is a transcript by its content
	}
	return n.free(n.newStem(path.Join(path.Dir(old), stem)), rest)
}

// newStem returns a free path for a folder or for the beginning of a file's name.
func (n *portableNames) newStem(old string) string {
	if old == "." {
		return old
	}
	if n.given[old] == "" {
		n.given[old] = n.free(path.Join(n.newStem(path.Dir(old)), portable.Name(path.Base(old))), "")
	}
	return n.given[old]
}

// free returns a path that no other file has, with a number between its two parts if it needs one.
func (n *portableNames) free(stem, rest string) string {
	name := stem + rest
	for number := 2; n.taken[portable.Fold(name)]; number++ {
		name = fmt.Sprintf("%s-%d%s", stem, number, rest)
	}
	n.taken[portable.Fold(name)] = true
	return name
}
