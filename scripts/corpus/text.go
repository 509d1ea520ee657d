package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// A library is the text of tool results: Go's own sources, which every machine that builds clawctl has.
type library struct {
	files []source
}

type source struct {
	path string
	text []byte
}

// enough is how many bytes of source are read. More would slow the start and not make the text more varied.
const enough = 32 << 20

func loadText() (*library, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go's sources: %w", err)
	}
	l, size := &library{}, 0
	tree := os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src"))
	err = fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		if size > enough {
			return fs.SkipAll
		}
		b, err := fs.ReadFile(tree, name)
		// Excerpts of a small file would all be the same, and some files that test the compiler are not UTF-8.
		if err != nil {
			return err
		}
		if len(b) > 4096 && utf8.Valid(b) {
			l.files = append(l.files, source{"/usr/local/go/src/" + name, b})
			size += len(b)
		}
		return nil
	})
	if err != nil {
		return l, err
	}
	if len(l.files) == 0 {
		return l, errors.New("find Go's sources: no files")
	}
	return l, nil
}

// code returns about n bytes of a source file, in complete lines and at least one, and the file's path.
func (l *library) code(d *dice, n int) (text, path string) {
	f := pick(d, l.files)
	start := d.IntN(max(1, len(f.text)-n))
	start = bytes.LastIndexByte(f.text[:start], '\n') + 1
	rest := f.text[start:]
	if len(rest) <= n {
		return string(rest), f.path
	}
	return string(rest[:n+bytes.IndexByte(rest[n:], '\n')+1]), f.path
}

// log returns about n bytes of what builds, tests and services print.
func (l *library) log(d *dice, n int) string {
	var b strings.Builder
	for b.Len() < n {
		file := pick(d, l.files).path
		switch d.IntN(4) {
		case 0:
			at := epoch.Add(time.Duration(d.IntN(1e9)) * time.Millisecond)
			fmt.Fprintf(&b, "time=%s level=%s msg=\"%s\" req=%s\n",
				at.Format(time.RFC3339), pick(d, levels), english.some(d, 50), d.uuid())
		case 1:
			fmt.Fprintf(&b, "ok  \t%s\t%.3fs\tcoverage: %d.%d%% of statements\n",
				path.Dir(file), d.Float64()*9, d.IntN(100), d.IntN(10))
		case 2:
			fmt.Fprintf(&b, "%s:%d:%d: undefined: \"%s\"\n", file, d.IntN(900), d.IntN(80), english.some(d, 20))
		case 3:
			fmt.Fprintf(&b, "\t{\"path\": \"%s\", \"size\": %d, \"mode\": \"0644\"},\n", file, d.IntN(1e7))
		}
	}
	return b.String()
}

var (
	levels = []string{"DEBUG", "INFO", "WARN", "ERROR"}
	emoji  = []string{"🚀", "✅", "❌", "🙂", "👩‍💻", "⚠️", "🔥", "🇯🇵", "→", "“so”"}

	english = language{" ", strings.Fields("the a of to in that session file is not with this line we should check " +
		"because test record reads when it and writes after before model token window summary branch index buffer " +
		"parser error returns empty first last every fails, passes. again; now: don't let's (maybe) `go test` " +
		"migration **important** transcript however, therefore configuration")}
	chinese  = language{"", strings.Fields("会话 文件 已经 读取 完成， 但是 最后 一行 不 完整。 请 检查 模型 的 上下文 窗口 并且 重新 生成 摘要 测试 通过 了")}
	japanese = language{"", strings.Fields("セッション の ファイル を 読み込み ました。 最後の 行 が 壊れて います、 もう一度 テスト を 実行 して ください 要約 と 履歴 も 確認")}
)

// A language is a list of words and the separator between two of them.
type language struct {
	space string
	words []string
}

// prose returns about n bytes of text like that of people and models: mostly English, sometimes Chinese or Japanese.
func prose(d *dice, n int) string {
	in := english
	if d.oneIn(8) {
		in = pick(d, []language{chinese, japanese})
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(in.some(d, min(n, 60+d.IntN(300))))
		b.WriteString(pick(d, []string{"\n", "\n\n", "\n- ", "\n\n## "}))
	}
	if d.oneIn(4) {
		b.WriteString(pick(d, emoji))
	}
	return strings.TrimSpace(b.String())
}

// some returns about n bytes of random words.
func (l language) some(d *dice, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(pick(d, l.words))
		b.WriteString(l.space)
	}
	return strings.TrimSpace(b.String())
}
