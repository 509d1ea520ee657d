package secrets

import "testing"

// What programs assign to names of secrets is left alone. What people assign to them is found.
func TestAssignmentsInPrograms(t *testing.T) {
	for _, text := range []string{
		"declare function pbkdf2(password: Uint8Array, salt: Uint8Array): void", "credential: X509Credential | undefined",
		"userCredentials: ConnectorListUserCredentialsV1Request,", "privateKey: Ed25519PrivateKey;",
		"PRIVATE_KEY=\"-----BEGIN " + "RSA PRIVATE KEY-----\n...\n", "const SUBJECT_TOKEN = 'urn:openai:params:oauth:x509';",
		"const PASSWORD_ALPHABET = \"0123456789abcdefghijklmnopqrstuvwxyz\";", `DIRECT_TOKEN_SCOPE="chatgpt.tokens.use1"`,
	} {
		if found := Find([]byte(text)); len(found) > 0 {
			t.Errorf("%q: %v", text, names(found))
		}
	}
	for _, text := range []string{
		"password: Summer2024Rain, user: ada", "password: Winter8Array!", `password: "Uint8Array"`, "DB_PASSWORD=Xk9Token2b",
		`"apiKey": "X509CredentialOfMine7"`,
	} {
		if found := Find([]byte(text)); len(found) != 1 {
			t.Errorf("%q: %v", text, names(found))
		}
	}
}
