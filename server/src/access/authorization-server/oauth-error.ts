import type { ServerResponse } from 'node:http'
import { sendJson } from '../../platform/http/index.ts'

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
