package disk

import (
	"math/rand/v2"
	"path"
)

// A State is the content of a folder: its files by path, and its folders.
type State struct {
	Files   map[string][]byte
	Folders []string
	Links   map[string]string // a path of a file with several names, and another one of them
}

// State returns a state that a power cut at a moment may leave.
func (r *Record) State(moment int, dice *rand.Rand) State {
	s := State{Files: map[string][]byte{}, Links: map[string]string{}}
	first := map[int]string{}
	sector := []int64{512, 4096}[dice.IntN(2)]
	names := r.names(moment, dice)
	for folder := []string{"."}; len(folder) > 0; folder = folder[1:] {
		entries := names[folder[0]]
		for _, name := range sortedKeys(entries) {
			below := path.Join(folder[0], name)
			switch file := entries[name]; {
			case file != isFolder && first[file] != "":
				s.Links[below], s.Files[below] = first[file], s.Files[first[file]]
				continue
			case file != isFolder:
				first[file], s.Files[below] = below, r.content(file, moment, sector, dice)
				continue
			}
			s.Folders = append(s.Folders, below)
			folder = append(folder, below)
		}
	}
	return s
}

// isFolder takes the place of a file's number in the entries of a folder.
const isFolder = -1

// names returns the entries of every folder at a moment.
func (r *Record) names(moment int, dice *rand.Rand) map[string]map[string]int {
	all := map[string]map[string]int{".": {}}
	add := func(name string, file int) {
		folder := path.Dir(name)
		if all[folder] == nil {
			all[folder] = map[string]int{}
		}
		all[folder][path.Base(name)] = file
	}
	for _, folder := range r.Folders {
		all[folder] = map[string]int{}
		add(folder, isFolder)
	}
	for name, file := range r.Before {
		add(name, file)
	}
	for _, op := range r.Ops {
		if op.Kind == Mkdir && all[op.Path] == nil {
			all[op.Path] = map[string]int{}
		}
	}
	for _, folder := range sortedKeys(all) {
		ops, durable := r.split(moment, func(op Op) bool { return changesNames(op, folder) },
			func(op Op) bool { return op.Kind == SyncDir && op.Path == folder })
		for _, op := range ops[:durable+prefix(len(ops)-durable, dice)] {
			rename(all[folder], op)
		}
	}
	return all
}

// prefix chooses how many of n changes are there. None and all are as likely as everything between.
func prefix(n int, dice *rand.Rand) int {
	switch dice.IntN(3) {
	case 0:
		return 0
	case 1:
		return n
	}
	return dice.IntN(n + 1)
}

// rename applies an operation to the entries of a folder.
func rename(entries map[string]int, op Op) {
	name := path.Base(op.Path)
	switch op.Kind {
	case Create:
		entries[name] = op.File
	case Mkdir:
		entries[name] = isFolder
	case Remove:
		delete(entries, name)
	case Rename:
		entries[path.Base(op.To)] = entries[name]
		delete(entries, name)
	}
}

// content returns what a file contains at a moment.
func (r *Record) content(file, moment int, sector int64, dice *rand.Rand) []byte {
	changes := func(op Op) bool { return op.File == file && (op.Kind == Write || op.Kind == Truncate) }
	ops, durable := r.split(moment, changes, func(op Op) bool { return op.File == file && op.Kind == Sync })
	f := &surface{data: append([]byte(nil), r.Content[file]...), sector: sector, dice: dice}
	f.size = int64(len(f.data))
	for _, op := range ops[:durable] {
		f.apply(op)
	}
	f.loss = []float64{0, 0.05, 0.5, 0.95, 1}[dice.IntN(5)]
	f.kept = map[int64]bool{}
	for _, op := range ops[durable:] {
		f.apply(op)
	}
	f.grow(f.size)
	return f.data[:f.size]
}

// A surface is a file on the disk. With a loss, a sector may keep what it has from some operation on, and so may the
// size of the file.
type surface struct {
	data     []byte
	size     int64
	sector   int64
	dice     *rand.Rand
	loss     float64 // how likely an operation is lost
	kept     map[int64]bool
	keptSize bool
}

func (f *surface) apply(op Op) {
	switch op.Kind {
	case Write:
		f.write(op)
	case Truncate:
		if f.resize(op.Size) && op.Size < int64(len(f.data)) {
			f.data = f.data[:op.Size] // what was there does not come back
		}
	}
}

// resize changes the size, unless that is lost.
func (f *surface) resize(size int64) bool {
	f.keptSize = f.keptSize || f.isLost()
	if !f.keptSize {
		f.size = size
	}
	return !f.keptSize
}

func (f *surface) isLost() bool { return f.loss > 0 && f.dice.Float64() < f.loss }

// write writes each sector, unless that is lost.
func (f *surface) write(op Op) {
	end := op.Offset + int64(len(op.Data))
	f.grow(end)
	for at := op.Offset; at < end; {
		number := at / f.sector
		next := min((number+1)*f.sector, end)
		if !f.kept[number] && f.isLost() {
			f.kept[number] = true
		}
		if !f.kept[number] {
			copy(f.data[at:next], op.Data[at-op.Offset:next-op.Offset])
		}
		at = next
	}
	if end > f.size {
		f.resize(end)
	}
}

// grow extends the data with zeros.
func (f *surface) grow(size int64) {
	if missing := size - int64(len(f.data)); missing > 0 {
		f.data = append(f.data, make([]byte, missing)...)
	}
}

// Final returns the state after the last operation, if nothing is lost.
func (r *Record) Final() State {
	all := *r
	all.Ops = append(append([]Op(nil), r.Ops...), r.syncEverything()...)
	return all.State(r.Moments+2, rand.New(rand.NewPCG(0, 0)))
}

// syncEverything returns operations that make everything durable.
func (r *Record) syncEverything() []Op {
	var syncs []Op
	synced := Op{Start: r.Moments, End: r.Moments + 1, Path: "."}
	for _, kind := range []Kind{Sync, SyncDir} {
		synced.Kind = kind
		for _, op := range r.Ops {
			synced.File = op.File
			if kind == SyncDir {
				synced.Path = path.Dir(op.Path)
			}
			syncs = append(syncs, synced)
		}
	}
	return syncs
}
