package secretstest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// A Secret is one that was planted.
type Secret struct {
	Form, Container string
	// Values are the texts that nobody may see: the random parts, as they stand in the container.
	Values []string
}

// A Plant is a transcript with secrets.
type Plant struct {
	Lines   []string
	Secrets []Secret
	dice    *rand.Rand
}

// New returns a transcript in which every form stands in some containers, and every container has many forms. Of all
// pairs, it has one in so many.
func New(seed uint64, oneIn int) *Plant {
	p := &Plant{dice: rand.New(rand.NewPCG(seed, 34))}
	p.Lines = append(p.Lines, `{"type":"session","version":3,"id":"5b1c6a52-1111-4111-8111-0a1b2c3d4e5f",`+
		`"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`)
	n := 0
	for _, list := range []string{"commands", "settings", "keys"} {
		for _, f := range Forms(list) {
			for _, c := range containers {
				if n++; (n+int(seed))%oneIn == 0 {
					text, values := p.fill(f.Text)
					p.plant(f.Name, c, text, values)
				}
			}
		}
	}
	for _, f := range fields {
		for _, c := range fieldContainers {
			value, values := p.fill("{" + f.Kind + "}")
			p.plantField(f.Name, c, value, values)
		}
	}
	return p
}

// Text returns the transcript.
func (p *Plant) Text() string { return strings.Join(p.Lines, "\n") + "\n" }

// Left returns the secrets that an output still shows.
func (p *Plant) Left(output string) []Secret {
	var left []Secret
	for _, s := range p.Secrets {
		for _, v := range s.Values {
			if strings.Contains(output, v) {
				left = append(left, s)
				break
			}
		}
	}
	return left
}

func (p *Plant) plant(form string, c container, text string, values []string) {
	if c.encode != nil {
		text, values = c.encode(text, values)
	}
	quoted := marshal(text)
	p.Lines = append(p.Lines, p.record(c.record, quoted[1:len(quoted)-1])...)
	p.Secrets = append(p.Secrets, Secret{form, c.name, values})
}

// A container is a place for a text: a record with %s in it, and perhaps a way to write the text there.
type container struct {
	name   string
	record string
	encode func(text string, values []string) (string, []string)
}

// The records of containers. ID is the id of the record, PARENT that of the one before.
const (
	user = `{"type":"message","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"%s"}}`
	answer = `{"type":"message","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z","message":` +
		`{"role":"assistant","content":[{"type":"text","text":"%s"}],"stopReason":"stop","model":"m",` +
		`"provider":"p","api":"a"}}`
	thinking = `{"type":"message","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z","message":` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"%s"},{"type":"text","text":"done"}],` +
		`"stopReason":"stop","model":"m","provider":"p","api":"a"}}`
	call = `{"type":"message","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z","message":` +
		`{"role":"assistant","content":[{"type":"toolCall","id":"call-ID","name":"exec","arguments":ARGUMENTS}],` +
		`"stopReason":"toolUse","model":"m","provider":"p","api":"a"}}` + "\n" +
		`{"type":"message","id":"IDr","parentId":"ID","timestamp":"2026-05-01T10:00:02.000Z","message":` +
		`{"role":"toolResult","toolCallId":"call-ID","toolName":"exec","isError":false,"content":[RESULT]}}`
	title  = `{"type":"session_info","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z","name":"%s"}`
	branch = `{"type":"branch_summary","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z",` +
		`"fromId":"PARENT","summary":"%s"}`
	shell = `{"type":"message","id":"ID","parentId":"PARENT","timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"bashExecution","command":"run","output":"%s","exitCode":0,"cancelled":false,"truncated":false}}`
	done = `{"type":"text","text":"ok"}`
)

func withCall(arguments, result string) string {
	return strings.NewReplacer("ARGUMENTS", arguments, "RESULT", result).Replace(call)
}

