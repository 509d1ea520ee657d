package bundle

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"clawctl/internal/portable"
	"clawctl/internal/regex"
	"clawctl/pkg/dialect"
)

const (
	indexName   = "sessions.json"
	mediaFolder = "media"
	maxPath     = 1000
)

// transcriptName matches the file names of transcripts and of their earlier states. Nothing that another program runs
// or takes for its settings has such a name.
var transcriptName = regex.Lazy(`^[^.].*(?:\.jsonl(?:\.(?:reset|deleted|bak|full|pre-doctor|broken|imported)[^/]*)?` +
	`|\.(?:full\.bak|pre-doctor-.+\.bak|broken-.+))(?:\.[0-9a-f]{12})?(?:\.(?:zst|gz))?(?:\.\d+)?(?:\.incomplete)?$`)

// otherFolders are folders in which OpenClaw keeps credentials, settings and programs.
var otherFolders = []string{
	"agents", "credentials", "devices", "extensions", "hooks", "identity", "node_modules", "oauth", "plugins", "secrets",
	"settings", "skills", "state", "tools", "workspace",
}

// privateParts are parts of the names of files with credentials, wherever they are.
var privateParts = []string{"auth-profiles", "auth.json", "openclaw.json", "clawdbot.json", "models.json", ".env"}

// isPrivate reports whether the base of a path is the name of a file with credentials or settings.
func isPrivate(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.ContainsFunc(privateParts, func(part string) bool { return strings.HasPrefix(base, part) })
}

// FitsTranscript reports whether a file name is one that a transcript has in a bundle.
func FitsTranscript(base string) bool { return transcriptName().MatchString(base) }

// isMedia reports whether a path is that of a media file: it is in the folder of media of the only or of one of several
// state folders, and neither hidden nor in a folder for something else.
func isMedia(name string) bool {
	folders := strings.Split(strings.ToLower(path.Dir(name)), "/")
	isOther := func(folder string) bool {
		return folder[0] == '.' && folder != "." || slices.Contains(otherFolders, folder)
	}
	at := slices.Index(folders, mediaFolder)
	return (at == 0 || at == 1) && !slices.ContainsFunc(folders[at:], isOther) &&
		!slices.Contains(otherFolders, folders[0]) && path.Base(name)[0] != '.'
}

// isKept reports whether a path is that of a file which a program keeps beside its sessions.
func isKept(name string) bool {
	folder := "/" + path.Dir(name)
	owner := dialect.FolderOwner(folder)
	return owner != nil && owner.Keeps != nil && owner.Keeps(folder, path.Base(name))
}

// CheckName returns why a bundle cannot contain a file: its path could lead elsewhere, it is not valid on every system,
// or it is not that of a file of this kind.
func CheckName(name string, kind Kind) error {
	switch {
	case path.IsAbs(name) || len(name) > 1 && name[1] == ':':
		return refused(name, "the path is absolute")
	case strings.Contains(name, `\`):
		return refused(name, "the path has a backslash")
	case slices.Contains(strings.Split(name, "/"), ".."):
		return refused(name, "the path leads out of the bundle")
	case !fs.ValidPath(name) || name == "." || len(name) > maxPath:
		return refused(name, "the path is not valid")
	case portable.CheckPath(name) != "":
		return refused(name, "the path is not valid: %s", portable.CheckPath(name))
	case isPrivate(name):
		return refused(name, "a bundle never contains credentials, settings or programs")
	}
	base := path.Base(name)
	switch {
	case kind == Transcript && FitsTranscript(base), kind == Index && base == indexName,
		kind == Media && (isMedia(name) || isKept(name)):
		return nil
	}
	return refused(name, "it is not named like a file of kind %q", kind)
}

// taken holds the folded paths of a bundle: true for files, false for folders.
type taken map[string]bool

// add adds the path of a file. It returns an error if another file has the path on some system, or if one of them would
// have to be a folder.
func (t taken) add(name string) error {
	folded := portable.Fold(name)
	if _, known := t[folded]; known || folded == manifestName {
		return refused(name, "two files have this path")
	}
	t[folded] = true
	for dir := path.Dir(folded); dir != "."; dir = path.Dir(dir) {
		if t[dir] {
			return refused(name, "a part of its path is a file")
		}
		t[dir] = false
	}
	return nil
}
