package secrets

import (
	"encoding/json"
	"strings"
	"testing"

	"clawctl/pkg/change/secrets/secretstest"
)

// What keywords lead to is all that there is: looking at every string finds nothing more.
func TestKeywordsLeadToEverything(t *testing.T) {
	p := secretstest.New(5, 4)
	collect := func(findings map[string]bool) func(Leak) bool {
		return func(f Leak) bool {
			for _, m := range f.Matches {
				findings[string(f.Text[m.Start:m.End])] = true
			}
			return true
		}
	}
	for i, line := range p.Lines {
		led, all := map[string]bool{}, map[string]bool{}
		raw := []byte(line)
		standard().scan(raw, collect(led))
		standard().scanAll(raw, collect(all))
		for value := range all {
			if !led[value] {
				t.Errorf("line %d: nothing leads to %q in %s", i+1, value, line)
			}
		}
	}
}

// Quick looks at raw text let a line end be anywhere in a secret and its name. Only where it breaks a keyword itself,
// nothing may lead to the string.
func TestBrokenLinesAreLedTo(t *testing.T) {
	isFound := func(scan func([]byte, func(Leak) bool), raw []byte) (found bool) {
		scan(raw, func(Leak) bool { found = true; return false })
		return found
	}
	d := standard()
	led := func(raw []byte, yield func(Leak) bool) { d.scan(raw, yield) }
	total, overlooked := 0, 0
	for _, r := range Rules() {
		text, _ := r.Generate(77)
		for i := 1; i < len(text); i++ {
			raw, err := json.Marshal(strings.Repeat("some words before ", 4) + text[:i] + "\n" + text[i:] + "\nend")
			if err != nil {
				t.Fatal(err)
			}
			if !isFound(d.scanAll, raw) {
				continue
			}
			total++
			if !isFound(led, raw) {
				overlooked++
			}
		}
	}
	if total < 10_000 || overlooked > 966 {
		t.Errorf("nothing leads to %d of %d secrets in broken lines", overlooked, total)
	}
}

