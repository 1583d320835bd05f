import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../../platform/http/read-body.ts'
import { sendJson } from '../../platform/http/refusals.ts'

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

/** An error in the form of OAuth (RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8707 §2). */
export class OauthError extends Error {
	readonly code: ErrorCode
	readonly status: 400 | 401

	constructor(code: ErrorCode, description: string, status: 400 | 401 = 400) {
		super(description)
		this.code = code
		this.status = status
	}
}

/** Runs a protocol endpoint and sends its errors in the form that OAuth clients expect. */
export async function answerOauth(response: ServerResponse, work: () => Promise<void>): Promise<void> {
	try {
		await work()
	} catch (error) {
		if (!(error instanceof OauthError)) throw error
		sendJson(response, error.status, { error: error.code, error_description: error.message })
	}
}

const limitBytes = 16 * 1024

/** Reads the form of a request to the token or revocation endpoint. A repeated field is refused (RFC 6749 §3.2). */
export async function readForm(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
	if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
		throw new OauthError('invalid_request', 'Send application/x-www-form-urlencoded.')
	return readFields((await readBody(request, limitBytes)).toString('utf8'))
}

/** The fields of a form or a query string, each at most once. Empty ones count as absent (RFC 6749 §3.1). */
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

/** The destination of the answer to a client. */
interface Back {
	issuer: string
	redirectUri: string
	state: string | null
}

/**
 * The redirect URI with the answer. Its own query is kept as it is written, since clients compare it, and `iss` names the issuer
 * (RFC 9207).
 */
export function responseUrl({ issuer, redirectUri, state }: Back, answer: Record<string, string>): string {
	const url = new URL(redirectUri)
	const fields = { ...answer, ...(state !== null && { state }), iss: issuer }
	for (const name of Object.keys(fields)) if (url.searchParams.has(name)) url.searchParams.delete(name)
	const own = url.search.slice(1)
	url.search = `${own && `${own}&`}${new URLSearchParams(fields)}`
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
