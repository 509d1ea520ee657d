package secrets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsontext"
)

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// The table is well-formed: names are unique, keywords are long enough, and patterns begin with them.
func TestTable(t *testing.T) {
	if len(table()) < 60 {
		t.Errorf("only %d rules", len(table()))
	}
	names, folds := map[string]bool{}, map[string]bool{}
	for _, r := range table() {
		if names[r.Name] || r.Name == "" || r.Example == "" || strings.Trim(r.Name, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%q: the name is taken or malformed, or there is no example", r.Name)
		}
		names[r.Name] = true
		for _, k := range r.Keywords {
			if fold, known := folds[k]; known && fold != r.Fold || len(k) < 3 || r.Fold && strings.ContainsAny(k, capitals) {
				t.Errorf("%s: keyword %q", r.Name, k)
			}
			folds[k] = r.Fold
		}
	}
}

// Every rule finds its examples, under its own name, in texts of every kind.
func TestEveryRule(t *testing.T) {
	contexts := []string{
		"%s", "the key is %s, keep it", "line\n%s\nline", "`%s`", "- %s", "(%s)", "\t%s\r\n",
		"\x1b[31m%s\x1b[0m", "“%s”", "é %s 漢",
	}
	for _, r := range table() {
		for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 50, 1000)) {
			example, parts := r.Generate(seed)
			text := fmt.Sprintf(contexts[seed%uint64(len(contexts))], example)
			matches := Find([]byte(text))
			if !slices.ContainsFunc(matches, func(m Match) bool { return m.Rule == r }) {
				t.Errorf("%s is not found in %q: %v", r.Name, text, names(matches))
				break
			}
			if masked, n := mask(text); n == 0 || holdsAny(masked, parts) {
				t.Errorf("%s: %q becomes %q", r.Name, text, masked)
				break
			}
		}
	}
}

func names(matches []Match) (list []string) {
	for _, m := range matches {
		list = append(list, m.Rule.Name)
	}
	return list
}

// holdsAny reports whether a text has one of the random parts that are long enough to matter.
func holdsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return len(p) >= 12 && strings.Contains(text, p) })
}

// Search finds the same in JSON, whatever the escapes, and in JSON inside of JSON.
func TestSearchInJSON(t *testing.T) {
	encodings := map[string]func(string) string{
		"plain":   func(s string) string { return quote(s) },
		"nested":  func(s string) string { return quote(`{"text": ` + quote(s) + `}`) },
		"deep":    func(s string) string { return quote(`{"a":` + quote(`{"b":`+quote(s)+`}`) + `}`) },
		"slashes": func(s string) string { return strings.ReplaceAll(quote(s), "/", `\/`) },
		"escaped": func(s string) string { return escapeAll(s) },
	}
	for name, encode := range encodings {
		for _, r := range table() {
			for seed := range uint64(20) {
				example, _ := r.Generate(seed)
				raw := `{"type":"message","n":[1,"x\\",` + encode("see\n"+example+"\nend") + `,"\\\"y"]}`
				if !hasSecret([]byte(raw)) {
					t.Errorf("%s, %s: not found in %s", r.Name, name, raw)
					break
				}
			}
		}
	}
}