// Quick looks must not reject what the rules accept, in raw text or in decoded text.
func TestQuickLooksLetThrough(t *testing.T) {
	key := "gh" + "p_a1B2c3D4e5F6\ng7H8i9J0k1L2m3N4o5P6q7R8s9"
	for _, text := range []string{
		"unzip -P hunter2x9 a.zip",
		"zip -Phunter2x9 a.zip",
		"DB_PASSWORD=SummerRain\nDB_HOST=db.example.com\nexport X=1 ",
		"JWT_SECRET=abc123de\nALLOWED=example.com,localhost",
		"MYSQL_PASSWORD=SummerRain\n[client]\nuser = x",
		"DB_PASSWORD=SummerRain\x1b[0m ok",
		"PWD_SECRET=SummerRain",
		"PASSWORT_TOKEN=Sommerregen",
		"then set the variables of the service in the shell, please: API_TOKEN=ab1\nc2d3e\nend",
		`in C:\new\names\notes of the user there was, as I said, ` + key,
		"The token for the deployment of the service is in the next line:\n  " + key,
		"x \"dd_app_key\":\t\"0123456789abcdef0123456789abcdef\"",
		`password: "'$ecret12X'"`,
		"define a constant for the login of the user in the file config: ('DB_PASSWORD'\n, 'hunter2x9');",
		`{"a":"` + strings.Repeat("some words before ", 4) + `mysql -u root -\npDu293bpzu38O shop\nend"}`,
		"- name: DB_PASSWORD\n  value: \"Kx;4vTq9Lm\"\n",
		`<add key="DbPassword" value="Kx|4vTq9Lm" />`,
		`<property name="password" value="pass;Word12"/>`,
		`name: password, value: "Passw|rd12"`,
		`password = "=Kx;4vTq9Lm"`,
		"JWT_SECRET=SummerRainX\x00HOSTNAME=db1",
		"curl -s \\\n  -u me:hunter2x9 \\\n  https://x.test",
		"docker login \\\n  -u me \\\n  -p hunter2x9 r.test",
		`curl https://x\n -b 'sid=a1b2c3d4e5f6g7h8' y`,
		"[api]\ntoken\t=\t'U3HPL4ie18IexxxpCQsCCfN'\n",
		"\tPassword\t=\t\"hunter2x9Q\"",
		"password\t:\thunter2x9Q",
		"os.environ[\"OPENAI_TOKEN\"]\t=\t\"wctW2qHAJ1O0ycbMGqruS6X\"",
		"MAILCHIMP_API_KEY \t=27de01448ed74e33f2f7d6005536de9c-us12",
		"deploy\t--api-token\tYspMpY2pvnttoZ2qinem7\t--region\teu",
		`{"config":"{\"text\":\"token\\t=\\t'U3HPL4ie18IexxxpCQsCCfN'\"}"}`,
		"?cmd=CREATE%20USER%20app%20IDENTIFIED%20BY%20'oKLPVk6EuI'",
		"docker%20login%20-u%20me%20-p%20hunter2x9%20r.test",
		"login%09--password%09Sne7jI39QkEuwNbp",
		"http%253A%252F%252Fx%253Fpassword%253DKx4vTq9Lm",
		"1%2F%2F031AtpLhdLGWWi64pOr4FGDggIw2ve034OKrJa5i7wOvyzXYLTNq1mOVvpB",
		"access_token%24production%24o7lt3ad2ird7my2e%2440b2b9f88347026b8949f47e08cfd82b",
		"%1B%5B32mglsa_QeM7kd3RiPQm3fKSPfLRd8Dgh4WDelZn_35571979",
		"mysql+-e+'CREATE+USER+app+IDENTIFIED+BY+'F36836UqDsL1VzoWT''",
		"docker+ENV+API_TOKEN+y6TvBw5veY6k3tIElcReVJnPmN",
		"curl+-u+admin:etu8dOzJWDUC+https://example.test",
	} {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, scan := range map[string]func([]byte, func(Leak) bool){
			"led":  func(raw []byte, yield func(Leak) bool) { standard().scan(raw, yield) },
			"all":  standard().scanAll,
			"find": func(raw []byte, yield func(Leak) bool) { _ = len(Find([]byte(text))) > 0 && yield(Leak{}) },
		} {
			isFound := false
			scan(raw, func(Leak) bool { isFound = true; return false })
			if !isFound {
				t.Errorf("%s: nothing is found in %q", name, text)
			}
		}
	}
}

// What follows a keyword leads to a string only if it may be the rest of a key of that kind.
func TestBodies(t *testing.T) {
	wide := strings.Repeat("w", narrowest)
	b := bodyOf(`key-[a-f0-9]{8}`, []string{"key-"})
	for text, want := range map[string]bool{
		"key-0123abcd":               true,
		"key-0123abc":                false,
		"key-0123abc.":               false,
		"key-012%33abcd":             true,
		"key-012%2533":               true,  // encoded twice
		"key-01\\u0032":              true,  // nobody knows yet what it is
		"key-0123\\nabcd":            false, // no line so narrow was broken
		wide + "key-0123\\nabcd":     true,
		wide + "key-0123\\n  abcd":   true,
		wide + "key-0123\\nzoo":      false,
		wide + "key-0123\\r\\nabcd":  true,
		wide + "key-0123\\n\\n\\nab": false,
	} {
		if got := b.isAt([]byte(text), strings.Index(text, "key-")+len("key-")); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	b.widen([]string{"key-"}, &Rule{Keywords: []string{"tskey-auth-"}, Pattern: `tskey-auth-[A-Z]{4}`})
	if !b.isAt([]byte("auth-ABCD"), 0) || b.isAt([]byte("auth"), 0) {
		t.Error("what a line end leaves of a longer keyword and its key does not pass, or less does")
	}
}
