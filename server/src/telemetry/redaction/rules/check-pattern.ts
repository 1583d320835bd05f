import { Problem } from '../../../platform/errors.ts'
import { compileOwnPattern, UnusablePattern } from '../../../platform/redaction/index.ts'

/** Throws Problem 400 that says what is wrong with a pattern. */
export function checkPattern(pattern: string): void {
	try {
		compileOwnPattern(pattern)
	} catch (error) {
		if (error instanceof UnusablePattern) throw refused('pattern', error.message)
		throw error
	}
}

export function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'redaction_rule', detail }],
	})
}
