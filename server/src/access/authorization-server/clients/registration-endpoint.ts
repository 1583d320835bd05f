import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody, sendJson } from '../../../platform/http/index.ts'
import { parseStrictJson } from '../../../platform/json/json-scan.ts'
import type { AuthorizationContext } from '../context.ts'
import { answerOauth, OauthError } from '../oauth-error.ts'
import { oauthScopes } from '../scopes.ts'
import { registerClient } from './register-client.ts'

const limitBytes = 16 * 1024

/** RFC 7591, for everybody: what a client may do is decided by a person, each time. */
export function registrationEndpoint(
	{ sealer, clock }: AuthorizationContext,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	return answerOauth(response, async () => {
		const client = registerClient(sealer, readMetadata(await readBody(request, limitBytes)))
		sendJson(response, 201, {
			client_id: client.id,
			client_id_issued_at: Math.floor(clock.nowMs() / 1000),
			client_name: client.name,
			...(client.uri !== null && { client_uri: client.uri }),
			redirect_uris: client.redirectUris,
			grant_types: ['authorization_code', 'refresh_token'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
			scope: oauthScopes.join(' '),
		})
	})
}

function readMetadata(body: Buffer): Record<string, unknown> {
	try {
		const value = parseStrictJson(body)
		if (typeof value === 'object' && value !== null && !Array.isArray(value))
			return value as Record<string, unknown>
	} catch {}
	throw new OauthError('invalid_client_metadata', 'Send a JSON object.')
}
