import { compileRe2 } from '../../../platform/re2.ts'

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
	const compiled = compileRe2(pattern)
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
