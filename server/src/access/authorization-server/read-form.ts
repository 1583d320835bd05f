import type { IncomingMessage } from 'node:http'
import { readBody } from '../../platform/http/index.ts'
import { OauthError } from './oauth-error.ts'

const limitBytes = 16 * 1024

/** A form of the token and revocation endpoints. A field sent twice is refused (RFC 6749 §3.2). */
export async function readForm(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
	if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
		throw new OauthError('invalid_request', 'Send application/x-www-form-urlencoded.')
	return readFields((await readBody(request, limitBytes)).toString('utf8'))
}

/** Fields of a form or a query string, each at most once; empty ones count as absent (RFC 6749 §3.1). */
export function readFields(text: string): Readonly<Record<string, string>> {
	const fields: Record<string, string> = Object.create(null)
	for (const [name, value] of new URLSearchParams(text)) {
		if (name in fields)
			throw new OauthError('invalid_request', `The field ${name.slice(0, 40)} stands there twice.`)
		if (value !== '') fields[name] = value
	}
	return fields
}

export function requireField(fields: Readonly<Record<string, string>>, name: string): string {
	const value = fields[name]
	if (value === undefined) throw new OauthError('invalid_request', `The field ${name} is missing.`)
	return value
}
