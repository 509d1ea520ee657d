package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// argument is a pattern for the word of a command line that is a secret.
const argument = `(?:"([^"\n$\x60]{4,200})"|'([^'\n]{4,200})'|` +
	`([^\s\x1b"'$\x60|;&<>()\\-][^\s\x1b"'\x60|;&<>()\\]{3,200}))`

// between is a pattern for the words between the name of a command and a flag.
const between = `(?:[^\n|;&]{0,300}? )?`

// typed is a rule for a secret that is typed after the name of a program.
func typed(name, example, pattern string, keywords ...string) *Rule {
	return &Rule{
		Name: name, Keywords: keywords, Example: example, Pattern: pattern, Entropy: 1.5, accepts: isArgument,
		reach: maxCommand,
	}
}

// gated returns the rule with a quick look.
func (r *Rule) gated(gate func(text []byte, at, length int) bool) *Rule {
	r.gate = gate
	return r
}

// maxCommand is how far the pattern of a command looks.
const maxCommand = 600

// isArgument judges the word of a command line that should be a secret. Words of instructions are none.
func isArgument(c candidate) bool {
	value := c.value()
	return isNoPlaceholder(c) &&
		(hasDigit(value) || hasSign(value) || isMixed(value) || isJumbled(value) || c.isQuoted() && !isWords(value))
}

// The rules for secrets on command lines.
func commandRules() []*Rule {
	return []*Rule{
		typed("mysql-password", "mysql -u root -p{a12} shop",
			`(?:mysql|mariadb)[a-z_-]* `+between+`(?:-p|--password=)`+argument,
			"mysql", "mariadb").gated(isBeforeFlag("-p", "--password", brokenFlag)),
		typed("sshpass-password", "sshpass -p {a12} ssh me@host", `sshpass `+between+`-p ?`+argument, "sshpass"),
		typed("login-password", "docker login -u me -p {a12} host", `[a-z]+(?: registry)? login `+between+
			`(?:-p|--password)[ =]`+argument, "docker login", "podman login", "nerdctl login", "buildah login", "skopeo login",
			"helm registry login", "az login", "oc login").gated(isBeforeFlag("-p", "--password", brokenFlag)),
		typed("ngrok-token", "ngrok config add-authtoken {a43}", `(?:add-|ngrok )authtoken `+argument,
			"add-authtoken ", "ngrok authtoken "),
		typed("redis-password", "redis-cli -h host -a {a12} PING", `redis-cli `+between+`(?:-a|--pass)[ =]`+argument,
			"redis-cli"),
		{Name: "openssl-password", Keywords: []string{"pass:"}, Fold: true, Left: `-pass(?:in|out)?\s+["']?`,
			Pattern: `pass:` + argument, gate: followsPassFlag,
			Entropy: 1.5, accepts: isArgument, Example: "openssl enc -pass pass:{a12}"},
		typed("set-password", "aws configure set aws_secret_access_key {s40}",
			`con(?:figure|fig) set ["']?[A-Za-z0-9_./:-]*(?:secret|token|[Pp]assword|_auth|key)[A-Za-z0-9_.-]*["']?[ =]`+
				argument,
			"configure set ", "config set ").gated(setsSecret),
		typed("curl-cookie", "curl -b 'session={a32}' https://example.test",
			`curl `+between+`(?:-b|--cookie)[ =]["']?[A-Za-z0-9_.-]+=([^\s;'"$]{12,})`, "curl ").
			gated(isBeforeFlag("-b", "--cookie")),
		typed("http-password", "http -a me:{a12} https://example.test",
			`(?:https?|xh|xhs) `+between+`(?:-a|--auth)[ =]["']?[^\s:"'$]+:`+argument, "http -", "https -", "xh -", "xhs -"),
		typed("ldap-password", "ldapsearch -x -w {a12} -b dc=test", `ldap[a-z]+ `+between+`-w ?`+argument, "ldapsearch",
			"ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"),
		typed("sql-password", "sqlcmd -U sa -P {a12} -Q x", `(?:sqlcmd|bcp|osql|isql|mosquitto_pub|mosquitto_sub) `+between+
			`-P ?`+argument, "sqlcmd", "bcp ", "osql ", "isql ", "mosquitto_pub", "mosquitto_sub"),
		typed("mongo-password", "mongosh -u me -p {a12} shop", `mongo[a-z]* `+between+`(?:-p|--password)[ =]`+argument,
			"mongosh", "mongo ", "mongodump", "mongorestore", "mongoexport", "mongoimport"),
		typed("zip-password", "zip -r -P {a12} a.zip data", `(?:un)?zip `+between+`-P ?`+argument, "zip -", "unzip -").
			gated(isBeforeFlag("-P", brokenFlag)),
		typed("archive-password", "7z a -p{a12} a.7z data", `(?:7z[az]?|(?:un)?rar) `+between+`-h?p`+argument, "7z a", "7z x",
			"7z e", "7za ", "7zz ", "unrar ", "rar a"),
		typed("htpasswd-password", "htpasswd -bc users me {a12}",
			`htpasswd `+between+`-[a-zA-Z]*b[a-zA-Z]*(?: -\S+)*(?: [^\s"'-]\S*){1,2} `+argument, "htpasswd"),
		{Name: "piped-password", Keywords: []string{"echo ", "printf "}, gate: isPiped, Entropy: 1.5, accepts: isArgument,
			Pattern: `(?:echo|printf) (?:-[neE]+ )?["']?(?:[a-z_][a-z0-9_-]*:)?([^\s"'$\x60|;&:]{4,200})(?:\\n)?["']? ?\| ?` +
				`(?:sudo )?(?:chpasswd|sudo -S|passwd --stdin|su -c|[^\n|;&]{0,200}-stdin)`, Example: "echo {a12} | sudo -S ls"},
		typed("smb-password", "smbclient //host/share -U 'me%{a12}'", `(?:smbclient|smbget|rpcclient) `+between+
			`(?:-U|--user)[ =]?["']?[^\s%"'$]+%`+argument, "smbclient", "smbget", "rpcclient").
			gated(isBeforeFlag("-U", "--u", brokenFlag)),
		typed("kubernetes-literal", "kubectl create secret generic db --from-literal=a={a12}",
			`secret generic `+between+`--from-literal[ =]["']?[^\s=]+=`+argument, "secret generic"),
		typed("wifi-password", "nmcli device wifi connect Office password {a12}", `nmcli `+between+`password `+argument,
			"nmcli"),
		{Name: "database-user", Keywords: []string{"password '", "identified by"}, Fold: true, Entropy: 1.5,
			accepts: isNoPlaceholder, Pattern: `(?:password|identified by(?: password)?) '([^'\n]{4,100})'`,
			gate:    isBeforeQuote,
			Example: "CREATE USER me WITH PASSWORD '{a12}'"},
		{Name: "registry-password", Keywords: []string{"creds"}, Left: `--?[a-z-]*`, Entropy: 1.5, accepts: isArgument,
			gate:    endsFlag,
			Pattern: `creds[ =]["']?[^\s:"'$]+:` + argument, Example: "skopeo copy --src-creds me:{a12} a b"},
	}
}