// quote returns a JSON string.
func quote(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// escapeAll returns a JSON string in which every character is an escape.
func escapeAll(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

// Texts that only look like secrets are left alone.
func TestNoSecret(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 4)
	for _, text := range []string{
		"", "a", "sk-", "sk-short", "task-" + hex, "ghp_short", "ghp_" + strings.Repeat("x", 36),
		"sk-" + strings.Repeat("*", 30),
		"commit " + hex[:40], "sha256:" + hex, "id 1b671a64-40d5-491e-99b0-da01ff1f3341", "digest = " + hex,
		`token_hash: "` + hex + `"`, `"tokenId": "1b671a64-40d5-491e-99b0-da01ff1f3341"`,
		"password=$DB_PASSWORD", "PASSWORD=${PASSWORD}", `password: "<your password>"`, "API_KEY=your-api-key-here1",
		`token: process.env.TOKEN1`, `const token = getToken1()`, `password = os.environ["X1"]`, "MAX_TOKENS=4096",
		"TOKEN_URL=https://x1.test/a",
		"totalTokens: 123456789012", `"password": "Passwort"`, `"secret": "oauth2-client-secret"`,
		"-----BEGIN " + "PRIVATE KEY-----",
		`strings.Contains(s, "-----BEGIN ` + `RSA PRIVATE KEY-----")`, "https://example.com/a:b@c",
		"http://user:password@host/",
		"postgres://user:${PGPASSWORD}@host/db", "mailto:a@b.c", "Authorization: Bearer <token>", "[redacted:github-token:1]",
		"API_KEY=[redacted:openai-key:1]", `"api_key": "[redacted:secret:12]"`, "git@github.com:a/b.git", "eyJhbGci",
		"--- PASS: TestAddrString/ipv6+zone2 (0.00s)", "the token is a2 word", "secret -> x", "cookie: theme=dark",
		"[INFO] cookie.go:1715 req=8520dd38-e798-4c59-a268-141f738dfcbb", "Cookie: cookie(x), trace=8520dd38e7984c59a268141f",
		"for _, cookie := range list { log(id=8520dd38e7984c59a268141f)",
		strings.Repeat("Zx2+k17/", 9) + "YCPk0SkuxN72stbk3KwCw3gJqj10fsTly4SkLUAV+a1", // in other data
		`"doc_token": "ARgStOrAge9ContrIButorSHell"`, `"nextPageToken": "X1dependEnCiEsunACCoUnted2w"`,
		"task-list-of-many-things-to-do-today-and-tomorrow", "sk-learn-pipeline-with-many-words-inside",
	} {
		if matches := Find([]byte(text)); len(matches) > 0 {
			t.Errorf("%q: %v", text, names(matches))
		}
	}
}

// Special cases of finding: what is around a secret stays, and overlapping matches become one.
func TestMask(t *testing.T) {
	key := strings.Repeat("a1B2", 10)
	for _, test := range []struct {
		text, want string
		n          int
	}{
		{"nothing", "nothing", 0},
		{"key sk-" + key + ".", "key sk-[masked].", 1},
		{"sk-ant-" + key + " ghp_" + key, "sk-ant-[masked] ghp_[masked]", 2},
		{"-----BEGIN " + "PRIVATE KEY-----\n" + key + "\n-----END " + "PRIVATE KEY-----\nrest",
			"-----BEGIN " + "PRIVATE KEY-----[masked]-----END " + "PRIVATE KEY-----\nrest", 1},
		{"export GITHUB_TOKEN=ghp_" + key, "export GITHUB_TOKEN=ghp_[masked]", 1},
		{"mysql://root:hunter2x@db/x", "mysql://root:[masked]@db/x", 1},
		{`{\"password\": \"hunter2x\"}`, `{\"password\": \"[masked]\"}`, 1},
		{"PASSWORD='correct horse battery'", "PASSWORD='[masked]'", 1},
		{"curl -u me:hunter2x https://a.test?x=%3Dghp_" + key, "curl -u me:[masked] https://a.test?x=%3Dghp_[masked]", 2},
	} {
		if got, n := mask(test.text); got != test.want || n != test.n {
			t.Errorf("%q: %q, %d", test.text, got, n)
		}
	}
}

// madeUp returns a text that is as random as a key.
func madeUp(n int) string { return randomText(rand.New(rand.NewPCG(1, 2)), classes['a'], n) }

// A value without quotes ends before what cannot belong to it.
func TestUnquotedValues(t *testing.T) {
	key := madeUp(32)
	for _, end := range []string{
		"", " ", "\n", ",", ";", "&", `"`, "'", "`", ")", "]", "}", "<", ">", "|", "\x1b[0m", `\"`, `\\\"`, `\n`,
	} {
		text := "api_key=" + key + end
		if got, n := mask(text); n != 1 || got != "api_key=[masked]"+end {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, end := range []string{"(", "[0]", "{", "${X}", ":x", "?.y"} { // a program goes on
		if matches := Find([]byte("api_key=" + key + end)); len(matches) > 0 {
			t.Errorf("%q: %v", end, names(matches))
		}
	}
}

// The name of a variable begins a word.
func TestVariableNames(t *testing.T) {
	for before, want := range map[string]int{
		"": 1, "export ": 1, "A_": 1, "\t": 1, `\t`: 1, `\r\n`: 1, `\u000A`: 1, "\x1b[1;31m": 1, "x=": 1, "x": 0, "my-": 0,
		"a.": 0, "$": 0, "${": 0, "%": 0,
	} {
		text := before + "DB_PASSWORD=SummerRain"
		if matches := Find([]byte(text)); len(matches) != want {
			t.Errorf("%q: %v", text, names(matches))
		}
		if hasSecret([]byte(quote(text))) != (want > 0) {
			t.Errorf("Search of %q: %v", text, want == 0)
		}
	}
}

// The type of a variable may be between its name and its value, which is in quotes then.
func TestDeclaredVariables(t *testing.T) {
	for text, want := range map[string]int{
		`const password string = "hunter2x9Q"`:               1,
		`var apiKey string="k3J9fQ2mZx81LpQwAs93"`:           1,
		`password: string = 'hunter2x9Q';`:                   1,
		`const API_TOKEN: &str = "k3J9fQ2mZx81LpQw";`:        1,
		`const API_TOKEN: &'static str = "k3J9fQ2mZx81LpQw"`: 1,
		`val token: String = "k3J9fQ2mZx81LpQw"`:             1,
		`api_key: Optional[str] = "k3J9fQ2mZx81LpQwAs93"`:    1,
		`static const char api_key[] = "k3J9fQ2mZx81LpQw";`:  1,
		`char password[32] = "hunter2x9Q";`:                  1,
		`#define DB_PASSWORD "hunter2x9Q"`:                   1,
		`token: "k3J9strQ2mZx81LpQwAs93="`:                   1,
		`token: k3J9strQ2mZx81LpQwAs93=`:                     1,
		`password: string = os.Getenv("DB_PASS1")`:           0,
		`password: string = ""`:                              0,
		`const tokenType string = "bearer"`:                  0,
		`token string == "k3J9fQ2mZx81LpQw"`:                 0,
		`tokens[0] == "k3J9fQ2mZx81LpQw"`:                    0,
		`tokens[i] = "k3J9fQ2mZx81LpQw"`:                     0,
		`#define TOKEN_SIZE (32 + PASSWORD1)`:                0,
		`#define PASSWORD_FIELD "password_field"`:            0,
		`(password string, isAdmin bool) = "hunter2x9Q"`:     0,
	} {
		if matches := Find([]byte(text)); len(matches) != want {
			t.Errorf("%q: %v", text, names(matches))
		}
		if hasSecret([]byte(quote(text))) != (want > 0) {
			t.Errorf("Search of %q: %v", text, want == 0)
		}
	}
}

// A token of Telegram is found in the address of its bot too, and only the token.
func TestTelegramBots(t *testing.T) {
	token := "8012345678:AA" + madeUp(33)
	for before, want := range map[string]int{
		"": 1, "token ": 1, "https://api.telegram.org/bot": 1, "bot": 1, "robot": 0, "1": 0, "x": 0,
	} {
		text := before + token + "/getMe"
		if got, n := mask(text); n != want || n > 0 && got != before+"[masked]/getMe" {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A secret ends at the latest where the next one of its kind begins. Each is found by itself.
func TestRowsOfSecrets(t *testing.T) {
	key, passwords := madeUp(40), strings.Repeat("password=", 500)
	for text, want := range map[string]string{
		"A_TOKEN=" + key + "/B_TOKEN=" + key:               "A_TOKEN=[masked]",
		"curl a curl -u me:hunter2x b curl -u me:hunter3x": "curl a curl -u me:[masked] b curl -u me:[masked]",
		"glpat-" + key + ".glpat-" + key:                   "glpat-[masked]glpat-[masked]",
		"eyJ" + key + ".eyJ" + key + "." + key:             "eyJ[masked]",
		"xoxe.xoxb-" + key:                                 "xoxe.[masked]",
		"SECRET_ACCESS_KEY=" + key:                         "SECRET_ACCESS_KEY=[masked]",
		`{"client_secret": "my_token=` + key + `"}`:        `{"client_secret": "[masked]"}`,
		passwords + "'hunter2x' password=x1y2":             passwords + "'[masked]' password=x1y2",
	} {
		if got, _ := mask(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A keyword is found wherever it begins, and at the end of a text.
func TestIndexFindsEveryPlace(t *testing.T) {
	for _, k := range standard().index.keywords {
		for length := range 9 {
			for _, after := range []string{"", "x", "xyzabc"} {
				text := strings.Repeat(".", length) + k.text + after
				found := false
				standard().index.each([]byte(text), func(got *keyword, at int) bool {
					found = found || got.text == k.text && at == length
					return true
				})
				if !found {
					t.Fatalf("%q is not found in %q", k.text, text)
				}
			}
		}
	}
}

// FuzzFind checks that matches are in order, inside of the text and without overlaps, that a masked text has no secret
// left, and that Strings agrees with Find.
func FuzzFind(f *testing.F) {
	for _, r := range table() {
		example, _ := r.Generate(1)
		f.Add(example)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		matches := Find([]byte(text))
		for _, m := range matches {
			if m.Start < end || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("%v in %q", m, text)
			}
			end = m.End
		}
		raw := escapeAll(strings.ToValidUTF8(text, "?"))
		decoded := jsontext.Decode(nil, []byte(raw[1:len(raw)-1]))
		if hasSecret([]byte(raw)) != (len(Find(decoded)) > 0) {
			t.Fatalf("Strings and Find disagree about %q", text)
		}
	})
}

// hasSecret reports whether a JSON text has a secret.
func hasSecret(raw []byte) bool {
	found := false
	standard().Strings(raw, func(Leak) bool {
		found = true
		return false
	})
	return found
}
