package tokens

import "strings"

// newModels are the beginnings of the names of OpenAI's models that count with o200k_base. Their older ones count with
// cl100k_base.
var newModels = []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "o1", "o3", "o4", "codex", "chatgpt-4o"}

// EncodingOf returns the name of the encoding that a model counts with. The name of its provider may come first. For
// other makers' models it is the one whose count is the estimate.
func EncodingOf(model string) string {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, beginning := range newModels {
		if strings.HasPrefix(name, beginning) {
			return O200K.Name()
		}
	}
	return CL100K.Name()
}
