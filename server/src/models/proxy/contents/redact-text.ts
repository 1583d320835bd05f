import { compileOwnPattern, type OwnPattern, redact } from '../../../platform/redaction/index.ts'
import type { StoredText, TextRules } from '../../../telemetry/index.ts'

type Compiled = { own: OwnPattern; label: string }[]

const compiled = new Map<string, Compiled>()
const mostCompiled = 200

export function redactTexts(texts: readonly StoredText[], rules: TextRules | undefined): StoredText[] {
	return texts.map(({ hash, text }) => ({ hash, text: redactText(text, rules) }))
}

/** A text without what is private for everyone, and without what its workspace's own rules find. */
function redactText(text: string, rules: TextRules | undefined): string {
	let left = redact(text).text
	for (const { own, label } of rules ? patternsOf(rules) : [])
		left = own.replace(left, label, () => undefined)
	return left
}

function patternsOf({ key, patterns }: TextRules): Compiled {
	const known = compiled.get(key)
	if (known) return known
	const fresh = patterns.map(({ pattern, label }) => ({ own: compileOwnPattern(pattern), label }))
	if (compiled.size >= mostCompiled) compiled.clear()
	compiled.set(key, fresh)
	return fresh
}
