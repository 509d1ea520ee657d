package secrets

var (
	// typeName matches the names of types with a number in them, such as Uint8Array and X509Credential. They are what
	// programs have where configurations have a secret.
	typeName = lazy(`^(?:[A-Z]{1,5}[a-z]*)+[0-9]{1,5}[A-Za-z]*(?:Array|Buffer|Bytes|Client|Config|` +
		`Credentials?|Data|Handler|Info|Input|Key|Like|Manager|Options|Output|Pair|Params|Password|Provider|Request|` +
		`Response|Result|Secret|Source|Store|String|Token|Type|Value|View)$`)
	// publicText matches what stands for a key, or begins one that another rule finds.
	publicText = lazy(`^(?:-----BEGIN [A-Z ]+-----|urn:[a-z].*)$`)
	// publicName matches names of what everybody may know, and of tokens that only say which document or page is meant.
	publicName = lazy(`(?i)(?:alphabet|charset|scopes?)$|` +
		`(?:^|[_.-]|[a-z])(?:doc|document|file|folder|node|obj|wiki|sheet|spreadsheet|page|next|continuation|sync)` +
		`[_-]?token$`)
)

// butNoCode returns a judge that also leaves out what is assigned in programs.
func butNoCode(accepts func(candidate) bool) func(candidate) bool {
	return func(c candidate) bool {
		return accepts(c) && (c.isQuoted() || !typeName().Match(c.value())) && !publicText().Match(c.value()) &&
			!publicName().Match(c.name())
	}
}