// followsPassFlag is a quick look whether the flag that a keyword belongs to is before it. White space may be escaped.
func followsPassFlag(text []byte, at, _ int) bool {
	if at > 1 && text[at-1] == ' ' && text[at-2] == '-' { // what Go's tests print
		return false
	}
	before := text[max(0, at-len(`\n`)*leftWindow):at]
	for i := bytes.IndexByte(before, '-'); i >= 0; i = bytes.IndexByte(before, '-') {
		if before = before[i+1:]; len(before) >= 4 && bytes.EqualFold(before[:4], []byte("pass")) {
			return true
		}
	}
	return false
}

// isPiped is a quick look whether what follows a keyword is the input of another command that reads a password.
func isPiped(text []byte, at, length int) bool {
	return bytes.IndexByte(text[at:min(len(text), at+200)], '|') >= 0 && readsPassword(text, at, length)
}

var readsPassword = isBefore("passwd", "sudo", "su -c", "-stdin")

// brokenFlag is a flag that an escape breaks, such as that of a line end.
const brokenFlag = `-\`

// isBefore returns a quick look whether a keyword is before one of some texts.
func isBefore(texts ...string) func(text []byte, at, length int) bool {
	return func(text []byte, at, length int) bool {
		after := text[at+length : min(len(text), at+length+len(`\n`)*maxCommand)]
		return slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(after, []byte(s)) })
	}
}

// setsSecret is a quick look whether the word after a keyword may name a secret.
func setsSecret(text []byte, at, length int) bool {
	from := at + length
	end := from
	for end < len(text) && end < from+len(`\n`)*maxName && text[end] > ' ' {
		end++
	}
	name := text[from:end]
	return bytes.ContainsAny(name, `\%+&`) || slices.ContainsFunc([]string{"secret", "token", "assword", "_auth", "key"},
		func(s string) bool { return bytes.Contains(name, []byte(s)) })
}

// isBeforeFlag returns a quick look whether a keyword is before one of some flags, or ends with its dash, in the same
// command, which ends with a pipe or a line.
func isBeforeFlag(flags ...string) func(text []byte, at, length int) bool {
	return func(text []byte, at, length int) bool {
		after := text[at+length-1 : min(len(text), at+length+len(`\n`)*maxCommand)]
		if end := bytes.IndexAny(after, "|\n"); end >= 0 {
			after = after[:end]
		}
		return slices.ContainsFunc(flags, func(flag string) bool { return bytes.Contains(after, []byte(flag)) })
	}
}

// isBeforeQuote is a quick look whether a keyword is before a quote in some form, perhaps after another word.
func isBeforeQuote(text []byte, at, length int) bool {
	after := text[at:min(len(text), at+length+len(" password '"))]
	return bytes.ContainsAny(after, "'%&") || bytes.Contains(after, []byte(`\u`))
}

// endsFlag is a quick look whether a keyword is the end of a flag.
func endsFlag(text []byte, at, length int) bool {
	return bytes.IndexByte(text[nameStart(text, at):at], '-') >= 0 && at+length < len(text) && !isNamePart(text[at+length])
}

// The rules for secrets in configurations, headers and addresses.
func settingRules() []*Rule {
	return []*Rule{
		{Name: "pgpass-password", Keywords: []string{":5432:"}, Left: `[A-Za-z0-9.*-]+`, Entropy: 1.5,
			accepts: func(c candidate) bool { return isArgument(c) || isTyped(c) },
			Pattern: `:5432:[^:\s]+:[^:\s]+:([^\s\x1b:"'\x60)\\]{4,100})`, Example: "db.test:5432:shop:app:{a12}"},
		{Name: "redis-setting", Keywords: []string{"requirepass ", "masterauth "}, Entropy: 1.5, accepts: isArgument,
			Pattern: `(?:requirepass|masterauth) ` + argument, Example: "requirepass {a12}"},
		{Name: "otp-secret", Keywords: []string{"otpauth://"}, left: anything, Entropy: 2.5,
			Example: "otpauth://totp/x?secret={u32}",
			Pattern: `otpauth://[^\s"']{0,200}?secret=([A-Za-z2-7]{16,})`},
		prefixed("feishu-webhook", "open.feishu.cn/open-apis/bot/v2/hook/{i}", 2.8,
			`(?:feishu\.cn|larksuite\.com)/[a-z0-9/-]{0,60}hook/([0-9a-f-]{36})`, "feishu.cn", "larksuite.com"),
		{Name: "wecom-webhook", Keywords: []string{"send?key="}, left: anything, Entropy: 2.8,
			Pattern: `send\?key=([0-9a-f-]{36})`, Example: "cgi-bin/webhook/send?key={i}"},
		{Name: "zapier-webhook", Keywords: []string{"hooks.zapier.com"}, Entropy: 1.2,
			Example: "hooks.zapier.com/hooks/catch/1234567/{l7}/",
			Pattern: `hooks\.zapier\.com/hooks/[a-z]+/[0-9]+/([A-Za-z0-9]{6,})`},
		{Name: "ifttt-webhook", Keywords: []string{"maker.ifttt.com"}, Entropy: 2.5,
			Example: "maker.ifttt.com/trigger/x/with/key/{w22}",
			Pattern: `maker\.ifttt\.com/[^\s"']{0,80}with/key/([A-Za-z0-9_-]{16,})`},
		{Name: "cookie", Keywords: []string{"cookie"}, Fold: true, left: anything, gate: mayBeCookie, find: findCookie,
			Example: "Cookie: sessionid={a32}; lang=en"},
	}
}

