// Package rank orders texts by how well they answer a few words.
//
//	words ─▶ Query ─▶ Weight of each text ─▶ Board ─▶ the best texts, best first
//
// There is no index. A [Query] weighs one text after another, and a [Weight] keeps little of each: which words of the
// query every sentence has, and how long it is. How rare a word is, is known only after the last text, so a [Board]
// turns weights into scores at the end. A score is that of BM25, once for the whole text and once for its best
// sentence, since a long message has many sentences and one of them is the answer.
//
// Words are compared by their stems ([EachTerm]): English words lose their endings, identifiers are cut at underscores
// and changes of case, and Chinese, Japanese and Korean text is cut into pairs of characters.
package rank