var containers = []container{
	{"user text", user, nil},
	{"answer", answer, nil},
	{"code block", answer, func(text string, v []string) (string, []string) {
		return "Run:\n\n```sh\n" + text + "\n```\n", v
	}},
	{"thinking", thinking, nil},
	{"command", withCall(`{"command":"%s"}`, done), nil},
	{"nested argument", withCall(`{"options":{"steps":[{"run":"%s"}]}}`, done), nil},
	{"result", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), nil},
	{"JSON in a result", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), inJSON(1)},
	{"JSON in JSON in a result", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), inJSON(2)},
	{"JSON in JSON in JSON in a result", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), inJSON(3)},
	{"URL-encoded", withCall(`{"url":"%s"}`, done), percentEncoded},
	{"base64", withCall(`{"data":"%s"}`, done), base64Encoded},
	{"base64 in JSON", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), base64InJSON},
	{"base64 as content", user, base64Encoded},
	{"base64 on a line", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`),
		base64Between("data:\n  conf: ", "\n")},
	{"base64 in a variable", shell, base64Between("PATH=/bin\nSETTINGS=", "\nHOME=/root")},
	{"base64 in a command", withCall(`{"command":"%s"}`, done), base64Between("echo ", " | base64 -d > conf")},
	{"title", title, nil},
	{"summary", branch, nil},
	{"shell", shell, nil},
	{"wrapped", answer, wrapped},
}

// inJSON writes a text as a string of a JSON text, so many times.
func inJSON(times int) func(string, []string) (string, []string) {
	return func(text string, values []string) (string, []string) {
		for range times {
			quoted := marshal(text)
			text = `{"status": 0, "stdout": ` + quoted + `}`
		}
		return text, values
	}
}

// percentEncoded writes a text as a parameter of a URL.
func percentEncoded(text string, values []string) (string, []string) {
	encoded := make([]string, len(values))
	for i, v := range values {
		encoded[i] = url.QueryEscape(v)
	}
	return "https://run.test/do?x=1&text=" + url.QueryEscape(text) + "&y=2", append(encoded, values...)
}

func base64Encoded(text string, values []string) (string, []string) {
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	return encoded, append([]string{encoded}, values...)
}

// base64Between writes a text in base64 between two others.
func base64Between(before, after string) func(string, []string) (string, []string) {
	return func(text string, values []string) (string, []string) {
		encoded, values := base64Encoded(text, values)
		return before + encoded + after, values
	}
}

func base64InJSON(text string, values []string) (string, []string) {
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	return `{"encoding": "base64", "content": "` + encoded + `"}`, append([]string{encoded}, values...)
}

// wrapped breaks a text into lines of 72 characters, as a terminal does, and one of the breaks is inside of the secret.
// What is left of it on a line must not be seen either, if it is long enough to be of use.
func wrapped(text string, values []string) (string, []string) {
	const width, least = 72, 8
	if len(values) == 0 {
		return text, values
	}
	// The line breaks inside of the first value, unless something before it is on several lines too.
	before := strings.LastIndexByte(text[:strings.Index(text, values[0])], '\n') + 1
	middle := strings.Index(text, values[0]) + len(values[0])/2 - before
	if lead := ((width-middle)%width + width) % width; lead > 0 {
		text = strings.Repeat("The job printed this. ", 10)[:lead-1] + " " + text
	}
	var lines []string
	for rest := text; rest != ""; {
		n := min(width, len(rest))
		if at := strings.IndexByte(rest[:n], '\n'); at >= 0 {
			lines, rest = append(lines, rest[:at]), rest[at+1:]
			continue
		}
		lines, rest = append(lines, rest[:n]), rest[n:]
	}
	all := strings.Join(lines, "\n")
	var pieces []string
	for _, v := range values {
		if strings.Contains(all, v) {
			pieces = append(pieces, v)
			continue
		}
		for n := len(v); n >= least; n-- { // the longest beginning and the longest end that stand on a line
			if strings.Contains(all, v[:n]) {
				pieces = append(pieces, v[:n])
				break
			}
		}
		for n := len(v); n >= least; n-- {
			if strings.Contains(all, v[len(v)-n:]) {
				pieces = append(pieces, v[len(v)-n:])
				break
			}
		}
	}
	return all, pieces
}

// record returns the lines of a record with a piece of JSON in it.
func (p *Plant) record(form, piece string) []string {
	n := len(p.Lines)
	parent := fmt.Sprintf("e%05d", n-1)
	lines := strings.Split(form, "\n")
	if strings.Contains(p.Lines[n-1], fmt.Sprintf(`"id":"e%05dr"`, n-2)) {
		parent = fmt.Sprintf("e%05dr", n-2)
	}
	made := strings.NewReplacer("ID", fmt.Sprintf("e%05d", n), "PARENT", parent, "%s", piece)
	for i := range lines {
		lines[i] = made.Replace(lines[i])
		if n == 1 {
			lines[i] = strings.ReplaceAll(lines[i], `"parentId":"e00000"`, `"parentId":null`)
		}
	}
	return lines
}

// A fieldContainer is a place for a field: a record with %s for an object, and a way to write the object there.
type fieldContainer struct {
	name   string
	record string
	depth  int // how often the object is written as a string
	wrap   func(object string) string
}

var fieldContainers = []fieldContainer{
	{"field of arguments", withCall(`%s`, done), 0, nil},
	{"field in a list of arguments", withCall(`%s`, done), 0, func(o string) string {
		return `{"list":[{"a":` + o + `}]}`
	}},
	{"field of a result", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), 1, nil},
	{"field two strings deep", withCall(`{"command":"run"}`, `{"type":"text","text":"%s"}`), 2, nil},
	{"field three strings deep", withCall(`{"body":"%s"}`, done), 3, nil},
}

func (p *Plant) plantField(name string, c fieldContainer, value string, values []string) {
	object := `{"user": "ada", ` + marshal(name) + `: ` + marshal(value) + `, "n": 1}`
	if c.wrap != nil {
		object = c.wrap(object)
	}
	for i := range c.depth - 1 {
		object = `{"level` + strconv.Itoa(i) + `": ` + marshal(object) + `}`
	}
	if c.depth > 0 {
		quoted := marshal(object)
		object = quoted[1 : len(quoted)-1]
	}
	p.Lines = append(p.Lines, p.record(c.record, object)...)
	p.Secrets = append(p.Secrets, Secret{"field " + name, c.name, values})
}

func marshal(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string cannot fail
	return strings.TrimSpace(b.String())
}

const (
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
)

// alphabets are what random values consist of, by the name of their kind.
var alphabets = map[string]string{
	"alnum": upperCase + lowerCase + digits, "lower": lowerCase + digits, "upper": upperCase + digits,
	"hex":     digits + "abcdef",
	"letters": lowerCase + upperCase,
	"bech":    "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// seedWords are some of the 2048 words of wallets.
var seedWords = strings.Fields(`
abandon ability absorb acid across admit advance afford agree album alcohol alien amazing anchor animal apple april arch
arrive aspect autumn avocado bacon balance bamboo banner basket beauty belt bicycle blanket board boring bracket breeze
broccoli bubble burger cabbage cactus camera canyon carbon castle cereal champion cherry circle citizen cliff clinic
coconut comfort copper coral cradle cricket crystal curtain dance decade deer demise desert dinosaur dolphin dragon
drift dwarf eager ecology elbow elephant engine envelope erosion evoke exhibit fabric faint fantasy fiber finger
flavor fluid forest fossil frozen gadget garlic gentle giraffe glimpse goose grape gravity guitar habit hammer harvest
hedgehog hobby hollow hybrid iceberg imitate indoor inject ivory jaguar jealous jungle kangaroo kidney kitten ladder
laptop lecture lemon lizard lobster lumber magnet mango marble meadow mimic mixture mosquito muffin mystery napkin
neutral noodle nuclear oblige ocean olive onion orbit ostrich oxygen paddle panther parrot peanut pelican pigeon pluck
polar prison pumpkin puzzle quantum quiz rabbit radar rebel reptile ribbon rocket rubber saddle salmon satoshi scatter
scorpion shadow shrimp silver slender sniff soldier sponge spray stadium sugar sunset swallow symptom tackle tenant
thunder tiger tobacco toddler tornado tragic trumpet tuna turtle umbrella uncover unfold upgrade useless utility vacuum
vanish velvet venture vibrant vintage volcano wagon walnut warfare weasel whisper winter wisdom wrestle yellow zebra zoo
`)

// hole is where a form has a random value.
var hole = regexp.MustCompile(`\{([a-z]+?)([0-9]*)(?:of([0-9]+))?\}`)

// fill puts random values into a form, and returns them.
func (p *Plant) fill(form string) (text string, values []string) {
	text = hole.ReplaceAllStringFunc(form, func(h string) string {
		value, secrets := p.value(strings.Trim(h, "{}"))
		values = append(values, secrets...)
		return value
	})
	return text, values
}

// value returns a random value of a kind, and what of it is secret.
func (p *Plant) value(kind string) (value string, secrets []string) {
	switch kind {
	case "word": // a password without signs that shells and URLs treat in their own way
		value = p.some("alnum", 6) + p.some("hex", 1) + p.one(digits) + p.one("_-.") + p.some("alnum", 5)
	case "password":
		value = p.some("alnum", 5) + p.one(digits) + p.one("!@#%^*") + p.some("alnum", 6)
	case "key":
		value = p.some("alnum", 31) + p.one(digits)
	case "bearer":
		value = p.some("alnum", 39) + p.one(digits)
		return "Bearer " + value, []string{value}
	case "cookie":
		value = p.some("alnum", 31) + p.one(digits)
		return "lang=en; sid=" + value, []string{value}
	case "connection":
		value = p.some("alnum", 13) + p.one(digits)
		return "Server=db;User Id=app;Password=" + value + ";", []string{value}
	case "uuid":
		value = p.some("hex", 8) + "-" + p.some("hex", 4) + "-4" + p.some("hex", 3) + "-a" + p.some("hex", 3) + "-" +
			p.some("hex", 12)
	case "jwt":
		value = "eyJ" + p.some("alnum", 33) + ".eyJ" + p.some("alnum", 60) + "." + p.some("alnum", 43)
	case "encodedjwt":
		plain, _ := p.value("jwt")
		value = base64.StdEncoding.EncodeToString([]byte(plain))
	case "urlbase64":
		value = p.some("alnum", 43) + "%3D"
	case "words12", "words24": // any three words in a row are secret
		n, _ := strconv.Atoi(kind[len("words"):])
		for range n / 3 {
			secrets = append(secrets, p.word()+" "+p.word()+" "+p.word())
		}
		return strings.Join(secrets, " "), secrets
	case "recovery": // a code for a lost second factor
		value = p.some("lower", 4) + p.one(digits) + "-" + p.some("lower", 4) + p.one(lowerCase)
	case "digitcode":
		value = p.from(digits, 4) + " " + p.from(digits, 4)
	case "lines":
		secrets = []string{p.some("alnum", 64), p.some("alnum", 64), p.some("alnum", 40)}
		return strings.Join(secrets, "\n"), secrets
	default:
		value = p.sized(kind)
		if len(value) < 12 && kind != "alnum7" { // a small part of a key
			return value, nil
		}
	}
	return value, []string{value}
}

// sized returns a value whose kind has a length, such as hex40, or a length before it is encoded, such as base64of24.
func (p *Plant) sized(kind string) string {
	name, length, isEncoded := strings.Cut(kind, "of")
	if isEncoded {
		n, _ := strconv.Atoi(length)
		if name == "base32" {
			return p.from(upperCase+"234567", n)
		}
		return base64.StdEncoding.EncodeToString([]byte(p.some("alnum", n*3/4)))
	}
	name = strings.TrimRight(kind, digits)
	n, _ := strconv.Atoi(kind[len(name):])
	if alphabets[name] == "" {
		panic("no such kind: " + kind)
	}
	return p.some(name, n)
}

func (p *Plant) some(alphabet string, n int) string { return p.from(alphabets[alphabet], n) }

func (p *Plant) word() string { return seedWords[p.dice.IntN(len(seedWords))] }

func (p *Plant) one(characters string) string { return p.from(characters, 1) }

func (p *Plant) from(characters string, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = characters[p.dice.IntN(len(characters))]
	}
	return string(text)
}

// Fill puts random values into the text of a form, and returns those that nobody may see.
func Fill(seed uint64, form string) (text string, values []string) {
	return (&Plant{dice: rand.New(rand.NewPCG(seed, 830))}).fill(form)
}
