import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** The library is loaded for the first pattern, because most instances have none. */
const require = createRequire(import.meta.url)

/**
 * Compiles a pattern in RE2's syntax, which matches in linear time and has neither look-around nor back-references. Throws for a
 * pattern that RE2 does not support, with a message that says what is wrong.
 */
export function compileRe2(pattern: string): RE2JS {
	const { RE2JS: Engine } = require('re2js') as { RE2JS: typeof RE2JS }
	return Engine.compile(Engine.translateRegExp(pattern))
}
