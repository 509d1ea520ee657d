package secrets

import (
	"encoding/json"
	"strings"
	"testing"

	"clawctl/pkg/change/secrets/secretstest"
	"clawctl/pkg/jsontext"
)

// What is found in a string is found in a line that has the string.
func TestStringsFindsWhatFindFinds(t *testing.T) {
	p := secretstest.New(5, 4)
	for i, line := range p.Lines {
		var found strings.Builder
		raw := []byte(line)
		standard().Strings(raw, func(f Leak) bool {
			for _, m := range f.Matches {
				found.Write(f.Text[m.Start:m.End])
			}
			return true
		})
		for start, isString := 0, false; start < len(raw); isString = !isString {
			end := jsontext.StringEnd(raw, start)
			text := jsontext.Decode(nil, raw[start:end])
			for _, m := range Find(text) {
				if value := string(text[m.Start:m.End]); isString && !strings.Contains(found.String(), value) {
					t.Errorf("line %d: %q is not found in %s", i+1, value, line)
				}
			}
			start = end + 1
		}
	}
}

// A line end may be anywhere in a secret and its name.
func TestBrokenLines(t *testing.T) {
	total := 0
	for _, r := range Rules() {
		text, _ := r.Generate(77)
		for i := 1; i < len(text); i++ {
			if hasSecret([]byte(quote(strings.Repeat("some words before ", 4) + text[:i] + "\n" + text[i:] + "\nend"))) {
				total++
			}
		}
	}
	if total < 10_000 {
		t.Errorf("%d secrets are found", total)
	}
	t.Logf("%d secrets in broken lines", total)
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
			"strings": standard().Strings,
			"find":    func(raw []byte, yield func(Leak) bool) { _ = len(Find([]byte(text))) > 0 && yield(Leak{}) },
		} {
			isFound := false
			scan(raw, func(Leak) bool { isFound = true; return false })
			if !isFound {
				t.Errorf("%s: nothing is found in %q", name, text)
			}
		}
	}
}
