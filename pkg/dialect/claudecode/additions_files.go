package claudecode

import (
	"strconv"
	"strings"

	"clawctl/pkg/jsontext"
)

// fileRead writes the call that reads a file which the user has named, and its result.
func fileRead(attached jsontext.Value) []said {
	name, content := attached.Get("filename"), attached.Get("content")
	if !name.IsString() {
		return nil
	}
	call, file := called("Read", `{"file_path":`+string(name)+`}`), content.Get("file")
	switch content.Get("type").String() {
	case "image":
		if image := imageBlock(file.Get("base64"), file.Get("type")); image != "" {
			return []said{call, {image}}
		}
	case "text":
		result, text := numbered(file), file.Get("content").String()
		isChanged := unclosed(text) != text
		if isChanged {
			result = unclosed(result)
		}
		all := []said{call, returned("Read", result)}
		if isChanged {
			all = append(all, notes(notAsOnDisk)(attached)...)
		}
		if attached.Get("truncated").IsTrue() {
			all = append(all, remind("Note: The file "+name.String()+" was too large and has been truncated to the first "+
				"2000 lines. No need to mention the truncation. Use Read to read more of the file if you need."))
		}
		return all
	case "pdf":
		return []said{call, returned("Read", "PDF file read: "+file.Get("filePath").String()+
			" ("+sizeText(file.Get("originalSize").Int())+")")}
	case "notebook":
		return []said{call, notebookRead(file)}
	}
	return nil
}

// numbered returns the lines of a file with their numbers, as the tool that reads files returns them.
func numbered(file jsontext.Value) string {
	text, first := file.Get("content").String(), max(file.Get("startLine").Int(), 1)
	lines, total := file.Get("numLines").Int(), file.Get("totalLines").Int()
	switch {
	case text != "" || lines >= 1 && total > 1:
	case lines >= 1 || total == 0:
		return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
	default:
		return "<system-reminder>Warning: the file exists but is shorter than the provided offset (" +
			strconv.FormatInt(first, 10) + "). The file has " + strconv.FormatInt(total, 10) + " lines.</system-reminder>"
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strconv.FormatInt(first+int64(i), 10) + "\t" + strings.TrimSuffix(line, "\r"))
	}
	return b.String()
}

// sizeText returns a number of bytes as Claude Code writes it.
func sizeText(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	size, unit := float64(n)/1024, "KB"
	for _, larger := range []string{"MB", "GB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, larger
	}
	return strings.TrimSuffix(strconv.FormatFloat(size, 'f', 1, 64), ".0") + unit
}

// imageBlock returns an image, or "" if it has no data.
func imageBlock(data, kind jsontext.Value) string {
	if !data.IsString() || !kind.IsString() {
		return ""
	}
	return `{"type":"image","source":{"type":"base64","data":` + string(data) + `,"media_type":` + string(kind) + `}}`
}

// notebookRead returns the message with the cells of a notebook. Without images, it is one text.
func notebookRead(file jsontext.Value) said {
	var blocks said
	var texts []string // of the last block, as long as it is a text
	hasImage := false
	end := func() {
		if texts != nil {
			blocks = append(blocks, strings.Join(texts, "\n"))
		}
		texts = nil
	}
	for cell := range file.Get("cells").Elements() {
		texts = append(texts, cellText(cell))
		for output := range cell.Get("outputs").Elements() {
			if text := output.Get("text").String(); text != "" {
				texts = append(texts, "\n"+text)
			}
			shown := output.Get("image")
			if image := imageBlock(shown.Get("image_data"), shown.Get("media_type")); image != "" {
				end()
				blocks, hasImage = append(blocks, image), true
			}
		}
	}
	end()
	if !hasImage {
		for i, text := range blocks {
			blocks[i] = `{"text":` + jsontext.Quote(text) + `,"type":"text"}`
		}
		return returned("Read", "["+strings.Join(blocks, ",")+"]")
	}
	for i, b := range blocks {
		if !strings.HasPrefix(b, `{"type":"image"`) {
			blocks[i] = remind(b)[0]
		}
	}
	return blocks
}

// cellText returns a cell of a notebook.
func cellText(cell jsontext.Value) string {
	id, about := cell.Get("cell_id").String(), ""
	if kind, language := cell.Get("cellType").String(), cell.Get("language").String(); kind != "code" {
		about = "<cell_type>" + kind + "</cell_type>"
	} else if language != "python" {
		about = "<language>" + language + "</language>"
	}
	return `<cell id="` + id + `">` + about + cell.Get("source").String() + `</cell id="` + id + `">`
}

// severities are the marks of diagnostics.
var severities = map[string]string{"Error": "\u2718", "Warning": "\u26a0", "Info": "\u2139", "Hint": "\u2605"}

// diagnosed writes what the language servers of an editor have found.
func diagnosed(attached jsontext.Value) []said {
	var files []string
	for file := range attached.Get("files").Elements() {
		uri := file.Get("uri").String()
		text := uri[strings.LastIndexByte(uri, '/')+1:] + ":"
		for d := range file.Get("diagnostics").Elements() {
			text += "\n  " + diagnosis(d)
		}
		files = append(files, text)
	}
	if files == nil {
		return nil
	}
	return []said{remind("<new-diagnostics>The following new diagnostic issues were detected:\n\n" +
		strings.Join(files, "\n\n") + "</new-diagnostics>")}
}

// diagnosis returns one diagnostic as a line.
func diagnosis(d jsontext.Value) string {
	mark, ok := severities[d.Get("severity").String()]
	if !ok {
		mark = "\u2022"
	}
	start := d.Get("range").Get("start")
	text := mark + " [Line " + strconv.FormatInt(start.Get("line").Int()+1, 10) + ":" +
		strconv.FormatInt(start.Get("character").Int()+1, 10) + "] " + d.Get("message").String()
	if code := d.Get("code"); code.IsString() {
		text += " [" + code.String() + "]"
	}
	if source := d.Get("source"); source.IsString() {
		text += " (" + source.String() + ")"
	}
	return text
}
