package page

import (
	"bufio"
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a\nb\n\nc", `<p class="text">a
b</p><p class="text">c</p>`},
		{"## Head\ntext", `<p class="h2"><b>Head</b></p><p class="text">text</p>`},
		{"```go\nx := 1\n\ny\n```\nafter", "<pre class=\"code\">x := 1\n\ny</pre><p class=\"text\">after</p>"},
		{"~~~~\n```\n~~~~", "<pre class=\"code\">```</pre>"},
		{"```\nnever closed", `<pre class="code">never closed</pre>`},
		{"see\n| a | b |\n|---|---|\nend",
			"<p class=\"text\">see</p><pre class=\"code\">| a | b |\n|---|---|</pre><p class=\"text\">end</p>"},
		{"**b** `c<` [d](https://x.y/?a&b) https://z.w/'", `<p class="text"><b>b</b> <code>c&lt;</code> ` +
			`<a href="https://x.y/?a&amp;b" rel="noopener noreferrer nofollow">d</a> ` +
			`<a href="https://z.w/" rel="noopener noreferrer nofollow">https://z.w/</a>&#39;</p>`},
		{`[x](javascript:pwn()) <b onclick="pwn()">`,
			`<p class="text">[x](javascript:pwn()) &lt;b onclick=&#34;pwn()&#34;&gt;</p>`},
	} {
		var b strings.Builder
		out := bufio.NewWriter(&b)
		markup{out}.writeProse(test.text)
		_ = out.Flush()
		if b.String() != test.want {
			t.Errorf("%q:\ngot  %s\nwant %s", test.text, b.String(), test.want)
		}
	}
}
