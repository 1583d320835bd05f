import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody, sendJson } from '../../platform/http/index.ts'

type ErrorCode =
	| 'invalid_request'
	| 'invalid_client'
	| 'invalid_grant'
	| 'invalid_scope'
	| 'invalid_target'
	| 'invalid_client_metadata'
	| 'invalid_redirect_uri'
	| 'unsupported_grant_type'
	| 'unsupported_response_type'
	| 'access_denied'

/** A failure in the words of OAuth (RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8707 §2). */
export class OauthError extends Error {
	readonly code: ErrorCode
	readonly status: 400 | 401

	constructor(code: ErrorCode, description: string, status: 400 | 401 = 400) {
		super(description)
		this.code = code
		this.status = status
	}
}

/** Runs an endpoint of the protocol and answers its failures as OAuth's clients read them. */
export async function answerOauth(response: ServerResponse, work: () => Promise<void>): Promise<void> {
	try {
		await work()
	} catch (error) {
		if (!(error instanceof OauthError)) throw error
		sendJson(response, error.status, { error: error.code, error_description: error.message })
	}
}

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

/** Where the answer to a client goes. */
interface Back {
	issuer: string
	redirectUri: string
	state: string | null
}

/** The redirect URI with the answer: its own query stays, and `iss` says who answers (RFC 9207). */
export function responseUrl({ issuer, redirectUri, state }: Back, answer: Record<string, string>): string {
	const url = new URL(redirectUri)
	const fields = { ...answer, ...(state !== null && { state }), iss: issuer }
	for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
	return url.href
}

export function redirectTo(response: ServerResponse, location: string): void {
	response
		.writeHead(302, {
			location,
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
			'content-length': 0,
		})
		.end()
}
