import { Problem } from '../../../platform/errors.ts'
import { compileOwnPattern, UnusablePattern } from '../../../platform/redaction/index.ts'
import type { HookRow } from './hook.ts'

/** Throws Problem 400 unless the hook has what its action needs, and nothing else. */
export function checkHook({ action, pattern, url, stages }: HookRow): void {
	if (action === 'webhook') {
		if (url === null) throw refused('url', 'is what a webhook needs')
		if (pattern !== null) throw refused('pattern', 'is not for a webhook')
		return
	}
	if (url !== null) throw refused('url', 'is for webhooks')
	if (pattern === null) throw refused('pattern', `is what ${action} needs`)
	if (action === 'redact' && (JSON.parse(stages) as string[]).includes('stream'))
		throw refused('stages', 'with redact cannot have stream: what has gone out cannot be changed')
	checkPattern(pattern)
}

function checkPattern(pattern: string): void {
	try {
		compileOwnPattern(pattern)
	} catch (error) {
		if (error instanceof UnusablePattern) throw refused('pattern', error.message)
		throw error
	}
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'hook', detail }],
	})
}
