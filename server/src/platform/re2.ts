import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** Loaded when the first pattern is met: most instances have none. */
const require = createRequire(import.meta.url)

/**
 * A pattern in RE2's syntax: it is matched in time linear to the text and knows no look-around and no back-references.
 * Throws for a pattern that RE2 does not know, with a message that says what is wrong.
 */
export function compileRe2(pattern: string): RE2JS {
	const { RE2JS: Engine } = require('re2js') as { RE2JS: typeof RE2JS }
	return Engine.compile(Engine.translateRegExp(pattern))
}
