import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'

/** Loaded when the first pattern is met: most instances have none. */
const require = createRequire(import.meta.url)
const longest = 16_384

interface LinearRegExp {
	test(text: string): boolean
	toString(): string
}

/**
 * A pattern in RE2's syntax, matched in time linear to the text: no look-around, no back-references. Throws for a
 * pattern that RE2 does not know. Texts over 16,384 characters throw too, since not to match could mean to allow.
 */
export function linearRegExp(pattern: string): LinearRegExp {
	const { RE2JS } = require('re2js') as { RE2JS: typeof Engine }
	const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
	return {
		test: (text) => {
			if (text.length > longest) throw new RangeError('The text is too long for a pattern.')
			return compiled.matcher(text).find()
		},
		// The compiler of schemas tells patterns apart by this text.
		toString: () => pattern,
	}
}
linearRegExp.code = 'linearRegExp'