// mayBeCookie is a quick look whether a long value is in what is assigned to a name.
func mayBeCookie(text []byte, at, length int) bool {
	from := assignedFrom(text, at+length)
	if from < 0 || !mayBeginPair(text, from) {
		return false
	}
	run := -1 // of what is after a sign
	for i := from; i < min(len(text), from+maxLength); i++ {
		switch c := text[i]; {
		case c == ';' || c == '=' && run < 0: // also a sign in the form of HTML
			run = 0
		case c == '\\' && run >= 0: // a line may break inside
			i++
		case c == '\n' || c == '\r': // where the cookies end
			return false
		case !isWrapped[c] && c != '%':
			run = -1
		case run >= 0:
			run++
		}
		if run == 16 {
			return true
		}
	}
	return false
}

// mayBeginPair is a quick look whether a name and a sign follow, as in a header with cookies, and not several words.
func mayBeginPair(text []byte, from int) bool {
	hasBegun := false
	for i := from; i < min(len(text), from+maxName); i++ {
		switch c := text[i]; {
		case c == '\\' && !hasBegun:
			i++ // a quote or the end of a line
		case strings.IndexByte(" \t\"'`[{(=>", c) >= 0 && !hasBegun:
		case strings.IndexByte("=%&;\\", c) >= 0: // in some form
			return true
		case c <= ' ':
			return false
		default:
			hasBegun = true
		}
	}
	return false
}

// findCookie returns the part of a Cookie header from its first secret to its last one.
func findCookie(text []byte, at int) (start, end int) {
	from := assignedFrom(text, at+len("cookie"))
	if from < 0 {
		return 0, 0
	}
	line := text[from:min(len(text), from+maxLength)]
	for i, c := range line {
		if c == '\n' || c == '\r' || i > 1 && (c == '"' || c == '\'' || c == '\x60') {
			line = line[:i]
			break
		}
	}
	for _, found := range cookie().FindAllSubmatchIndex(line, -1) {
		if !isCookieValue(line[found[2]:found[3]]) {
			continue
		}
		if start == 0 {
			start = from + found[2]
		}
		end = from + found[3]
	}
	return start, end
}
